"""What stands in for the value of an effect that failed."""

from __future__ import annotations

from aeon.schema import Answer, ConvergenceAssessment, SemanticValidationReport, StepResult

__all__ = ["LOST", "NO_ANSWER", "UNASSESSED", "UNCHECKED"]

UNCHECKED = SemanticValidationReport(failed=True)
UNASSESSED = ConvergenceAssessment(converged=False, failed=True, reason_codes=("assessment_failed",))
NO_ANSWER = Answer(text="")
LOST = StepResult(output=None, mode="tool", clarity="PARTIALLY_CLEAR", problem="done; its output was lost")
