"""Where and when a benchmark ran, and spread of what it measured."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Spread", "kept", "machine", "ratios", "said"]


class Spread(NamedTuple):
    """The median of repeated measurements, their quartiles, the least and the most."""

    median: float
    low: float
    high: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        low, _, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
        return cls(statistics.median(values), low, high, min(values), max(values))


def ratios(values: Sequence[float], base: Sequence[float]) -> Spread:
    """The spread of each value over the one of the same round, which met the same conditions."""
    return Spread.of([value / other for value, other in zip(values, base, strict=True)])


def machine() -> dict[str, str | float]:
    """The machine, the interpreter, the day, and how many processes were running over the last minute."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def said(found: dict[str, str | float]) -> str:
    """The machine in one line."""
    return "{cpu}, {cores} cores, {system}, Python {python}, load {load} before, {date}".format(**found)


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def kept(found: object, out: Path | None) -> None:
    """Print what was found as JSON, and put it into a file if one is named."""
    text = json.dumps(found, indent=2)
    print(text)
    if out:
        out.write_text(text + "\n")
