"""Fitting: always a monotone map within 0-1, better calibrated than what it was fitted to, and the same every time."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.calibration.cases import Case
from aeon.calibration.fit import LEAST, Quality, fit
from aeon.errors import UsageError

pytestmark = pytest.mark.requirement("O2")

CASE = st.builds(Case, st.floats(0, 1).map(lambda x: round(x, 6)), st.booleans())
CASES = st.lists(CASE, min_size=LEAST, max_size=60)


def overconfident(many: int, seed: int = 0) -> list[Case]:
    """Cases that are right as often as the square of their confidence."""
    random = Random(seed)
    sure = [round(random.random(), 3) for _ in range(many)]
    return [Case(confidence, random.random() < confidence**2) for confidence in sure]


@given(CASES)
def test_any_fit_is_a_monotone_map(cases: list[Case]) -> None:
    """Points rise, stay away from 0 and 1, and a higher confidence is never read as a lower one."""
    if len({case.right for case in cases}) == 1:
        with pytest.raises(UsageError):
            fit(cases)
        return
    found = fit(cases).map
    read = [found.read(n / 50) for n in range(51)]
    assert all(a <= b for a, b in pairwise(read)) and found.runs == len(cases)
    edge = 1 / (len(cases) + 2)
    assert edge - 1e-6 <= read[0] and read[-1] <= 1 - edge + 1e-6


def test_a_fit_finds_the_share_that_is_right() -> None:
    """On many overconfident cases it is close to the square that they were made by, and its error is small."""
    found = fit(overconfident(2_000))
    assert all(abs(found.map.read(x / 10) - (x / 10) ** 2) < 0.1 for x in range(1, 10))
    assert found.folds == 5 and found.after.brier < found.before.brier
    assert found.before.error > 0.1 > 0.05 > found.after.error


def test_what_a_fit_is_worth_is_measured_on_cases_that_it_has_not_seen() -> None:
    """On chance there is nothing to learn: held out, the map is worse than on the cases that it was fitted on."""
    random = Random(1)
    cases = [Case(round(random.random(), 6), random.random() < 0.5) for _ in range(40)]
    found = fit(cases)
    seen = sum((found.map.read(c.confidence) - c.right) ** 2 for c in cases) / len(cases)
    assert found.folds == 5 and found.after.brier > seen + 0.02


def test_a_fit_is_the_same_every_time() -> None:
    """The folds are drawn with a fixed seed."""
    assert fit(overconfident(40)) == fit(overconfident(40))


def test_few_cases_are_not_cross_validated() -> None:
    """With fewer than five of one kind there is nothing to hold out, and no folds are claimed."""
    cases = [Case(n / 10, n == 9) for n in range(10)]
    found = fit(cases)
    assert (found.folds, found.right, found.wrong) == (0, 1, 9)


def test_the_scores_are_those_of_the_books() -> None:
    """Ten cases at 0.9 of which five are right: a squared distance of 0.41, an error of 0.4."""
    cases = [Case(0.9, n % 2 == 0) for n in range(10)]
    assert fit(cases).before == Quality(brier=0.41, error=0.4)
    assert fit(cases).map.read(0.9) == 0.5 and fit(cases).after.error == 0


def test_too_few_cases_are_refused() -> None:
    """One line that says how many there are and how many it takes."""
    with pytest.raises(UsageError, match=r"9 labelled runs .* it takes 10"):
        fit([Case(0.5, n % 2 == 0) for n in range(9)])
