"""What a report is given back as: Markdown, HTML, Items, logs; and what it is given."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from aeon import Journal, replay
from aeon.assembly.report import PLUGIN
from aeon.assembly.reports import report
from aeon.assembly.views import trail
from aeon.engines.report.config import ReasoningSettings, ReportConfig
from aeon.engines.report.effects import Critique
from aeon.engines.report.export import to_html
from aeon.engines.report.items import ITEM_KEYS
from aeon.engines.report.logs import IterationLog, folder_name, write_logs
from aeon.engines.report.record import Report
from aeon.engines.report.values import Draft
from aeon.errors import EndpointFailed, NoValidSourcesError, UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.events import EffectEnded, Event
from aeon.schema import Failure, JsonObject, Outcome, Question, Reply, Task

from .played import DESIGNED, ITEMS, OPENED, QUERY, TIERS, TOLL, Played

pytestmark = [pytest.mark.requirement("A3"), pytest.mark.usefixtures("measured")]


@pytest.fixture
def result() -> Report:
    """A report in discovery, in which sources differ."""
    return report(QUERY, ITEMS, tiers=TIERS, mode="discovery", llm=Played().model)


def test_the_report_is_one_item_with_the_keys_of_the_reference(result: Report) -> None:
    """Exactly these keys, and in the schema object the mode, the rounds, the sources and the confidence."""
    (item,) = result.items
    assert tuple(item) == ITEM_KEYS
    assert (item["@type"], item["score"], item["description"]) == ("Item", result.score, result.answer)
    schema = item["schema_object"]
    assert isinstance(schema, dict)
    assert (schema["mode"], schema["iterations"], schema["confidence"]) == ("discovery", 2, result.confidence)
    assert schema["sources_used"] == [source.source for source in result.sources]
    assert schema["total_sources_analyzed"] == len(ITEMS)
    json.dumps(result.items)


def test_switched_off_it_is_a_plain_search() -> None:
    """The results of the search are the Items; no model is asked, and the bound says so."""
    played = Played()
    config = ReportConfig(reasoning=ReasoningSettings(enabled=False))
    result = report(QUERY, ITEMS, tiers=TIERS, config=config, llm=played.model)
    assert (result.stop_reason, result.sufficient, result.usage.calls, result.bound.calls) == (
        "plain_search",
        True,
        0,
        0,
    )
    assert not played.seen
    assert all(tuple(item) == ITEM_KEYS for item in result.items)
    assert {item["url"] for item in result.items} == {item["url"] for item in ITEMS}
    assert max(int(str(item["score"])) for item in result.items) == 100


def test_an_item_that_is_found_is_given_back_with_its_own_values(tmp_path: Path) -> None:
    """Each value but the score is its own, in whole and once, with its tier in the context; so a journal has it."""
    said = " ".join(f"The Harbour Bridge was opened {number} times, says walker {number}." for number in range(40))
    given: JsonObject = {
        "@type": "Item", "url": "https://a.example/x", "name": "The bridge", "site": "Port", "score": 3,
        "siteUrl": "https://portal.example", "description": said, "schema_object": {"@type": "Article", "pages": [1]},
    }  # fmt: skip
    config = ReportConfig(reasoning=ReasoningSettings(enabled=False))
    path = tmp_path / "run.jsonl"
    found = report(
        QUERY, [given], tiers=TIERS, config=config, llm=Scripted([]), journal=lambda execution_id: Journal(path)
    )
    (item,) = found.items
    assert item == {**given, "score": 100} and tuple(item) == ITEM_KEYS
    (enriched,) = found.context
    assert (enriched["siteUrl"], enriched["schema_object"]) == (given["siteUrl"], given["schema_object"])
    assert enriched["description"] == f"[Tier unknown | unknown] {said}"
    again = replay(Journal.read(path), PLUGIN.engine)
    assert again == found


def test_claims_of_the_report_stand_where_they_say(result: Report) -> None:
    """Each sentence is a claim on its characters of the answer, with its evidence."""
    sentences = [claim for claim in result.claims if claim.kind == "sentence"]
    assert len(sentences) == len(result.findings)
    for claim in result.claims:
        assert result.answer[claim.start : claim.end] == claim.text
    assert all(claim.evidence and claim.verdict == "supported" for claim in sentences)


def test_marks_of_a_page_are_no_marks_of_the_report(result: Report) -> None:
    """What looks like a citation or like HTML in a source is escaped where it is quoted."""
    assert "cite [3]" not in result.answer and "<b>" not in result.answer
    assert "cite \\[3\\]" in result.answer


class _Page(HTMLParser):
    """Collects the tags, ids and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        values = dict(attrs)
        self.ids += [values["id"]] if values.get("id") else []  # type: ignore[list-item]
        self.links += [values["href"]] if values.get("href") else []  # type: ignore[list-item]


def test_in_html_a_citation_links_to_its_quote(result: Report) -> None:
    """The page loads nothing, runs nothing, and every link leads to a quoted span in it."""
    page = _Page()
    text = to_html(result)
    page.feed(text)
    assert page.links and set(page.links) <= {f"#{one}" for one in page.ids}
    assert len(set(page.ids)) == len(page.ids)
    assert not page.tags & {"script", "b", "img", "link", "iframe"}
    assert "&lt;b&gt;now&lt;/b&gt;" in text


