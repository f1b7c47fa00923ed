"""Histories with known figures."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.schema import (
    Bound, Conclusion, ConfidenceParts, Config, ConvergenceAssessment, Decision, Dimensions, Evaluation,
    ExecutionHistory, ExecutionPass, Gaps, PhaseTiming, Plan, Preparation, Step, StepMode, StopReason, Task,
    TaskProfile, Usage,
)  # fmt: skip

PROFILE = TaskProfile(reasoning_depth=3, ambiguity=0.0)


def evaluation(confidence: float | None, coverage: float | None = 0.5, gaps: Gaps | None = None) -> Evaluation:
    """An evaluation with this confidence, whose parts all have that value."""
    parts = dict.fromkeys(ConfidenceParts.model_fields, confidence)
    dimensions = Dimensions.model_validate(dict.fromkeys(Dimensions.model_fields, 0.5))
    return Evaluation(
        confidence=confidence, parts=None if confidence is None else ConfidenceParts.model_validate(parts),
        coverage=coverage, dimensions=dimensions, score=0.5, gaps=gaps or Gaps(),
    )  # fmt: skip


def done(name: str, mode: StepMode = "tool") -> Step:
    """A complete step."""
    return Step(id=name, description=f"find {name}", status="complete", output=1, mode=mode)


def judged(
    number: int,
    found: Evaluation | None,
    decision: str = "continue",
    executed: Sequence[Step] = (),
    converged: bool = False,
    cost: float = 0.25,
) -> ExecutionPass:
    """An assessed pass of two calls and four seconds that a decision of this reason ended."""
    action = "CONTINUE" if decision == "continue" else "OUTPUT"
    before = Usage(calls=2 * (number - 1), cost=cost * (number - 1))
    return ExecutionPass(
        number=number, complete=True, profile=PROFILE, executed=tuple(executed),
        assessment=ConvergenceAssessment(converged=converged, completeness=0.5, evaluation=found),
        decision=Decision.model_validate({"action": action, "reason": decision}),
        budget_before=before, budget_after=Usage(calls=2 * number, cost=cost * number),
        timings=(
            PhaseTiming(phase="execute", started=4.0 * number, ended=4.0 * number + 3),
            PhaseTiming(phase="assess", started=4.0 * number + 3, ended=4.0 * number + 4),
        ),
    )  # fmt: skip


def history(
    *passes: ExecutionPass,
    reason: StopReason = "converged",
    config: Config | None = None,
    name: str = "run-1",
    cost: float = 0.5,
    bound: float | None = 1.0,
) -> ExecutionHistory:
    """A run of these passes that ended for this reason; without a bound on the cost, nobody knows what it cost."""
    assessment = next((p.assessment for p in reversed(passes) if p.assessment), None)
    planned = [step for record in passes for step in record.executed]
    pending = tuple(Step(id=step.id, description=step.description) for step in planned)
    end = Conclusion(
        answer="a", stop_reason=reason, converged=reason == "converged", assessment=assessment,
        pass_number=len(passes), passes=len(passes), usage=Usage(calls=9, cost=cost),
        bound=Bound(calls=9, tokens=9, cost=bound), seconds=30.0,
    )  # fmt: skip
    start = Preparation(
        profile=PROFILE, plan=Plan(steps=pending).numbered(), timings=(PhaseTiming(phase="plan", started=0, ended=2),)
    )
    return ExecutionHistory(
        execution_id=name, task=Task(text="t"), configuration=config or Config(), preparation=start, passes=passes,
        conclusion=end,
    )  # fmt: skip
