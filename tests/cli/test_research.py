"""``aeon research``: what it shows, how it ends, what it refuses, and what can be done with a saved run of it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from search.web import page, send, serving

from scripts.bench.hostile_files import nested_forms

from .conftest import Outcome
from .played_model import Model, reply

pytestmark = [pytest.mark.requirement("R1"), pytest.mark.usefixtures("indexes", "words_only")]

Aeon = Callable[..., Outcome]
QUESTION = "When was the Old Mill built?"
MILL = "# The Old Mill\n\nThe Old Mill was built in 1883. \x1b[2JIt stands by the river.\n"


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_ITERS", "MAX_QUERIES", "MAX_SOURCES", "MAX_EXECUTION_TIME_S", "TOKEN_BUDGET"):
        monkeypatch.delenv(f"RESEARCH_{name}", raising=False)


@pytest.fixture
def papers(tmp_path: Path) -> str:
    """A folder with two texts."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "mill.md").write_text(MILL)
    (folder / "inn.md").write_text("# Red Inn\n\nRed Inn was opened in 1901.\n")
    return str(folder)


@pytest.fixture
def reader(model: Model) -> Model:
    """A model that finds the year of the mill, and nothing else."""

    def read(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
        text = body["messages"][-1]["content"]
        if "<data texts>" in text:
            said = "The Old Mill was built in 1883." if QUESTION in text and "1883" in text else "It is not said."
        elif body.get("logprobs") and ("<data text>" in text or "<data evidence>" in text):
            evidence, _, asked = text.partition("</data>")
            said = "Yes" if "1883" in evidence and ("Answer: " not in asked or "1883" in asked) else "No"
        else:
            return False
        choice: dict[str, Any] = {
            "index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop",
            "logprobs": {"content": [{"token": said, "top_logprobs": [{"token": said, "logprob": -0.001}]}]},
        }  # fmt: skip
        usage = {"prompt_tokens": 20, "completion_tokens": 5}
        payload = json.dumps({"id": "1", "model": "played", "choices": [choice], "usage": usage}).encode()
        reply(handler, 200, payload, Content_Type="application/json")
        return True

    model.before = read
    return model


@pytest.mark.requirement("R3")
def test_a_question_is_answered_with_its_sources_and_their_quotes(aeon: Aeon, reader: Model, papers: str) -> None:
    """Queries, hits and rounds as they go, then the answer, what it cites, and how much of it is checked."""
    done = aeon("research", QUESTION, "--in", papers)
    assert (done.code, done.errors) == (0, []), done
    for words in (
        "The Old Mill was built in 1883 [1].", "sources ", "1 of 1 sentence cited", "[1] The Old Mill, mill.md",
        "“The Old Mill was built in 1883.”", "sufficient",
    ):  # fmt: skip
        assert words in done.shown, done.out
    assert "\x1b" not in done.shown


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("question", ["Who owns the castle?", "Wem gehört das Schloss?"])
def test_what_is_not_stated_ends_with_3(aeon: Aeon, reader: Model, papers: str, question: str) -> None:
    """Also in another language than that of the texts; the answer says what was searched for."""
    done = aeon("research", question, "--in", papers)
    assert done.code == 3 and "not_stated" in done.shown and "searched for: " in " ".join(done.shown.split())


def test_an_empty_folder_ends_with_3(aeon: Aeon, reader: Model, tmp_path: Path) -> None:
    """Nothing was found, and the answer says so; no sentence is cited."""
    (tmp_path / "empty").mkdir()
    done = aeon("research", QUESTION, "--in", str(tmp_path / "empty"), "--json")
    assert done.code == 3 and done.document["sources"] == []
    assert done.document["answer"].startswith(f"No source was found for this: {QUESTION} (searched for: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((QUESTION,), ("name where to search", "--in FOLDER")),
        ((QUESTION, "--in", "no-such-folder"), ("no-such-folder",)),
        ((QUESTION, "--search", "nowhere=x"), ("nowhere",)),
        ((QUESTION, "--search", "searxng"), ("searxng",)),
        (("", "--in", "{papers}"), ("empty",)),
        (("--in", "{papers}"), ("say in words what you want to know", "aeon research")),
        ((QUESTION, "--in", "{papers}", "--set", "max_iters=0"), ("max_iters",)),
        ((QUESTION, "--in", "{papers}", "--set", "nonsense=1"), ("nonsense",)),
        ((QUESTION, "--in", "{papers}", "--out", "r.pdf"), ("an answer is written as .md or .html",)),
        ((QUESTION, "--in", "{papers}", "--out", "{papers}/none/r.htm"), ("there is no folder", "make it")),
        ((QUESTION, "--in", "{papers}", "--out", "{papers}/mill.md/r.md"), ("there is no folder", "make it")),
        ((QUESTION, "--in", "{papers}", "--out", "{papers}/mill.md"), ("exists already", "name another file")),
        ((QUESTION, "--in", "{papers}", "--proof", "{papers}/none/p.json"), ("there is no folder", "make it")),
        ((QUESTION, "--in", "{papers}", "--save", "r.md", "--out", "r.md"), ("--save and --out name the same file",)),
    ],
)
def test_wrong_usage_is_one_line(
    aeon: Aeon, reader: Model, papers: str, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """It says what to do, and no model is asked."""
    done = aeon("research", *(one.replace("{papers}", papers) for one in arguments))
    done.complains(2, *words)
    assert not reader.bodies


def test_an_unknown_tier_is_refused_with_those_that_there_are(aeon: Aeon, reader: Model, papers: str) -> None:
    """Before anything is done."""
    done = aeon("research", QUESTION, "--in", papers, "--tier", "enormous")
    assert done.code == 2 and "enormous" in done.err and "standard" in done.err and not reader.bodies


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("text", ["0", "many", "-3", "101", "1_0"])
def test_a_variable_that_cannot_be_is_named(
    aeon: Aeon, reader: Model, papers: str, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """In one line, by each command that may research."""
    monkeypatch.setenv("RESEARCH_MAX_ITERS", text)
    for command in (
        ("research", QUESTION, "--in", papers),
        ("run", QUESTION, "--engine", "research", "--files", papers),
        ("run", QUESTION, "--engine", "chain", "--files", papers),
        ("chat", "--engine", "research", "--files", papers),
        ("config", "show", "--engine", "research"),
    ):
        aeon(*command).complains(2, "RESEARCH_MAX_ITERS: ")
    assert not reader.bodies


@pytest.mark.requirement("R2")
def test_a_variable_holds_for_the_engine_and_an_option_stands_before_it(
    aeon: Aeon, reader: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever command runs it."""
    monkeypatch.setenv("RESEARCH_MAX_ITERS", "1")

    def calls(*arguments: str) -> int:
        return int(aeon(*arguments, "--bound", "--json").document["calls"])

    assert calls("research") == calls("run", "--engine", "research")
    assert calls("research", "--set", "max_iters=2") == calls("run", "--engine", "research", "--set", "max_iters=2")
    assert calls("research") < calls("research", "--set", "max_iters=2")


@pytest.mark.requirement("R2")
def test_json_is_one_document_with_rounds_and_sources(aeon: Aeon, reader: Model, papers: str) -> None:
    """And nothing else."""
    done = aeon("research", QUESTION, "--in", papers, "--json", "--tier", "simple", "--no-check")
    assert (done.code, done.err) == (0, "")
    document = done.document
    assert (document["answer"], document["tier"]) == ("The Old Mill was built in 1883 [1].", "simple")
    assert (document["limited"], document["reply"], document["missing"]) == (False, None, [])
    assert [one["number"] for one in document["sources"]] == list(range(1, len(document["sources"]) + 1))
    assert document["rounds"][0]["queries"][0]["intent"]


@pytest.mark.requirement("R2")
def test_the_bound_is_stated_without_a_search(aeon: Aeon, reader: Model) -> None:
    """It follows from the tier."""
    bounds = [aeon("research", "--bound", "--json", "--tier", tier).document["calls"] for tier in ("simple", "deep")]
    assert bounds[0] < bounds[1] and not reader.bodies
    assert "no run can spend more than" in aeon("research", "--bound").out


@pytest.mark.requirement("X2")
def test_a_saved_run_is_shown_replayed_forked_compared_and_proved(
    aeon: Aeon, reader: Model, papers: str, tmp_path: Path
) -> None:
    """As any other; the replay asks no model, and the fork goes on as far as it did."""
    saved, fork, proof = str(tmp_path / "run.jsonl"), str(tmp_path / "fork.jsonl"), str(tmp_path / "proof.json")
    done = aeon("research", QUESTION, "--in", papers, "--save", saved, "--proof", proof, "--json")
    assert done.code == 0, done.err
    asked = len(reader.bodies)
    history = aeon("history", saved)
    assert history.code == 0 and "round 1" in history.out and "“The Old Mill was built in 1883.”" in history.out
    assert "bit-identical" in aeon("replay", saved).out
    checked = aeon("verify", proof, "--journal", saved)
    assert checked.code == 0, checked
    assert len(reader.bodies) == asked
    forked = aeon("fork", saved, "--at", "2", "--set", "max_iters=1", "--save", fork)
    assert forked.code == 0, forked
    assert aeon("diff", saved, fork).code in (0, 1)


@pytest.mark.requirement("X2")
def test_a_search_that_nobody_answers_ends_in_an_answer_that_says_so(aeon: Aeon, reader: Model, papers: str) -> None:
    """What the folder has is answered all the same; the log has what failed, and what became of it."""
    done = aeon("research", QUESTION, "--in", papers, "--search", "searxng=http://127.0.0.1:9", "--json",
                "--set", "retries.attempts=1")  # fmt: skip
    assert done.code == 0 and done.document["limited"]
    assert done.document["answer"].splitlines()[1].startswith("Search capabilities were limited")
    assert {one["then"] for one in done.document["error_log"]} == {"given up"}
    assert {one["problem"]["kind"] for one in done.document["error_log"]} == {"unreachable"}


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("beside", [(), ("--in", "{papers}")])
def test_a_searxng_without_json_is_a_wrong_setting_with_what_mends_it(
    aeon: Aeon, reader: Model, papers: str, beside: tuple[str, ...]
) -> None:
    """It stands whole under the answer and where it is met, once; where nothing else is searched, the code is 2."""
    mend = "add json to search.formats in its settings.yml and start it again"
    with serving() as service:
        service.pages["/search"] = send(403, "forbidden")
        searched = ("--search", f"searxng={service.url}", *(one.replace("{papers}", papers) for one in beside))
        done = aeon("research", QUESTION, *searched)
        assert len({one.path for one in service.asked}) == len(service.asked) == 2  # the queries of the first round
    assert done.code == (0 if beside else 2) and "Round 2" not in done.shown
    before, _, after = " ".join(done.shown.split()).partition(" Answer ")
    assert before.count(mend) == after.count(mend) == 1


@pytest.mark.requirement("R6", "T2f")
def test_a_hostile_hit_is_left_out_and_the_research_goes_on(
    aeon: Aeon, reader: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that takes all memory to read ends nothing: it is named, and the other one is read."""
    monkeypatch.setattr("aeon.documents.readers._MEMORY", 160 * 1024**2)
    with serving() as service, serving() as site:
        site.pages["/mill"] = page("The Old Mill was built in 1883. It stands by the river.", "The Old Mill")
        site.pages["/forms"] = send(body=nested_forms(9), kind="application/pdf")
        results = [{"url": f"{site.url}/{name}", "title": "T"} for name in ("forms", "mill")]
        service.pages["/search"] = send(body={"results": results})
        done = aeon("research", QUESTION, "--search", f"searxng={service.url}", "--allow", site.entry)
    assert done.code == 0 and "1883" in done.out
    assert "took more than 160 MB to read" in " ".join(done.err.split())


@pytest.mark.requirement("R7")
def test_pages_that_cannot_be_read_stand_under_the_answer_and_in_the_log(
    aeon: Aeon, reader: Model, tmp_path: Path
) -> None:
    """One that leads into the own network, one that is too large, one of no text; the saved run shows them, too."""
    saved = str(tmp_path / "run.jsonl")
    with serving() as service, serving() as site:
        site.pages["/mill"] = page("The Old Mill was built in 1883. It stands by the river.", "The Old Mill")
        site.pages["/inside"] = send(302, b"", Location="http://169.254.169.254/latest")
        site.pages["/large"] = send(body=b"<p>" + b"x" * 6_000_000)
        site.pages["/bytes"] = send(body=bytes(range(256)), kind="application/octet-stream")
        urls = [f"{site.url}/{name}" for name in ("mill", "inside", "large", "bytes")]
        service.pages["/search"] = send(body={"results": [{"url": url, "title": "T"} for url in urls]})
        options = ("--search", f"searxng={service.url}", "--allow", site.entry)
        done = aeon("research", QUESTION, *options, "--save", saved)
        log = aeon("research", QUESTION, *options, "--json").document["error_log"]
    assert done.code == 0 and "3 not read" in done.shown
    for shown in (done.err.partition("Answer")[2], aeon("history", saved).out):
        assert all(shown.count(words) == 1 for words in ("169.254.169.254/latest is", "5 MB", "octet-stream"))
    assert {one["problem"]["kind"] for one in log} == {"forbidden", "too_large", "malformed"}
    assert {one["then"] for one in log} == {"left out"}


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(("name", "link"), [("a.md", "[\\[1\\]](#quote-1-"), ("a.html", '<a href="#quote-1-')])
def test_an_answer_is_written_to_a_file_whose_citations_lead_to_their_quotes(
    aeon: Aeon, reader: Model, papers: str, tmp_path: Path, name: str, link: str
) -> None:
    """In the shape that its name says; the screen says where it is."""
    out = tmp_path / name
    done = aeon("research", QUESTION, "--in", papers, "--out", str(out), "--save", str(tmp_path / "run.jsonl"))
    assert done.code == 0 and f"written {out}" in " ".join(done.shown.split())
    text = out.read_text()
    assert link in text and "<mark>The Old Mill was built in 1883.</mark>" in text and "\x1b" not in text
    assert aeon("history", str(tmp_path / "run.jsonl"), "--out", str(tmp_path / f"later-{name}")).code == 0
    assert (tmp_path / f"later-{name}").read_text() == text


def test_a_folder_that_takes_no_file_is_refused_before_the_run(
    aeon: Aeon, reader: Model, papers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line; no model is asked."""
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(tmp_path) and may(path, mode))
    aeon("research", QUESTION, "--in", papers, "--out", str(tmp_path / "r.md")).complains(2, "r.md", "takes no file")
    assert not reader.bodies


@pytest.mark.requirement("R1")
def test_each_round_is_shown_with_what_it_asks_and_what_was_spent(aeon: Aeon, reader: Model, papers: str) -> None:
    """Each query stands once, in the round in which it is searched for, with the calls and seconds until then."""
    done = aeon("research", "Who owns the castle near the Old Mill?", "--in", papers, "--budget-seconds", "300")
    rounds = re.findall(r"Round (\d) of 5  (\d+) of \d+ calls, \d+ of 300 s\n(.*?)(?=  missing)", done.err, re.DOTALL)
    assert [number for number, _, _ in rounds] == ["1", "2"] and int(rounds[0][1]) < int(rounds[1][1])
    for _, _, text in rounds:
        lines = text.splitlines()
        searched = [line for line in lines if "collection: " in line]
        asked = [line.removeprefix("  queries").strip() for line in lines if line not in searched]
        assert len(asked) == len(searched) == len(set(asked))
        for query in (line.partition("collection: ")[2].partition("  ")[0] for line in searched):
            assert sum(line.partition("  ")[0] == query for line in asked) == 1, done.err


@pytest.mark.requirement("R5")
def test_where_nobody_could_be_asked_the_answer_does_not_say_that_it_searched(aeon: Aeon, reader: Model) -> None:
    """Nor that it rests on a part of what there is."""
    done = aeon("research", QUESTION, "--search", "searxng=http://127.0.0.1:9", "--set", "retries.attempts=1", "--json")
    answer = done.document["answer"]
    assert done.code == 3 and answer.startswith(f"Nothing could be searched, so this is open: {QUESTION} (could not")
    assert "(searched" not in answer and "partial" not in answer
    assert done.document["unsearched"] == done.document["searched"]


@pytest.mark.requirement("R1")
def test_a_saved_run_names_a_query_once(aeon: Aeon, reader: Model, papers: str, tmp_path: Path) -> None:
    """The question itself is the first one to be asked, and the task: it is searched for once."""
    saved = str(tmp_path / "run.jsonl")
    aeon("research", "Mill?", "--in", papers, "--save", saved)
    (line,) = (line for line in aeon("history", saved).out.splitlines() if " queries " in line)
    assert line.count("Mill?") == 1
