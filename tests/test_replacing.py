"""Files that are replaced: whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aeon.replacing import put


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_what_cannot_be_written_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A disk that fails while it is written, or put in its place: the old text is there, and nothing beside it."""
    path = tmp_path / ("ä" * 120)  # as long as a name can be
    put(path, "old\n")

    def broken(*_: object) -> None:
        assert path.read_text() == "old\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(step, broken)
    with pytest.raises(OSError, match="No space"):
        put(path, "new")
    assert path.read_text() == "old\n" and [*tmp_path.iterdir()] == [path]
    monkeypatch.undo()
    put(path, "gr\u00fcn")
    assert path.read_bytes() == "gr\u00fcn".encode() and [*tmp_path.iterdir()] == [path]
    assert os.stat(path).st_mode & 0o077 == 0


@pytest.mark.requirement("X4")
def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    """Nobody makes it here."""
    with pytest.raises(FileNotFoundError):
        put(tmp_path / "none" / "file", "text")
