"""Saved runs with a confidence of one's choice."""

from __future__ import annotations

from pathlib import Path

from observability.runs import CONVERGED, NOT_YET, played

from aeon.runtime.journal import Journal
from aeon.schema import (
    ConfidenceParts,
    Config,
    ConvergenceAssessment,
    Dimensions,
    Evaluation,
    Plan,
    Price,
    Step,
    StepResult,
    ToolUse,
)

FREE = {"m": Price(input=0, output=0)}
_ONE_SOURCE = Config.model_validate({"reasoning_engine": {"evaluate": {"min_sources_for_confidence": 1}}})
_USE = ToolUse(id="s1.1", tool="calculator", arguments={"expression": "1"}, output=1)


def assessed(confidence: float | None, converged: bool = True) -> ConvergenceAssessment:
    """An assessment with this confidence, whose parts all have that value."""
    parts = dict.fromkeys(ConfidenceParts.model_fields, confidence)
    evaluation = Evaluation(
        confidence=confidence, parts=None if confidence is None else ConfidenceParts.model_validate(parts),
        coverage=1.0, score=0.5,
        dimensions=Dimensions.model_validate(dict.fromkeys(Dimensions.model_fields, 0.5)),
    )  # fmt: skip
    return (CONVERGED if converged else NOT_YET).changed(evaluation=evaluation)


def save(
    path: Path,
    confidence: float | None = 0.5,
    converged: bool = True,
    config: Config | None = None,
    model: str = "",
) -> str:
    """Save a run of one step, which called a tool, that ended with this confidence; gives its execution id."""
    path.parent.mkdir(parents=True, exist_ok=True)
    only = Step(id="s1", description="do s1")
    result = played(
        (config or _ONE_SOURCE).changed(prices=FREE),
        Journal(path),
        {"model": None, "model_name": model, "tools": []} if model else None,
        plan=Plan(steps=(only,)),
        execute=StepResult(output=1, mode="tools", uses=(_USE,)),
        assess=assessed(confidence, converged),
    )
    return result.execution_id
