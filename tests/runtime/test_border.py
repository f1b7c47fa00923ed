"""What a handler's value becomes on its way into a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aeon.multipass.effects import AssessConvergence, DraftPlan, ExecuteStep
from aeon.runtime.border import admitted
from aeon.schema import (
    ConvergenceAssessment,
    ConvergenceThresholds,
    Plan,
    SemanticValidationReport,
    Step,
    StepResult,
    Task,
    TaskProfile,
    ToolLoop,
    Value,
)

TASK = Task(text="How much is it?")
EXECUTE = ExecuteStep(task=TASK, step=Step(id="s1", description="Add"))
DRAFT = DraftPlan(task=TASK, profile=TaskProfile(), most_steps=3)
ASSESS = AssessConvergence(
    task=TASK, plan=Plan(), report=SemanticValidationReport(), thresholds=ConvergenceThresholds()
)

texts = st.text(max_size=8)
outputs = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(outputs, texts)
def test_a_value_is_what_a_journal_gives_back(output: object, problem: str) -> None:
    """Whatever a step gives, the run goes on with the value that its JSON is."""
    value = StepResult(output=output, problem=problem)  # type: ignore[arg-type]
    read_back = StepResult.model_validate_json(value.model_dump_json())
    assert admitted(EXECUTE, value).model_dump_json() == read_back.model_dump_json()


def test_a_plain_value_is_taken_as_it_is() -> None:
    """Text, numbers and values of such are seen to be valid without making anything."""
    for effect, value in (
        (EXECUTE, StepResult(output=4)),
        (DRAFT, Plan(steps=(Step(id="s1", description="Add", dependencies=("s0",)),))),
        (ASSESS, ConvergenceAssessment(converged=False, completeness=0.5, reason_codes=("completeness",))),
    ):
        assert admitted(effect, value) is value


def test_what_can_be_changed_is_copied() -> None:
    """A list that the handler keeps is not the one that the run has."""
    kept = [1, 2]
    value = admitted(EXECUTE, StepResult(output=kept))
    kept.append(3)
    assert value == StepResult(output=[1, 2])


@pytest.mark.parametrize(
    ("effect", "value"),
    [
        (EXECUTE, StepResult(output=1, mode="magic")),  # type: ignore[arg-type]
        (EXECUTE, StepResult(output=1, clarity=None)),  # type: ignore[arg-type]
        (DRAFT, Plan(steps=(Step(id="S 1", description="Add"),))),
        (DRAFT, Plan(steps=(Step(id="s1", description="Add", action=ToolLoop(form=3)),))),  # type: ignore[arg-type]
        (ASSESS, ConvergenceAssessment(converged=True, completeness=1.5)),
    ],
)
def test_what_is_not_valid_is_refused(effect: DraftPlan | ExecuteStep, value: Value) -> None:
    """The constructor has not looked; the border does, however deep in the value it stands."""
    with pytest.raises(ValidationError):
        admitted(effect, value)


def test_a_number_gets_the_type_of_its_field() -> None:
    """A whole number for a degree becomes a float, as it will be when it is read again."""
    value = admitted(ASSESS, ConvergenceAssessment(converged=True, completeness=1))
    assert isinstance(value, ConvergenceAssessment) and type(value.completeness) is float


def test_another_type_is_refused() -> None:
    """A handler that returns something else gets its name and the type that belongs there."""
    with pytest.raises(TypeError, match="the handler of 'execute' returned Plan, not StepResult"):
        admitted(EXECUTE, Plan())
