"""``kill -9`` at random instants of ``aeon run`` on the real tiny model: resumed, it ends in the same answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

import aeon
from aeon.assembly.runs import replay
from aeon.llm import weights
from aeon.llm.catalogue import CATALOGUE
from aeon.runtime.journal import Journal

pytestmark = [pytest.mark.tiny, pytest.mark.requirement("X3", "K9")]

TASK = "What is 12 * 12?"
SETTINGS = """
max_passes = 1
output_tokens = 64
budget.calls = 20
limits = {plan_steps = 2, total_steps = 3, attempts = 1}

[caps]
profile = 1
plan = 1
refine_plan = 1
write = 1
run_program = 1
weigh = 1
synthesize = 1
validate_plan = 2
validate_results = 2
assess = 2
"""
INSTANTS = 4
PATIENCE = 60  # seconds that a server may take to notice that its parent is gone


class Whole(NamedTuple):
    """The run that nobody kills: what it answers, and how many seconds it takes."""

    answer: str
    stop_reason: str
    seconds: float


def aeon_process(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """``aeon`` in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(Path(aeon.__file__).parents[1])}
    with (folder / "stderr.txt").open("a") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "aeon.cli.main", *arguments, "--json"],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip


def run(folder: Path) -> subprocess.Popen[str]:
    """The run, saved as it goes."""
    (folder / "settings.toml").write_text(SETTINGS)
    options = ("--model", "smollm2-135m", "--config", "settings.toml", "--save", "run.jsonl")
    return aeon_process(folder, "run", TASK, *options)


def resume(folder: Path) -> subprocess.Popen[str]:
    """The same run, taken up; from its beginning where it was killed before its first line."""
    if not lines(folder):
        (folder / "run.jsonl").unlink(missing_ok=True)
        return run(folder)
    return aeon_process(folder, "resume", "run.jsonl")


def answered(process: subprocess.Popen[str], folder: Path) -> tuple[str, str]:
    """Answer and stop reason of a process that is left alone."""
    output, _ = process.communicate()
    assert process.returncode in (0, 3), (folder / "stderr.txt").read_text()
    result = json.loads(output)
    return result["answer"], result["stop_reason"]


def killed(process: subprocess.Popen[str], after: float) -> int:
    """Kill a process after so many seconds, unless it has ended by then; its id."""
    try:
        process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    return process.pid


def servers_of(parent: int) -> list[int]:
    """The model servers whose parent that process is or was."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"aeon.llm.local_server" in words and words[-3:-1] == [b"--parent", str(parent).encode()]:
            found.append(int(each.parent.name))
    return found


def lines(folder: Path) -> list[bytes]:
    """The whole lines of the journal."""
    path = folder / "run.jsonl"
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The run that nobody kills."""
    weights.pull(CATALOGUE["smollm2-135m"])
    folder = tmp_path_factory.mktemp("whole")
    began = time.monotonic()
    answer, reason = answered(run(folder), folder)
    return Whole(answer, reason, time.monotonic() - began)


@pytest.mark.parametrize("number", range(INSTANTS))
def test_a_run_that_is_killed_ends_in_the_same_answer_when_it_is_taken_up(
    tmp_path: Path, whole: Whole, number: int
) -> None:
    """Killed in a fourth of its time each, the second one again while it is resumed; nothing that was kept changes."""
    random = Random(number)
    starts: list[Callable[[Path], subprocess.Popen[str]]] = [run, resume][: 2 if number == 1 else 1]
    for start in starts:
        share = (number + random.random()) / INSTANTS if start is run else random.random() / 2
        before = lines(tmp_path)
        parent = killed(start(tmp_path), share * whole.seconds)
        assert lines(tmp_path)[: len(before)] == before
        deadline = time.monotonic() + PATIENCE
        while servers_of(parent) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert servers_of(parent) == [], "a model server outlived the process that it served"
    kept = lines(tmp_path)
    assert answered(resume(tmp_path), tmp_path) == (whole.answer, whole.stop_reason)
    assert lines(tmp_path)[: len(kept)] == kept
    journal = Journal.read(tmp_path / "run.jsonl")
    assert journal.ended is not None and replay(journal).answer == whole.answer
