"""Whether an answer is right: as its validation has judged, else in one structured reply."""

from __future__ import annotations

from aeon.multipass.effects import AssessConvergence
from aeon.multipass.plans import current_steps
from aeon.schema import ConvergenceAssessment
from aeon.supervisor.judge_verdict import Answered, VerdictJudge, unanswered, verdict_of

__all__ = ["reviewed"]


async def reviewed(effect: AssessConvergence, judge: VerdictJudge) -> ConvergenceAssessment:
    """The verdict of the validation report; the judge is asked only where there is none.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the judge gives no usable reply.
    """
    if effect.report.verdict is not None:
        return effect.report.verdict
    found = tuple(f"{issue.location}: {issue.description}" for issue in effect.report.issues)
    answered = Answered.of(effect.task, current_steps(effect.plan), effect.plan.answer, issues=found)
    if not answered.text.strip():
        return unanswered(answered)
    review = await judge.review(answered, short=True)
    return verdict_of(review, answered, effect.thresholds, await judge.calibration())
