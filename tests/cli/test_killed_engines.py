"""``kill -9`` of ``aeon run`` on each engine that ships: resumed, it ends as the run that nobody killed."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from aeon.assembly.registry import installed

from .conftest import Outcome
from .played_model import Model
from .test_main import ended, start

Aeon = Callable[..., Outcome]

pytestmark = pytest.mark.requirement("X3", "K9", "E6l")

TASK = "What is the fee of each guest?"
OPTIONS: dict[str, tuple[str, ...]] = {
    "multi-pass": (), "loop": (), "graph": (), "ensemble": (), "auto": (), "team": (), "tutor": (), "research": (),
    "report": (), "chain": ("--set", "members=loop,multi-pass"),
    "contractive": ("--preset", "fast", "--roles", "peer=same"),
}  # fmt: skip
ALONE = {"contractive"}
"""Engines that use the task and its context alone."""


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A folder with a text."""
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "fees.md").write_text("The fee of each guest is 12.50 euros. It is due in May.\n")
    return folder


class Holding:
    """Lets so many requests through and holds the next; ``reached`` once it has come."""

    def __init__(self, model: Model, through: int) -> None:
        self.reached = threading.Event()
        self._model, self._left, self._lock = model, through, threading.Lock()
        model.before = self._before

    def _before(self, handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> bool:
        with self._lock:
            self._left -= 1
        if self._left >= 0:
            return False
        self.reached.set()
        self._model.closed.wait(60)
        handler.close_connection = True
        return True


def test_every_engine_that_ships_is_killed_here() -> None:
    """One that is added has to be added here."""
    assert {one.name for one in installed() if one.source == "aeon-orchestrator"} == set(OPTIONS)


@pytest.mark.parametrize("engine", OPTIONS)
def test_a_killed_run_ends_as_the_run_that_nobody_killed(
    engine: str, aeon: Aeon, model: Model, club: Path, tmp_path: Path
) -> None:
    """What was on record stands, and is not asked again; the whole replays."""
    files = () if engine in ALONE else ("--files", str(club))
    asked = ("run", TASK, "--engine", engine, *OPTIONS[engine], *files)
    whole, path = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    answer = aeon(*asked, "--json", "--save", str(whole)).document["answer"]
    shutil.rmtree(tmp_path / "home" / "probes", ignore_errors=True)  # so that the process probes as well
    held = Holding(model, len(model.bodies) - 1)
    process = start(*asked, "--save", str(path))
    assert held.reached.wait(60)
    process.kill()
    ended(process)
    before = path.read_bytes()
    assert b'"line":"entry"' in before and b'"line":"ended"' not in before
    model.before = lambda handler, body: False
    assert aeon("resume", str(path), "--json").document["answer"] == answer
    assert path.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    assert aeon("replay", str(path)).code == 0
