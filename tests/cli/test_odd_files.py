"""``--log``, ``--save`` and ``--proof`` on what is no file: one line, before a model is asked."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a pipe that nobody reads, a socket and a folder."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    return tmp_path


@pytest.mark.parametrize("option", ["--log", "--save", "--proof"])
@pytest.mark.parametrize("name", ["pipe", "socket", "folder"])
def test_what_is_no_file_is_refused_at_once(aeon: Aeon, model: Model, odd: Path, option: str, name: str) -> None:
    """Nobody waits for the other end of a pipe."""
    aeon("run", TASK, "--model", model.url, option, name).complains(2, name)
    assert not model.bodies


@pytest.mark.parametrize("option", ["--save", "--proof"])
def test_a_device_is_never_written_over(aeon: Aeon, model: Model, option: str) -> None:
    """It exists already, as any file would."""
    aeon("run", TASK, "--model", model.url, option, "/dev/full").complains(2, "/dev/full", "exists already")
    assert not model.bodies
