"""Reading a confidence by a map from a file, without what fitted it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from assembly.capable import capable
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aeon.assembly.build import build
from aeon.convergence.calibrated import ConfidenceMap, calibrated
from aeon.errors import ConfigError, InputFileError
from aeon.llm.scripted import Scripted
from aeon.schema import Config, StateMonitor
from aeon.testing.obliging import oblige

pytestmark = pytest.mark.requirement("O2")

LINE = ConfidenceMap(runs=10, points=((0.2, 0.1), (0.6, 0.3), (0.8, 0.9)))


@pytest.mark.parametrize(
    ("confidence", "read"),
    [(0.0, 0.1), (0.2, 0.1), (0.4, 0.2), (0.6, 0.3), (0.7, 0.6), (0.8, 0.9), (0.9, 0.9), (1.0, 0.9)],
)
def test_a_map_is_linear_between_its_points(confidence: float, read: float) -> None:
    """Before the first and behind the last point it is level."""
    assert LINE.read(confidence) == pytest.approx(read)


def test_a_map_of_one_point_is_level() -> None:
    """Where all confidences were the same there is one answer."""
    only = ConfidenceMap(runs=10, points=((0.5, 0.25),))
    assert [only.read(x) for x in (0.0, 0.5, 1.0)] == [0.25] * 3


@given(low=st.floats(0, 1), high=st.floats(0, 1))
def test_a_map_keeps_the_order(low: float, high: float) -> None:
    """A higher confidence is never read as a lower one."""
    low, high = sorted((low, high))
    assert 0 <= LINE.read(low) <= LINE.read(high) <= 1


@pytest.mark.parametrize(
    "points",
    [(), ((0.5, 0.5), (0.5, 0.6)), ((0.2, 0.5), (0.4, 0.4)), ((0.2, 1.5),), ((-1.0, 0.5),), ((float("nan"), 0.5),)],
)
def test_points_that_make_no_map_are_refused(points: tuple[tuple[float, float], ...]) -> None:
    """None, two at one place, falling ones, and numbers outside 0-1."""
    with pytest.raises(ValidationError):
        ConfidenceMap(runs=10, points=points)


def test_without_calibration_the_mean_is_the_confidence(tmp_path: Path) -> None:
    """Also where a file is named: the model says whether it is used."""
    (tmp_path / "map").write_text(LINE.model_dump_json())
    assert calibrated(StateMonitor())(0.4) == 0.4
    assert calibrated(StateMonitor(calibration=str(tmp_path / "map")))(0.4) == 0.4
    used = StateMonitor(confidence_model="calibrated", calibration=str(tmp_path / "map"))
    assert calibrated(used)(0.4) == pytest.approx(0.2)


@pytest.mark.parametrize("text", [None, "", "[]", "{", json.dumps({"format": "other"}), '{"runs": 1, "points": []}'])
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, text: str | None) -> None:
    """One line names it, before anything runs."""
    if text is not None:
        (tmp_path / "map").write_text(text)
    policy = {"state_monitor": {"confidence_model": "calibrated", "calibration": str(tmp_path / "map")}}
    config = Config.model_validate({"reasoning_engine": policy})
    with pytest.raises(InputFileError, match="map: ") as caught:
        build(Scripted(oblige), config=config)
    assert "\n" not in str(caught.value)


def test_a_calibrated_confidence_takes_a_calibration() -> None:
    """Without one the setting and the command that makes it are named."""
    with pytest.raises(ConfigError, match=r"state_monitor\.calibration.*aeon calibrate"):
        calibrated(StateMonitor(confidence_model="calibrated"))


def test_a_run_uses_the_map(tmp_path: Path) -> None:
    """The confidence in the result is what the map makes of the mean of the parts."""
    (tmp_path / "map").write_text(ConfidenceMap(runs=10, points=((0.0, 0.0), (1.0, 0.5))).model_dump_json())
    policy = {"state_monitor": {"confidence_model": "calibrated", "calibration": str(tmp_path / "map")}}

    def confidence(config: Config) -> float:
        model = capable("It is 4.\n[1]", [("calculator", {"expression": "2 + 2"})])
        assessment = build(model, config=config).execute("What is 2 and 2?").assessment
        assert assessment and assessment.evaluation and assessment.evaluation.confidence is not None
        return assessment.evaluation.confidence

    mapped = confidence(Config.model_validate({"reasoning_engine": policy}))
    assert mapped == pytest.approx(confidence(Config()) / 2, abs=1e-6)


def test_reading_needs_nothing_that_fitting_does() -> None:
    """Neither a run nor the command line loads scikit-learn."""
    code = "import sys, aeon.assembly, aeon.cli.main, aeon.cli.metrics; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
