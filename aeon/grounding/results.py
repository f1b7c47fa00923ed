"""The claims of an answer that was made from the steps of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.looped import LoopEvidence
from aeon.grounding.matching import claims, unchecked
from aeon.grounding.toolrecord import ToolRecord, sentences_of
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
    "LatestEvidence",
    "PlanEvidence",
    "given",
    "others_of",
    "resting_on_record",
    "spans_of",
    "told",
]

_RECORDED = ("source", "tool")


class PlanEvidence:
    """What the steps of a plan gave, read once, for the claims of any number of answers to the task."""

    def __init__(self, task: Task, plan: Plan) -> None:
        self._task, self._plan = told(task), plan

    def claims(self, answer: str, calculations: Sequence[Calculation] = (), able: bool = False) -> tuple[Claim, ...]:
        """A claim for each value of the answer, with what it rests on.

        ``calculations`` are what a judge says of values that stand nowhere, in an answer of a model that worked with
        tools turn by turn. Where no step could look anything up, what the task does not say is not checked; where a
        model works with tools turn by turn, it is checked all the same if it was ``able`` to look something up, and
        did not.
        """
        if any(isinstance(step.action, ToolLoop) for step in self._plan.steps):
            return self._loop.claims(answer, calculations, able)
        outputs = [ToolOutput(step.id, output) for step in self._done for output in given(step)]
        return tuple(map(unchecked, claims(answer, self._task, outputs, (), _stated(self._done))))

    @cached_property
    def _done(self) -> list[Step]:
        return [step for step in self._plan.steps if step.status == "complete"]

    @cached_property
    def _loop(self) -> LoopEvidence:
        record = ToolRecord(
            uses=tuple(use for step in self._done for use in step.uses),
            cites=tuple(one for step in self._done for one in step.cites),
            stated=_stated(self._done),
            others=others_of({step.id: step for step in self._done if step.mode != "tools"}),
        )
        return LoopEvidence(self._task, record)


class LatestEvidence:
    """The evidence of the plan that was asked about last.

    A pass asks about one plan several times: for values that stand nowhere, for the assessment, and for the answer.
    """

    def __init__(self) -> None:
        self._latest: tuple[Task, Plan, PlanEvidence] | None = None

    def of(self, task: Task, plan: Plan) -> PlanEvidence:
        """The evidence of this very plan of this very task."""
        latest = self._latest
        if latest is None or latest[0] is not task or latest[1] is not plan:
            latest = self._latest = (task, plan, PlanEvidence(task, plan))
        return latest[2]


def others_of(steps: Mapping[str, Step | StepResult]) -> list[ToolOutput]:
    """What steps, by their names, gave that are no loops over tools."""
    return [ToolOutput(name, output) for name, step in steps.items() for output in given(step)]


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
