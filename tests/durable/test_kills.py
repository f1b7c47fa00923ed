"""The short form of ``scripts/bench/kills.py``: ``kill -9`` while a tool pays, in a service and in a worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import errands, kills


@pytest.mark.requirement("X5", "X5a", "V2b")
@pytest.mark.parametrize("kind", ["OfService", "OfWorker"])
def test_nothing_is_paid_twice_or_lost_whenever_the_process_is_killed(tmp_path: Path, kind: str) -> None:
    """Three runs of seven payments, each killed at a moment of its own: all end, with each payment made once."""
    counts = errands.Counts(str(tmp_path / "counts.sqlite"))
    found = kills.killed(getattr(kills, kind)(tmp_path, counts, 0.05), moments=3, seed=2)
    assert (found["ended"], found["payments"], found["paid_twice"], found["lost"]) == (3, 21, 0, 0), found
