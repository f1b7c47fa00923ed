"""The statistics of a run, from its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from aeon.schema.conclusion import PhaseTiming
from aeon.schema.history import ExecutionHistory, RefinementRecord
from aeon.schema.judgment import ConvergenceAssessment, SemanticValidationReport, TaskProfile
from aeon.schema.statistics import JudgmentCounts, Statistics

__all__ = ["statistics"]

_Judgment: TypeAlias = TaskProfile | SemanticValidationReport | ConvergenceAssessment


def statistics(history: ExecutionHistory) -> Statistics:
    """The run in figures."""
    end = history.conclusion
    refinements = [history.preparation.refinement, *(one.refinement for one in history.passes)]
    return Statistics(
        passes=len(history.passes),
        steps=sum(len(one.executed) for one in history.passes),
        effects=dict(Counter(timing.phase for timing in _timings(history))),
        usage=end.usage,
        lost=end.lost,
        seconds=end.seconds,
        judgments=_counted([*_judgments(history)], any(one.phase == "profile" for one in end.degraded)),
        applied=sum(len(one.applied) for one in refinements),
        refused=sum(len(one.rejected) for one in refinements),
        questions=len(history.task.clarifications),
        assumed=len(end.assumptions),
        degraded=len(end.degraded),
    )


def _timings(history: ExecutionHistory) -> Iterator[PhaseTiming]:
    """The timing of each effect, in order."""
    yield from history.preparation.timings
    for one in history.passes:
        yield from one.timings
    yield from [history.synthesis] if history.synthesis is not None else []


def _judgments(history: ExecutionHistory) -> Iterator[_Judgment]:
    """Each judgment that a run comes to, whether it was made or not; a pass that was cut short came to none."""
    yield history.preparation.profile
    yield from _checks(history.preparation.report, history.preparation.refinement)
    for one in history.passes:
        yield from [one.revised_profile] if one.revised_profile is not None else []
        if one.assessment is not None:
            yield one.assessment
            yield from _checks(one.report, one.refinement)


def _checks(report: SemanticValidationReport, refinement: RefinementRecord) -> Iterator[SemanticValidationReport]:
    """The check of a plan or of results, and that of the new steps that a refinement brought, if it brought any."""
    yield report
    if refinement.report != SemanticValidationReport() or refinement.new_steps:
        yield refinement.report


def _counted(judgments: Sequence[_Judgment], unprofiled: bool) -> JudgmentCounts:
    """How many of them a model made, how many nobody was asked for, and how many failed.

    ``unprofiled``: a profile was asked for, and could not be had.
    """
    failed = sum(not one.inferred and unprofiled if isinstance(one, TaskProfile) else one.failed for one in judgments)
    made = sum(one.inferred if isinstance(one, TaskProfile) else one.judged for one in judgments)
    return JudgmentCounts(made=made, failed=failed, not_made=len(judgments) - made - failed)
