"""``aeon resume``: after a kill, a torn line, Ctrl-C, a dead endpoint; nothing is done again that was done."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeon import Journal, replay
from aeon.schema import CallCaps

from .conftest import Outcome
from .played_model import Model
from .test_main import ended, start, until

pytestmark = pytest.mark.usefixtures("thorough")

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"


ROOM = tuple(word for phase in CallCaps.model_fields for word in ("--set", f"caps.{phase}=30"))
"""Options that give every effect room for more than one life: what a killed one had spent counts against its cap."""


@pytest.fixture
def killed(model: Model, tmp_path: Path) -> Callable[[int], Path]:
    """Makes the journal of a run that was killed while the model was at its request number so, counted from 1."""
    model.was_measured()

    def kill(at: int) -> Path:
        model.hangs(lambda body: len(about_the_task(model)) == at)
        process = start("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"), *ROOM)
        until(lambda: len(about_the_task(model)) == at)
        process.kill()
        ended(process)
        model.before = lambda handler, body: False
        return tmp_path / "saved"

    return kill


def about_the_task(model: Model) -> list[str]:
    """The requests that are about a task, and not about what the endpoint can do."""
    return [told for body in model.bodies if TASK in (told := json.dumps(body, sort_keys=True))]


OF_ITS_OWN = (
    "execution_id", "timings", "synthesis", "seconds", "usage", "lost", "budget_before", "budget_after", "expected",
)  # fmt: skip


def history_of(path: Path) -> Any:
    """The history in a journal without what is different in every run: id, times and costs."""

    def common(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: common(v) for k, v in value.items() if k not in OF_ITS_OWN}
        return [common(v) for v in value] if isinstance(value, list | tuple) else value

    return common(replay(Journal.read(path)).history.model_dump())


@pytest.mark.requirement("X5")
@pytest.mark.parametrize(("at", "answered"), [(1, 0), (2, 1), (3, 2), (4, 3)])
def test_a_killed_run_is_continued(
    aeon: Aeon, model: Model, killed: Callable[[int], Path], tmp_path: Path, at: int, answered: int
) -> None:
    """It ends as without the kill; only what the model had not answered is asked again, and every call is charged."""
    saved = killed(at)
    done = aeon("resume", str(saved))
    assert (done.code, done.errors) == (0, []), done
    assert "Resumed" in done.shown and "converged" in done.shown and "= 40.8" in done.shown
    asked, requests = about_the_task(model), len(model.bodies)
    result = replay(Journal.read(saved))
    assert requests <= result.usage.calls + result.lost.calls <= result.bound.calls and result.lost.calls > 0
    assert "for what was broken off and done again" in done.shown
    aeon("run", TASK, "--model", model.url, "--save", str(tmp_path / "whole"), *ROOM)
    assert history_of(saved) == history_of(tmp_path / "whole")
    whole = about_the_task(model)[len(asked) :]
    assert asked == [*whole[:at], *whole[answered:]]  # only the requests of the effect that was under way


@pytest.mark.requirement("X5")
def test_an_effect_that_was_killed_halfway_is_done_again_from_its_start(
    aeon: Aeon, model: Model, killed: Callable[[int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short profile takes two requests: killed at the second, both are made again, and both lives are charged."""
    monkeypatch.setenv("AEON_THOROUGH", "false")
    saved = killed(2)
    first, second = about_the_task(model)
    assert aeon("resume", str(saved)).code == 0
    assert about_the_task(model)[2:4] == [first, second]
    result = replay(Journal.read(saved))
    assert len(model.bodies) <= result.usage.calls + result.lost.calls <= result.bound.calls and result.lost.calls >= 2


@pytest.mark.requirement("X5")
def test_a_torn_last_line_is_cut_off_and_said(aeon: Aeon, model: Model, killed: Callable[[int], Path]) -> None:
    """What a power cut left of a line does not count; looking at the file leaves it as it is."""
    saved = killed(4)
    whole = saved.read_bytes()
    saved.write_bytes(whole + b'{"line":"entry","vers')
    looked = aeon("history", str(saved), "--format", "effects")
    assert looked.code == 0 and "last line was cut short" in looked.err and saved.read_bytes() != whole
    done = aeon("resume", str(saved))
    assert done.code == 0 and len(done.errors) == 1
    assert "last line was cut short by a crash and does not count" in done.err
    assert saved.read_bytes().startswith(whole) and aeon("replay", str(saved)).code == 0


