"""Where a multi-pass run stands, read from its history; nothing is tracked for it."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field

from aeon.multipass.limits import pass_limit
from aeon.multipass.trends import gains
from aeon.schema import LOOKED_UP, Evaluation, ExecutionHistory, ExecutionPass, Frozen, Gaps, StateMonitor

__all__ = ["Iteration", "Stage", "State", "monitor"]

Stage: TypeAlias = str
"""The phase that a run broke off in, or what became of it: ``WAITING`` for an answer, or ``COMPLETE``."""

_BROKEN_OFF = ("interrupted", "failed", "unknown_outcome")


class Iteration(Frozen):
    """One pass in brief. Confidences are in 0-1, ``None`` where not measured or not tracked. So may cost and time be.

    ``results_added`` counts the steps that the pass completed, ``sources_added`` those of them that a tool did.
    ``cost`` is in US dollars, ``seconds`` from the start of its first phase to the end of its last.
    """

    iteration: int = Field(ge=1)
    confidence_before: float | None = Field(default=None, ge=0, le=1)
    confidence_after: float | None = Field(default=None, ge=0, le=1)
    coverage: float | None = Field(default=None, ge=0, le=1)
    results_added: int = Field(ge=0)
    sources_added: int = Field(ge=0)
    calls: int = Field(ge=0)
    cost: float | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)


class State(Frozen):
    """Where a run stands. ``None`` is what the policy does not track, a score that was not measured, an unknown cost.

    ``confidence``, ``coverage`` (0-1) and ``gaps`` are of the latest evaluation; cost in US dollars, time in seconds. A
    budget is ``None`` where there is none.
    ``iterations`` are the latest ones, at most ``history_depth``; ``convergence_trend`` is what each of the evaluations
    gained in confidence over the one before, over as many.
    """

    iteration: int = Field(ge=0)
    max_iterations: int = Field(ge=1)
    stage: Stage
    confidence: float | None = Field(default=None, ge=0, le=1)
    coverage: float | None = Field(default=None, ge=0, le=1)
    gaps: Gaps = Gaps()
    cost_spent: float | None = Field(default=None, ge=0)
    cost_budget: float | None = Field(default=None, gt=0)
    seconds_spent: float | None = Field(default=None, ge=0)
    seconds_budget: float | None = Field(default=None, gt=0)
    iterations: tuple[Iteration, ...] = ()
    convergence_trend: tuple[float, ...] = ()


def monitor(history: ExecutionHistory) -> State:
    """The state of the run that a history records, at its end."""
    config, end = history.configuration, history.conclusion
    policy = config.reasoning_engine.state_monitor
    iterations, trend = _iterations(history), gains([one for r in history.passes if (one := _evaluation(r))])
    profile = history.passes[-1].profile if history.passes else history.preparation.profile
    state = State(
        iteration=len(history.passes),
        max_iterations=pass_limit(profile, config),
        stage=_stage(history),
        confidence=iterations[-1].confidence_after if iterations else None,
        coverage=iterations[-1].coverage if iterations else None,
        gaps=_gaps(history),
        cost_spent=end.usage.cost,
        cost_budget=config.budget.cost,
        seconds_spent=end.seconds,
        seconds_budget=config.budget.seconds,
        iterations=iterations[-policy.history_depth :],
        convergence_trend=tuple(round(gain, 6) for gain in trend[-policy.history_depth :]),
    )
    return _tracked(state, policy, end.bound.cost is not None)


def _evaluation(record: ExecutionPass) -> Evaluation | None:
    return record.assessment.evaluation if record.assessment else None


def _gaps(history: ExecutionHistory) -> Gaps:
    return next((one.gaps for r in reversed(history.passes) if (one := _evaluation(r))), Gaps())


def _stage(history: ExecutionHistory) -> Stage:
    """What became of the run; where it was broken off, the last phase that it was in before its synthesis."""
    reason = history.conclusion.stop_reason
    if reason == "waiting":
        return "WAITING"
    if reason not in _BROKEN_OFF:
        return "COMPLETE"
    last = history.passes[-1].timings if history.passes else history.preparation.timings
    before = [timing.phase for timing in last if timing.phase != "synthesize"]
    return before[-1] if before else "execute" if history.passes else "profile"


def _iterations(history: ExecutionHistory) -> tuple[Iteration, ...]:
    """Every pass in brief; one that was not evaluated leaves confidence and coverage as they were."""
    iterations: list[Iteration] = []
    confidence: float | None = None
    coverage: float | None = None
    for record in history.passes:
        before, evaluation = confidence, _evaluation(record)
        if evaluation is not None:
            confidence, coverage = evaluation.confidence, evaluation.coverage
        done = [step for step in record.executed if step.status == "complete"]
        iterations.append(Iteration(
            iteration=record.number,
            confidence_before=before,
            confidence_after=confidence,
            coverage=coverage,
            results_added=len(done),
            sources_added=sum(step.mode in LOOKED_UP for step in done),
            calls=record.budget_after.calls - record.budget_before.calls,
            cost=round(record.budget_after.cost - record.budget_before.cost, 9),
            seconds=_seconds(record),
        ))  # fmt: skip
    return tuple(iterations)


def _seconds(record: ExecutionPass) -> float:
    if not record.timings:
        return 0.0
    return round(max(t.ended for t in record.timings) - min(t.started for t in record.timings), 3)


_FIELDS = {
    "track_confidence": ("confidence", "confidence_before", "confidence_after"),
    "track_coverage": ("coverage",),
    "track_cost": ("cost", "cost_spent", "cost_budget"),
    "track_time": ("seconds", "seconds_spent", "seconds_budget"),
}


def _tracked(state: State, policy: StateMonitor, priced: bool) -> State:
    """The state without what the policy does not track, and without the cost where nobody knows it."""
    off = {name for switch, names in _FIELDS.items() if not getattr(policy, switch) for name in names}
    off |= set() if priced else {"cost", "cost_spent"}
    blank = dict.fromkeys(off & set(Iteration.model_fields))
    iterations = tuple(one.changed(**blank) for one in state.iterations)
    update = dict.fromkeys(off & set(State.model_fields)) | {"iterations": iterations}
    trend = state.convergence_trend if policy.track_confidence else ()
    return state.changed(**(update | {"convergence_trend": trend}))
