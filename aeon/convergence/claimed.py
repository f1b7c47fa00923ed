"""What the results of a plan rest on, counted in claims: of their values, and of the names in the question."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.grounding.mentions import values
from aeon.grounding.results import grounded, resting_on_record
from aeon.language.mention import Mention
from aeon.schema import (
    Claim,
    Contradiction,
    FromClaim,
    FromSource,
    FromTool,
    JsonValue,
    Plan,
    Step,
    Support,
    Task,
    ToolCall,
)

__all__ = ["ClaimedResult", "accuracy", "claimed_results", "contradictions", "entities", "source_quality"]

_NAMES = ("name", "quote")
_NO_TASK = Task(text="-")


class ClaimedResult(NamedTuple):
    """The result of a step with a claim for each of its values.

    A tool's own result has no claims: its ``values``, so many, are what the tool gave.
    """

    step: Step
    claims: tuple[Claim, ...] = ()
    values: int = 0

    @property
    def checked(self) -> int:
        """How many of its values were checked."""
        return self.values + sum(claim.verdict != "not_checked" for claim in self.claims)

    @property
    def supported(self) -> int:
        """How many of its values are supported."""
        return self.values + sum(claim.verdict == "supported" for claim in self.claims)


def claimed_results(steps: Iterable[Step], task: Task, plan: Plan) -> tuple[ClaimedResult, ...]:
    """The results of those of the steps that have one, each with its claims."""
    return tuple(_claimed(step, task, plan) for step in steps)


def _claimed(step: Step, task: Task, plan: Plan) -> ClaimedResult:
    if step.output is None:
        return ClaimedResult(step)
    if step.mode == "tool":
        text = step.output if isinstance(step.output, str) else json.dumps(step.output, ensure_ascii=False)
        return ClaimedResult(step, values=len(values(text)))
    return ClaimedResult(step, grounded(str(step.output), task, plan))


def accuracy(results: Iterable[ClaimedResult], untrue: frozenset[str]) -> float | None:
    """The share (0-1) of the supported values of the results among those that were checked; ``None`` of none.

    No value of the steps that a judge calls ``untrue`` counts as supported, and such a result counts as at least one.
    """
    pairs = [(0, max(1, one.checked)) if one.step.id in untrue else (one.supported, one.checked) for one in results]
    checked = sum(number for _, number in pairs)
    return round(sum(number for number, _ in pairs) / checked, 6) if checked else None


def source_quality(results: Iterable[ClaimedResult], plan: Plan) -> float | None:
    """How well the values that rest on a tool or a cited sentence came about (0-1), on average; ``None`` of none.

    A value that follows from several is worth the least of them.
    """
    found: list[float] = []
    for one in results:
        found += [_quality(one.step)] * one.values
        named = {claim.id: claim for claim in one.claims}
        found += [min(_qualities(claim, named, plan), default=1.0) for claim in resting_on_record(one.claims)]
    return round(math.fsum(found) / len(found), 6) if found else None


def _qualities(claim: Claim, named: Mapping[str, Claim], plan: Plan) -> Iterator[float]:
    """The quality of each step that a claim rests on; what a person said has none."""
    for place in _places(claim, named):
        if isinstance(place, FromTool) and (step := plan.find(place.step)) is not None:
            yield _quality(step)
        elif isinstance(place, FromSource):
            yield max((_quality(step) for step in plan.steps if _cites(step, place)), default=1.0)


def _quality(step: Step) -> float:
    """What a judge made of what programs gave; 1 of what a tool gave as it was called, or where nobody was asked."""
    score = step.weight.score if step.weight is not None else None
    return 1.0 if score is None else score


def _cites(step: Step, place: FromSource) -> bool:
    return any(one.source == place.source and one.start <= place.start < one.end for one in step.sources)


def _places(claim: Claim, named: Mapping[str, Claim]) -> Iterator[Support]:
    """The places that a claim rests on, of each claim that it follows from the places of that."""
    waiting, passed = [claim], {claim.id}
    for one in waiting:
        for evidence in one.evidence:
            if not isinstance(evidence, FromClaim):
                yield evidence
            elif evidence.claim not in passed:
                passed.add(evidence.claim)
                waiting.append(named[evidence.claim])


def contradictions(results: Iterable[ClaimedResult], plan: Plan) -> tuple[Contradiction, ...]:
    """The values that a computation over known ones contradicts, then derivations of the answer that differ.

    A value is named by its characters in the output of its step, as ``s2[12:14]``.
    """
    pairs = [(one, claim) for one in results for claim in one.claims if claim.verdict == "contradicted"]
    stated = (
        Contradiction(
            claim=f"{claim.text} ({claim.note})", source_a=_span(one.step.id, claim), source_b=_other(one, claim)
        )
        for one, claim in pairs
    )
    return (*stated, *_disagreeing(plan))


def _span(name: str, place: Claim | Support) -> str:
    return name if isinstance(place, FromClaim) else f"{name}[{place.start}:{place.end}]"


def _other(result: ClaimedResult, claim: Claim) -> str:
    """Where the operands stand by which a value should be another one; one that stands nowhere, where it is stated."""
    named = {one.id: one for one in result.claims}
    places: list[str] = []
    for evidence in claim.evidence:
        operand = named[evidence.claim] if isinstance(evidence, FromClaim) else claim
        found = [_place(one) for one in _places(operand, named)]
        places += found or [_span(result.step.id, operand)]
    return ", ".join(dict.fromkeys(places))


def _place(support: Support) -> str:
    if isinstance(support, FromTool):
        return _span(f"{support.step}{support.path}", support)
    return _span(support.source if isinstance(support, FromSource) else "task", support)


def _disagreeing(plan: Plan) -> Iterator[Contradiction]:
    """The derivations that differ from the answer that is taken, where no two are alike."""
    agreement = plan.agreement
    if agreement is None or not agreement.disagrees:
        return
    for one in agreement.derivations:
        yield Contradiction(claim=one.answer, source_a="plan", source_b=one.method)


def entities(task: Task, plan: Plan) -> dict[str, bool]:
    """Each name and quotation of the question, with whether tools were asked about it, or gave or cited it.

    None where these name nothing at all: a calculation needs no names.
    """
    named = {one.end for one in _names(task.text)}
    outputs = [ToolOutput(step.id, _record(step)) for step in plan.steps if step.status == "complete"]
    if not named or not any(any(_names(json.dumps(record, ensure_ascii=False))) for _, record in outputs):
        return {}
    found = claims(task.text, _NO_TASK, outputs)
    return {one.text: one.verdict == "supported" for one in found if one.end in named}


def _names(text: str) -> Iterator[Mention]:
    """The names and quotations of a text that are surely some."""
    return (one for one in values(text) if one.certain and one.kind in _NAMES)


def _record(step: Step) -> JsonValue:
    """What a tool was asked, what it gave, and the sentences that its result cites, with where they stand."""
    if not isinstance(step.action, ToolCall):
        return None
    cited: list[JsonValue] = [text for one in step.sources for text in (one.source, one.heading, one.text)]
    return [step.action.arguments, step.output, *cited]
