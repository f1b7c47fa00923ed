"""Journals with forged lines and all seals made anew: refused in one line before anything is spent, or harmless."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Outcome
from .played_model import Model
from .test_foreign import rewritten

pytestmark = pytest.mark.usefixtures("thorough")

Aeon = Callable[..., Outcome]
Lines = list[dict[str, Any]]
TASK = "What do 17 pens at 2.40 cost?"
ESCAPES = "\x1b]0;owned\x07\x1b[2J"


@pytest.fixture
def forge(aeon: Aeon, model: Model, tmp_path: Path) -> Callable[[Callable[[Lines], object]], Path]:
    """Makes the journal of a run that stopped after three effects and of which some lines were changed."""
    saved = tmp_path / "saved"
    assert aeon("run", TASK, "--model", model.url, "--save", str(saved)).code == 0
    model.bodies.clear()

    def make(change: Callable[[Lines], object]) -> Path:
        lines = [json.loads(line) for line in saved.read_bytes().splitlines()]
        ends = [number for number, line in enumerate(lines, 1) if line.get("line") == "entry"]
        saved.write_bytes(b"".join(saved.read_bytes().splitlines(keepends=True)[: ends[2]]))
        return rewritten(saved, change)

    return make


def entries(lines: Lines) -> Lines:
    """The lines that hold outcomes."""
    return [line for line in lines if line.get("line") == "entry"]


def called(number: int, **most: object) -> dict[str, Any]:
    """The note of a call of this effect."""
    return {"line": "called", "version": 2, "number": number, "most": {"calls": 1, **most}}


FORGED: dict[str, tuple[Callable[[Lines], object], str]] = {
    "a second outcome": (lambda lines: lines.append(dict(entries(lines)[0])), "second outcome of effect 0"),
    "an effect before the first": (lambda lines: entries(lines)[0].update(number=-1), "no line of a journal"),
    "a time that is none": (lambda lines: entries(lines)[0].update(ended=float("nan")), "no line of a journal"),
    "a negative time": (lambda lines: entries(lines)[0].update(started=-5e9), "no line of a journal"),
    "a negative cost": (lambda lines: entries(lines)[0]["usage"].update(calls=-100), "no line of a journal"),
    "an end that never was": (
        lambda lines: lines.append({"line": "ended", "version": 2, "stop_reason": "converged", "digest": "0" * 32}),
        "outcomes are missing",
    ),
    "a call before the first": (lambda lines: lines.append(called(-1)), "no line of a journal"),
    "a call that gives back": (lambda lines: lines.append(called(3, calls=-5)), "no line of a journal"),
    "a call without end": (lambda lines: lines.append(called(3, cost=float("inf"))), "no line of a journal"),
    "a call of nothing": (lambda lines: lines.append(called(3, calls="many")), "no line of a journal"),
    "a call that was settled": (lambda lines: lines.append(called(1)), "notes a call after the outcome of effect 1"),
    "a call never issued": (lambda lines: lines.append(called(9)), "effect 9: the journal notes a call for it"),
    "a call of too many calls": (lambda lines: lines.append(called(3, calls=10**9)), "more than it was allowed"),
    "a call of too many tokens": (
        lambda lines: lines.append(called(3, prompt_tokens=10**9)),
        "more than it was allowed",
    ),
    "settings that are none": (lambda lines: lines[0].update(config=5), ""),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_journal_is_refused_before_anything_is_spent(
    aeon: Aeon, model: Model, forge: Callable[[Callable[[Lines], object]], Path], name: str
) -> None:
    """By every command that shows or continues it, with one line; the file stays as it is."""
    change, words = FORGED[name]
    saved = forge(change)
    before = saved.read_bytes()
    for command in ("history", "replay", "resume"):
        done = aeon(command, str(saved))
        done.complains(1, words)
        assert done.out == ""
    assert not model.bodies and saved.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[0].update(execution_id=ESCAPES),
        lambda lines: lines[0]["setup"].update(model_name=ESCAPES),
        lambda lines: lines[0]["setup"].update(model=lines[0]["setup"]["model"] + ESCAPES),
        lambda lines: lines[0]["setup"].update(tools=[ESCAPES]),
        lambda lines: lines[0].update(engine=ESCAPES),
        lambda lines: lines[0].update(parent={"execution_id": ESCAPES, "at": 0}),
        lambda lines: lines.append({"line": "begun", "version": 2, "number": 3, "tool": ESCAPES}),
    ],
    ids=["run", "model's name", "model", "tools", "engine", "parent", "tool"],
)
def test_no_word_of_a_journal_steers_the_terminal(
    aeon: Aeon, forge: Callable[[Callable[[Lines], object]], Path], change: Callable[[Lines], object]
) -> None:
    """Whatever names a journal holds, escape codes in them are shown as text."""
    saved = str(forge(change))
    for command in ("history", "replay", "resume"):
        done = aeon(command, saved)
        assert "\x1b" not in done.out + done.err and "\x07" not in done.out + done.err
        assert "bug" not in done.err


@pytest.mark.parametrize("command", [("run", TASK), ("resume", "FILE"), ("fork", "FILE", "--at", "1")])
def test_a_log_never_damages_a_saved_run(
    aeon: Aeon, model: Model, forge: Callable[[Callable[[Lines], object]], Path], command: tuple[str, ...]
) -> None:
    """A journal is refused as the file of a log, before a model is asked."""
    saved = forge(lambda lines: None)
    before = saved.read_bytes()
    given = [str(saved) if word == "FILE" else word for word in command]
    aeon(*given, "--log", str(saved)).complains(2, "a log" if command[0] != "resume" else "the log")
    assert saved.read_bytes() == before and not model.bodies


@pytest.mark.parametrize("pair", [("--save", "--log"), ("--save", "--proof"), ("--log", "--proof")])
def test_one_file_is_not_two_things(aeon: Aeon, model: Model, tmp_path: Path, pair: tuple[str, str]) -> None:
    """Run, log and proof are files of their own; nothing is made where two of them have one name."""
    one, other = tmp_path / "x.jsonl", f"{tmp_path}/./x.jsonl"
    aeon("run", TASK, "--model", model.url, pair[0], str(one), pair[1], other).complains(2, "x.jsonl")
    assert not one.exists() and not model.bodies
