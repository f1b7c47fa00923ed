"""``aeon run --save`` and ``aeon history``: what was saved is shown again, and what is damaged is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome, up_to_entry
from .played_model import Model

pytestmark = pytest.mark.usefixtures("thorough")

Aeon = Callable[..., Outcome]


@pytest.fixture
def saved(aeon: Aeon, model: Model, tmp_path: Path) -> Path:
    """The journal of a run that converged."""
    assert aeon("run", "What is 17 * 2.40?", "--model", model.url, "--save", str(tmp_path / "saved")).code == 0
    return tmp_path / "saved"


def test_a_saved_run_is_shown_without_a_model(aeon: Aeon, saved: Path) -> None:
    """The report has the plan, the steps, the scores, the decision and the answer."""
    done = aeon("history", str(saved))
    assert (done.code, done.err) == (0, "")
    for words in ("Preparation", "Pass 1", "✓ s1", "= 40.8", "stop, converged", "Answer", "spent", "time"):
        assert words in done.out


def test_the_history_as_json_is_one_document(aeon: Aeon, saved: Path) -> None:
    """It is the execution history, conclusion included."""
    assert aeon("history", str(saved), "--format", "json").document["conclusion"]["converged"]


def test_the_plan_as_a_flowchart(aeon: Aeon, saved: Path) -> None:
    """Mermaid gets a node for the step with its status."""
    lines = aeon("history", str(saved), "--format", "mermaid").out.splitlines()
    assert lines[0] == "flowchart TD" and any("step_s1[" in line and ":::complete" in line for line in lines)


def test_a_journal_is_never_overwritten(aeon: Aeon, model: Model, saved: Path) -> None:
    """Saving to a file that exists is exit code 2, asks no model and leaves the file as it was."""
    before, asked = saved.read_bytes(), len(model.bodies)
    aeon("run", "Again?", "--model", model.url, "--save", str(saved)).complains(2, "saved", "exists already")
    assert saved.read_bytes() == before and len(model.bodies) == asked


BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "no Aeon journal"),
    "binary": (lambda data: bytes(range(256)) * 10, "no Aeon journal"),
    "another program's": (lambda data: b'{"version": 1, "cells": []}\n', "no Aeon journal"),
    "deeply nested": (lambda data: b"[" * 100_000 + b"\n", "no Aeon journal"),
    "of another version": (lambda data: data.replace(b'"version":2', b'"version":9', 1), "version 9"),
    "cut in the middle": (lambda data: data[:1500] + b"\n" + data[2500:], "damaged or was edited"),
    "with a bit flipped": (lambda data: data[:2000] + bytes([data[2000] ^ 1]) + data[2001:], "damaged or was edited"),
    "begun, not even opened": (lambda data: data[:60], "broke off in the first line"),
    "without a line": (lambda data: b"".join(line for n, line in enumerate(data.splitlines(True)) if n != 2), "line 3"),
    "edited in its task": (lambda data: data.replace(b"17 * 2.40?", b"17 * 2.50?", 1), "line 1"),
    "edited in a result": (lambda data: data.replace(b"40.8", b"99.9"), "edited"),
    "edited in its last line": (lambda data: data.replace(b"The total is", b"The sum is"), "edited"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_whole_journal_is_refused(aeon: Aeon, saved: Path, name: str) -> None:
    """One line says what is wrong; nothing is shown."""
    spoil, words = BAD[name]
    spoilt = spoil(saved.read_bytes())
    assert spoilt != saved.read_bytes()
    saved.write_bytes(spoilt)
    done = aeon("history", str(saved))
    done.complains(done.code, words)
    assert done.code in (1, 2) and done.out == ""


@pytest.mark.parametrize("entries", [0, 1, 3])
def test_a_run_that_has_not_ended_is_shown_as_far_as_it_goes(aeon: Aeon, saved: Path, entries: int) -> None:
    """Report, record and flowchart have its effects up to there; the report says how to continue."""
    saved.write_bytes(up_to_entry(saved.read_bytes(), entries))
    done = aeon("history", str(saved))
    assert done.code == 0 and "What is 17 * 2.40?" in done.out and "(not done when it was saved)" in done.out
    assert f"had not ended when it was saved: {entries} effect" in done.out and f"aeon resume {saved}" in done.out
    document = aeon("history", str(saved), "--format", "json").document
    assert document["ended"] is False and document["task"]["text"] == "What is 17 * 2.40?"
    assert [one["outcome"] is not None for one in document["effects"]] == [True] * entries + [False]
    assert all(set(one["outcome"]["value"]) for one in document["effects"][:entries])
    drawn = aeon("history", str(saved), "--format", "mermaid").out
    assert drawn.startswith("flowchart TD") and f"effect_{entries}" in drawn and "answer[" not in drawn


def test_a_missing_file_and_a_folder_are_refused(aeon: Aeon, tmp_path: Path) -> None:
    """One line says why the file cannot be read."""
    aeon("history", str(tmp_path / "none")).complains(2, "none", "No such file")
    aeon("history", str(tmp_path)).complains(2, "directory")


def test_the_same_run_gives_the_same_history(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """What --json printed is what the saved journal gives back."""
    arguments = ("run", "What is 17 * 2.40?", "--model", model.url, "--json", "--save", str(tmp_path / "saved"))
    printed = aeon(*arguments).document["history"]
    assert json.loads(aeon("history", str(tmp_path / "saved"), "--format", "json").out) == printed
