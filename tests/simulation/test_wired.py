"""The shipped HTTP adapter in the simulated world: retries, rate limits, broken streams, counts that cannot be."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from aeon.simulation.check import check
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts
from simulation.wired import Wired

SEEDS = 25


@pytest.mark.requirement("K12", "K13")
@pytest.mark.parametrize(
    "faults",
    [
        "none",
        "endpoint_dead",
        "retried,endpoint_dead,budget_tokens",
        "endpoint_slow,endpoint_dead,budget_seconds",
        "truncated,empty,refused,malformed",
        "retried,budget_calls,budget_cost",
    ],
)
def test_every_request_of_the_shipped_adapter_is_charged_and_bounded(faults: str) -> None:
    """The world counts the requests themselves, and every invariant of a run without trouble from outside holds."""
    fired: Counter[str] = Counter()
    with Life(Parts(endpoint=Wired)) as life:
        for seed in range(SEEDS):
            random.seed(seed)  # the adapter waits a random time before it tries again
            report = check(scenario(seed, faults), life)
            assert report.problems == [], f"seed {seed}"
            fired += report.fired
    assert all(fired[kind] for kind in faults.split(",") if kind != "none" and not kind.startswith("budget"))
