"""How good the answer is so far, computed from what the steps and the judgments say; no model is asked here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from aeon.convergence.claimed import (
    ClaimedResult,
    accuracy,
    claimed_results,
    contradictions,
    source_quality,
)
from aeon.grounding.results import PlanEvidence, resting_on_record
from aeon.multipass.effects import AssessConvergence
from aeon.multipass.plans import current_steps
from aeon.schema import (
    LOOKED_UP,
    ConfidenceParts,
    Contradiction,
    Dimensions,
    Evaluation,
    Gaps,
    Plan,
    ReasoningEngine,
    SemanticValidationReport,
    Step,
    fragment,
)

__all__ = ["Judgments", "evaluate", "mean_confidence"]

_CLEAR = {"CLEAR": 1.0, "PARTIALLY_CLEAR": 0.5, "BLOCKED": 0.0}
_UNTRUE = ("consistency", "hallucination", "do_say_mismatch")


class _Measured(NamedTuple):
    """What the claims of the results say: of the ``final`` ones, and of each that a model worded."""

    final: tuple[ClaimedResult, ...]
    worded: tuple[ClaimedResult, ...]


@dataclass(frozen=True)
class Judgments:
    """What was judged of the results. What was not measured is not in it.

    ``scores`` (0-1) are of completeness, coherence and consistency, by name. ``criteria`` are those of the task, each
    with whether the results meet it. ``entities`` says of each thing that the answer must contain whether it is there;
    ``None`` where none were named.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    criteria: tuple[tuple[str, bool], ...] = ()
    entities: Mapping[str, bool] | None = None
    contradictions: tuple[Contradiction, ...] = ()


def evaluate(
    effect: AssessConvergence,
    engine: ReasoningEngine,
    judgments: Judgments,
    evidence: PlanEvidence,
    calibrated: Callable[[float], float] = lambda confidence: confidence,
) -> Evaluation:
    """The evaluation of a plan after a pass, by the ``evidence`` for its results.

    ``calibrated`` is the calibration's map of the confidence.

    There is no confidence where nobody judged how much of the answer is there: a run would be surer for knowing less.
    """
    plan, monitor = effect.plan, engine.state_monitor
    aspects, measured = _aspects(effect, judgments), _measured(effect, evidence)
    parts = _parts(effect, judgments, measured)
    judged = bool(judgments.entities) or "completeness" in judgments.scores
    measurable = monitor.track_confidence and judged
    mean = mean_confidence(parts, plan, engine) if measurable else None
    confidence = None if mean is None else calibrated(mean)
    dimensions = _dimensions(effect, judgments, measured)
    return Evaluation(
        confidence=confidence, parts=parts if monitor.track_confidence else None,
        coverage=_coverage(effect, engine, judgments, aspects) if monitor.track_coverage else None,
        dimensions=dimensions, score=_weighted_mean(dimensions, engine.evaluate.weights),
        gaps=_gaps(effect, engine, judgments, aspects, measured),
        warnings=tuple(_warnings(effect, parts, measured)), draw=_draw(effect, engine),
        needs_clarification=_is_unclear(plan, confidence, engine.decide.ask_threshold),
    )  # fmt: skip


def _is_unclear(plan: Plan, confidence: float | None, below: float) -> bool:
    """Whether a step is blocked and nothing makes up for it."""
    blocked = any(step.clarity == "BLOCKED" for step in current_steps(plan))
    return blocked and (confidence is None or confidence < below)


def mean_confidence(parts: ConfidenceParts, plan: Plan, engine: ReasoningEngine) -> float | None:
    """The confidence (0-1) before any calibration: the weighted mean, less where it rests on too few sources.

    ``None`` where no part was measured that has a weight.
    """
    mean = _weighted_mean(parts, engine.state_monitor.weights)
    return None if mean is None else round(mean * _enough_sources(plan, engine), 6)


def _weighted_mean(measures: ConfidenceParts | Dimensions, weights: Iterable[tuple[str, float]]) -> float | None:
    """The weighted mean of what was measured. The weight of what was not goes to the others, in proportion."""
    measured = [(weight, value) for name, weight in weights if (value := getattr(measures, name)) is not None]
    total = math.fsum(weight for weight, _ in measured)
    if not total:
        return None
    return round(min(1.0, math.fsum(weight * value for weight, value in measured) / total), 6)


