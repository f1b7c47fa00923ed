"""The claims of the answer of any engine, from what its run has on record: the task, and what tools gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.grounding.results import BY_TOOL, checked_loop, given, others_of, spans_of, told, unchecked
from aeon.grounding.toolrecord import ToolRecord
from aeon.schema import Claim, Outcome, StepResult, Task, ToolUse

__all__ = ["grounded_on", "step_name"]


def step_name(number: int) -> str:
    """What claims name the effect of a run by, from its number in the record."""
    return f"e{number}"


def grounded_on(answer: str, task: Task, outcomes: Mapping[int, Outcome]) -> tuple[Claim, ...]:
    """A claim for each value of the answer, with what it rests on of the outcomes, by the numbers of their effects.

    What a tool gave is a `ToolUse`, or a `StepResult` that says so; any other value may be a model's words. Where there
    is none, or a tool was called whose output is not on record, what the task does not say is not checked.
    """
    steps = {step_name(n): one.value for n, one in outcomes.items() if isinstance(one.value, StepResult)}
    stated = {name: str(step.output) for name, step in steps.items() if not _looked_up(step)}
    hidden = any(map(_hidden, outcomes.values()))
    if uses := _uses(outcomes):
        found = checked_loop(answer, told(task), ToolRecord(uses=uses, stated=stated, others=others_of(steps)))
        return tuple(map(unchecked, found)) if hidden else found
    outputs = list(_outputs(steps))
    found = claims(answer, told(task), outputs, list(spans_of(steps.values())), stated)
    return found if any(map(_looked_up, steps.values())) and not hidden else tuple(map(unchecked, found))


def _outputs(steps: Mapping[str, StepResult]) -> Iterator[ToolOutput]:
    for name, step in steps.items():
        yield from (ToolOutput(name, output) for output in given(step))


def _uses(outcomes: Mapping[int, Outcome]) -> tuple[ToolUse, ...]:
    """The calls of tools, each by the name of its effect."""
    pairs = [(number, one.value) for number, one in outcomes.items()]
    return tuple(use.changed(id=step_name(number)) for number, use in pairs if isinstance(use, ToolUse))


def _hidden(outcome: Outcome) -> bool:
    """Whether a tool was called, and what it gave is not on record."""
    return outcome.usage.tool_calls > 0 and not isinstance(outcome.value, StepResult | ToolUse)


def _looked_up(step: StepResult) -> bool:
    return step.mode in (*BY_TOOL, "reading")
