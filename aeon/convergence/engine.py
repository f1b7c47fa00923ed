"""Whether the results answer the task: one crisp question per criterion, with the evidence in view.

What structure settles is not asked: a single result cannot contradict itself, and a tool's result follows from its
inputs. A step that has not run to a good end keeps a run from converging whatever the scores say.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Annotated

from pydantic import Field

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.convergence.evaluation import evaluate, standing
from aeon.kernel.effects import AssessConvergence
from aeon.schema import (
    ConvergenceAssessment, Contradiction, Evaluation, Form, Frozen, Plan, ReasoningEngine, Step,
)  # fmt: skip
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Calibration", "ConvergenceEngine"]

_LONGEST = 3_000
_LONGEST_TASK = 1_000
_SURE = 1e-6
_MOST_PAIRS = 3
_ENTITY_TOKENS = 120


class _Entities(Frozen):
    things: tuple[Annotated[str, Field(min_length=1, max_length=60)], ...] = Field(min_length=1, max_length=3)


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

    def __init__(
        self,
        supervisor: Supervisor,
        briefing: Briefing,
        calibration: Calibration | None = None,
        engine: ReasoningEngine | None = None,
        confidence: Callable[[float], float] = lambda mean: mean,
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._calibration = calibration or Calibration()
        self._engine = engine or ReasoningEngine()
        self._confidence = confidence

    async def assess(self, effect: AssessConvergence) -> ConvergenceAssessment:
        """The assessment; ``converged`` only if every score reaches its threshold and nothing is left undone."""
        problems = _problems(effect)
        codes = ["steps_unfinished"] if _unfinished(effect.plan) or not effect.plan.results() else []
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
            evaluation=await self._evaluate(effect, scores, problems) if self._engine.enabled else None,
        )  # fmt: skip

    async def _evaluate(
        self, effect: AssessConvergence, scores: dict[str, float], problems: list[str]
    ) -> Evaluation:
        """The evaluation; asks only for what the policy wants to know and structure cannot tell."""
        entities: dict[str, bool] | None = None
        contradictions: list[Contradiction] = []
        wanted = self._engine.evaluate.gap_detection and self._engine.evaluate.contradiction_detection
        with contextlib.suppress(CompletionError, AllowanceExhausted):  # the assessment stands without them
            if self._engine.state_monitor.coverage_method == "entity_ratio":
                entities = await self._entities(effect, problems)
            if wanted and scores["consistency"] < effect.thresholds.consistency:
                contradictions = await self._contradictions(effect)
        return evaluate(effect, self._engine, scores, entities, contradictions, self._confidence)

    async def _entities(self, effect: AssessConvergence, problems: list[str]) -> dict[str, bool]:
        """What the answer must contain, named by the model, and whether each is among the results."""
        prompt = self._briefing.prompt(effect.task, load("aeon.convergence", "entities.md"))
        named = await self._supervisor.structured(prompt, _Entities, max_tokens=_ENTITY_TOKENS)
        there: dict[str, bool] = {}
        for name in dict.fromkeys(named.value.things):
            score, _ = await self._ask(effect, "entity", problems, name)
            there[name] = score >= effect.thresholds.completeness
        return there

    async def _contradictions(self, effect: AssessConvergence) -> list[Contradiction]:
        """The pairs of reasoned results that the model says cannot both be right; at most three pairs are asked about.

        The question is put so that Yes is the good answer: asked whether something contradicts, a small model says yes
        where it agrees.
        """
        reasoned = [s for s in effect.plan.steps if s.status == "complete" and s.mode not in ("tool", "tool_repaired")]
        found = []
        for one, other in islice(combinations(reasoned, 2), _MOST_PAIRS):
            question = render(
                load("aeon.convergence", "agree.md"),
                one=fence(one.id, f"{one.description}\n= {one.output}", _LONGEST // 2),
                other=fence(other.id, f"{other.description}\n= {other.output}", _LONGEST // 2),
            )
            reply = await self._supervisor.probability(self._briefing.prompt(effect.task, question))
            if reply.value < 0.5:
                found.append(Contradiction(claim=other.description, source_a=one.id, source_b=other.id))
        return found

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
    unfinished = [f"{s.id} is {s.status}: {s.problem or s.description}" for s in _unfinished(effect.plan)]
    return unfinished + [f"{issue.location}: {issue.description}" for issue in effect.report.issues]


def _unfinished(plan: Plan) -> list[Step]:
    """Steps without a good end of which there is no later version."""
    return [step for step in standing(plan) if step.status != "complete"]