def _measured(effect: AssessConvergence, evidence: PlanEvidence) -> _Measured:
    worded = [step for step in current_steps(effect.plan) if step.status == "complete"]
    final = _final(effect.plan)
    steps = {step.id: step for step in (*final, *worded)}
    every = {one.step.id: one for one in claimed_results(steps.values(), evidence)}
    return _Measured(tuple(every[s.id] for s in final), tuple(every[s.id] for s in worded))


def _parts(effect: AssessConvergence, judgments: Judgments, measured: _Measured) -> ConfidenceParts:
    there = (judgments.entities or {}).values()
    judged = None if judgments.entities else judgments.scores.get("completeness")
    return ConfidenceParts(
        source_quality=source_quality(measured.final, effect.plan),
        entity_coverage=_mean(map(float, there)) if judged is None else judged,
        citation_density=_mean(_cited_share(effect.plan, one) for one in measured.final),
        consistency=judgments.scores.get("consistency"),
        recency=_recency(effect.plan),
    )


def _dimensions(effect: AssessConvergence, judgments: Judgments, measured: _Measured) -> Dimensions:
    return Dimensions(
        completeness=judgments.scores.get("completeness"),
        accuracy=accuracy(measured.final, _untrue(effect)),
        relevance=_relevance(effect),
        freshness=_recency(effect.plan),
        coherence=judgments.scores.get("coherence"),
    )


def _untrue(effect: AssessConvergence) -> frozenset[str]:
    """The steps whose results a judge calls untrue, and those that build on them."""
    issues = [one for one in effect.report.issues if one.type in _UNTRUE and one.by == "judge"]
    named = {issue.location for issue in issues}
    return frozenset(s.id for s in effect.plan.steps if any(one.id in named for one in _chain(effect.plan, s)))


def _relevance(effect: AssessConvergence) -> float | None:
    """The share of relevant results among those that a validator looks at; a tool's it passes over, unless named."""
    if not _was_validated(effect.report):
        return None
    named, irrelevant = {issue.location for issue in effect.report.issues}, _irrelevant_steps(effect.report)
    checked = [step for step in _complete(effect.plan) if step.id in named or not _by_tool(step)]
    return _mean(float(step.id not in irrelevant) for step in checked)


def _was_validated(report: SemanticValidationReport) -> bool:
    """Whether a judge was asked about the results; what only the host found says nothing about relevance."""
    return report.judged or (not report.failed and any(issue.by == "judge" for issue in report.issues))


def _irrelevant_steps(report: SemanticValidationReport) -> set[str]:
    return {issue.location for issue in report.issues if issue.type == "relevance"}


def _aspects(effect: AssessConvergence, judgments: Judgments) -> list[tuple[str, float]]:
    """How far (0-1) each aspect of the task is addressed: each fragment of the plan, then each criterion of the task.

    A fragment is the mean of its current steps. A step addresses nothing unless it is complete and no issue calls its
    result beside the point.
    """
    irrelevant = _irrelevant_steps(effect.report)
    shares: dict[str, list[float]] = {}
    for step in current_steps(effect.plan):
        addressed = step.status == "complete" and step.id not in irrelevant
        shares.setdefault(fragment(step.id), []).append(_CLEAR[step.clarity] if addressed else 0.0)
    names = {fragment(step.id): step.description for step in effect.plan.steps}
    aspects = [(names[name], math.fsum(some) / len(some)) for name, some in shares.items()]
    return aspects + [(criterion, float(met)) for criterion, met in judgments.criteria]


def _coverage(
    effect: AssessConvergence, engine: ReasoningEngine, judgments: Judgments, aspects: list[tuple[str, float]]
) -> float | None:
    """The share of the aspects, or of the entities, that is addressed; ``None`` where there are none.

    A plan names only the aspects that it has steps for. Where the assessment says that the results lack something, the
    aspects required are more than those named: then the coverage is not above the completeness.
    """
    by_entities = engine.state_monitor.coverage_method == "entity_ratio" and judgments.entities
    addressed = [float(there) for there in by_entities.values()] if by_entities else [share for _, share in aspects]
    coverage, completeness = _mean(addressed), judgments.scores.get("completeness")
    if coverage is None or completeness is None or completeness >= effect.thresholds.completeness:
        return coverage
    return min(coverage, completeness)


