"""Forged proofs whose digest, hashes and counts fit again: none verifies, and each true proof does."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aeon import Journal, Result, build
from aeon.assembly.proofs import proof_of
from aeon.assembly.rechecks import host
from aeon.llm.scripted import Reply
from aeon.proof.canonical import canonical, sha256
from aeon.proof.document import proof_bytes
from aeon.proof.verify import Report, verify
from aeon.tools.files import Files
from tests.proof import test_loops
from tests.proof.proofs import resealed, sealed
from tests.second import agreeing

pytestmark = pytest.mark.requirement("G6", "G6a")
TEXT = (
    "The Harbour shop has 12 employees. The Old Town shop has 7 employees. Mara Linden leads both since 1 March 2023.\n"
)
TABLE = "city,units\nCork,4\nPorto,5\n"
PROGRAM = "harbour = 12  # 1\nold = 7  # 2\nprint(harbour, old, harbour + old)"
SUM = PROGRAM.replace("harbour, old, ", "")
SAID = "The Harbour shop has 12 employees. With the 7 of the Old Town shop it is 19 employees in all."
FIGURES = {"ar": "١٩", "hi": "१९", "zh": "19"}
"""The sum in the digits of a language."""


class Proved(NamedTuple):
    """The proof of a run, its folder and its journal."""

    data: bytes
    folder: Path
    journal: Path


def proved(root: Path, question: str, *replies: Reply) -> Proved:
    """A run over a folder with a text and a table."""
    folder, saved = root / "shops", root / "run.jsonl"
    folder.mkdir(parents=True)
    (folder / "sales.csv").write_text(TABLE)
    (folder / "shop.txt").write_text(TEXT)
    given = Files.open(folder)
    made = build(llm=agreeing(replies), tools=["calculator", given], journal=lambda _: Journal(saved))
    result = made.execute(question)
    assert isinstance(result, Result)
    return Proved(proof_bytes(proof_of(result, [given], saved)), folder, saved)


@pytest.fixture(scope="module")
def of_texts(tmp_path_factory: pytest.TempPathFactory) -> Proved:
    """A sum of two numbers that a text states."""
    question = "How many employees do the Harbour shop and the Old Town shop have?"
    return proved(tmp_path_factory.mktemp("texts"), question, "19", PROGRAM, SAID)


@pytest.fixture(scope="module")
def of_tables(tmp_path_factory: pytest.TempPathFactory) -> Proved:
    """A sum that a query gives."""
    program = 'print(sql("SELECT SUM(units) FROM sales"))'
    return proved(tmp_path_factory.mktemp("tables"), "How many units are there?", program, "There are 9 units.")


def held(data: bytes, run: Proved) -> Report:
    """What the verifier says with all that there is."""
    return verify(data, run.journal, run.folder, host())


@pytest.mark.parametrize("name", ["of_texts", "of_tables"])
def test_true_proofs_verify_by_every_way(name: str, request: pytest.FixtureRequest) -> None:
    """Alone, with the folder, with the journal, with both; so does one of a loop over tools in another language."""
    run = request.getfixturevalue(name)
    reports = [
        verify(run.data),
        verify(run.data, folder=run.folder),
        verify(run.data, run.journal),
        held(run.data, run),
    ]
    assert [one.problems for one in reports] == [()] * 4
    assert verify(test_loops.made()).problems == ()


@pytest.mark.parametrize("language", FIGURES)
def test_true_proofs_of_other_scripts_verify(language: str, tmp_path: Path) -> None:
    """The sum in other digits is the same value."""
    run = proved(tmp_path, "How many employees are there in both shops?", "19", SUM, f"{FIGURES[language]} ✓")
    assert held(run.data, run).problems == ()
    assert [one["value"] for one in json.loads(run.data)["claims"] if one["kind"] == "number"] == ["19"]


def fit(document: Any) -> bytes:
    """The document with hashes, counts and digest that fit, whatever it says."""
    for source in document["sources"]:
        source["text_sha256"] = sha256(source["text"])
    for step in steps(document):
        step["sha256"] = sha256(step["output"])
    verdicts = [one["verdict"] for one in document["claims"]]
    document["coverage"] = {
        "claims": len(verdicts), "checked": len(verdicts) - verdicts.count("not_checked"),
        "supported": verdicts.count("supported"),
    }  # fmt: skip
    return sealed(document)


def steps(document: Any) -> Iterator[Any]:
    """The steps of all derivations."""
    return (step for one in document["derivations"] for step in one["steps"])


def step(document: Any, tool: str) -> Any:
    """The last step of a tool."""
    return [one for one in steps(document) if one["tool"] == tool][-1]


def value(document: Any, text: str) -> Any:
    """The claim of a value."""
    return next(one for one in document["claims"] if one["text"] == text and one["kind"] != "sentence")


def sentence(document: Any, number: int) -> Any:
    """A claim of a sentence."""
    return [one for one in document["claims"] if one["kind"] == "sentence"][number]


def everywhere(document: Any, old: str, new: str) -> None:
    """A word for another one of its length, wherever the document has it."""
    assert len(old) == len(new)
    document.update(json.loads(json.dumps(document, ensure_ascii=False).replace(old, new)))


def with_more(document: Any, text: str, claim: bool = False) -> None:
    """The answer with a text behind it, which is a claim of a sentence or none."""
    start = len(document["answer"]) + 1
    document["answer"] += f" {text}"
    if claim:
        last = copy.deepcopy(sentence(document, -1))
        own = {"id": "t99", "start": start, "end": len(document["answer"]), "text": text, "value": text.casefold()}
        document["claims"].append(last | own | {"verdict": "not_checked", "checks": [], "evidence": []})


def loose(document: Any, text: str, verdict: str) -> None:
    """A value that is said to rest on nothing."""
    value(document, text).update(evidence=[], support="none", computation=None, verdict=verdict)


def computation(expression: str, places: int | None) -> dict[str, object]:
    """A computation that gives 19."""
    units = {"factor": "1", "result": "19", "rounding": "half_up", "step": ""}
    return {"expression": expression, "places": places, **units}


ALONE: dict[str, Callable[[Any], object]] = {
    "a sentence added": lambda d: with_more(d, "The mayor knows it."),
    "a sentence added as a heading": lambda d: d.update(answer=f"{d['answer']}\n# The mayor knows it."),
    "a sentence added as code": lambda d: with_more(d, "`The mayor knows it.`"),
    "a sentence added with a value": lambda d: with_more(d, "It has 99 rooms.", claim=True),
    "a sentence added as supported": lambda d: (
        with_more(d, "It is so.", claim=True), sentence(d, -1).update(verdict="supported", checks=["values"]),
    ),
    "a word behind the answer": lambda d: d.update(answer=f"{d['answer']} Allegedly"),
    "a word in other letters": lambda d: d.update(answer=d["answer"].replace("Harbour", "Harb\u043eur")),
    "a value's span moved": lambda d: value(d, "19").update(start=value(d, "19")["start"] - 1, text=" 19"),
    "a value's span cut": lambda d: value(d, "19").update(end=value(d, "19")["start"] + 1, text="1", value="1"),
    "a sentence's span moved": lambda d: sentence(d, 0).update(
        end=sentence(d, 0)["end"] - 1, text=sentence(d, 0)["text"][:-1], value=sentence(d, 0)["value"][:-1]
    ),
    "a sentence cut in two": lambda d: sentence(d, 1).update(
        start=sentence(d, 1)["start"] + 5, text=sentence(d, 1)["text"][5:], value=sentence(d, 1)["value"][5:]
    ),
    "the verdict of a sum turned down": lambda d: loose(d, "19", "not_found"),
    "the verdict of a sum left open": lambda d: loose(d, "19", "not_checked"),
    "all verdicts left open": lambda d: (d["grounds"].update(checked=False), loose(d, "19", "not_checked")),
    "a verdict by a judge who was not there": lambda d: (
        loose(d, "19", "not_checked"), value(d, "19").update(checks=["judge"]),
    ),
    "a verdict turned up": lambda d: sentence(d, 1).update(verdict="supported", checks=["values"]),
    "a verdict contradicted": lambda d: value(d, "19").update(verdict="contradicted"),
    "another way to find values": lambda d: d["grounds"].update(kind="belief"),
    "the values of another engine": lambda d: d["grounds"].update(kind="sentences"),
    "a value that is a name of a source": lambda d: (
        d["grounds"].update(names=[*d["grounds"]["names"], "7"]), d["claims"].remove(value(d, "7")),
    ),
    "a value that is cited as a row": lambda d: d["claims"].remove(value(d, "7")),
    "an operand": lambda d: everywhere(d, "12", "84"),
    "an operand of the calculator": lambda d: step(d, "calculator").update(arguments='{"expression": "84 + 7"}'),
    "another computation": lambda d: step(d, "calculator").update(arguments='{"expression": "12 * 7"}'),
    "what the calculator never takes": lambda d: step(d, "calculator").update(arguments='{"expression": "a lot"}'),
    "what the calculator never ends": lambda d: step(d, "calculator").update(
        arguments='{"expression": "(((9**100)**100)**100)**100"}'
    ),
    "no expression at all": lambda d: step(d, "calculator").update(arguments="[]"),
    "another output": lambda d: step(d, "calculator").update(output="20"),
    "an output with a key twice": lambda d: step(d, "calculator").update(output='{"a": 19, "a": 20}'),
    "an output that is no number": lambda d: step(d, "calculator").update(output="NaN"),
    "an output nested too deeply": lambda d: step(d, "calculator").update(output="[" * 50_000),
    "an output of many digits": lambda d: step(d, "calculator").update(output="9" * 5_000),
    "another place of a quotation": lambda d: step(d, "quote").update(
        arguments=step(d, "quote")["arguments"].replace('"end": ', '"end": 9')
    ),
    "a quotation of another sentence": lambda d: step(d, "quote").update(
        arguments=next(one["arguments"] for one in steps(d) if one["tool"] == "quote").replace("12", "7")
    ),
    "the unit of a value": lambda d: value(d, "19").update(unit="kg"),
    "the unit of its evidence": lambda d: value(d, "19")["evidence"][0].update(unit="kg"),
    "the rounding of a value": lambda d: value(d, "19").update(computation=computation("a", -1)),
    "a computation that nobody states": lambda d: value(d, "19").update(computation=computation("a * 1", None)),
    "evidence in another step": lambda d: value(d, "19")["evidence"][0].update(id="s9.9"),
    "evidence in a step of no tool": lambda d: step(d, "calculator").update(tool=""),
    "a step that failed": lambda d: step(d, "calculator").update(tool="calculator: failed", output='"it failed"'),
    "two steps of one name": lambda d: [one.update(id="s1.1") for one in steps(d)],
    "two sources of one name": lambda d: d["sources"].append(d["sources"][0]),
    "two claims of one name": lambda d: sentence(d, 1).update(id=sentence(d, 0)["id"]),
    "ids of steps exchanged": lambda d: (
        step(d, "calculator").update(id="x"), step(d, "quote").update(id="s1.3"),
        step(d, "calculator").update(id="s1.2"),
    ),
    "what was read of a source": lambda d: d["sources"][0].update(read=[[9, 4]]),
    "what was read beyond the text": lambda d: d["sources"][0].update(read=[[0, 10**9]]),
    "the text of a source shortened": lambda d: d["sources"][0].update(text="The"),
    "no derivation taken": lambda d: [one.update(taken=False) for one in d["derivations"]],
    "all derivations taken": lambda d: d["derivations"].append({"id": "d9", "taken": True, "steps": []}),
    "a number of another kind": lambda d: value(d, "19").update(form="word"),
    "a claim of another kind": lambda d: value(d, "19").update(kind="name", form="text", value="19"),
    "a huge offset": lambda d: value(d, "19").update(end=2**53 - 1),
    "an offset before the answer": lambda d: value(d, "19").update(start=-3),
    "half a character": lambda d: d.update(answer=d["answer"]) or value(d, "19").update(text="1\u0669"),
}  # fmt: skip
"""Changes that the file alone shows."""

BY_FOLDER: dict[str, Callable[[Any], object]] = {
    "a name in a source": lambda d: d["sources"][0].update(text=d["sources"][0]["text"].replace("Linden", "Lindez")),
    "a day in a source": lambda d: d["sources"][0].update(text=d["sources"][0]["text"].replace("2023", "2024")),
    "a sentence more in a source": lambda d: d["sources"][0].update(text=d["sources"][0]["text"] + "It is closed.\n"),
    "a letter like another one": lambda d: d["sources"][0].update(
        text=d["sources"][0]["text"].replace("both", "b\u043eth")
    ),
    "an operand with its source": lambda d: (
        everywhere(d, "12", "84"), everywhere(d, "19", "91"),
    ),
    "the hash of the file": lambda d: d["sources"][0].update(raw_sha256="0" * 64),
    "no hash and another text": lambda d: d["sources"][0].update(
        raw_sha256="", text=d["sources"][0]["text"].replace("Linden", "Lindez")
    ),
    "a file that is not there": lambda d: everywhere(d, "shop.txt", "shut.txt"),
}  # fmt: skip
"""Changes that only the folder of the sources shows, or the journal."""

BY_JOURNAL: dict[str, Callable[[Any], object]] = {
    "the question": lambda d: d["task"].update(text="How many people work in the Harbour shop and the Old Town shop?"),
    "a context": lambda d: d["task"].update(context="The shops are closed."),
    "a limit taken out": lambda d: d["limits"].pop(),
    "another limit": lambda d: d["limits"].append("nothing was left out"),
    "the sentences taken for one": lambda d: (
        d["claims"].remove(sentence(d, 1)),
        sentence(d, 0).update(end=len(d["answer"]), text=d["answer"], value=d["answer"].casefold()),
    ),
    "another way that was tried": lambda d: d["derivations"].append({"id": "d9", "taken": False, "steps": []}),
    "the journal's root": lambda d: d["journal"].update(sha256="0" * 64),
    "the journal's length": lambda d: d["journal"].update(lines=d["journal"]["lines"] - 1),
    "no journal": lambda d: d.update(journal=None),
}  # fmt: skip
"""Changes that only the journal shows."""


def forged(run: Proved, change: Callable[[Any], object]) -> bytes:
    """The proof after a change, with everything that can be made to fit."""
    document = json.loads(run.data)
    change(document)
    data = fit(document)
    assert data != run.data
    return data


@pytest.mark.parametrize("name", ALONE)
def test_what_the_file_shows_by_itself(name: str, of_texts: Proved) -> None:
    """Without anything beside it, and so with everything."""
    report = verify(forged(of_texts, ALONE[name]))
    assert report.code == 1 and report.verified is not None, report.text
    assert all(problem and "\n" not in problem for problem in report.problems)


@pytest.mark.parametrize("name", BY_FOLDER)
def test_what_the_folder_shows(name: str, of_texts: Proved) -> None:
    """With the standard library alone too."""
    data = forged(of_texts, BY_FOLDER[name])
    assert verify(data, folder=of_texts.folder).code == 1 and held(data, of_texts).code == 1


@pytest.mark.parametrize("name", BY_JOURNAL)
def test_what_the_journal_shows(name: str, of_texts: Proved) -> None:
    """The run is replayed, and gives another proof."""
    data = forged(of_texts, BY_JOURNAL[name])
    assert verify(data, of_texts.journal, host=host()).code == 1


@pytest.mark.parametrize("name", ["of_texts", "of_tables"])
def test_no_claim_can_be_dropped_turned_down_or_said_twice(name: str, request: pytest.FixtureRequest) -> None:
    """Each of them, with counts that fit; one that only says less than it could is found by the journal."""
    run = request.getfixturevalue(name)
    for number, claim in enumerate(json.loads(run.data)["claims"]):
        assert verify(forged(run, lambda d, n=number: d["claims"].pop(n))).code == 1, claim
        assert verify(forged(run, lambda d, n=number: d["claims"].insert(n, d["claims"][n] | {"id": "x"}))).code == 1
        if claim["verdict"] == "supported" and claim["kind"] != "sentence":
            for verdict in ("not_found", "not_checked", "partial", "contradicted"):
                lower = forged(run, lambda d, n=number, to=verdict: d["claims"][n].update(verdict=to))
                none = forged(run, lambda d, n=number, to=verdict: d["claims"][n].update(
                    verdict=to, evidence=[], support="none", computation=None))  # fmt: skip
                assert [verify(one, run.journal, host=host()).code for one in (lower, none)] == [1, 1]
                assert verify(none).code == 1


@pytest.mark.parametrize("part", ["columns", "rows", "total", "SUM", "sales"])
def test_no_table_and_no_query_can_be_changed(part: str, of_tables: Proved) -> None:
    """The table is asked again, and the journal has the call."""

    def change(document: Any) -> None:
        query = step(document, "sql")
        name = "arguments" if part in ("SUM", "sales") else "output"
        other = {"SUM": "MIN", "sales": "units", "columns": "column5", "rows": "row5", "total": "tota1"}[part]
        if part in query[name]:
            query[name] = query[name].replace(part, other)
        else:
            query["output"] = query["output"].replace("9", "90")

    data = forged(of_tables, change)
    assert verify(data, folder=of_tables.folder, host=host()).code == 1
    assert verify(data, of_tables.journal).code == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"answer":', b'"answer":"It is 5.","answer":'), (b'"limits":[', b'"limits":[1.5,'),
        (b'"limits":[', b'"limits":[NaN,'), (b'"limits":[', b'"limits":[-Infinity,'),
        (b'"limits":[', b'"limits":[' + b"[" * 5_000 + b"]" * 5_000 + b","),
        (b'"limits":[', b'"limits":[' + b"9" * 4_000 + b","), (b'"version":4', b'"version":4 '),
        (b'"limits":["', b'"limits":["\\ud800'), (b'"limits":["', b'"limits":["\xc3\x28'),
        (b'"limits":["', b'"limits":["\\u0041'), (b'"version":4', b'"version":true'),
        (b'"version":4', b'"version":"3"'),
    ],
)  # fmt: skip
def test_no_other_way_to_write_it_verifies(old: bytes, new: bytes, of_texts: Proved) -> None:
    """Keys twice, numbers that are none, depth, huge integers, other bytes for the same: one line each."""
    assert of_texts.data.count(old) == 1
    report = verify(resealed(of_texts.data.replace(old, new)))
    assert report.code in (1, 2) and len(report.problems) == 1 and "\n" not in report.text


def test_there_are_more_than_forty_kinds(of_texts: Proved) -> None:
    """All of them different, and the true proof is canonical."""
    every = {**ALONE, **BY_FOLDER, **BY_JOURNAL}
    assert len(every) == len(ALONE) + len(BY_FOLDER) + len(BY_JOURNAL) > 60
    assert len({forged(of_texts, change) for change in every.values()}) == len(every)
    assert canonical(json.loads(of_texts.data)).encode() == of_texts.data
