"""The commands for durable runs, from submitting one to verifying it; and their complaints."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cli.conftest import Outcome
from cli.played_model import served

import aeon as package
from aeon.cli.main import main
from aeon.errors import MissingExtraError

from .conftest import until

TASK = "What do 17 pens at 2.40 cost?"


class Commands(NamedTuple):
    """The command line on one database, with a worker beside it."""

    url: str
    call: Callable[..., Outcome]

    def __call__(self, *arguments: str) -> Outcome:
        return self.call(*arguments, "--durable", self.url)

    def ended(self, run: str) -> dict[str, Any]:
        """The run as it is listed, when it has ended."""
        found: dict[str, Any] = until(
            lambda: (job := self("jobs", run, "--json").document["jobs"][0])["state"] == "ended" and job
        )
        return found


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """``aeon worker`` in a process of its own, and the address of its database."""
    folder = tmp_path_factory.mktemp("commands")
    url = f"sqlite:///{folder / 'runs.sqlite'}"
    with served() as model:
        environment = os.environ | {"AEON_MODEL": model.url, "PYTHONPATH": str(Path(package.__file__).parents[1])}
        command = [sys.executable, "-m", "aeon.cli.main", "worker", "--durable", url, "--name", "one"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.environ["AEON_MODEL"], before = model.url, os.environ.get("AEON_MODEL")
        try:
            assert process.stdout is not None and process.stdout.readline() == "one\n"
            yield url
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=60)
            assert process.returncode == 0 and "Traceback" not in said, said
        finally:
            process.kill()
            process.communicate()
            os.environ.pop("AEON_MODEL") if before is None else os.environ.update(AEON_MODEL=before)


@pytest.fixture
def aeon(worker: str, capfd: pytest.CaptureFixture[str]) -> Commands:
    """Carries out a command line in this process."""

    def call(*arguments: str) -> Outcome:
        capfd.readouterr()
        code = main(arguments)
        return Outcome(code, *capfd.readouterr())

    return Commands(worker, call)


@pytest.mark.requirement("X5b", "X5c")
def test_a_run_is_submitted_shown_replayed_forked_compared_and_verified_by_its_id(aeon: Commands) -> None:
    """Each command says of it what it says of a saved run."""
    submitted = aeon("submit", TASK, "--priority", "2")
    run = submitted.out.strip()
    assert submitted.code == 0 and len(run) == 32 and "waits for a worker with multi-pass/6 played" in submitted.err
    job = aeon.ended(run)
    assert (job["answer"], job["stop_reason"], job["priority"], job["worker"]) == (
        "The total is 40.8.",
        "converged",
        2,
        "one",
    )
    assert run in aeon("jobs").out and "The total is 40.8." in aeon("jobs", run).out
    assert "The total is 40.8." in aeon("history", run).out
    assert "bit-identical" in aeon("replay", run).out
    forked = aeon("fork", run, "--at", "8", "--set", "max_passes=1", "--value", '{"converged": false}')
    assert forked.code == 0
    other = aeon.ended(forked.out.strip())
    assert other["stop_reason"] == "ttl_expired"
    assert "first divergence: effect 8" in aeon("diff", run, other["id"]).out
    verified = aeon("verify", run)
    assert verified.code == 0 and "the journal's, and their hash" in verified.out
    every = aeon("replay", "--all", "--json")
    assert every.code == 0 and every.document["same"] == every.document["runs"] == 2


@pytest.mark.requirement("X5h")
def test_what_cannot_be_done_with_a_run_is_one_line(aeon: Commands) -> None:
    """A run that is over takes no answer, no stop and no continuation; an id that is none is said so."""
    run = aeon("submit", TASK).out.strip()
    aeon.ended(run)
    aeon("jobs", run, "--cancel").complains(2, "is over already: ended (converged)")
    aeon("resume", run, "--answer", "2026").complains(2, "waits for no answer: it is ended")
    aeon("resume", run).complains(2, "there is nothing to continue: it is ended")
    aeon("fork", run, "--at", "99").complains(2, "--at 99")
    aeon("fork", run, "--at", "0", "--save", "x.jsonl").complains(2, "a fork is kept in the database")
    for command in (
        ("history",),
        ("replay",),
        ("verify",),
        ("jobs",),
        ("resume",),
        ("diff", run),
        ("fork", "--at", "0"),
    ):
        aeon(command[0], *command[1:], "nosuch").complains(2, "nosuch: there is no run of this id")
    aeon("jobs", "--cancel").complains(2, "name the run that is to stop")
    aeon("submit", " ").complains(2, "the task is empty")
    aeon("submit", TASK, "--priority", "0").complains(2, "--priority")
    aeon("submit", TASK, "--engine", "nosuch").complains(2, "is not installed")
    aeon("worker", "--name", "one").complains(2, "one called 'one' is at work already")
    aeon("replay").complains(2, "name a saved run, or a database")
    for wrong in ((), ("--all",), ("--all", run, "--durable", aeon.url)):
        aeon.call("replay", *wrong).complains(2, "name a saved run, or a database")
    aeon.call("jobs", "--durable", "nonsense").complains(2, "is no address of a database")


@pytest.mark.requirement("X5", "X5h")
def test_without_the_extra_each_command_says_what_to_install(aeon: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and nothing else."""
    monkeypatch.setitem(sys.modules, "dbos", None)
    needs = "needs the extra durable: pip install 'aeon-orchestrator[durable]'"
    commands = (("submit", TASK), ("worker",), ("jobs",), ("history", "x"), ("resume", "x"), ("serve", "--port", "0"))
    for command in commands:
        aeon(*command).complains(2, needs)
    with pytest.raises(MissingExtraError, match=re.escape(needs)):
        package.build(durable=aeon.url)
