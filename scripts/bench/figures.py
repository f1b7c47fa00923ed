"""Figures of a benchmark: intervals of shares and of paired differences, and a table of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from aeon.bench.intervals import paired, wilson

__all__ = ["paired", "table", "wilson"]

Row = dict[str, Any]


def table(rows: Sequence[Row], groups: Iterable[tuple[str, frozenset[str]]], methods: Sequence[str]) -> None:
    """Print a line for each group of families and method, and below it the differences to the first method."""
    print(f"{'family':26} {'method':16} {'right':>9}  accuracy [95 %]       tokens  prompt  right/1,000   s")
    for name, families in groups:
        here = [row for row in rows if row["family"] in families]
        for method in methods:
            mine = [row for row in here if row["method"] == method]
            if mine:
                print(_line(name, method, mine))
        for other in methods[1:]:
            _difference(name, methods[0], other, here)


def _line(name: str, method: str, rows: Sequence[Row]) -> str:
    right, of = sum(row["right"] for row in rows), len(rows)
    low, high = wilson(right, of)
    generated, prompt = (sum(row[what] for row in rows) for what in ("generated", "prompt"))
    per = f"{right / generated * 1000:11.2f}" if generated else f"{'-':>11}"
    seconds = sum(row["seconds"] for row in rows) / of
    share = f"{right / of:5.1%} [{low:5.1%}, {high:6.1%}]"
    costs = f"{generated / of:6.0f}  {prompt / of:6.0f}  {per}  {seconds:5.1f}"
    return f"{name:26} {method:16} {right:3} of {of:3}  {share}  {costs}"


def _difference(name: str, method: str, other: str, rows: Sequence[Row]) -> None:
    by = {(row["family"], row["index"], row["method"]): row["right"] for row in rows}
    tasks = sorted({(row["family"], row["index"]) for row in rows})
    both = [task for task in tasks if {(*task, method), (*task, other)} <= by.keys()]
    pairs = [float(by[*task, method]) - by[*task, other] for task in both]
    if pairs:
        mean, low, high = paired(pairs)
        print(f"{name:26} {method} - {other}: {mean:+.1%} [{low:+.1%}, {high:+.1%}] on {len(pairs)} tasks")
