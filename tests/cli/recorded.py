"""Saved runs with a confidence of one's choice."""

from __future__ import annotations

from pathlib import Path

from aeon.multipass.effects import ExecuteStep
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.schema import (
    Config, ConfidenceParts, ConvergenceAssessment, Dimensions, Evaluation, StepResult, ToolCall,
)  # fmt: skip
from kernel.world import CONVERGED, NOT_YET, World, step
from runtime.handlers import job


def assessed(confidence: float | None, converged: bool = True) -> ConvergenceAssessment:
    """An assessment with this confidence, whose parts all have that value."""
    parts = dict.fromkeys(ConfidenceParts.model_fields, confidence)
    found = Evaluation(
        confidence=confidence, parts=None if confidence is None else ConfidenceParts.model_validate(parts),
        coverage=1.0, score=0.5,
        dimensions=Dimensions.model_validate(dict.fromkeys(Dimensions.model_fields, 0.5)),
    )  # fmt: skip
    return CONVERGED if converged else NOT_YET.changed(evaluation=found)


def save(path: Path, confidence: float | None = 0.5, converged: bool = True, config: Config | None = None) -> str:
    """Save a run of one tool step that ended with this confidence; gives its execution id."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def work(effect: ExecuteStep, _: int) -> StepResult:
        return StepResult(output=1, mode="tool")

    only = step("s1", action=ToolCall(tool="calculator", arguments={}))
    world = World((only,), assess=assessed(confidence, converged), execute=work)  # type: ignore[arg-type]
    journal = Journal(path)
    return AsyncDriver(journal=lambda: journal).execute(job(world, config)).history.execution_id
