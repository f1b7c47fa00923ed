"""``aeon simulate``: what it prints, and its exit code."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from aeon.cli import simulate
from aeon.cli.main import main
from aeon.simulation.crowd import Failure, Tally

from .test_main import ended, start, until


@pytest.mark.requirement("K13")
def test_it_says_what_was_run_and_that_all_held(capsys: pytest.CaptureFixture[str]) -> None:
    """Seeds, runs and effects with their rates, each fault and each ending with its count, and a digest."""
    assert main(["simulate", "--seeds", "8", "--from", "3", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("8 seeds from 3: ")
    assert " runs/s, " in out and " effects/s" in out
    assert "\nFaults\n" in out and "\nEndings\n" in out and "\ndigest " in out
    assert out.endswith("every invariant held\n")


@pytest.mark.requirement("K13")
def test_the_same_as_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    """The same seeds give the same counts and the same digest again."""
    documents = []
    for _ in range(2):
        assert main(["simulate", "--seeds", "5", "--faults", "crash_after,malformed", "--jobs", "1", "--json"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
        for name in ("seconds", "per_second"):
            documents[-1].pop(name)
    assert documents[0] == documents[1]
    assert (documents[0]["seeds"], documents[0]["failures"]) == (5, [])
    assert documents[0]["faults"]["crash_after"] == 5


@pytest.mark.requirement("K13")
@pytest.mark.parametrize("told", ["text", "json"])
def test_a_failing_seed_is_printed_with_its_command(
    told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken promise, what broke it, and the command that runs it again; the exit code is 1."""
    command = "aeon simulate --seeds 1 --from 4711 --faults crash_called,steps=1"
    failure = Failure(4711, "each side effect happens once", "run4711:s1: 2 times", command)
    monkeypatch.setattr(simulate, "simulate", lambda *_: Tally(seeds=1, fired=Counter(), failures=[failure]))
    assert main(["simulate", "--seeds", "1", *(["--json"] if told == "json" else [])]) == 1
    out = capsys.readouterr().out
    assert "each side effect happens once" in out and command in out
    assert "every invariant held" not in out


@pytest.mark.requirement("K13")
def test_a_fault_that_never_fired_fails_the_job(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and the exit code is 1."""
    monkeypatch.setattr(simulate, "simulate", lambda *_: Tally(seeds=100))
    assert main(["simulate", "--seeds", "100", "--faults", "outage"]) == 1
    assert "never fired: outage" in capsys.readouterr().out


@pytest.mark.requirement("K13")
def test_an_unknown_fault_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """It names what there is."""
    assert main(["simulate", "--seeds", "1", "--faults", "fire"]) == 2
    err = capsys.readouterr().err
    assert "--faults: 'fire' is no kind of fault" in err and err.count("\n") == 1


@pytest.mark.requirement("K13")
def test_a_process_that_is_killed_ends_the_simulation_with_one_line() -> None:
    """Nobody waits for what it would have said."""
    process = start("simulate", "--seeds", "2000", "--jobs", "2", "--faults", "none")
    mine = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until(lambda: len(spawned(mine)) == 2)
    os.kill(spawned(mine)[0], signal.SIGKILL)
    ended(process).complains(2, "a process of the simulation was killed", "take fewer --jobs")


@pytest.mark.requirement("K13")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_simulation_that_is_ended_leaves_no_process(how: signal.Signals) -> None:
    """Ctrl-C, which a terminal sends to all of them, is one line, though they are at work; and none outlives it."""
    process = start("simulate", "--seeds", "20000", "--jobs", "2", "--engine", "all", start_new_session=True)
    mine = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until(lambda: len(spawned(mine)) == 2 and all(map(at_work, spawned(mine))))
    workers = spawned(mine)
    try:
        os.killpg(process.pid, how) if how == signal.SIGINT else process.send_signal(how)
        done = ended(process)  # at the end of what its processes could say, too
        assert how != signal.SIGINT or done.complains(130, "interrupted") is None
        until(lambda: all(told(one)[0] in "XZ" for one in workers))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def told(process: int) -> list[str]:
    """What the system tells of a process after its name, its state first; of one that is gone, that it is dead."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["X"]


def at_work(process: int) -> bool:
    """Whether a process simulates: it ignores Ctrl-C, as it does once it has begun."""
    masks = dict(line.split(":\t") for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return bool(int(masks["SigIgn"], 16) >> signal.SIGINT - 1 & 1)


def spawned(children: Path) -> list[int]:
    """The processes that simulate, of those that a process has begun."""
    found = [int(word) for word in children.read_text().split()]
    return [one for one in found if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
