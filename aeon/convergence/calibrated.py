"""What runs with known outcomes say, from a file: how a confidence is to be read, and how often answers were right."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from aeon.convergence.experience import Experience, Seen
from aeon.errors import ConfigError, InputFileError
from aeon.home import data_dir
from aeon.schema import Frozen, StateMonitor
from aeon.settings.files import content

__all__ = ["ConfidenceMap", "calibrated", "experience", "home_of"]


class ConfidenceMap(Frozen):
    """What recorded runs with known outcomes say of the confidence, and of answers by how they came about.

    A monotone map: between two ``points`` (confidence, share of right answers) it is linear; without points, a
    confidence is read as it is. ``runs`` is how many recorded runs it was fitted on. ``kinds`` are counts of runs by
    `aeon.convergence.experience.kind_of`. ``model`` is the one that made them, if it was only one.
    """

    format: Literal["aeon-calibration"] = "aeon-calibration"
    version: Literal[1] = 1
    runs: int = Field(ge=1)
    points: tuple[tuple[float, float], ...] = ()
    kinds: Mapping[str, Seen] = {}
    model: str = ""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        within = all(0 <= value <= 1 for point in self.points for value in point)
        pairs = list(pairwise(self.points))
        if not within or any(a[0] >= b[0] or a[1] > b[1] for a, b in pairs):
            raise ValueError("points must rise from left to right, within 0 and 1")
        if not self.points and not self.kinds:
            raise ValueError("it must hold points, or counts of kinds")
        return self

    def read(self, confidence: float) -> float:
        """The confidence (0-1) that a weighted mean of ``confidence`` (0-1) stands for."""
        if not self.points:
            return confidence
        at = bisect_right([x for x, _ in self.points], confidence)
        if at in (0, len(self.points)):
            return self.points[min(at, len(self.points) - 1)][1]
        (x0, y0), (x1, y1) = self.points[at - 1], self.points[at]
        return round(y0 + (y1 - y0) * (confidence - x0) / (x1 - x0), 6)


def calibrated(monitor: StateMonitor) -> Callable[[float], float]:
    """The map that the policy asks for: the one of its calibration file, or none.

    Raises:
        ConfigError: a calibrated confidence is asked for without a calibration.
        InputFileError: the calibration cannot be read or is none.
    """
    known = _read(monitor)
    return known.read if known is not None else lambda confidence: confidence


def experience(monitor: StateMonitor, model: str) -> Experience:
    """How often answers of the model were right: by the calibration file of the policy, else by the user's own counts.

    Raises:
        ConfigError, InputFileError: as for `calibrated`; also where the user's own counts cannot be read.
    """
    known = _read(monitor)
    return Experience(kinds=known.kinds if known is not None and known.kinds else _own(model))


def home_of(model: str) -> Path:
    """Where a user's own counts of a model lie, if there are any."""
    return data_dir() / "calibrations" / f"{hashlib.sha256(model.encode()).hexdigest()[:24]}.json"


def _own(model: str) -> Mapping[str, Seen]:
    """The counts of the user's own runs of the model; none where nothing was counted, or nobody knows which it is."""
    path = home_of(model)
    return _parsed(str(path)).kinds if model and path.exists() else {}


def _read(monitor: StateMonitor) -> ConfidenceMap | None:
    """The calibration file, if the policy uses one."""
    if monitor.confidence_model == "weighted_average":
        return None
    if not monitor.calibration:
        raise ConfigError(
            "reasoning_engine.state_monitor.calibration: names no file; make one with: aeon calibrate RUNS --labels F"
        )
    return _parsed(monitor.calibration)


def _parsed(path: str) -> ConfidenceMap:
    try:
        return ConfidenceMap.model_validate_json(content(path))
    except ValidationError:
        raise InputFileError(f"{path}: is no calibration; make one with: aeon calibrate") from None
