"""What the terminal says of a step that was not done."""

from __future__ import annotations

import pytest

from aeon.cli.narration import Narrator
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.events import EffectEnded
from aeon.schema import Failure, Outcome, Step, Task

STEP = ExecuteStep(task=Task(text="How much?"), step=Step(id="s2", description="add it up"))


@pytest.mark.requirement("K4", "X3")
@pytest.mark.parametrize(
    ("kind", "mark"),
    [("skipped", "○"), ("interrupted", "○"), ("endpoint", "○"), ("allowance", "○"), ("tool", "✗"), ("completion", "✗")],
)
def test_a_step_that_was_not_done_is_shown_as_pending_and_one_that_failed_as_failed(kind: str, mark: str) -> None:
    """A step that waits for one without an output did nothing wrong."""
    failure = Failure.model_validate({"kind": kind, "message": "this is why"})
    lines = Narrator("a model").lines(EffectEnded(number=3, effect=STEP, outcome=Outcome(failure=failure)))
    said = "\n".join("".join(span.text for span in line) for line in lines)
    assert f"{mark} s2" in said
