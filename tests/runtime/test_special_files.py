"""What is no file is refused before it is read: a device may have no end, and a pipe nobody at its other one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aeon.errors import InputFileError
from aeon.runtime.journal import Journal

pytestmark = pytest.mark.requirement("X3")


def test_a_device_is_no_journal() -> None:
    """``/dev/zero`` would be read until the memory is full."""
    with pytest.raises(InputFileError, match="is no file but a pipe or a device; put the journal in a file"):
        Journal.read("/dev/zero")


def test_a_pipe_is_no_journal(tmp_path: Path) -> None:
    """Nobody writes to it, so that opening it would never return."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputFileError, match="is no file but a pipe or a device"):
        Journal.read(tmp_path / "pipe")


def test_a_file_of_one_endless_line_is_refused_by_its_beginning(tmp_path: Path) -> None:
    """Of another program's file no more is read than it takes to see that it is none of ours."""
    (tmp_path / "big").write_bytes(b"x" * 5_000_000)
    with pytest.raises(InputFileError, match="this is no Aeon journal"):
        Journal.read(tmp_path / "big")
