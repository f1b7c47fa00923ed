"""The uncertainty of samples, by hand."""

from __future__ import annotations

import pytest

from aeon.engines.contractive.entropy import most_common, uncertainty

pytestmark = pytest.mark.requirement("E3a")


@pytest.mark.parametrize(
    ("places", "unusable", "expected"),
    [
        ((0, 0, 0, 0), 0, 0.0),
        ((0, 1, 2, 3), 0, 1.0),
        ((0, 0, 1, 1), 0, 0.5),
        ((0, 0, 0, 1), 0, 0.405639),
        ((0, 0, 1, 2), 0, 0.75),
        ((0, 1), 0, 1.0),
    ],
)
def test_it_is_the_share_of_the_most_entropy(places: tuple[int, ...], unusable: int, expected: float) -> None:
    """From 0, where all agree, to 1, where no two do."""
    assert uncertainty(places, unusable) == pytest.approx(expected, abs=1e-6)


def test_unusable_samples_never_lower_it() -> None:
    """Each is a class of its own: three alike and one unusable are as uncertain as three alike and one other."""
    assert uncertainty((0, 0, 0), 1) == uncertainty((0, 0, 0, 1))
    assert uncertainty((0, 0), 2) == uncertainty((0, 0, 1, 2))


def test_too_few_samples_measure_nothing() -> None:
    """One sample agrees with itself, which says nothing; neither do unusable ones alone."""
    assert uncertainty((0,)) is None and uncertainty(()) is None and uncertainty((), 4) is None


def test_the_first_of_two_equal_classes_is_the_most_common() -> None:
    """So that the same samples always give the same answer."""
    assert most_common((1, 0, 0, 1)) == 1 and most_common((0, 1, 1)) == 1 and most_common(()) is None