def _gaps(
    effect: AssessConvergence,
    engine: ReasoningEngine,
    judgments: Judgments,
    aspects: list[tuple[str, float]],
    measured: _Measured,
) -> Gaps:
    if not engine.evaluate.gap_detection:
        return Gaps()
    stated = contradictions(measured.worded, effect.plan) if engine.evaluate.contradiction_detection else ()
    return Gaps(
        missing_entities=tuple(name for name, there in (judgments.entities or {}).items() if not there),
        weak_coverage=tuple(name for name, share in aspects if 0 < share < 1),
        contradictions=(*stated, *judgments.contradictions),
        unanswered_aspects=tuple(name for name, share in aspects if share == 0),
    )


def _warnings(effect: AssessConvergence, parts: ConfidenceParts, measured: _Measured) -> list[str]:
    warnings = []
    if not _complete(effect.plan):
        warnings.append("no step is complete")
    elif not any(_is_grounded(effect.plan, step) for step in _final(effect.plan)):
        warnings.append("no result rests on a tool")
    elif parts.citation_density == 0:
        warnings.append("no value of a result stands in what a tool gave or in a cited sentence")
    checked, supported = (sum(getattr(one, name) for one in measured.final) for name in ("checked", "supported"))
    if supported < checked:
        warnings.append(f"{supported} of {checked} checked values of the results are supported")
    if effect.report.failed:
        warnings.append("the results could not be checked")
    return warnings


def _enough_sources(plan: Plan, engine: ReasoningEngine) -> float:
    """The factor (0-1) on a confidence that rests on fewer sources than it should."""
    least = engine.evaluate.min_sources_for_confidence
    return 1.0 if not least else min(1.0, _sources(plan) / least)


def _sources(plan: Plan) -> int:
    """How many results of tools the complete steps rest on: each call that gave something, and each tool's own step."""
    steps = [step for step in _complete(plan) if _by_tool(step)]
    return sum(max(1, sum(not use.problem for use in step.uses)) for step in steps)


def _draw(effect: AssessConvergence, engine: ReasoningEngine) -> float | None:
    if engine.decide.decision_mode != "probabilistic":
        return None
    seen = f"{engine.decide.seed}:{effect.task.text}:{effect.plan.model_dump_json()}"
    return round(Random(seen).random(), 6)


def _final(plan: Plan) -> list[Step]:
    """The complete steps that no complete one builds on: their results are what the answer is made of."""
    complete = _complete(plan)
    needed = {dependency for step in complete for dependency in step.dependencies}
    return [step for step in complete if step.id not in needed]


def _cited_share(plan: Plan, result: ClaimedResult) -> float:
    """The share (0-1) of the values of a result that stand in what a tool gave or a cited sentence, or follow from it.

    A result without values is, or is not, made of a tool's.
    """
    resting = resting_on_record(result.claims)
    return len(resting) / len(result.claims) if result.claims else float(_is_grounded(plan, result.step))


def _is_grounded(plan: Plan, step: Step) -> bool:
    """Whether a step's result rests on a tool's, directly or through the steps that it builds on."""
    return any(link.status == "complete" and _by_tool(link) for link in _chain(plan, step))


def _chain(plan: Plan, step: Step) -> list[Step]:
    """The step, and all that it builds on."""
    chain = [step]
    for link in chain:
        chain += [s for i in link.dependencies if (s := plan.find(i)) is not None and s not in chain]
    return chain


def _by_tool(step: Step) -> bool:
    return step.mode in LOOKED_UP


def _complete(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.status == "complete"]


def _recency(plan: Plan) -> float | None:
    """The share of the steps that ran whose result still stands; ``None`` where no step was executed again.

    A repeated attempt is left out.
    """
    current = {step.id for step in current_steps(plan)}
    executed = [step for step in plan.steps if step.executed]
    replaced = [step for step in executed if step.id not in current]
    if not any(_was_repeated(step, executed) for step in replaced):
        return None
    return _mean(float(step.status == "complete") for step in executed if step.id in current)


def _was_repeated(step: Step, executed: list[Step]) -> bool:
    """Whether a later version of the step was executed too."""
    return any(fragment(s.id) == fragment(step.id) and s.version > step.version for s in executed)


def _mean(shares: Iterable[float]) -> float | None:
    """The mean of some shares (0-1); ``None`` of none."""
    values = list(shares)
    return round(math.fsum(values) / len(values), 6) if values else None
