"""The outer loop as configuration: what is tracked, how it is weighed, when a run stops, asks or changes its strategy.

The names, defaults and switches are those of the reference ``reasoning_engine``. Scores are in 0-1.
"""

from __future__ import annotations

import math
from typing import Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from aeon.schema.frozen import Frozen

__all__ = [
    "ROWS",
    "ConfidenceWeights",
    "Decide",
    "Evaluate",
    "EvaluationWeights",
    "ReasoningEngine",
    "Refine",
    "Row",
    "StateMonitor",
    "Strategy",
]

Row = Literal[
    "not_stated", "disagreement", "uncertain", "unverified", "converged", "own_knowledge", "confident", "ttl_expired",
    "budget", "needs_clarification", "diminishing_returns", "stalled",
]  # fmt: skip
ROWS: tuple[Row, ...] = get_args(Row)
Strategy = Literal["EXPAND", "NARROW", "PIVOT", "DEEPEN"]


class _Weights(Frozen):
    """Shares of a weighted mean; they add up to 1."""

    @model_validator(mode="after")
    def _add_up(self) -> Self:
        total = math.fsum(share for _, share in self)
        if not math.isclose(total, 1.0, abs_tol=1e-6):
            raise ValueError(f"the weights add up to {total:g}, not to 1")
        return self


class ConfidenceWeights(_Weights):
    """How much each component counts for the confidence."""

    source_quality: float = Field(default=0.30, ge=0, le=1)
    entity_coverage: float = Field(default=0.25, ge=0, le=1)
    citation_density: float = Field(default=0.20, ge=0, le=1)
    consistency: float = Field(default=0.15, ge=0, le=1)
    recency: float = Field(default=0.10, ge=0, le=1)


class EvaluationWeights(_Weights):
    """How much each dimension counts for the score of an answer."""

    completeness: float = Field(default=0.30, ge=0, le=1)
    accuracy: float = Field(default=0.25, ge=0, le=1)
    relevance: float = Field(default=0.20, ge=0, le=1)
    freshness: float = Field(default=0.15, ge=0, le=1)
    coherence: float = Field(default=0.10, ge=0, le=1)


class StateMonitor(Frozen):
    """What is tracked. A confidence or coverage that is not tracked is not computed, and no rule rests on it.

    Cost and time that are not tracked are left out of summaries; their budgets hold all the same. ``history_depth`` is
    how many iterations a summary goes back. ``confidence_model`` ``calibrated`` maps the weighted mean through a fit on
    recorded runs, the file ``calibration``. ``coverage_method`` ``entity_ratio`` counts the things that the answer must
    contain, named by the model, instead of the aspects of the task: the steps of the plan and the task's criteria.
    """

    track_confidence: bool = True
    track_coverage: bool = True
    track_cost: bool = True
    track_time: bool = True
    history_depth: int = Field(default=10, ge=1)
    confidence_model: Literal["weighted_average", "calibrated"] = "weighted_average"
    calibration: str = ""
    coverage_method: Literal["aspect_ratio", "entity_ratio"] = "aspect_ratio"
    weights: ConfidenceWeights = ConfidenceWeights()


class Evaluate(Frozen):
    """How an answer is judged. ``strictness`` moves the scores that count as good enough by 0.05 down or up."""

    weights: EvaluationWeights = EvaluationWeights()
    gap_detection: bool = True
    contradiction_detection: bool = True
    min_sources_for_confidence: int = Field(
        default=3, ge=0, description="with fewer sources and tool calls the confidence is scaled down; 0: never"
    )
    eval_model: str = Field(default="", description="a model of its own for judgments; empty: the verifier's")
    strictness: Literal["low", "medium", "high"] = "medium"


class Decide(Frozen):
    """When a run stops. Gains are of the confidence, from one iteration to the next."""

    confidence_threshold: float = Field(default=0.85, ge=0, le=1)
    coverage_threshold: float = Field(default=0.90, ge=0, le=1)
    diminishing_returns_window: int = Field(default=3, ge=1)
    diminishing_returns_threshold: float = Field(default=0.05, ge=0, le=1)
    decision_mode: Literal["deterministic", "probabilistic"] = "deterministic"
    seed: int = Field(default=0, ge=0, description="of the draws of the probabilistic mode")
    ask_threshold: float = Field(default=0.5, ge=0, le=1, description="a confidence below it lets a blocked run ask")
    order: tuple[Row, ...] = Field(
        default=ROWS, description="the rows of the decision table; the first that holds decides"
    )

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: tuple[Row, ...]) -> tuple[Row, ...]:
        if sorted(order) != sorted(ROWS):
            raise ValueError(f"every row must stand in it once: {', '.join(ROWS)}")
        return order


class Refine(Frozen):
    """How the next iteration is changed. With ``manual`` selection ``strategy`` is used always, from the start on."""

    strategy_selection: Literal["automatic", "manual"] = "automatic"
    strategy: Strategy = "EXPAND"
    allow_query_rewrite: bool = True
    allow_source_preference: bool = True
    pivot_after_iterations: int = Field(default=3, ge=1)
    refinement_model: str = Field(default="", description="a model of its own for refinement; empty: the planner's")
    query_diversity: Literal["low", "medium", "high"] = "medium"


class ReasoningEngine(Frozen):
    """The outer loop; ``enabled = false`` leaves only convergence, passes and budgets to end a run."""

    enabled: bool = True
    state_monitor: StateMonitor = StateMonitor()
    evaluate: Evaluate = Evaluate()
    decide: Decide = Decide()
    refine: Refine = Refine()
