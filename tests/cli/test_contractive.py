"""``aeon run --engine contractive``: what it shows, what it refuses, and what can be done with a saved run of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.wordings import results_of

from .conftest import Outcome
from .played_model import Model, reply

pytestmark = pytest.mark.requirement("E3", "E3h")

Aeon = Callable[..., Outcome]
TASK = "How many eggs are in 3 boxes of 6?"


@pytest.fixture
def counting(model: Model) -> Model:
    """A model that knows how many eggs there are."""

    def say(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
        text = body["messages"][-1]["content"]
        said = "There are 18 eggs." if results_of(text) == "18" else "6 * 3 = 18\nAnswer: 18"
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 20, "completion_tokens": 5}
        payload = json.dumps({"id": "1", "model": "played", "choices": [choice], "usage": usage}).encode()
        reply(handler, 200, payload, Content_Type="application/json")
        return True

    model.before = say
    return model


def test_a_run_shows_the_answer_and_its_tree(aeon: Aeon, counting: Model, tmp_path: Path) -> None:
    """It is saved, shown as a flowchart, and replays."""
    path = str(tmp_path / "run.jsonl")
    done = aeon("run", TASK, "--engine", "contractive", "--preset", "fast", "--save", path)
    assert done.code == 0 and "There are 18 eggs." in done.shown and "agreed" in done.shown
    assert "1 node, 0 pruned" in done.shown and "16,000 tokens" in done.shown
    assert "uncertainty 0.00" in aeon("history", path, "--format", "mermaid").out
    assert aeon("replay", path).code == 0
    told = json.loads(aeon("history", path, "--format", "json").out)
    assert told["tree"][0]["place"] == "1" and "confidence" not in told


WRONG = {
    "an unknown preset": (
        ("--engine", "contractive", "--preset", "slow"),
        "--preset: 'contractive' has no preset 'slow'; choose one of: "
        "factual, complex, math, exploration, fast, deep\n",
    ),
    "a preset of an engine without any": (
        ("--preset", "fast"), "--preset: the engine 'multi-pass' has no such setting; leave it out",
    ),
    "an unknown preset in a setting": (("--engine", "contractive", "--set", "preset=slow"), "preset: "),
    "a number out of range": (("--engine", "contractive", "--set", "samples=99"), "samples: "),
    "thresholds in the wrong order": (
        ("--engine", "contractive", "--set", "collapse=0.9"), "collapse (0.9) must not be above decompose (0.5)",
    ),
    "an unknown peer": (("--engine", "contractive", "--set", "peer=nobody"), "nobody"),
    "files": (
        ("--engine", "contractive", "--files", "."),
        "run: --files: the engine 'contractive' uses the task and its --context alone; leave it out",
    ),
    "tools": (
        ("--engine", "contractive", "--tools", "dates"),
        "run: --tools: the engine 'contractive' uses the task and its --context alone; leave it out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_one_clear_line(aeon: Aeon, model: Model, what: str) -> None:
    """With the exit code of wrong use, before any model is asked."""
    arguments, words = WRONG[what]
    done = aeon("run", TASK, *arguments)
    assert done.code == 2 and words in done.err and done.err.count("\n") == 1
    assert done.out == ""


def test_the_bound_of_a_preset_is_stated_before_the_start(aeon: Aeon, model: Model) -> None:
    """From the settings alone."""
    assert "16,000 tokens" in aeon("run", TASK, "--engine", "contractive", "--preset", "fast", "--bound").out
    assert "64,000 tokens" in aeon("run", TASK, "--engine", "contractive", "--preset", "deep", "--bound").out
