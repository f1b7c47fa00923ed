"""Whether the results answer the task: one crisp question per criterion, with the evidence in view.

What structure settles is not asked: a single result cannot contradict itself, and a tool's result follows from its
inputs. A step that has not run to a good end keeps a run from converging whatever the scores say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from aeon.kernel.effects import AssessConvergence
from aeon.schema import ConvergenceAssessment, Form, Step, fragment
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Calibration", "ConvergenceEngine"]

_LONGEST = 3_000
_LONGEST_TASK = 1_000
_SURE = 1e-6


@dataclass(frozen=True)
class Calibration:
    """Turns the probability of "Yes" into a score: ``1 / (1 + exp(-(scale * logit(p) + shift)))`` (Platt, 1999).

    A small model's P(yes) ranks well but sits in a narrow band around one half. The default was fitted to the embedded
    model's answers to the completeness question (``scripts/bench/completeness.py``): its best cut, 0.60, becomes the
    default threshold 0.95. A certain answer, as in a worded verdict, keeps its score.
    """

    scale: float = 6.0
    shift: float = 0.512

    def score(self, probability: float) -> float:
        """The score (0-1) for a probability (0-1)."""
        if not _SURE < probability < 1 - _SURE:
            return round(probability)
        odds = math.log(probability / (1 - probability))
        return 1 / (1 + math.exp(-(self.scale * odds + self.shift)))


class ConvergenceEngine:
    """Scores completeness, coherence and consistency, and every criterion of the task."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, calibration: Calibration | None = None) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._calibration = calibration or Calibration()

    async def assess(self, effect: AssessConvergence) -> ConvergenceAssessment:
        """The assessment; ``converged`` only if every score reaches its threshold and nothing is left undone."""
        problems = _problems(effect)
        codes = ["steps_unfinished"] if _unfinished(effect.plan.steps) or not effect.plan.results() else []
        scores = {"completeness": 0.0, "coherence": 1.0, "consistency": 1.0}
        form: Form = "none"
        for name in _asked(effect):
            scores[name], form = await self._ask(effect, name, problems)
        codes += [f"{name}_low" for name, score in scores.items() if score < getattr(effect.thresholds, name)]
        for number, criterion in enumerate(effect.task.criteria, 1):
            met, form = await self._ask(effect, "criterion", problems, criterion)
            if met < effect.thresholds.completeness:
                codes.append(f"criterion_{number}")
                problems.append(f"not met: {criterion}")
        return ConvergenceAssessment(
            converged=not codes, reason_codes=tuple(codes), detected_issues=tuple(problems), form=form,
            explanation=", ".join(f"{name} {score:.2f}" for name, score in scores.items()), **scores,
        )  # fmt: skip

    async def _ask(
        self, effect: AssessConvergence, name: str, problems: list[str], criterion: str = ""
    ) -> tuple[float, Form]:
        done = [f"{s.id}: {s.description}\n  = {s.output}" for s in effect.plan.steps if s.status == "complete"]
        values = {"criterion": criterion} if criterion else {}
        question = render(
            load("aeon.convergence", f"{name}.md"),
            results=fence("results", "\n".join(done), _LONGEST),
            evidence=fence("problems", "\n".join(problems), 1_500) if problems else "",
            task=cut(effect.task.text, _LONGEST_TASK),
            **values,
        )
        reply = await self._supervisor.probability(self._briefing.prompt(effect.task, question))
        return self._calibration.score(reply.value), reply.form


def _asked(effect: AssessConvergence) -> tuple[str, ...]:
    """The criteria that structure does not settle."""
    done = [step for step in effect.plan.steps if step.status == "complete"]
    reasoned = [step for step in done if step.mode in ("reasoning", "reasoning_fallback")]
    if not done:
        return ()
    if len(reasoned) > 1 or (reasoned and effect.report.issues):
        return ("completeness", "coherence", "consistency")
    return ("completeness",)


def _problems(effect: AssessConvergence) -> list[str]:
    """What structure and validation have found, for the judge to see."""
    unfinished = [f"{s.id} is {s.status}: {s.problem or s.description}" for s in _unfinished(effect.plan.steps)]
    return unfinished + [f"{issue.location}: {issue.description}" for issue in effect.report.issues]


def _unfinished(steps: tuple[Step, ...]) -> list[Step]:
    """Steps without a good end that no later version of their fragment has made good."""
    good = {fragment(step.id) for step in steps if step.status == "complete"}
    return [step for step in steps if step.status != "complete" and fragment(step.id) not in good]
