"""What a judge is measured by, and the labelled cases it is measured on."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from test_bench import script

from aeon.supervisor.judge_specs import Calibration, JudgmentSpec, judgments

BENCH = Path(__file__).parents[1] / "scripts" / "bench"
judging = script("judging")

pytestmark = pytest.mark.requirement("J8")


def drawn(count: int, scale: float, shift: float, seed: int = 0) -> list[tuple[float, bool]]:
    """Cases whose log-odds of being true are exactly this scale and shift of their scores."""
    chance = random.Random(seed)
    scores = [chance.uniform(-3, 3) for _ in range(count)]
    return [(s, chance.random() < 1 / (1 + math.exp(-(scale * s + shift)))) for s in scores]


def test_auroc_counts_pairs_in_the_right_order() -> None:
    """Of four pairs of a true and a false case three are in order, and a tie is half of one."""
    assert judging.auroc([(4, True), (2, True), (3, False), (1, False)]) == 0.75
    assert judging.auroc([(1, True), (1, False)]) == 0.5
    assert math.isnan(judging.auroc([(1, True)]))


def test_the_best_cut_is_at_least_as_good_as_any() -> None:
    """It may also be above every case."""
    pairs = [(0.9, True), (0.6, False), (0.55, True), (0.2, False)]
    assert (judging.accuracy(pairs), judging.best_accuracy(pairs)) == (0.75, 0.75)
    assert judging.best_accuracy([(0.9, False), (0.8, False)]) == 1.0


def test_a_calibration_finds_the_scale_and_shift_of_the_cases() -> None:
    """The weak prior hardly moves it where there are many cases, and keeps it finite where a cut separates a few."""
    scale, shift = judging.platt(drawn(4_000, 1.5, -0.8))
    assert (scale, shift) == (pytest.approx(1.5, abs=0.15), pytest.approx(-0.8, abs=0.15))
    separated = [(1.0, True), (0.9, True), (-1.0, False), (-0.8, False)]
    assert 0 < judging.platt(separated)[0] < 3
    assert judging.platt([(0.3, True), (0.3, False)]) == (0.0, 0.0)


def test_a_judge_that_always_says_the_same_is_no_better_than_the_share() -> None:
    """Not even one that now and then says something else makes a fit that cannot be computed."""
    same = [(-9.2, n % 3 == 0) for n in range(30)]
    for pairs in (same, [(9.2, True), *same[1:]]):
        for draw in judging.folds(pairs, repeats=2):
            assert all(0 <= s <= 1 for s, _ in draw) and judging.accuracy(draw) >= 0.6


def test_a_perfect_judge_has_no_debiased_error_and_a_wrong_one_has_its_own() -> None:
    """Of 60 cases the plain error is far from 0 for both; only the other one tells them apart."""
    perfect = [judging.scaled(drawn(60, 1, 0, seed), 1, 0) for seed in range(40)]
    wrong = [judging.scaled(drawn(60, 1, 0, seed), 1, 1.5) for seed in range(40)]
    plain, debiased = ([sum(map(of, draws)) / 40 for draws in (perfect, wrong)] for of in (
        judging.calibration_error, judging.debiased_error,
    ))  # fmt: skip
    assert plain[0] > 0.08 and debiased[0] < 0.05
    assert debiased[1] > 0.2
    assert judging.perfect(perfect[0], judging.calibration_error) == pytest.approx(plain[0], abs=0.04)


def test_each_case_is_calibrated_by_others_once_a_repeat() -> None:
    """Labels keep their shares; where the scores say nothing, no fit makes them look good."""
    pairs = drawn(50, 1, 0)
    for draw in judging.folds(pairs, repeats=3):
        assert sorted(label for _, label in draw) == sorted(label for _, label in pairs)
        assert all(0 < s < 1 for s, _ in draw)
    chance = random.Random(1)
    noise = [(chance.uniform(-3, 3), n % 2 == 0) for n in range(100)]
    shares = [judging.accuracy(draw) for draw in judging.folds(noise)]
    assert sum(shares) / len(shares) < 0.6


def specs() -> dict[str, JudgmentSpec]:
    """The judgments that runs make, and those that are measured only."""
    apart = json.loads((BENCH / "unused.json").read_text())
    return judgments() | {one["name"]: JudgmentSpec.model_validate(one) for one in apart["judgments"]}


def test_what_no_run_uses_is_kept_apart() -> None:
    """Its calibrations are of its wording, and its name is not that of a shipped judgment."""
    apart = json.loads((BENCH / "unused.json").read_text())
    names = {one["name"] for one in apart["judgments"]}
    assert not names & set(judgments())
    for entry in map(Calibration.model_validate, apart["entries"]):
        assert entry.judgment in names and entry.wording == specs()[entry.judgment].wording


@pytest.mark.parametrize("path", sorted(BENCH.glob("cases*/*.jsonl")), ids=lambda at: f"{at.parent.name}-{at.stem}")
def test_the_labelled_cases_can_be_measured(path: Path) -> None:
    """Each file is of a judgment that there is, its ids differ, and a third to two thirds of its cases are true."""
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert path.stem in specs()
    assert len({case["id"] for case in cases}) == len(cases) >= 20
    assert 1 / 3 <= sum(case["label"] for case in cases) / len(cases) <= 2 / 3
    assert all(case.get("task") or case.get("claim") or case.get("question") for case in cases)


def test_the_debiased_error_does_not_part_equal_scores() -> None:
    """A judge with three scores that are all its shares has no error, in whichever order its cases come."""
    groups = [(0.25, 4, 16), (0.5, 10, 20), (0.75, 18, 24)]
    pairs = [(score, n < right) for score, right, of in groups for n in range(of)]
    assert judging.debiased_error(pairs) == judging.debiased_error(pairs[::-1]) == 0.0
    high = [(min(1.0, score + 0.25), label) for score, label in pairs]
    assert judging.debiased_error(high) == pytest.approx(0.25, abs=0.03)
    assert judging.debiased_error([(0.5, True)]) == 0.5