@pytest.mark.requirement("X5")
def test_an_interrupted_run_is_continued(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """Ctrl-C ends it with what there is, and says how to continue; then what was broken off is done."""
    saved = tmp_path / "saved"
    model.was_measured()
    model.hangs(lambda body: len(about_the_task(model)) == 3)
    process = start("run", TASK, "--model", model.url, "--save", str(saved))
    until(lambda: len(about_the_task(model)) == 3)
    process.send_signal(signal.SIGINT)
    done = ended(process)
    assert done.code == 3 and f"continue with: aeon resume {saved}" in done.shown
    model.before = lambda handler, body: False
    assert aeon("resume", str(saved)).code == 0
    assert aeon("replay", str(saved)).code == 0


@pytest.mark.requirement("X5")
def test_a_run_whose_endpoint_died_is_continued_on_another(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The failure is taken back; that the model is another one is said."""
    saved = str(tmp_path / "saved")
    model.fails(500)
    done = aeon("run", TASK, "--model", model.url, "--save", saved)
    assert done.code == 1 and f"aeon resume {saved}" in done.shown
    model.before = lambda handler, body: False
    done = aeon("resume", saved, "--model", f"{model.root}/v1#other")
    assert done.code == 0 and "aeon: until now the model was played, from here on it is other\n" in done.err
    assert "other, at most" in done.shown


@pytest.mark.requirement("X5")
def test_a_run_that_has_ended_is_shown_and_left_alone(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """No model is asked, the file stays as it is, the answer is printed again."""
    saved = tmp_path / "saved"
    aeon("run", TASK, "--model", model.url, "--save", str(saved))
    before, asked = saved.read_bytes(), len(model.bodies)
    done = aeon("resume", str(saved))
    assert done.code == 0 and "The total is 40.8." in done.shown
    assert done.err.startswith("aeon: the run has ended; nothing was left to do\n")
    assert aeon("resume", str(saved), "--json").document["answer"] == "The total is 40.8."
    assert saved.read_bytes() == before and len(model.bodies) == asked


@pytest.mark.requirement("X5")
def test_a_run_that_broke_off_before_it_noted_its_end(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """With every outcome there, the end is noted without a model."""
    saved = tmp_path / "saved"
    aeon("run", TASK, "--model", model.url, "--save", str(saved))
    whole, asked = saved.read_bytes(), len(model.bodies)
    saved.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert "bit-identical" not in aeon("replay", str(saved)).out
    assert aeon("resume", str(saved)).code == 0
    assert saved.read_bytes() == whole and len(model.bodies) == asked


def test_json_and_log_of_a_resumed_run(aeon: Aeon, model: Model, killed: Callable[[int], Path], tmp_path: Path) -> None:
    """The document is of the whole run; the log tells what was recorded from what is new."""
    saved = killed(4)
    done = aeon("resume", str(saved), "--json", "--log", str(tmp_path / "log"))
    assert (done.code, done.err) == (0, "") and done.document["converged"]
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    recorded = [event["recorded"] for event in events if event["event"] == "effect_ended"]
    assert recorded == sorted(recorded, reverse=True) and set(recorded) == {True, False}


def test_two_processes_cannot_continue_the_same_run(aeon: Aeon, model: Model, killed: Callable[[int], Path]) -> None:
    """The second one is refused with one line; the first one continues unharmed."""
    saved = killed(2)
    before, go = len(model.bodies), threading.Event()

    def held(*_: object) -> bool:
        go.wait(20)
        return False

    model.before = held
    first = start("resume", str(saved))
    until(lambda: len(model.bodies) > before)
    aeon("resume", str(saved)).complains(2, "saved", "another process is working on this run")
    go.set()
    assert ended(first).code == 0


def test_a_full_disk_ends_a_resumed_run_with_one_line(model: Model, killed: Callable[[int], Path]) -> None:
    """What was saved before is whole, and can be continued when there is room."""
    saved = killed(2)
    size = saved.stat().st_size
    full = start("resume", str(saved), ready={"bytes": size + 30})
    ended(full).complains(1, "saved", "cannot be written", "aeon resume")
    assert saved.stat().st_size == size
    assert ended(start("resume", str(saved))).code == 0


BAD: dict[str, tuple[Callable[[bytes], bytes], int, str]] = {
    "empty": (lambda data: b"", 2, "no Aeon journal"),
    "another program's": (lambda data: b'{"version": 1, "cells": []}\n', 2, "no Aeon journal"),
    "of a newer version": (lambda data: data.replace(b'"version":2', b'"version":9', 1), 2, "version 9"),
    "cut in the middle": (lambda data: data[:1500] + b"\n" + data[2500:], 1, "damaged or was edited"),
    "with a bit flipped": (lambda data: data[:2000] + bytes([data[2000] ^ 1]) + data[2001:], 1, "damaged"),
    "only begun": (lambda data: data[:60], 2, "broke off in the first line"),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "resume": ("resume", "FILE"),
    "replay": ("replay", "FILE"),
    "fork": ("fork", "FILE", "--at", "1"),
    "diff": ("diff", "FILE", "FILE"),
    "effects": ("history", "FILE", "--format", "effects"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_no_whole_journal_is_refused(aeon: Aeon, model: Model, tmp_path: Path, command: str) -> None:
    """One line, nothing is changed and no model asked, whatever the command and whatever is wrong."""
    saved = tmp_path / "saved"
    aeon("run", TASK, "--model", model.url, "--save", str(saved))
    whole, asked = saved.read_bytes(), len(model.bodies)
    arguments = [str(saved) if word == "FILE" else word for word in COMMANDS[command]]
    for name, (spoil, code, words) in BAD.items():
        saved.write_bytes(spoil(whole))
        done = aeon(*arguments)
        done.complains(code, "saved", words)
        assert done.out == "" and saved.read_bytes() == spoil(whole), name
    saved.unlink()
    aeon(*arguments).complains(2, "saved", "No such file")
    saved.mkdir()
    aeon(*arguments).complains(2, "saved", "directory")
    assert len(model.bodies) == asked and {each.name for each in tmp_path.iterdir()} == {"home", "saved"}
