"""What the host finds in an answer itself: values that stand in no result and follow from none."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.grounding.looped import missing_values
from aeon.grounding.results import LatestEvidence
from aeon.multipass.effects import ValidateResults
from aeon.multipass.plans import answer_steps
from aeon.schema import Calculation, Claim, Issue, SemanticValidationReport
from aeon.schema.claims import ENDINGS

__all__ = ["unplaced", "with_unplaced"]

_MOST, _MOST_ASKED = 8, 20


def unplaced(effect: ValidateResults, able: bool = False, evidence: LatestEvidence | None = None) -> tuple[str, ...]:
    """The values of the answer that stand nowhere, for a judge to say how they follow.

    Where nothing was looked up there are none, unless the model was ``able`` to.
    """
    return missing_values(_claims(effect, (), able, evidence))[:_MOST_ASKED]


def with_unplaced(
    effect: ValidateResults,
    report: SemanticValidationReport,
    able: bool = False,
    evidence: LatestEvidence | None = None,
) -> SemanticValidationReport:
    """The report with an issue for each value that is not there or contradicted, whatever the judge says of it."""
    lost = [claim for claim in _claims(effect, report.calculations, able, evidence) if claim.verdict in ENDINGS]
    if not lost:
        return report
    steps = answer_steps(effect.plan)
    place = steps[-1].id if steps else "answer"
    issues = tuple(
        Issue(
            type="hallucination", severity="HIGH", location=place, by="host", claim=claim,
            description=f"{claim.text}: {claim.note or 'stands in no result, and follows from none'}",
            proposed_repair="correct it, look it up, or compute it with a tool",
        )
        for claim in lost[:_MOST]
    )  # fmt: skip
    codes = tuple(dict.fromkeys(ENDINGS[claim.verdict] for claim in lost))
    verdict = report.verdict
    if verdict is not None:
        found = tuple(issue.description for issue in issues)
        verdict = verdict.changed(
            converged=False,
            reason_codes=(*verdict.reason_codes, *codes),
            detected_issues=(*verdict.detected_issues, *found),
        )
    return report.changed(issues=(*issues, *report.issues), verdict=verdict)


def _claims(
    effect: ValidateResults, calculations: Sequence[Calculation], able: bool, evidence: LatestEvidence | None
) -> tuple[Claim, ...]:
    """The claims of the answer as far as the steps give it."""
    answer = "\n\n".join(str(step.output) for step in answer_steps(effect.plan) if step.output is not None)
    if not answer:
        return ()
    return (evidence or LatestEvidence()).of(effect.task, effect.plan).claims(answer, calculations, able)
