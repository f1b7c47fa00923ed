"""What the results of a plan rest on, counted in the claims of their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from aeon.grounding.results import PlanEvidence, resting_on_record, spans_of
from aeon.schema import (
    Claim,
    Contradiction,
    FromClaim,
    FromSource,
    FromTool,
    Plan,
    Step,
    Support,
)

__all__ = ["ClaimedResult", "accuracy", "claimed_results", "contradictions", "source_quality"]


class ClaimedResult(NamedTuple):
    """The result of a step with a claim for each of its values."""

    step: Step
    claims: tuple[Claim, ...] = ()

    @property
    def checked(self) -> int:
        """How many of its values were checked."""
        return sum(claim.verdict != "not_checked" for claim in self.claims)

    @property
    def supported(self) -> int:
        """How many of its values are supported."""
        return sum(claim.verdict == "supported" for claim in self.claims)


def claimed_results(steps: Iterable[Step], evidence: PlanEvidence) -> tuple[ClaimedResult, ...]:
    """The results of those of the steps that have one, each with its claims."""
    return tuple(
        ClaimedResult(step, () if step.output is None else evidence.claims(str(step.output))) for step in steps
    )


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
        named = {claim.id: claim for claim in one.claims}
        found += [min(_qualities(claim, named, plan), default=1.0) for claim in resting_on_record(one.claims)]
    return round(math.fsum(found) / len(found), 6) if found else None


def _qualities(claim: Claim, named: Mapping[str, Claim], plan: Plan) -> Iterator[float]:
    """The quality of each place that a claim rests on: that of the best step that has it; a person's word has none."""
    for place in _places(claim, named):
        having = [_quality(step) for step in plan.steps if _has(step, place)]
        yield from [max(having)] if having else []


def _has(step: Step, place: Support) -> bool:
    """Whether a step has what stands there: its own result, or that of one of its calls."""
    match place:
        case FromTool(step=name):
            return name == step.id or any(name == use.id for use in step.uses)
        case FromSource(source=source, start=start):
            return any(one.source == source and one.start <= start < one.end for one in spans_of([step]))
    return False


def _quality(step: Step) -> float:
    """What a judge made of what programs gave; 1 of what a tool gave as it was called, or where nobody was asked."""
    score = step.weight.score if step.weight is not None else None
    return 1.0 if score is None else score


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
