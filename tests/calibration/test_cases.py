"""The confidence of a recorded run that a calibration is fitted to."""

from __future__ import annotations

import pytest
from observability.runs import done, history, judged

from aeon.calibration.cases import final_confidence
from aeon.schema import ConfidenceParts, Dimensions, Evaluation

pytestmark = pytest.mark.requirement("O2")


def confidence(parts: ConfidenceParts | None, calibrated: float | None = 0.2) -> float | None:
    """The final confidence of a run of one pass with these parts."""
    evaluation = Evaluation(confidence=calibrated, parts=parts, dimensions=Dimensions())
    return final_confidence(history(judged(1, evaluation, executed=(done("s1"),))))


def test_it_is_the_mean_of_the_parts_that_were_measured() -> None:
    """Whatever a calibration made of it; weights of absent parts go to the others. It is one source of three."""
    parts = ConfidenceParts(source_quality=1.0, entity_coverage=0.41, citation_density=1.0)
    assert confidence(parts) == pytest.approx((0.30 + 0.25 * 0.41 + 0.20) / 0.75 / 3, abs=1e-6)


def test_a_run_without_a_measured_or_tracked_confidence_is_no_case() -> None:
    """There is nothing that could be fitted."""
    assert confidence(ConfidenceParts(), None) is None and confidence(None, None) is None
