"""The short form of ``scripts/bench/chaos.py``: workers are killed with -9 at many moments, and nothing is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .conftest import chaos


@pytest.mark.requirement("X5", "X5a", "X5f")
def test_runs_whose_workers_are_killed_end_as_if_nobody_had(tmp_path: Path) -> None:
    """Every run ends; histories are equal but for times; no post is lost, and none is made twice."""
    plan = chaos.Plan(
        f"sqlite:///{tmp_path / 'runs.sqlite'}",
        runs=10,
        workers=2,
        every=10,
        by_posts=True,
        beat=0.3,
        patience=1.5,
        most=90,
    )
    found = chaos.chaos(plan, tmp_path)
    assert found["kills"] >= 3, found
    assert found["ended"] == found["replayed"] == found["runs"] == 10
    assert found["same_history"] + found["asked_whether_done"] == 10 and found["other_history"] == []
    assert (found["posts_lost"], found["posts_twice"], found["posts_unwanted"]) == (0, 0, 0)


@pytest.mark.requirement("X5", "X5a", "X5f", "X5g")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")
def test_neither_a_clock_that_jumps_nor_a_full_disk_changes_that(tmp_path: Path) -> None:
    """Workers whose time of day jumps by thirty days, and which can write no more for a while, are killed too."""
    plan = chaos.Plan(
        f"sqlite:///{tmp_path / 'runs.sqlite'}",
        runs=8, workers=2, every=8, by_posts=True, beat=0.3, patience=1.5, most=90, jumps=True, full=True,
    )  # fmt: skip
    found = chaos.chaos(plan, tmp_path)
    assert found["kills"] >= 3 and found["jumps"] >= 3 and found["full"] >= 1, found
    assert found["ended"] == found["replayed"] == found["runs"] == 8
    assert found["same_history"] + found["asked_whether_done"] == 8 and found["other_history"] == []
    assert (found["posts_lost"], found["posts_twice"], found["posts_unwanted"]) == (0, 0, 0)
