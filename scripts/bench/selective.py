#!/usr/bin/env python
"""What the verdicts of everyday runs are worth: of those that converge, how many are right; and how many converge.

    python scripts/bench/everyday.py --half closing --systems aeon --out everyday.jsonl
    python scripts/bench/selective.py everyday.jsonl

Only questions with exact answers count, and those that no file answers; an answer in a free form has no verdict to be
held against. Brackets hold 95 % intervals (Wilson 1927). The area under the risk-coverage curve (Geifman et al., 2019)
orders the runs by whether they converged, then by the probability that they came with; lower is better. The expected
calibration error compares the mean probability with the share right, in groups of one probability, weighted by runs.
With ``--counts`` it prints how often answers were right by how they came about, as ``experience.json`` has it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from figures import wilson

__all__ = ["area", "counts", "error", "main", "told"]

Row = dict[str, Any]
_DONE = ("converged", "confident")


def area(rows: Sequence[Row]) -> float:
    """The mean risk over all coverages, the surest runs first; of equally sure ones each has their mean risk."""
    groups: defaultdict[tuple[bool, float], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["stop"] in _DONE, row["probability"] or 0.0].append(row)
    wrong, seen, risks = 0.0, 0, 0.0
    for key in sorted(groups, reverse=True):
        share = sum(not row["right"] for row in groups[key]) / len(groups[key])
        for _ in groups[key]:
            wrong, seen = wrong + share, seen + 1
            risks += wrong / seen
    return risks / len(rows)


def error(rows: Iterable[Row]) -> tuple[float, int]:
    """The expected calibration error, and of how many runs that came with a probability."""
    groups: defaultdict[float, list[bool]] = defaultdict(list)
    for row in rows:
        if row["probability"] is not None:
            groups[row["probability"]].append(row["right"])
    runs = sum(map(len, groups.values()))
    apart = sum(abs(said * len(rights) - sum(rights)) for said, rights in groups.items())
    return (apart / runs if runs else 0.0), runs


def counts(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How often answers were right, by how they came about."""
    found: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"right": 0, "runs": 0})
    for row in rows:
        if row["stop"] != "not_stated":
            found[row["made"]]["right"] += row["right"]
            found[row["made"]]["runs"] += 1
    return dict(sorted(found.items()))


def _line(name: str, rows: Sequence[Row]) -> str:
    done = [row for row in rows if row["stop"] in _DONE]
    right = sum(row["right"] for row in done)
    low, high = wilson(right, len(done))
    share = f"{right:3} of {len(done):3} {right / len(done):6.1%} [{low:4.0%},{high:5.0%}]" if done else f"{'none':>28}"
    answered = sum(row["right"] for row in rows)
    return f"{name:9} {share}   {len(done):3} of {len(rows):3} {len(done) / len(rows):5.0%}   {answered:3}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="what everyday.py wrote")
    parser.add_argument("--counts", action="store_true", help="print how answers came about, as JSON")
    options = parser.parse_args(arguments)
    every = [json.loads(line) for path in options.files for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in every if row["system"] == "aeon" and row["kind"] != "open"]
    if not rows:
        parser.error("no run of Aeon with an exact answer is in these files")
    if options.counts:
        print(json.dumps({rows[0]["model"]: {"kinds": counts(rows)}}, indent=2))
    else:
        told(rows)
    return 0


def told(rows: Sequence[Row]) -> None:
    """Print a line for each kind, the endings, and the two figures over all."""
    print("kind      right of those that converge   converge        right in all")
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(_line(kind, [row for row in rows if row["kind"] == kind]))
    print(_line("all", rows))
    ends: defaultdict[str, list[bool]] = defaultdict(list)
    for row in rows:
        ends[row["stop"]].append(row["right"])
    print("; ".join(f"{reason}: {sum(found)} of {len(found)} right" for reason, found in sorted(ends.items())))
    apart, runs = error(rows)
    print(f"area under the risk-coverage curve {area(rows):.3f}; calibration error {apart:.3f} over {runs} runs")


if __name__ == "__main__":
    sys.exit(main())
