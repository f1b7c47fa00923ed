"""``aeon verify --sources`` over files as people have them: PDF, Word, a spreadsheet, a CSV file; whole and changed."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from assembly.capable import capable
from documents.files import pdf

from aeon import build
from aeon.assembly.proofs import proof_of
from aeon.proof.document import proof_bytes
from aeon.tools.files import Files

from .conftest import Outcome

Aeon = Callable[..., Outcome]
Call = tuple[str, dict[str, Any]]
pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("G6", "X2")]

PAGES = [
    ["Harbour report", "The bridge was opened in 1932. Its main span measures 503 metres."],
    ["The mooring fee is 46.50 euros a night from 1 May 2024.", "Berth   Length   Price", "North   12 m     180"],
    ["The keeper of the lighthouse is Ida Holm."],
]
MINUTES = "The roof costs 12,975 euros. Work begins on 4 August 2024."


def document(text: str = MINUTES, cost: str = "875") -> bytes:
    """A Word file with a paragraph and a table."""
    made = docx.Document()
    made.add_heading("Minutes", 1)
    made.add_paragraph(text)
    table = made.add_table(2, 2)
    for row, cells in zip(table.rows, (("Item", "Cost"), ("Gutter", cost)), strict=True):
        for cell, said in zip(row.cells, cells, strict=True):
            cell.text = said
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def spreadsheet(price: float = 180) -> bytes:
    """A spreadsheet with three boats."""
    book = openpyxl.Workbook()
    for row in (("boat", "length", "price"), ("Alba", 9, 120.5), ("Bora", 12, price), ("Cuma", 7, 95)):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def changed(old: str, new: str) -> bytes:
    """The report with other words."""
    return pdf([[line.replace(old, new) for line in page] for page in PAGES])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file of each kind."""
    place = tmp_path / "papers"
    place.mkdir()
    (place / "harbour.pdf").write_bytes(pdf(PAGES))
    (place / "minutes.docx").write_bytes(document())
    (place / "boats.xlsx").write_bytes(spreadsheet())
    (place / "hirers.csv").write_text("who,sort,visits\nPlayers,club,14\nAcorns,charity,23\n")
    return place


SPAN: Call = ("search", {"words": "bridge opened span"})
REPORT: Call = ("read", {"name": "harbour.pdf"})
READ: Call = ("read", {"name": "minutes.docx"})
BOATS: Call = ("sql", {"query": "SELECT boat, price FROM boats ORDER BY price"})
VISITS: Call = ("sql", {"query": "SELECT visits FROM hirers WHERE who = 'Acorns'"})


@pytest.mark.parametrize(
    ("answer", "call", "name", "other"),
    [
        ("It was opened in 1932; its span measures 503 metres.", SPAN, "harbour.pdf", changed("1932", "1933")),
        ("A night costs 46.50 euros.", REPORT, "harbour.pdf", changed("46.50", "46.60")),
        ("The North berth costs 180.", REPORT, "harbour.pdf", changed("180", "181")),
        ("The keeper is Ida Holm.", REPORT, "harbour.pdf", changed("Holm", "Holn")),
        ("The roof costs 12,975 euros.", READ, "minutes.docx", document(MINUTES.replace("12,975", "12,976"))),
        ("The gutter costs 875.", READ, "minutes.docx", document(cost="876")),
        ("The Bora costs 180, the Alba 120.5.", BOATS, "boats.xlsx", spreadsheet(price=181)),
        ("They came 23 times.", VISITS, "hirers.csv", b"who,sort,visits\nPlayers,club,14\nAcorns,charity,24\n"),
    ],
    ids=["pdf", "second page", "table", "last page", "docx", "docx table", "xlsx", "csv"],
)
def test_a_proof_holds_over_its_files_and_over_no_others(
    aeon: Aeon, folder: Path, tmp_path: Path, answer: str, call: Call, name: str, other: bytes
) -> None:
    """It is small, names no step both as done again and as not; a letter or a cell in the file makes it fail."""
    result = build(llm=capable(f"{answer}\n[1]", [call]), files=folder).execute("What does it say?")
    assert result.stop_reason == "converged", result.detail
    path = tmp_path / "proof.json"
    path.write_bytes(proof_bytes(proof_of(result, [Files.open(folder)])))
    assert path.stat().st_size < 8_000
    done = aeon("verify", str(path), "--sources", str(folder))
    assert (done.code, done.err) == (0, "") and "not verified" not in done.out, done.out
    if call[0] in ("sql", "read"):
        assert f"verified: step s1.1: {call[0]}, done again over the folder" in done.out
        assert "only recorded: step s1.1" not in done.out
    (folder / name).write_bytes(other)
    failed = aeon("verify", str(path), "--sources", str(folder))
    assert failed.code == 1 and "not verified: s" in failed.out
    (folder / name).unlink()
    assert aeon("verify", str(path), "--sources", str(folder)).code == 1
