"""What an answer may rest on while a run goes on: calls of tools that a model made turn by turn."""

from __future__ import annotations

import pytest

from aeon.multipass.effects import ExecuteStep
from aeon.runtime.basis import Basis
from aeon.schema import Bound, Conclusion, FromTool, Outcome, Step, Task, ToolUse, Usage
from tests.grounding.loops import ORDERS, RETURNS, read

pytestmark = pytest.mark.requirement("G1", "G4")
TASK = Task(text="Welche Bestellung wiegt am meisten?")


def held(answer: str, *values: ToolUse | None) -> Conclusion:
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
