"""A file of a folder that is something else by the time it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.documents.readers import content
from aeon.errors import ToolFailed

pytestmark = [
    pytest.mark.requirement("T2"),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes"),
]


@pytest.fixture
def swapped(tmp_path: Path) -> tuple[Folder, Path]:
    """A folder, and the path of a text in it that was found, in whose place a pipe stands that nobody writes to."""
    (tmp_path / "notes.txt").write_text("The pier was widened in 1988.")
    folder = Folder.open(tmp_path)
    path = folder.find("notes.txt")
    path.unlink()
    os.mkfifo(path)
    return folder, path


def test_a_pipe_in_the_place_of_a_text_holds_nobody_up(swapped: tuple[Folder, Path]) -> None:
    """Both ways to read a text say at once that it is no file, instead of waiting for who never writes."""
    folder, path = swapped
    with pytest.raises(ToolFailed, match=r"notes\.txt cannot be read: it is no file"):
        content(path, "notes.txt")
    with pytest.raises(ToolFailed, match=r"cannot read notes\.txt: it is no file"):
        folder.text(path, 100)


def test_a_device_in_the_place_of_a_text_is_not_read() -> None:
    """It would have no end."""
    with pytest.raises(ToolFailed, match="zero cannot be read: it is no file"):
        content(Path("/dev/zero"), "zero")
