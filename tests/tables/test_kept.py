"""Tables that took long to read are kept for as long as their files stay as they are."""

from __future__ import annotations

import gc
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.home import cache_dir
from aeon.isolation.deadline import Deadline
from aeon.tools import filling, kept
from aeon.tools.database import Database

pytestmark = pytest.mark.requirement("T5k")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep what takes any time, below a home of the test's own."""
    monkeypatch.setattr(kept, "LONG", 0.0)
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with one table and a file that is none."""
    root = tmp_path / "files"
    root.mkdir()
    (root / "t.csv").write_text("a,b\n1,x\n2,y\n")
    (root / "no.csv").write_bytes(b"\x00\x01")
    return Folder(root)


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on."""
    seen: list[str] = []
    fill = filling.Filler.fill

    def noted(self: filling.Filler, own: Folder, labels: Sequence[str]) -> object:
        seen.extend(labels)
        return fill(self, own, labels)

    monkeypatch.setattr(filling.Filler, "fill", noted)
    return seen


def total(folder: Folder) -> object:
    """The sum of a column, loaded anew."""
    return Database.load(folder, ["t.csv", "no.csv"]).query("SELECT sum(a) FROM t")


def test_a_second_load_reads_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the same tables and the same files without any, also when the first one is gone."""
    seen = reads(monkeypatch)
    first = Database.load(folder, ["t.csv", "no.csv"])
    known = (first.tables, first.skipped, first.keywords)
    del first
    gc.collect()
    again = Database.load(folder, ["t.csv", "no.csv"])
    assert (again.tables, again.skipped, again.keywords) == known and seen == ["t.csv", "no.csv"]
    assert again.query("SELECT sum(a) FROM t") == 3
    assert (cache_dir() / "tables").stat().st_mode & 0o077 == 0


def test_what_changed_is_read_anew(folder: Folder) -> None:
    """A file of the same size, a stated reading, a log beside a database."""
    assert total(folder) == 3
    (folder.root / "t.csv").write_text("a,b\n5,x\n2,y\n")
    assert total(folder) == 7
    (folder.root / "t.toml").write_text('nothing = ["5"]\n')
    assert total(folder) == 2
    database = sqlite3.connect(folder.root / "d.db")
    database.executescript("PRAGMA journal_mode=WAL; CREATE TABLE d (a); INSERT INTO d VALUES (1)")
    assert Database.load(folder, ["d.db"]).query("SELECT sum(a) FROM d") == 1
    database.execute("INSERT INTO d VALUES (4)")
    database.commit()
    assert Database.load(folder, ["d.db"]).query("SELECT sum(a) FROM d") == 5
    database.close()


def test_what_was_not_read_in_time_is_tried_again(folder: Folder) -> None:
    """It is no lasting reason."""
    assert Database.load(folder, ["t.csv"], Deadline(0)).skipped
    assert Database.load(folder, ["t.csv"]).query("SELECT sum(a) FROM t") == 3


def test_a_damaged_copy_is_read_anew(folder: Folder) -> None:
    """And one that cannot be kept costs nothing but time."""
    total(folder)
    (place,) = (cache_dir() / "tables").iterdir()
    (place / "tables.json").write_text("{")
    assert total(folder) == 3
    (place / "memory.duckdb").unlink()
    assert total(folder) == 3


def test_old_ones_go(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody used for long, and what is too much, but nothing that was used of late."""
    total(folder)
    (place,) = (cache_dir() / "tables").iterdir()
    os.utime(place, (0, 0))
    monkeypatch.setattr(kept, "_MOST_BYTES", 1)
    (folder.root / "u.csv").write_text("a,b\n1,2\n")
    (folder.root / "v.csv").write_text("a,b\n1,3\n")
    Database.load(folder, ["u.csv"])
    assert not place.exists()
    Database.load(folder, ["v.csv"])
    assert len([*(cache_dir() / "tables").iterdir()]) == 2
