"""A collection file in the place of a folder."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from aeon import Result, build
from aeon.assembly.proofs import proof_of
from aeon.documents.collecting import collect
from aeon.errors import InputFileError, ToolFailed
from aeon.proof.document import proof_bytes
from aeon.proof.verify import verify
from aeon.tools import ToolRegistry
from aeon.tools.files import Files, takes_long
from aeon.tools.select import portable
from tests.second import agreeing

pytestmark = [pytest.mark.requirement("T2", "T3"), pytest.mark.usefixtures("indexes")]

FEES = "# Fees\n\nThe fee of each guest is 12.50 euros. It is due in May.\n"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A collection whose folder is gone."""
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "fees.md").write_text(FEES)
    (folder / "songs.txt").write_text("The club sings on Mondays.\n")
    collect(folder, tmp_path / "club.aeon")
    shutil.rmtree(folder)
    return tmp_path / "club.aeon"


def ask(files: Files, name: str, **arguments: str) -> object:
    """Call one of the tools."""
    return asyncio.run(ToolRegistry(files.tools).call(name, dict(arguments))).value


def test_its_documents_are_looked_up_listed_and_searched(stored: Path) -> None:
    """The tools over a folder of texts are there, and need the collection alone."""
    files = Files.open(stored)
    assert files.found == "0 tables; 2 documents" and not takes_long(files.folder)
    (best, *_) = ask(files, "lookup", question="What is the fee of a guest?")  # type: ignore[misc]
    assert best["source"] == "club/fees.md" and best["heading"] == "Fees"
    assert ask(files, "list_files") == [
        {"path": "club/fees.md", "bytes": len(FEES)},
        {"path": "club/songs.txt", "bytes": 27},
    ]
    assert ask(files, "search_files", text="MONDAYS") == "club/songs.txt:1: The club sings on Mondays."
    assert portable(files) == f"files={stored}"


def test_a_proof_over_it_verifies(stored: Path) -> None:
    """Text, hash, title and extractor of a source are those that the collection holds."""
    given = Files.open(stored)
    replies = ["12.50 euros", "It is 12.50 euros."]
    result = build(llm=agreeing(replies), tools=[given]).execute("What is the fee of a guest?")
    assert isinstance(result, Result) and result.answer == "It is 12.50 euros."
    proof = proof_of(result, [given])
    (source,) = proof.sources
    assert (source.id, source.title, source.text, source.extractor) == ("club/fees.md", "Fees", FEES, "Aeon")
    report = verify(proof_bytes(proof))
    assert report.code == 0 and not report.problems


def test_a_proof_is_held_against_the_files_again(stored: Path, tmp_path: Path) -> None:
    """Beside the folder as it was collected, the sources are the same; beside a changed file, they are not."""
    given = Files.open(stored)
    replies = ["12.50 euros", "It is 12.50 euros."]
    result = build(llm=agreeing(replies), tools=[given]).execute("What is the fee of a guest?")
    data = proof_bytes(proof_of(result, [given]))
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "fees.md").write_text(FEES)
    assert verify(data, None, tmp_path).code == 0
    (tmp_path / "club" / "fees.md").write_text(FEES.replace("12.50", "13.50"))
    assert verify(data, None, tmp_path).code == 1


def test_build_takes_it(stored: Path) -> None:
    """Like a folder, by its path."""
    replies = ["12.50 euros", "It is 12.50 euros."]
    result = build(llm=agreeing(replies), files=stored).execute("What is the fee of a guest?")
    assert result.answer == "It is 12.50 euros."


def test_it_stands_beside_others(stored: Path, tmp_path: Path) -> None:
    """Beside a folder and another collection all are searched as one, each document below the name of its own."""
    shop, other = tmp_path / "shop", tmp_path / "other"
    for one in (shop, other):
        one.mkdir()
    (shop / "prices.csv").write_text("article,price\npen,2.40\n")
    (shop / "opening.md").write_text("The shop opens at nine.\n")
    (other / "fees.md").write_text("The fee of a guest of the museum is 3 euros.\n")
    collect(other, tmp_path / "museum.aeon")
    files = Files.open([stored, shop, tmp_path / "museum.aeon"])
    name = stored.stem
    assert set(files.collection.documents) >= {f"{name}/club/fees.md", "shop/opening.md", "museum/other/fees.md"}
    assert files.database is not None and len(files.database.tables) == 1
    hits = [one.source for one in files.collection.search("What is the fee of a guest?", 4)]
    assert {f"{name}/club/fees.md", "museum/other/fees.md"} <= set(hits)
    for source in files.collection.documents:
        assert files.collection.text(source) and files.collection.document(source).source == source
    assert files.collection.search("museum", 1) and not files.collection.search("zebra", 1)
    for figures in (files.collection.sizes, files.collection.passages, files.collection.files):
        assert set(figures()) == set(files.collection.documents)
    assert "museum/other/fees.md" in str(ask(files, "search_files", text="fee of a guest"))
    for path in ("attic/x.md", "nothing"):
        with pytest.raises(ToolFailed, match="there is no document"):
            files.collection.text(path)
    both = Files.open([stored, tmp_path / "museum.aeon"])
    assert both.database is None and "museum/other/fees.md" in both.collection.documents
    with pytest.raises(ToolFailed, match="there is no document"):
        both.collection.text("x.md")
    both.collection.close()


def test_it_is_given_twice_and_once(stored: Path, tmp_path: Path) -> None:
    """The same collection is there once; a file that is none is refused."""
    assert Files.open([stored, stored]).found == "0 tables; 2 documents"
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputFileError, match="is another kind of file, no collection"):
        Files.open(tmp_path / "notes.txt")
