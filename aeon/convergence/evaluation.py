"""How good the answer is so far, computed from what the steps and the judgments say; no model is asked here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from random import Random

from aeon.multipass.effects import AssessConvergence
from aeon.schema import (
    ConfidenceParts, Contradiction, Dimensions, Evaluation, Gaps, Plan, ReasoningEngine, Step, fragment,
)  # fmt: skip

__all__ = ["evaluate", "mean_confidence", "standing"]

_GROUNDED = {"tool": 1.0, "tool_repaired": 0.9, "reasoning": 0.5, "reasoning_fallback": 0.3}
_CLEAR = {"CLEAR": 1.0, "PARTIALLY_CLEAR": 0.5, "BLOCKED": 0.0}
_UNTRUE = ("consistency", "hallucination", "do_say_mismatch")


def evaluate(
    effect: AssessConvergence,
    engine: ReasoningEngine,
    scores: dict[str, float],
    entities: dict[str, bool] | None = None,
    contradictions: Sequence[Contradiction] = (),
    calibrated: Callable[[float], float] = lambda confidence: confidence,
) -> Evaluation:
    """The evaluation of a plan after a pass.

    ``scores`` are the assessment's. ``entities`` says of each thing that the answer must contain whether it is there.
    ``calibrated`` is the calibration's map of the confidence.
    """
    plan, monitor = effect.plan, engine.state_monitor
    aspects = _aspects(plan)
    named = _mean(map(float, entities.values())) if entities is not None else None
    coverage = named if monitor.coverage_method == "entity_ratio" and named is not None else _mean(aspects.values())
    found = _parts(plan, scores, scores["completeness"] if named is None else named)
    parts = found if monitor.track_confidence else None
    confidence = calibrated(mean_confidence(parts, plan, engine)) if parts else None
    dimensions = _dimensions(effect, scores)
    return Evaluation(
        confidence=confidence, parts=parts,
        coverage=coverage if monitor.track_coverage else None, dimensions=dimensions,
        score=_weighted(dimensions, engine.evaluate.weights),
        gaps=_gaps(plan, aspects, entities or {}, contradictions) if engine.evaluate.gap_detection else Gaps(),
        warnings=tuple(_warnings(effect, found)), draw=_draw(effect, engine),
        needs_clarification=_unclear(plan, confidence, engine.decide.ask_threshold),
    )  # fmt: skip


def _unclear(plan: Plan, confidence: float | None, below: float) -> bool:
    """Whether a step is blocked and nothing makes up for it."""
    blocked = any(step.clarity == "BLOCKED" for step in standing(plan))
    return blocked and (confidence is None or confidence < below)


def standing(plan: Plan) -> list[Step]:
    """The steps that count: all but those that ended badly and of which there is a later version."""
    latest: dict[str, Step] = {}
    for step in plan.steps:
        known = latest.setdefault(fragment(step.id), step)
        if _version(step) > _version(known):
            latest[fragment(step.id)] = step
    return [s for s in plan.steps if s.status not in ("failed", "invalid") or latest[fragment(s.id)] is s]


def _version(step: Step) -> int:
    return int(step.id.removeprefix(fragment(step.id)).removeprefix("_r") or 0)


def mean_confidence(parts: ConfidenceParts, plan: Plan, engine: ReasoningEngine) -> float:
    """The confidence (0-1) before any calibration: the weighted mean, less where it rests on too few tool results."""
    return round(_weighted(parts, engine.state_monitor.weights) * _enough_sources(plan, engine), 6)


def _weighted(parts: ConfidenceParts | Dimensions, weights: Iterable[tuple[str, float]]) -> float:
    total = math.fsum(share * getattr(parts, name) for name, share in weights)
    return round(min(1.0, max(0.0, total)), 6)


def _parts(plan: Plan, scores: dict[str, float], there: float) -> ConfidenceParts:
    done = _complete(plan)
    needed = {dependency for step in done for dependency in step.dependencies}
    final = [step for step in done if step.id not in needed]
    return ConfidenceParts(
        source_quality=_mean(_GROUNDED[step.mode or "reasoning"] for step in done),
        entity_coverage=there,
        citation_density=_mean(float(_grounded(plan, step)) for step in final),
        consistency=scores["consistency"] if done else 0.0,
        recency=_still_standing(plan),
    )


def _dimensions(effect: AssessConvergence, scores: dict[str, float]) -> Dimensions:
    done = _complete(effect.plan)
    faulty = {issue.location for issue in effect.report.issues if issue.type in _UNTRUE}
    beside = {issue.location for issue in effect.report.issues if issue.type == "relevance"}
    return Dimensions(
        completeness=scores["completeness"],
        accuracy=_mean(0.0 if s.id in faulty else 1.0 if _by_tool(s) else 0.5 for s in done),
        relevance=_mean(float(step.id not in beside) for step in done),
        freshness=_still_standing(effect.plan),
        coherence=scores["coherence"] if done else 0.0,
    )


def _aspects(plan: Plan) -> dict[str, float]:
    """How far each aspect of the task is addressed; an aspect is a fragment of the plan, with all steps that stand."""
    addressed: dict[str, list[float]] = {}
    for step in standing(plan):
        share = _CLEAR[step.clarity] if step.status == "complete" else 0.0
        addressed.setdefault(fragment(step.id), []).append(share)
    return {name: _mean(shares) for name, shares in addressed.items()}


def _gaps(
    plan: Plan, aspects: dict[str, float], entities: dict[str, bool], contradictions: Sequence[Contradiction]
) -> Gaps:
    said = {fragment(step.id): step.description for step in plan.steps}
    return Gaps(
        missing_entities=tuple(name for name, there in entities.items() if not there),
        weak_coverage=tuple(said[name] for name, share in aspects.items() if 0 < share < 1),
        contradictions=tuple(contradictions),
        unanswered_aspects=tuple(said[name] for name, share in aspects.items() if share == 0),
    )


def _warnings(effect: AssessConvergence, parts: ConfidenceParts) -> list[str]:
    found = []
    if not _complete(effect.plan):
        found.append("no step is complete")
    elif parts.citation_density == 0:
        found.append("no result rests on a tool")
    if effect.report.failed:
        found.append("the results could not be checked")
    return found


def _enough_sources(plan: Plan, engine: ReasoningEngine) -> float:
    """What is left of the confidence where it rests on fewer tool results than it should."""
    least = engine.evaluate.min_sources_for_confidence
    return 1.0 if not least else min(1.0, sum(map(_by_tool, _complete(plan))) / least)


def _draw(effect: AssessConvergence, engine: ReasoningEngine) -> float | None:
    if engine.decide.decision_mode != "probabilistic":
        return None
    seen = f"{engine.decide.seed}:{effect.task.text}:{effect.plan.model_dump_json()}"
    return round(Random(seen).random(), 6)


def _grounded(plan: Plan, step: Step) -> bool:
    """Whether a step's result rests on a tool's, directly or through the steps that it builds on."""
    found = [step]
    for each in found:
        if each.status == "complete" and _by_tool(each):
            return True
        found += [s for i in each.dependencies if (s := plan.find(i)) is not None and s not in found]
    return False


def _by_tool(step: Step) -> bool:
    return step.mode in ("tool", "tool_repaired")


def _complete(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.status == "complete"]


def _still_standing(plan: Plan) -> float:
    """The share of the steps that ran whose result still stands; an attempt that was made again is left out."""
    return _mean(float(step.status == "complete") for step in standing(plan) if step.executed)


def _mean(shares: Iterable[float]) -> float:
    known = list(shares)
    return round(math.fsum(known) / len(known), 6) if known else 0.0