def test_what_is_not_published_is_not_in_the_html() -> None:
    """In strict, a rejected draft gives a page with the reasons."""
    result = report(QUERY, ITEMS, tiers=TIERS, mode="strict", llm=Played(doubted=["say"]).model)
    text = to_html(result)
    assert "No report:" in text and "<blockquote" not in text


def logged(directory: Path, query_id: str = "", **options: Any) -> Path:
    """The folder of the iterations of a report that was observed."""
    log = IterationLog(directory, query_id)
    result = report(QUERY, ITEMS, tiers=TIERS, observers=[log], **{"llm": Played().model, **options})
    assert log.end(result) == ""
    return directory / "iterations" / folder_name(query_id or result.execution_id)


def contents(folder: Path) -> dict[str, Any]:
    """The files of a folder by their names."""
    return {path.name: json.loads(path.read_text()) for path in folder.iterdir()}


def test_iterations_are_logged_with_a_summary(tmp_path: Path) -> None:
    """A file for each agent of each round, in a folder of the query, with what the agent was given and said."""
    files = contents(logged(tmp_path, "bridge"))
    assert set(files) == {
        "iteration_1_analyst.json", "iteration_2_analyst.json", "iteration_2_critic.json", "iteration_2_writer.json",
        "session_summary.json",
    }  # fmt: skip
    first, second, critic, writer, summary = (files[name] for name in sorted(files))
    assert all(set(one) == {"iteration", "agent", "input", "output", "metadata"} for one in (first, critic, writer))
    assert first["output"]["status"] == "SEARCH_REQUIRED" and len(first["output"]["new_queries"]) == 3
    assert {one["source"] for one in first["input"]["context"]} == {item["url"] for item in ITEMS}
    assert first["input"]["query"] == QUERY and first["input"]["searched"] == []
    assert {OPENED, DESIGNED, TOLL} <= set(second["input"]["searched"])
    assert second["output"]["draft"].count("\n") == 2
    assert set(critic["output"]) == {"status", "critique", "suggestions", "mode_compliance", "logical_gaps"}
    assert len(critic["input"]["draft"]["findings"]) == 3 and len(critic["metadata"]["checked"]) == 3
    assert set(writer["output"]) == {"final_report", "sources_used", "confidence_level"}
    assert writer["input"]["review"]["status"] == critic["output"]["status"]
    assert (summary["total_iterations"], summary["final_status"]) == (2, "accepted_with_warnings")


def test_the_analyst_is_given_what_the_critic_said(tmp_path: Path) -> None:
    """A review that rejects stands in the analyst's input of the next round, with the draft that it is of."""
    files = contents(logged(tmp_path, "bridge", llm=Played(doubted=["Ada Holm"]).model, mode="strict"))
    given = files["iteration_3_analyst.json"]["input"]
    assert given["review"]["rejected"] == files["iteration_2_critic.json"]["metadata"]["rejected"] == ["q2.1"]
    assert [one["id"] for one in given["draft"]["findings"]] == ["q1.1", "q2.1", "q3.1"]


def test_what_a_person_said_of_the_query_is_in_the_log(tmp_path: Path) -> None:
    """Of each agent; and a critic says which round it is of, where the log begins with it."""
    task = Task(text=QUERY).clarified(Question(text="Which bridge?", default="x"), Reply(text="that of Larsund"))
    log = IterationLog(tmp_path, "bridge")
    log.add(
        Critique(task=task, draft=Draft(query=QUERY, mode="discovery"), round=3),
        Outcome(failure=Failure(kind="completion", message="bad")),
    )
    (written,) = contents(tmp_path / "iterations" / "bridge").items()
    assert written[0] == "iteration_3_critic.json" and written[1]["input"]["clarifications"] == ["that of Larsund"]
    assert (written[1]["output"], written[1]["metadata"]) == (None, {"failure": "bad"})


def test_after_a_file_that_cannot_be_written_no_other_is(tmp_path: Path) -> None:
    """A log with a hole would look whole."""
    (tmp_path / "iterations").write_text("a file")
    log = IterationLog(tmp_path, "bridge")
    effect = Critique(task=Task(text=QUERY), draft=Draft(query=QUERY, mode="discovery"), round=1)
    log.add(effect, Outcome())
    assert log.problem
    (tmp_path / "iterations").unlink()
    log.add(effect, Outcome())
    assert not (tmp_path / "iterations").exists()


def test_a_run_that_was_killed_has_the_logs_of_its_agents(tmp_path: Path) -> None:
    """Each file is written as its agent ends: they are there without a summary, and the same out of the journal."""

    class Killed(BaseException):
        pass

    def judged(event: Event) -> None:
        if isinstance(event, EffectEnded) and event.effect.phase == "critic":
            raise Killed

    path, log = tmp_path / "run.jsonl", IterationLog(tmp_path / "going")
    with pytest.raises(Killed):
        report(QUERY, ITEMS, tiers=TIERS, llm=Played().model, observers=[log, judged], journal=lambda _: Journal(path))
    (folder,) = (tmp_path / "going" / "iterations").iterdir()
    assert write_logs(tmp_path / "after", trail(Journal.read(path))) == ""
    files = contents(folder)
    assert set(files) == {"iteration_1_analyst.json", "iteration_2_analyst.json", "iteration_2_critic.json"}
    assert contents(tmp_path / "after" / "iterations" / folder.name) == files


