"""The benchmark of verdicts: its figures on rows whose figures are known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts" / "bench"))
import selective

pytestmark = pytest.mark.requirement("G4")


def row(right: bool, stop: str = "converged", probability: float | None = 0.8, made: str = "table") -> dict[str, Any]:
    """A line of everyday.py."""
    return {
        "system": "aeon", "kind": "tables", "model": "m", "right": right, "stop": stop, "probability": probability,
        "made": made,
    }  # fmt: skip


def test_the_area_orders_runs_by_verdict_then_by_probability() -> None:
    """All right first costs nothing until the wrong ones come; ties share their risk."""
    best = [row(True, probability=0.9), row(True), row(False, "uncertain", 0.4), row(False, "disagreement", None)]
    assert selective.area(best) == pytest.approx((0 + 0 + 1 / 3 + 2 / 4) / 4)
    assert selective.area(best) == selective.area(best[::-1])
    assert selective.area([row(True), row(False)]) == pytest.approx(0.5)


def test_the_calibration_error_weighs_groups_by_their_runs() -> None:
    """What came without a probability does not count."""
    rows = [*[row(True)] * 4, row(False), row(True, probability=0.5), row(True, probability=None)]
    apart, runs = selective.error(rows)
    assert runs == 6 and apart == pytest.approx((abs(0.8 * 5 - 4) + abs(0.5 - 1)) / 6)
    assert selective.error([row(True, probability=None)]) == (0.0, 0)


def test_runs_are_counted_by_how_their_answers_came_about() -> None:
    """Those that say that it is not stated give no answer."""
    rows = [row(True), row(False), row(True, made="sum, agreed"), row(False, "not_stated", None)]
    assert selective.counts(rows) == {"sum, agreed": {"right": 1, "runs": 1}, "table": {"right": 1, "runs": 2}}


def test_the_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many converge, how many of these are right, and every ending."""
    path = tmp_path / "e.jsonl"
    lines = [row(True), row(False), row(False, "uncertain", 0.3), {**row(True), "kind": "open"}]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert selective.main([str(path)]) == 0
    told = capsys.readouterr().out
    assert "all         1 of   2  50.0%" in told and "2 of   3   67%" in told
    assert "converged: 1 of 2 right; uncertain: 0 of 1 right" in told
    selective.main([str(path), "--counts"])
    assert json.loads(capsys.readouterr().out) == {"m": {"kinds": {"table": {"right": 1, "runs": 3}}}}
