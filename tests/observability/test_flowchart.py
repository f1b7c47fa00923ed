"""Flowcharts: effects of any engine; steps of a multi-pass run; and text that cannot break out of its label."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.observability import flowchart
from aeon.observability.passes.flowchart import to_mermaid
from aeon.schema import (
    Bound,
    Config,
    ExecutionHistory,
    ExecutionPass,
    FinalResult,
    Plan,
    Preparation,
    RefinementAction,
    RefinementRecord,
    Step,
    Task,
    TaskProfile,
)
from observability.search import trail


def history(*steps: Step, passes: tuple[ExecutionPass, ...] = ()) -> ExecutionHistory:
    bound = Bound(calls=1, tokens=1)
    end = FinalResult(execution_id="1", engine="multi-pass/3", answer="a", stop_reason="converged", bound=bound)
    return ExecutionHistory(
        execution_id="1", task=Task(text="t"), configuration=Config(), passes=passes,
        preparation=Preparation(plan=Plan(steps=steps)), conclusion=end,
    )  # fmt: skip


@given(st.text(min_size=1))
def test_no_description_breaks_out_of_its_label(text: str) -> None:
    """Whatever a model calls a step, the node stays one line with one pair of quotes."""
    node = to_mermaid(history(Step(id="end", description=text))).split("\n")[1]
    assert re.fullmatch(r'    step_end\["end: [^"\[\]{}|<>`\n]*"\]:::pending', node)


def test_a_step_that_another_replaced_is_dashed() -> None:
    """The old version is drawn with the class replaced and an arrow to the new one, which has the work's status."""
    first = Step(id="s1", description="add")
    second = Step(id="s2", description="tell", dependencies=("s1",))
    again = Step(id="s1_r1", description="add, rightly")
    done = first.changed(status="complete", output=5)
    record = RefinementRecord(applied=(RefinementAction(type="REPLACE", target="s1", steps=(again,)),))
    before = ExecutionPass(number=1, profile=TaskProfile(), executed=(done,), refinement=record)
    after = ExecutionPass(number=2, profile=TaskProfile(), executed=(again.changed(status="complete", output=6),))
    chart = to_mermaid(history(first, second, passes=(before, after)))
    assert "step_s1[" in chart and re.search(r"step_s1\[.*:::replaced", chart)
    assert re.search(r"step_s1_r1\[.*= 6.*:::complete", chart)
    assert "step_s1 -. replaced by .-> step_s1_r1" in chart and "step_s1_r1 --> step_s2" in chart
    assert "step_s1 --> step_s2" not in chart


@pytest.mark.requirement("M1")
def test_effects_of_any_engine_are_drawn_batch_by_batch() -> None:
    """An effect follows those that it waited for in its batch, else the last ones of the batch before."""
    lines = [line.strip() for line in flowchart.to_mermaid(trail()).splitlines()]
    arrows = [line for line in lines if " --> " in line]
    assert arrows == [
        "effect_0 --> effect_1", "effect_0 --> effect_2", "effect_1 --> effect_3",
        "effect_2 --> effect_4", "effect_3 --> effect_4", "effect_4 --> answer",
    ]  # fmt: skip
    looks = [line.rpartition(":::")[2] for line in lines if line.startswith(("effect_", "answer[")) and ":::" in line]
    assert looks == ["complete", "failed", "complete", "complete", "pending", "invalid"]


@pytest.mark.requirement("M1")
@given(st.text(min_size=1))
def test_no_text_of_any_engine_breaks_out_of_its_label(text: str) -> None:
    """Each node stays one line with one pair of quotes."""
    chart = flowchart.to_mermaid(trail(text if text.strip() else "x"))
    for line in chart.split("\n")[1:7]:
        assert re.fullmatch(r'    \w+\["([^"\[\]{}|<>`]|<br/>)*"\]:::\w+', line), line