def test_a_journal_gives_the_logs_of_its_run(tmp_path: Path) -> None:
    """The same files as were written while it went, its summary included."""
    journal = Journal()
    folder = logged(tmp_path / "going", journal=lambda _: journal)
    assert write_logs(tmp_path / "after", trail(journal)) == ""
    assert contents(tmp_path / "after" / "iterations" / folder.name) == contents(folder)


def test_an_agent_that_fails_is_logged_as_one(tmp_path: Path) -> None:
    """It said nothing, and the log says why."""
    down = Scripted(lambda request: EndpointFailed("it is down"))
    files = contents(logged(tmp_path, "bridge", llm=down))
    assert files["iteration_1_analyst.json"]["output"] is None
    assert "it is down" in files["iteration_1_analyst.json"]["metadata"]["failure"]


def test_report_writes_the_logs_of_a_folder_that_is_given(tmp_path: Path, words_only: None, indexes: None) -> None:
    """The folder is named by the run's id, and other observers see the run as well; strict with nothing left, too."""
    seen: list[Event] = []
    result = report(QUERY, ITEMS, tiers=TIERS, logs=tmp_path, llm=Played().model, observers=[seen.append])
    folder = tmp_path / "iterations" / result.execution_id
    assert (folder / "session_summary.json").exists() and (folder / "iteration_1_analyst.json").exists() and seen
    (tmp_path / "x.md").write_text("The Harbour Bridge was opened in 1932.")
    with pytest.raises(NoValidSourcesError):
        report(QUERY, sources=tmp_path, mode="strict", logs=tmp_path / "strict", llm=Played().model)
    (summary,) = (tmp_path / "strict").glob("iterations/*/session_summary.json")
    assert json.loads(summary.read_text())["final_status"] == "no_valid_sources"


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "ü" * 300, "con\x00"])
def test_no_id_leads_out_of_the_folder(name: str, result: Report, tmp_path: Path) -> None:
    """Whatever the id is, the logs are written below the folder."""
    assert IterationLog(tmp_path / "logs", name).end(result) == ""
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
    safe = folder_name(name)
    assert safe and "/" not in safe and safe not in (".", "..")


def test_logs_that_cannot_be_written_cost_no_report(
    result: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is one line that says where and why."""
    (tmp_path / "iterations").write_text("a file")
    made = report(QUERY, ITEMS, tiers=TIERS, logs=tmp_path, llm=Played().model)
    said = capsys.readouterr().err
    assert said.startswith("the iteration log could not be written to") and said.count("\n") == 1
    assert made.answer == result.answer


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([{"url": "x"}], "number 1 cannot be used: an item needs a 'description'"),
        ([*ITEMS, {"description": "text"}], "number 5 cannot be used: an item needs a 'url' or a 'name'"),
        ([{"url": 5, "description": "text"}], "number 1 cannot be used: url: "),
        (["text"], "number 1 cannot be used: "),
        ("text", "pass a list of items"),
        ({"url": "x"}, "pass a list of items"),
        (None, "pass a list of items"),
        (5, "pass a list of items"),
    ],
)
def test_items_that_cannot_be_used_are_one_line(items: object, said: str) -> None:
    """It says which item, and what is missing."""
    with pytest.raises(UsageError) as caught:
        report(QUERY, items, llm=Played().model)  # type: ignore[arg-type]
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_an_empty_query_and_nothing_to_report_on_are_refused() -> None:
    """Each is one line that says what to do."""
    with pytest.raises(UsageError, match="empty"):
        report("  ", ITEMS, llm=Played().model)
    with pytest.raises(UsageError, match="name what to report on"):
        report(QUERY, llm=Played().model)


def test_items_of_one_address_are_both_kept() -> None:
    """The same text counts once; another text under the address is a source of its own."""
    other: JsonObject = {**ITEMS[0], "description": "Drivers pay 4 crowns on the Harbour Bridge of the port."}
    result = report(QUERY, [ITEMS[0], ITEMS[0], other], llm=Played().model)
    assert {source.source for source in result.sources} == {ITEMS[0]["url"], f"{ITEMS[0]['url']}#2"}


def test_five_hundred_items_are_searched() -> None:
    """The ones that matter are found among them, and prompts hold a few."""
    many = [
        {"url": f"https://x.example/{n}", "description": f"The tower number {n} has {n} steps."} for n in range(496)
    ]
    played = Played()
    result = report(QUERY, [*many, *ITEMS], tiers=TIERS, mode="strict", llm=played.model)
    values = ("1932", "Ada Holm", "4 crowns")
    assert all(value in one.text for one, value in zip(result.findings, values, strict=True))
    assert max(len(text) for _, text in played.seen) < 20_000
