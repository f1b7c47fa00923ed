"""Indexes of folders that are gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.documents.folders import Folders
from aeon.documents.leftovers import KEPT_DAYS
from aeon.home import cache_dir

pytestmark = [pytest.mark.requirement("T2"), pytest.mark.usefixtures("indexes")]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))


def made(root: Path) -> Path:
    """A folder with a text."""
    root.mkdir()
    (root / "note.txt").write_text("The bridge was built in 1931.")
    return root


def indexed(*roots: Path) -> None:
    """Open the collection of these folders, and close it."""
    Collection.of(folder := Folders.open(roots), [name for name, _ in folder.files()]).close()


def unused(days: float) -> None:
    """Let all indexes be used so many days earlier."""
    for note in kept():
        then = note.stat().st_mtime - days * 86_400
        os.utime(note, (then, then))


def kept() -> list[Path]:
    """The notes of the indexes that are there."""
    return sorted((cache_dir() / "collections").glob("*.folders"))


def test_an_index_of_a_folder_that_is_gone_is_removed_when_another_is_opened(tmp_path: Path) -> None:
    """With all its files, once it was not used for long; that of a folder that is there stays."""
    gone, there, other = made(tmp_path / "gone"), made(tmp_path / "there"), made(tmp_path / "other")
    indexed(gone)
    (note,) = kept()
    indexed(there)
    shutil.rmtree(gone)
    unused(KEPT_DAYS + 1)
    indexed(other)
    assert len(kept()) == 2 and note not in kept()
    assert not list(note.parent.glob(f"{note.stem}*"))


def test_an_index_that_was_used_lately_stays(tmp_path: Path) -> None:
    """The drive of its folder may only not be there now; each use counts anew."""
    root, other = made(tmp_path / "drive"), made(tmp_path / "other")
    indexed(root)
    unused(KEPT_DAYS + 1)
    indexed(root)
    unused(KEPT_DAYS - 1)
    root.rename(tmp_path / "away")
    indexed(other)
    assert len(kept()) == 2


def test_the_index_of_several_folders_goes_with_one_of_them(tmp_path: Path) -> None:
    """Without it they are never opened together again."""
    one, two = made(tmp_path / "one"), made(tmp_path / "two")
    indexed(one, two)
    shutil.rmtree(two)
    unused(KEPT_DAYS + 1)
    indexed(one)
    assert len(kept()) == 1


def test_what_cannot_be_told_or_is_in_use_stays(tmp_path: Path) -> None:
    """An index without a note, one with a damaged note, and one that another process holds."""
    gone, other = made(tmp_path / "gone"), made(tmp_path / "other")
    indexed(gone)
    (note,) = kept()
    damaged, bare = note.parent / "damaged.folders", note.parent / "bare.sqlite"
    damaged.write_text("{")
    bare.touch()
    shutil.rmtree(gone)
    unused(KEPT_DAYS + 1)
    with FileLock(f"{note.with_suffix('.sqlite')}.lock"):
        indexed(other)
    assert note.exists() and damaged.exists() and bare.exists()
    indexed(other)
    assert not note.exists() and bare.exists()


def test_a_use_that_cannot_be_noted_is_no_fault(tmp_path: Path) -> None:
    """The collection is opened all the same, and says what is wrong."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "collections").touch()
    root = made(tmp_path / "root")
    collection = Collection.of(Folder.open(root), ["note.txt"])
    assert collection.documents == ("note.txt",) and "could not be kept" in collection.note
