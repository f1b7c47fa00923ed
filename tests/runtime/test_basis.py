"""What an answer may rest on while a run goes on: calls of tools that a model made turn by turn."""

from __future__ import annotations

import pytest

from aeon.grounding.outcomes import uses_of
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.basis import Basis
from aeon.schema import Bound, Conclusion, FromTool, Outcome, Step, StepResult, Task, Usage
from aeon.schema.programs import Ran
from aeon.schema.value import Value
from tests.grounding.loops import ORDERS, RETURNS, read

pytestmark = pytest.mark.requirement("G1", "G4")
TASK = Task(text="Welche Bestellung wiegt am meisten?")


def held(answer: str, *values: Value | None) -> Conclusion:
    """How a run ends that had these outcomes and takes its answer for good."""
    basis = Basis(TASK)
    effect = ExecuteStep(task=TASK, step=Step(id="s1", description="look"))
    for number, value in enumerate(values):
        basis.add(number, [effect], [Outcome(value=value, usage=Usage(tool_calls=1))])
    conclusion = Conclusion(
        execution_id="run", engine="loop/1", answer=answer, stop_reason="said", sufficient=True,
        bound=Bound(calls=1, tokens=1),
    )  # fmt: skip
    return basis.held(conclusion)


def test_calls_of_tools_support_the_answer_of_any_engine() -> None:
    """Each is named by its effect; what a text says word for word is known of its sentence."""
    result = held("O0022 wiegt 48 kg. We charge a fee of 10 percent, at least 5.00.", ORDERS, read("r.txt", RETURNS))
    assert {one.verdict for one in result.claims} == {"supported"} and result.sufficient
    assert isinstance(place := result.claims[0].evidence[0], FromTool) and place.step == "e0"
    assert [one.verdict for one in result.sentence_checks] == ["not_checked", "supported"]


def test_a_value_that_stands_nowhere_ends_no_run_well() -> None:
    """Unless a tool was called whose output is not on record."""
    result = held("O0022 wiegt 49 kg.", ORDERS)
    assert (result.stop_reason, result.sufficient) == ("unsupported", False)
    assert [one.verdict for one in held("Es sind 49 kg.", ORDERS, None).claims] == ["not_checked"]


@pytest.mark.requirement("E2h")
@pytest.mark.parametrize(
    "value",
    [
        StepResult(output="48", mode="program", uses=(ORDERS, read("r.txt", RETURNS)), cites=("s1.1", "s1.2.2")),
        StepResult(output="48", mode="tools", uses=(ORDERS, read("r.txt", RETURNS))),
        Ran(values=(48,), uses=(ORDERS, read("r.txt", RETURNS)), cites=("s1.1",)),
    ],
    ids=["a step by programs", "a step turn by turn", "a program"],
)
def test_calls_within_a_step_or_a_program_support_the_answer(value: StepResult | Ran) -> None:
    """Each is named by its effect and its number there; a value that none of them gave ends no run well."""
    result = held("O0022 wiegt 48 kg. We charge a fee of 10 percent, at least 5.00.", value)
    assert {one.verdict for one in result.claims} == {"supported"} and result.sufficient
    assert isinstance(place := result.claims[0].evidence[0], FromTool) and place.step == "e0.1"
    assert [one.verdict for one in result.sentence_checks] == ["not_checked", "supported"]
    assert [(one.id, one.tool) for one in uses_of(0, value)] == [("e0.1", "sql"), ("e0.2", "read")]
    assert (wrong := held("O0022 wiegt 49 kg.", value)).stop_reason == "unsupported" and not wrong.sufficient


def test_what_a_step_says_without_calls_is_not_checked() -> None:
    """A model's own words are no source, and no tool was called that could be one."""
    result = held("O0022 wiegt 48 kg.", StepResult(output="48", mode="reasoning"))
    assert [(one.text, one.verdict) for one in result.claims] == [("48 kg", "not_checked")]
