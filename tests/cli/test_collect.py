"""``aeon collect``: making a collection, bringing it up to date, and listing what it holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aeon import Journal

from .conftest import Outcome
from .played_model import Model
from .terminal import Terminal

Aeon = Callable[..., Outcome]

pytestmark = pytest.mark.requirement("T2", "T3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two texts and a file that is none, in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "papers"
    root.mkdir()
    (root / "bridge.md").write_text("# The bridge\n\nThe bridge was built in 1931.\n")
    (root / "ferry.txt").write_text("The ferry leaves at nine.\n")
    (root / "photo\x1b.jpg").write_bytes(b"\x00")
    return root


def test_a_collection_is_made_and_brought_up_to_date(aeon: Aeon, folder: Path) -> None:
    """It says what the file holds, and what was added, changed, removed and skipped."""
    made = aeon("collect", "papers", "--into", "papers.aeon")
    size = Path("papers.aeon").stat().st_size / 1e6
    assert made.code == 0 and made.err == "" and made.out.splitlines() == [
        f"papers.aeon: 2 documents, 2 passages, {size:,.1f} MB",
        "  added    2: papers/bridge.md, papers/ferry.txt",
        "  skipped  1:",
        "    papers/photo�.jpg: no document",
    ]  # fmt: skip
    (folder / "ferry.txt").write_text("The ferry leaves at ten.\n")
    (folder / "bridge.md").unlink()
    (folder / "pier.txt").write_text("The pier holds two ships.\n")
    again = aeon("collect", "papers", "--into", "papers.aeon").out
    assert "  added    1: papers/pier.txt\n  changed  1: papers/ferry.txt\n  removed  1: papers/bridge.md\n" in again
    assert "  nothing has changed\n" in aeon("collect", "papers", "--into", "papers.aeon").out


def test_what_it_holds_is_listed(aeon: Aeon, folder: Path) -> None:
    """Each document with its title, its passages, the day that it was read, and other files of the same text."""
    (folder / "copy.md").write_text("# The bridge\n\nThe bridge was built in 1931.\n")
    aeon("collect", "papers", "--into", "papers.aeon")
    first, bridge, ferry = aeon("collect", "papers.aeon").out.splitlines()
    assert first.startswith("papers.aeon: 2 documents, 2 passages, ")
    assert bridge.startswith("  papers/bridge.md: The bridge; 1 passage, read 2")
    assert bridge.endswith("; also papers/copy.md") and ferry.startswith("  papers/ferry.txt: ferry.txt; 1 passage, ")


def test_json(aeon: Aeon, folder: Path) -> None:
    """Both are one JSON document."""
    made = aeon("collect", "papers", "--into", "papers.aeon", "--json").document
    assert made["added"] == ["papers/bridge.md", "papers/ferry.txt"] and made["documents"] == 2
    held = aeon("collect", "papers.aeon", "--json").document
    assert [one["document"]["title"] for one in held["documents"]] == ["The bridge", "ferry.txt"]
    assert held["passages"] == made["passages"] and held["bytes"] == made["bytes"]


def test_wrong_use_is_one_line(aeon: Aeon, folder: Path) -> None:
    """It says what to do."""
    aeon("collect").complains(2, "collect", "FOLDER")
    aeon("collect", "papers").complains(2, "is a folder, no collection; aeon collect papers --into FILE")
    aeon("collect", "papers", "ferry").complains(2, "say where the collection is kept: --into FILE")
    aeon("collect", "none.aeon").complains(2, "there is no such file")
    aeon("collect", "none", "--into", "x.aeon").complains(2, "cannot read the folder 'none'")
    aeon("collect", "papers", "--into", "").complains(2, "--into", "is empty")
    aeon("collect", "papers", "--into", "papers/ferry.txt").complains(2, "is not overwritten; name another file")
    aeon("collect", "papers", "--into", "no/x.aeon").complains(2, "there is no folder")
    assert "error" in aeon("collect", "none.aeon", "--json").document
    assert sorted(path.name for path in folder.parent.iterdir() if path.suffix == ".aeon") == []


def test_a_run_over_a_collection(aeon: Aeon, model: Model, folder: Path) -> None:
    """``--files FILE`` says what the collection holds, and the journal keeps its path."""
    aeon("collect", "papers", "--into", "papers.aeon")
    done = aeon("run", "What do 17 pens at 2.40 cost?", "--model", model.url, "--files", "papers.aeon", "--save", "r")
    place = folder.parent / "papers.aeon"
    assert done.err.startswith(f"{place}: 0 tables; 2 documents\n")
    assert f"files={place}" in Journal.read("r").opened.setup["tools"]  # type: ignore[operator]


def test_a_bar_while_it_reads(folder: Path) -> None:
    """On a terminal, a moving line shows the files done, and is gone at the end."""
    for number in range(300):
        (folder / f"{number}.txt").write_text(f"Note {number}. " * 200)
    terminal = Terminal("collect", "papers", "--into", "p.aeon")
    terminal.until("reading papers")
    assert terminal.ended() == 0
    assert "p.aeon: 302 documents" in terminal.screen
