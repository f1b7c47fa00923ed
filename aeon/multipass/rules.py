"""When a multi-pass run stops, asks or changes its strategy: its rows of the decision table, and what they rest on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from aeon.kernel import budget
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals
from aeon.schema.config import Config, RefinementLimits, Settings
from aeon.schema.evaluation import Evaluation
from aeon.schema.judgment import ConvergenceAssessment, TaskProfile
from aeon.schema.policy import ReasoningEngine, Strategy
from aeon.schema.usage import Allowance, Usage

__all__ = [
    "DISAGREEMENT",
    "FORM_UNMET",
    "NOT_STATED",
    "OF_THE_ANSWER",
    "TABLE",
    "UNCERTAIN",
    "PassSignals",
    "affordable",
    "confident",
    "diminishing",
    "gains",
    "limits_for",
    "most_calls",
    "pass_limit",
    "revised",
    "strategy",
]

DISAGREEMENT = "disagreement"
NOT_STATED = "not_stated"
UNCERTAIN = "uncertain"
FORM_UNMET = "form_unmet"
"""Codes of an assessment, and the reasons of the rows that they lead to."""
_HARDEST = TaskProfile(
    reasoning_depth=5,
    ambiguity=1,
    information_sufficiency=0,
    dependency_complexity="high",
    expected_step_count=50,
    expected_tool_usage="extensive",
    output_breadth="broad",
    confidence_requirement="high",
)
_USUAL = 10  # the limit on passes, and on attempts, that a profile's tiers are made for; a higher one stretches them
_SLACK = {"low": -0.05, "medium": 0.0, "high": 0.05}


@dataclass(slots=True)
class PassSignals(Signals):
    """What the engine's rows rest on, as of the latest complete pass: ``passes`` of at most ``ttl``.

    ``absent``: a step looked for what is the answer, and did not find it. ``disagrees``: the answer was derived more
    than once, and never twice the same. ``uncertain``: answers that came about like this one were too often wrong.
    ``diminishing``: the last passes hardly gained anything. ``stalled``: refinement is over and no step can run.
    ``unfit``: the answer was asked for, and has not the form of the task's schema. ``misshapen``: a text that is the
    answer has not the number of sentences, lines or words, or is not the JSON or the code, that the task asks for.
    """

    absent: bool = False
    disagrees: bool = False
    uncertain: bool = False
    converged: bool = False
    confident: bool = False
    passes: int = 0
    ttl: int = 1
    diminishing: bool = False
    stalled: bool = False
    unfit: bool = False
    misshapen: bool = False

    def assessed(self, assessment: ConvergenceAssessment, evaluations: Sequence[Evaluation], config: Config) -> None:
        """Take in the assessment of a pass; ``evaluations`` are those of all passes so far."""
        engine = config.reasoning_engine
        self.absent = NOT_STATED in assessment.reason_codes
        self.disagrees = DISAGREEMENT in assessment.reason_codes
        self.uncertain = UNCERTAIN in assessment.reason_codes
        self.misshapen = FORM_UNMET in assessment.reason_codes
        self.converged = assessment.converged
        self.confident = confident(engine, evaluations)
        self.diminishing = diminishing(engine, evaluations)


OF_THE_ANSWER = (
    Rule[PassSignals](
        "schema_unmet",
        lambda s: s.unfit,
        lambda s: "no answer that fits the task's schema could be had",
        when="a pass was good enough, but no answer that fits the task's schema could be had from it",
    ),
    Rule[PassSignals](
        FORM_UNMET,
        lambda s: s.misshapen,
        lambda s: "the text has not the form that the task asks for, nor had a second one",
        when="the answer is a text, and twice not of the length or in the format that the task asks for in words",
    ),
)
"""Stand before the rows that can be ordered: they say of an answer what these say of a pass."""

_OF_A_PASS: tuple[Rule[PassSignals], ...] = (
    Rule(
        NOT_STATED,
        lambda s: s.absent,
        lambda s: "what was asked for, or a part of it, is not in what was searched",
        when="a step that gives the answer looked for it where it should be, and did not find it",
    ),
    Rule(
        DISAGREEMENT,
        lambda s: s.disagrees,
        lambda s: "the answer was derived in several ways, and each gives another one",
        when="the answer was derived more than once, and no two derivations give the same",
    ),
    Rule(
        UNCERTAIN,
        lambda s: s.uncertain,
        lambda s: "answers of this model that came about like this one were too often wrong",
        when="by recorded runs of the model, the answer is right with a probability below 0.75 (configurable)",
    ),
    Rule(
        "converged",
        lambda s: s.converged,
        lambda s: f"every criterion that was measured is met in pass {s.passes}",
        sufficient=True,
        when="every criterion of the assessment that was measured is met",
    ),
    Rule(
        "confident",
        lambda s: s.confident,
        lambda s: f"confidence and coverage were high enough in pass {s.passes}",
        sufficient=True,
        when="confidence ≥ 0.85 and coverage ≥ 0.90 (thresholds configurable)",
    ),
    Rule(
        "ttl_expired",
        lambda s: s.passes >= s.ttl,
        lambda s: f"all {s.ttl} passes are used",
        when="all passes are used: as many as the task's profile allows, at most `max_passes`",
    ),
    BUDGET,
    CLARIFICATION,
    Rule(
        "diminishing_returns",
        lambda s: s.diminishing,
        lambda s: "the last passes hardly gained anything",
        when="the mean gain in confidence over the last 3 passes is below 0.05 (both configurable)",
    ),
    Rule(
        "stalled",
        lambda s: s.stalled,
        lambda s: "no step can run, and no refinement would change that",
        when="no step can run after refinement: another pass would see what this one saw",
    ),
)
TABLE = (*OF_THE_ANSWER, *_OF_A_PASS)


def most_calls(config: Config) -> int:
    """The most model calls that a run can make.

    Steps count once over the run, other effects once a pass; a question may cost a refinement, or a step, once more,
    and a refined plan is checked once more.
    """
    caps = config.caps
    again = config.questions.most * max(caps.refine_plan, caps.execute)
    refined = caps.refine_plan + caps.validate_plan
    before = caps.profile + caps.plan + caps.validate_plan + refined + again
    each_pass = caps.derive + caps.validate_results + caps.assess + refined + caps.profile
    steps = caps.execute * config.limits.total_steps
    return before + each_pass * pass_limit(_HARDEST, config) + steps + caps.synthesize


def pass_limit(profile: TaskProfile, config: Config) -> int:
    """How many passes a task of this profile gets (its TTL): never fewer for a harder one, never above the limit.

    A pass for each tier of depth, and a seventh of them more for each thing that makes the task harder.
    """
    harder = (
        profile.ambiguity > 0.5,
        profile.information_sufficiency < 0.5,
        profile.dependency_complexity == "high",
        profile.expected_step_count > 5,
        profile.expected_tool_usage == "extensive",
        profile.output_breadth == "broad",
        profile.confidence_requirement == "high",
    )
    passes = profile.reasoning_depth * (1 + sum(harder) / len(harder))
    return _stretched(passes, config.max_passes)


def _stretched(tiers: float, limit: int) -> int:
    """What a profile gets of a limit that is the usual one, or lower; in proportion more of a higher one."""
    return min(limit, math.ceil(tiers * max(1.0, limit / _USUAL)))


def limits_for(profile: TaskProfile, config: Config) -> RefinementLimits:
    """How large a task of this profile lets a plan get, and how often it may change: never above the limits.

    A first plan may have four steps more than twice as many as expected; two deltas for each tier of depth, and two.
    """
    limits = config.limits
    if not profile.inferred:
        return limits
    plan_steps = min(limits.plan_steps, 2 * profile.expected_step_count + 4)
    return _limits(limits, plan_steps, _stretched(2 * profile.reasoning_depth + 2, limits.attempts))


@lru_cache(maxsize=256)  # runs with the same limits share them: thousands may be under way
def _limits(limits: RefinementLimits, plan_steps: int, attempts: int) -> RefinementLimits:
    return limits.changed(plan_steps=plan_steps, attempts=attempts)


def revised(profile: TaskProfile, again: TaskProfile, first: TaskProfile) -> TaskProfile:
    """The next version of a profile, inferred ``again``: its depth at most one tier away from the ``first`` one's."""
    depth = min(max(again.reasoning_depth, first.reasoning_depth - 1), first.reasoning_depth + 1)
    return again.changed(reasoning_depth=depth, version=profile.version + 1)


