"""The claims of the answer of any engine, from what its run has on record: the task, and what tools gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aeon.grounding.looped import LoopEvidence
from aeon.grounding.matching import claims, unchecked
from aeon.grounding.results import others_of, told
from aeon.grounding.toolrecord import ToolRecord
from aeon.schema import Claim, Outcome, StepResult, Task, ToolUse
from aeon.schema.programs import Ran
from aeon.schema.value import Value

__all__ = ["grounded_on", "step_name", "uses_of"]


def step_name(number: int) -> str:
    """What claims name the effect of a run by, from its number in the record."""
    return f"e{number}"


def grounded_on(answer: str, task: Task, outcomes: Mapping[int, Outcome]) -> tuple[Claim, ...]:
    """A claim for each value of the answer, with what it rests on of the outcomes, by the numbers of their effects.

    What a tool gave is a `ToolUse`, those of a step or a program among them, or a `StepResult` that says so; any other
    value may be a model's words. Where there is none, or a tool was called whose output is not on record, what the task
    does not say is not checked.
    """
    steps = {step_name(n): one.value for n, one in outcomes.items() if isinstance(one.value, StepResult)}
    stated = {name: str(step.output) for name, step in steps.items() if not _looked_up(step)}
    hidden = any(map(_hidden, outcomes.values()))
    if uses := _uses(outcomes):
        cites = tuple(_cited(outcomes))
        record = ToolRecord(uses=uses, cites=cites, stated=stated, others=others_of(steps))
        found = LoopEvidence(told(task), record).claims(answer)
        return tuple(map(unchecked, found)) if hidden else found
    found = claims(answer, told(task), others_of(steps), (), stated)
    return found if any(map(_looked_up, steps.values())) and not hidden else tuple(map(unchecked, found))


def _cited(outcomes: Mapping[int, Outcome]) -> Iterator[str]:
    """What the outcomes cite, by the names of their effects."""
    for number, outcome in outcomes.items():
        yield from _cites(step_name(number), outcome.value)


def _uses(outcomes: Mapping[int, Outcome]) -> tuple[ToolUse, ...]:
    """The calls of tools, each by the name of its effect."""
    every = ((number, one.value) for number, one in outcomes.items())
    return tuple(use for number, value in every for use in uses_of(number, value))


def uses_of(number: int, value: Value | None) -> tuple[ToolUse, ...]:
    """The calls of tools that the effect of this number gave, by its name; those of a step or a program numbered."""
    match value:
        case ToolUse():
            return (value.changed(id=step_name(number)),)
        case StepResult() | Ran():
            return tuple(use.changed(id=_renamed(step_name(number), use.id)) for use in value.uses)
    return ()


def _cites(name: str, value: Value | None) -> Iterator[str]:
    yield from (_renamed(name, one) for one in value.cites) if isinstance(value, StepResult | Ran) else ()


def _renamed(name: str, own: str) -> str:
    """The id of a call or of a sentence of it by the name of the effect in the place of the step's."""
    return f"{name}.{own.partition('.')[2]}"


def _hidden(outcome: Outcome) -> bool:
    """Whether a tool was called, and what it gave is not on record."""
    return outcome.usage.tool_calls > 0 and not isinstance(outcome.value, StepResult | ToolUse | Ran)


def _looked_up(step: StepResult) -> bool:
    return step.mode == "tool"
