"""``aeon run --engine ensemble|auto|chain``: what is shown, what is refused, and what can be done with a saved run."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from .conftest import Outcome
from .played_model import Model, reply

pytestmark = pytest.mark.requirement("E6", "E6i")

Aeon = Callable[..., Outcome]
TASK = "What is the fee of a guest?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a text."""
    root = tmp_path / "club"
    root.mkdir()
    (root / "fees.md").write_text("The fee of each guest is 12.50 euros. It is due in May.\n")
    return root


@pytest.fixture
def reading(model: Model) -> Model:
    """A model that reads the fee."""

    def say(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
        text = body["messages"][-1]["content"]
        plain = body["messages"][0]["content"].startswith(("Answer the question from the sen", "Answer questions from"))
        read = "12.50 euros" if plain else "fee = 12.5  # 1\nprint(fee)"
        said = "The fee is {r1}." if "{r1}" in text else read
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 20, "completion_tokens": 5}
        payload = json.dumps({"id": "1", "model": "played", "choices": [choice], "usage": usage}).encode()
        reply(handler, 200, payload, Content_Type="application/json")
        return True

    model.before = say
    return model


def test_a_vote_is_shown_saved_drawn_and_proved(aeon: Aeon, reading: Model, folder: Path, tmp_path: Path) -> None:
    """Ballots stand below the answer, and in the picture."""
    path, proof = str(tmp_path / "run.jsonl"), str(tmp_path / "proof.json")
    done = aeon("run", TASK, "--engine", "ensemble", "--files", str(folder), "--save", path, "--proof", proof)
    assert done.code == 3 and "2 ballots of 3, 1 answer" in done.shown and "2 multi-pass (seed 1)" in done.shown
    assert 'member_1["1: multi-pass<br/>unverified"]' in aeon("history", path, "--format", "mermaid").out
    assert aeon("replay", path).code == 0 and aeon("verify", proof).code == 0
    told = json.loads(aeon("history", path, "--format", "json").out)
    assert told["taken"] == 1 and [one["place"] for one in told["ballots"]] == [0, 0]


def test_a_routed_run_names_its_rule(aeon: Aeon, reading: Model, folder: Path, tmp_path: Path) -> None:
    """And what the rule rests on."""
    done = aeon("run", TASK, "--engine", "auto", "--files", str(folder))
    assert done.code == 3 and "route texts: multi-pass (figures)" in done.shown


def test_a_chain_shows_what_each_member_said(aeon: Aeon, reading: Model, folder: Path) -> None:
    """In their order, with an arrow behind what was handed on."""
    done = aeon("run", TASK, "--engine", "chain", "--set", "members=multi-pass,multi-pass", "--files", str(folder))
    assert done.code in (0, 3) and "1 → multi-pass" in done.shown and "2 · multi-pass" in done.shown


@pytest.mark.requirement("E6b")
@pytest.mark.parametrize("engine", ["ensemble", "auto", "chain"])
def test_the_bound_is_stated_before_the_start(aeon: Aeon, reading: Model, engine: str) -> None:
    """Without a task."""
    assert "no run can spend more than" in aeon("run", "--engine", engine, "--bound").out


@pytest.mark.requirement("M1")
@pytest.mark.parametrize(
    ("engine", "needed"),
    [
        ("tutor", "a folder to look at: --files DIR"),
        ("research", "something to search: --files DIR, or --tools search=PROVIDER"),
        ("report", "something to search: --files DIR, or --tools search=PROVIDER"),
    ],
)
def test_an_engine_without_what_it_needs_is_refused_before_the_run(
    aeon: Aeon, reading: Model, tmp_path: Path, engine: str, needed: str
) -> None:
    """In one line that says what to name; nothing is saved, and no model is asked."""
    saved = tmp_path / "run.jsonl"
    done = aeon("run", TASK, "--engine", engine, "--save", str(saved))
    done.complains(2, f"the engine '{engine}' needs {needed}")
    assert not saved.exists() and not reading.bodies
    assert aeon("run", "--engine", engine, "--bound").code == 0


WRONG = {
    "an unknown member": (("ensemble", "members=lop,loop"), "members: no engine is called 'lop'; there are multi-pass"),
    "an ensemble in an ensemble": (("ensemble", "members=ensemble,loop"), "members: 'ensemble' runs engines itself"),
    "one member": (("ensemble", "members=loop", "samples=1"), "samples: makes 1 of 2 to 15 members; name several"),
    "a chain of one": (("chain", "members=loop"), "members: has 1 of at least 2 that are needed; name more"),
    "an unknown worker": (("team", "worker=lop"), "worker: no engine is called 'lop'; there are multi-pass"),
    "an unknown master": (("team", "master=lop"), "master: no engine is called 'lop'; there are multi-pass"),
    "a chain of many": (("chain", "members=loop" + ",loop" * 6), "members: has more than the 6 that there may be"),
    "a member without its folder": (("ensemble", "members=loop,tutor"), "members: 'tutor' needs a folder to look at"),
    "nothing to search": (("chain",), "members: 'research' needs something to search"),
    "a small budget": (("ensemble", "budget.calls=9"), "budget.calls: 9 are too few for 3 members"),
    "an unknown setting": (("auto", "options.multi-pass.passes=1"), "options.multi-pass.passes: unknown setting"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_work_is_one_line(aeon: Aeon, reading: Model, case: str) -> None:
    """It says what to do, and nothing was asked."""
    (engine, *settings), message = WRONG[case]
    done = aeon("run", TASK, "--engine", engine, *(part for one in settings for part in ("--set", one)))
    assert done.code == 2 and done.err.startswith(f"aeon: {message}") and done.err.count("\n") == 1