def confident(engine: ReasoningEngine, evaluations: Sequence[Evaluation]) -> bool:
    """Whether the answer is good enough to stop at; in probabilistic mode its confidence is the chance of that."""
    latest = evaluations[-1] if engine.enabled and evaluations else None
    if latest is None or latest.confidence is None:
        return False
    if not _covered(engine, latest.coverage):
        return False
    if engine.decide.decision_mode == "probabilistic":
        return latest.draw is not None and latest.draw < latest.confidence
    return latest.confidence >= _strict(engine, engine.decide.confidence_threshold)


def _covered(engine: ReasoningEngine, coverage: float | None) -> bool:
    return coverage is None or coverage >= _strict(engine, engine.decide.coverage_threshold)


def _strict(engine: ReasoningEngine, threshold: float) -> float:
    return min(1.0, round(threshold + _SLACK[engine.evaluate.strictness], 6))


def diminishing(engine: ReasoningEngine, evaluations: Sequence[Evaluation]) -> bool:
    """Whether the confidence has hardly grown over the last iterations."""
    window = engine.decide.diminishing_returns_window
    if not engine.enabled or len(evaluations) <= window:
        return False
    last = gains(evaluations, window)
    return len(last) == window and math.fsum(last) / window < engine.decide.diminishing_returns_threshold


