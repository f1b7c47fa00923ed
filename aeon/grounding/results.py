"""The claims of an answer that was made from the steps of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.looped import claims_of_loop
from aeon.grounding.matching import claims
from aeon.grounding.toolrecord import ToolRecord, sentences_of
from aeon.proof.document import UNCHECKED
from aeon.schema import (
    Calculation,
    Claim,
    FromClaim,
    JsonValue,
    Plan,
    Source,
    Step,
    StepResult,
    Task,
    ToolLoop,
    ToolUse,
)
from aeon.schema.programs import Ran

__all__ = [
    "checked_loop",
    "given",
    "grounded",
    "grounded_loop",
    "others_of",
    "resting_on_record",
    "spans_of",
    "told",
    "unchecked",
]

_RECORDED = ("source", "tool")


def grounded(
    answer: str, task: Task, plan: Plan, calculations: Sequence[Calculation] = (), able: bool = False
) -> tuple[Claim, ...]:
    """A claim for each value of the answer to the task, with what it rests on of what the plan's steps gave.

    Where no step could look anything up, what the task does not say is not checked. ``calculations`` are what a judge
    says of values that stand nowhere, in an answer of a model that worked with tools turn by turn. Such a model's
    values are checked all the same where it was ``able`` to look something up, and did not.
    """
    if any(isinstance(step.action, ToolLoop) for step in plan.steps):
        return grounded_loop(answer, task, plan, calculations, able)
    done = [step for step in plan.steps if step.status == "complete"]
    outputs = [ToolOutput(step.id, output) for step in done for output in given(step)]
    return tuple(map(unchecked, claims(answer, told(task), outputs, (), _stated(done))))


def grounded_loop(
    answer: str, task: Task, plan: Plan, calculations: Sequence[Calculation] = (), able: bool = False
) -> tuple[Claim, ...]:
    """The claims of an answer to whose task a model worked with tools, turn by turn.

    Where no tool gave anything, none was ``able`` to, and there is no context, what the task does not say is not
    checked.
    """
    done = [step for step in plan.steps if step.status == "complete"]
    record = ToolRecord(
        uses=tuple(use for step in done for use in step.uses),
        cites=tuple(one for step in done for one in step.cites),
        stated=_stated(done),
        others=others_of({step.id: step for step in done if step.mode != "tools"}),
    )
    return checked_loop(answer, told(task), record, calculations, able)


def others_of(steps: Mapping[str, Step | StepResult]) -> list[ToolOutput]:
    """What steps, by their names, gave that are no loops over tools."""
    return [ToolOutput(name, output) for name, step in steps.items() for output in given(step)]


def checked_loop(
    answer: str, task: Task, record: ToolRecord, calculations: Sequence[Calculation] = (), able: bool = False
) -> tuple[Claim, ...]:
    """The claims of an answer over such a record, not checked where there was nothing to check them against."""
    found = claims_of_loop(answer, task, record, calculations)
    return found if record.looked_up or task.context or able else tuple(unchecked(claim) for claim in found)


def resting_on_record(found: Sequence[Claim]) -> list[Claim]:
    """The supported claims that rest on a source or a tool, directly or through values that they follow from."""
    named = {claim.id: claim for claim in found}
    resting: dict[str, bool] = {}
    for claim in found:  # one that follows from others may stand before them, as in "10 = 4 + 6"
        _note_resting(claim, named, resting)
    return [claim for claim in found if resting[claim.id]]


def _note_resting(claim: Claim, named: Mapping[str, Claim], resting: dict[str, bool]) -> bool:
    """Note whether a claim rests on a source or a tool."""
    if claim.id not in resting:
        resting[claim.id] = False  # one that rests on itself rests on nothing
        resting[claim.id] = claim.verdict == "supported" and any(
            _note_resting(named[one.claim], named, resting) if isinstance(one, FromClaim) else one.type in _RECORDED
            for one in claim.evidence
        )
    return resting[claim.id]


def told(task: Task) -> Task:
    """The task with what was asked about it and answered as the end of its context: all that a person said of it."""
    said = [f"{one.question} {one.answer}" for one in task.clarifications if not one.assumed]
    return task.changed(context="\n".join([*filter(None, [task.context]), *said])) if said else task


def given(step: Step | StepResult) -> Iterator[JsonValue]:
    """What a tool gave that an engine called itself; of a step without output, why it has none.

    What programs gave is on record by their calls.
    """
    if step.mode == "program":
        return
    if step.output is None:
        yield from [step.problem] if step.problem else []
    elif step.mode == "tool":
        yield step.output


def spans_of(steps: Iterable[Step | StepResult | ToolUse | Ran]) -> Iterator[Source]:
    """The sentences that calls of tools showed, each once."""
    every = (source for step in steps for source in _spans(step))
    yield from {(one.source, one.start, one.end): one for one in every}.values()


def _spans(step: Step | StepResult | ToolUse | Ran) -> Iterator[Source]:
    for use in [step] if isinstance(step, ToolUse) else step.uses:
        yield from sentences_of(use)


def _stated(done: Sequence[Step]) -> dict[str, str]:
    """The texts of the model that may state a sum."""
    return {step.id: str(step.output) for step in done}


def unchecked(claim: Claim) -> Claim:
    """The claim of an answer for which nothing was looked up: what was not found is not checked."""
    if claim.verdict != "not_found":
        return claim
    return claim.changed(verdict="not_checked", note=UNCHECKED)
