"""Answers over tables that could be read in another way: supported in part, never good enough, and so in the proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from assembly.capable import capable

from aeon import Journal, Result, build
from aeon.assembly.proofs import proof_of
from aeon.assembly.rechecks import host
from aeon.assembly.runs import replay
from aeon.llm.scripted import Reply, Scripted
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.tools.files import Files
from tests.proof.proofs import changed
from tests.second import agreeing

pytestmark = [pytest.mark.requirement("T5m"), pytest.mark.usefixtures("indexes", "words_only")]
OPEN = "sales.csv: takings: 3.400 is read as 3.4; it may be 3400"
ASKED = "What did the shops take in all?"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A folder with a table of which one column could be read in two ways."""
    root = tmp_path / "sales"
    root.mkdir()
    (root / "sales.csv").write_text("shop,takings\nQuay,1.250\nMill,3.400\nDock,2.175\n")
    return root


def ran(folder: Path, llm: Scripted, question: str = ASKED) -> Result:
    """A run over the folder, saved beside it."""
    saved = folder.parent / "run.jsonl"
    result = build(llm=llm, tools=[Files.open(folder)], journal=lambda _: Journal(saved)).execute(question)
    assert isinstance(result, Result)
    return result


def by_program(query: str, *others: Reply) -> Scripted:
    """A model that writes a program of one query."""
    return agreeing([f'print(sql("{query}"))', *others])


def by_turns(query: str, answer: str) -> Scripted:
    """A model that works with tools, turn by turn."""
    return capable(answer, [("sql", {"query": query})])


@pytest.mark.parametrize(
    "llm",
    [
        by_program("SELECT sum(takings) FROM sales", "6.825 in all."),
        by_turns("SELECT sum(takings) FROM sales", "They took 6.825 in all."),
        by_turns("SELECT * FROM sales", "They took 1.25 + 3.4 + 2.175 = 6.825 in all."),
        capable("The Mill took 3.4.", [("read", {"name": "sales"})]),
    ],
    ids=["program", "turns", "computed", "read"],
)
def test_what_rests_on_an_open_reading_is_supported_in_part(sales: Path, llm: Scripted) -> None:
    """The claims say what is open, and the run ends so; its replay and its proof say the same."""
    result = ran(sales, llm)
    assert (result.stop_reason, result.sufficient, result.converged) == ("open_reading", False, False)
    assert {(one.verdict, one.doubts) for one in result.claims} == {("partial", (OPEN,))}
    assert all(OPEN in one.note for one in result.claims)
    saved = sales.parent / "run.jsonl"
    assert replay(Journal.read(saved)).claims == result.claims
    data = proof_bytes(proof_of(result, [Files.open(sales)], saved))
    assert verify(data, saved, sales, host()).problems == ()


@pytest.mark.parametrize(
    ("query", "answer"),
    [("SELECT count(*) FROM sales", "There are 3 shops."), ("SELECT count(shop) FROM sales", "There are 3 shops.")],
)
def test_what_uses_another_column_rests_on_nothing_open(sales: Path, query: str, answer: str) -> None:
    """How many rows there are does not depend on how a column is read."""
    result = ran(sales, by_turns(query, answer), "How many shops are there?")
    assert (result.stop_reason, [one.verdict for one in result.claims]) == ("converged", ["supported"])


def test_a_stated_reading_is_open_no_more(sales: Path) -> None:
    """Who states how numbers are written gets an answer that is good enough, and another value."""
    (sales / "sales.toml").write_text('[columns.takings]\ntype = "number"\nnumbers = "1.234,5"\n')
    result = ran(sales, by_turns("SELECT sum(takings) FROM sales", "They took 6825 in all."))
    assert (result.stop_reason, [one.verdict for one in result.claims]) == ("converged", ["supported"])


def _supported(document: Any) -> None:
    """Say that all claims are supported."""
    for one in document["claims"]:
        one["verdict"] = "supported" if one["kind"] != "sentence" else "not_checked"
        one["checks"] = [] if one["kind"] == "sentence" else one["checks"]
    document["coverage"] |= {"checked": 1, "supported": 1}


def _closed(document: Any) -> None:
    """Say that nothing is open of the table, too."""
    _supported(document)
    document["derivations"][0]["steps"][0]["tables"] = []


def test_a_proof_that_hides_what_is_open_is_refused(sales: Path) -> None:
    """A claim over it cannot be supported; a step without it is found by the folder and by the journal."""
    result = ran(sales, by_turns("SELECT sum(takings) FROM sales", "They took 6.825 in all."))
    saved = sales.parent / "run.jsonl"
    data = proof_bytes(proof_of(result, [Files.open(sales)], saved))
    assert "could be read in another way" in verify(changed(data, _supported)).text
    hidden = changed(data, _closed)
    assert "reads its tables in another way" in verify(hidden, None, sales, host()).text
    assert verify(hidden, saved, None, host()).code == 1
