"""The claims of the answer of any engine, from what its run has on record: the task, and what tools gave."""

from __future__ import annotations

from collections.abc import Mapping

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.grounding.results import BY_TOOL, checked_loop, given, spans_of, told, unchecked
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
    if any(isinstance(one.value, ToolUse) for one in outcomes.values()):
        return _of_uses(answer, told(task), outcomes)
    steps = {step_name(n): one.value for n, one in outcomes.items() if isinstance(one.value, StepResult)}
    stated = {name: str(step.output) for name, step in steps.items() if not _looked_up(step)}
    outputs = [ToolOutput(name, output) for name, step in steps.items() for output in given(step)]
    found = claims(answer, told(task), outputs, list(spans_of(steps.values())), stated)
    whole = any(map(_looked_up, steps.values())) and not any(map(_hidden, outcomes.values()))
    return found if whole else tuple(unchecked(claim) for claim in found)


def _of_uses(answer: str, task: Task, outcomes: Mapping[int, Outcome]) -> tuple[Claim, ...]:
    """The claims of an answer of a model that called tools turn by turn."""
    uses = {n: one.value for n, one in outcomes.items() if isinstance(one.value, ToolUse)}
    steps = {step_name(n): one.value for n, one in outcomes.items() if isinstance(one.value, StepResult)}
    others = [ToolOutput(name, output) for name, step in steps.items() for output in given(step)]
    record = ToolRecord(
        uses=tuple(use.changed(id=step_name(n)) for n, use in uses.items()),
        stated={name: str(step.output) for name, step in steps.items() if not _looked_up(step)},
        others=[*others, *(source for step in steps.values() for source in step.sources)],
    )
    found = checked_loop(answer, task, record)
    return tuple(unchecked(claim) for claim in found) if any(map(_hidden, outcomes.values())) else found


def _hidden(outcome: Outcome) -> bool:
    """Whether a tool was called, and what it gave is not on record."""
    return outcome.usage.tool_calls > 0 and not isinstance(outcome.value, StepResult | ToolUse)


def _looked_up(step: StepResult) -> bool:
    return step.mode in (*BY_TOOL, "reading")
