"""Folders of many files of tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.isolation.limits import MEGABYTE
from aeon.tools import batches, filling
from aeon.tools.database import Database
from aeon.tools.files import Files

pytestmark = pytest.mark.requirement("T5n")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with 130 small tables."""
    root = tmp_path / "files"
    root.mkdir()
    for number in range(130):
        (root / f"f{number:03d}.csv").write_text(f"number,town\n{number},Oslo\n{number},Rome\n")
    return Folder(root)


def load(folder: Folder) -> Database:
    """The tables of all files."""
    return Database.load(folder, [name for name, _ in folder.files()])


def works(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files each piece of work has from now on."""
    seen: list[int] = []
    limits_of = batches.limits_of

    def noted(files: Sequence[batches.File]) -> object:
        seen.append(len(files))
        return limits_of(files)

    monkeypatch.setattr(filling, "limits_of", noted)
    return seen


def test_small_files_are_read_together(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three pieces of work read 130 files; each has its table, in the order of their names."""
    seen = works(monkeypatch)
    database = load(folder)
    assert seen == [64, 64, 2] and not database.skipped
    assert [table.name for table in database.tables] == [f"f{number:03d}" for number in range(130)]
    assert database.query("SELECT sum(number) FROM f007") == 14
    assert database.tables[129].values == (("town", ("Oslo", "Rome")),)


def test_a_small_hostile_file_skips_only_itself(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were to be read with it are read alone, under the names that they would have had."""
    monkeypatch.setattr(batches, "_SMALL", 256 * 1024)
    monkeypatch.setattr(batches, "_MEMORY", 208 * MEGABYTE)
    monkeypatch.setattr(batches, "_MEMORY_A_BYTE", 0)
    monkeypatch.setattr(batches, "_BESIDE_ENGINE", 60 * MEGABYTE)
    (folder.root / "f003.json").write_bytes(b"[" * 200_000)
    (folder.root / "f004.tsv").write_bytes(b"\x00\x01")
    seen = works(monkeypatch)
    database = load(folder)
    (deep, why), (broken, reason) = database.skipped
    assert (deep, why) == ("f003.json", "it is not read: it took more than 208 MB to read")
    assert broken == "f004.tsv" and reason.startswith("it ")
    assert [table.source for table in database.tables] == [f"f{number:03d}.csv" for number in range(130)]
    assert seen == [64, *[1] * 64, 64, 4] and database.query("SELECT max(number) FROM f004") == 4


def test_what_is_more_than_can_be_asked_is_told(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind so many columns no table is read; the line on the folder and that of a result say so."""
    monkeypatch.setattr(filling, "_MOST_COLUMNS", 100)
    files = Files.open(folder.root)
    assert len(files.database.tables if files.database else ()) == 64
    told = "f064.csv and 65 more (it is left out: the tables before it have 100 columns)"
    assert files.found == f"64 tables; 0 documents; skipped: {told}" and files.left_out == told
    assert told in files.material


def test_many_small_tables_take_little_room(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table does not take a block of 256 KB of its own."""
    monkeypatch.setattr("aeon.tools.kept.LONG", 0.0)
    load(folder)
    (kept,) = (tmp_path / "home" / "tables").glob("*/memory.duckdb")
    assert kept.stat().st_size < 130 * 64 * 1024