def gains(evaluations: Sequence[Evaluation], most: int | None = None) -> list[float]:
    """What the last iterations, ``most`` of them or all, each gained in confidence; those without one are left out."""
    backwards = (one.confidence for one in reversed(evaluations) if one.confidence is not None)
    trend = list(islice(backwards, most and most + 1))[::-1]
    return [after - before for before, after in pairwise(trend)]


def strategy(engine: ReasoningEngine, evaluations: Sequence[Evaluation]) -> Strategy | None:
    """How to change the plan after the last iteration; ``None`` where nothing was measured to choose by."""
    if not engine.enabled:
        return None
    if engine.refine.strategy_selection == "manual":
        return engine.refine.strategy
    return _chosen(engine, evaluations) if evaluations else None


def _chosen(engine: ReasoningEngine, evaluations: Sequence[Evaluation]) -> Strategy:
    coverage, confidence = _measured(evaluations[-1].coverage), _measured(evaluations[-1].confidence)
    if coverage < 0.5:
        return "EXPAND"
    if confidence < 0.5 and coverage > 0.7:
        return "NARROW"
    last = gains(evaluations, engine.refine.pivot_after_iterations)
    if len(last) == engine.refine.pivot_after_iterations and max(last) <= 0:
        return "PIVOT"
    return "DEEPEN" if coverage < 1 else "EXPAND"


def _measured(score: float | None) -> float:
    """The score; without one NaN, with which no comparison holds: what was not measured chooses nothing."""
    return math.nan if score is None else score


def affordable(settings: Settings, whole: Allowance, cap: int) -> int:
    """How many effects of ``cap`` calls the allowance bears if each call spends all that it can."""
    calls = max(1, cap)
    usage = Usage(prompt_tokens=calls * settings.prompt_bytes, generated_tokens=calls * settings.output_tokens)
    fits = [whole.calls // calls]
    if whole.tokens is not None:
        fits.append(whole.tokens // usage.tokens)
    if whole.cost is not None and (cost := budget.dearest(settings, usage)):
        fits.append(int(min(whole.cost / cost, whole.calls)))  # a price of next to nothing divides to infinity
    return min(fits)
