"""The figures of answers to questions over documents, with bootstrap intervals over the questions."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from figures import wilson
from research_data import Question
from research_scoring import cited_right, exact, f1

__all__ = ["Row", "judged", "table", "wrong"]

Row = dict[str, Any]
RESAMPLES = 2_000


def judged(row: Row, question: Question) -> Row:
    """What an answer is worth. Of a question whose documents were taken away, only a refusal is right."""
    answer, gold = row["answer"], question.supporting
    in_gold, cited, gold_cited, of = cited_right([one[0] for one in row["cited"]], gold)
    return {
        "right": bool(answer) and exact(answer, question.answers),
        "f1": f1(answer, question.answers) if answer else 0.0,
        "refused": not answer, "found": len({*gold} & {*row["read"]}), "supporting": of, "cited_gold": in_gold,
        "cited_all": cited, "gold_cited": gold_cited,
    }  # fmt: skip


def table(rows: Sequence[Row], sets: Sequence[str], systems: Sequence[str]) -> None:
    """Print a line for each set and system, then the differences to the first system, then the refusals."""
    print(f"\n{'set':9}{'system':13}{'n':>3}  {'exact':18}{'F1':20}{'documents':>10}  {'cited right':>14}"
          f"{'gold cited':>14}{'refused':>8}{'calls':>6}{'prompt':>7}{'gen':>5}{'s':>6}{'90 %':>6}")  # fmt: skip
    for name in sets:
        for system in systems:
            own = _of(rows, name, system, "whole")
            if own:
                print(f"{name:9}{system:13}{_line(own)}")
    for name in sets:
        for system in systems[1:]:
            _difference(rows, name, systems[0], system)
    print("\nsupporting documents taken away: refused")
    for name in sets:
        for system in systems:
            own = _of(rows, name, system, "taken")
            if own:
                print(f"{name:9}{system:13}{_share(sum(row['refused'] for row in own), len(own))}")


def _of(rows: Sequence[Row], name: str, system: str, variant: str) -> list[Row]:
    key = (name, system, variant)
    return [row for row in rows if (row["set"], row["system"], row["variant"]) == key]


def _line(rows: Sequence[Row]) -> str:
    answered = [row for row in rows if not row["refused"]]
    found, supporting = _sum(rows, "found"), _sum(rows, "supporting")
    precision = f"{_sum(answered, 'cited_gold')}/{_sum(answered, 'cited_all')}"
    recall = f"{_sum(answered, 'gold_cited')}/{_sum(answered, 'supporting')}"
    low, high = interval(rows, lambda some: statistics.mean(row["f1"] for row in some))
    mean = f"{statistics.mean(row['f1'] for row in rows):.3f} [{low:.2f},{high:.2f}]"
    seconds = sorted(row["seconds"] for row in rows)
    costs = "".join(f"{statistics.mean(row[what] for row in rows):{width}.{digits}f}"
                    for what, width, digits in (("calls", 6, 1), ("prompt", 7, 0), ("generated", 5, 0)))  # fmt: skip
    return (f"{len(rows):3}  {_share(_sum(rows, 'right'), len(rows)):18}{mean:20}{f'{found}/{supporting}':>10}  "
            f"{precision:>14}{recall:>14}{_sum(rows, 'refused'):8}{costs}{statistics.median(seconds):6.1f}"
            f"{seconds[min(len(seconds) - 1, round(0.9 * len(seconds)))]:6.1f}")  # fmt: skip


def _difference(rows: Sequence[Row], name: str, first: str, system: str) -> None:
    one, other = ({row["id"]: row["f1"] for row in _of(rows, name, which, "whole")} for which in (first, system))
    pairs = [other[key] - one[key] for key in one if key in other]
    if pairs:
        low, high = interval(pairs, statistics.mean)
        print(f"{name:9}{system} - {first}: F1 {statistics.mean(pairs):+.3f} [{low:+.2f},{high:+.2f}] on {len(pairs)}")


def _sum(rows: Sequence[Row], what: str) -> int:
    return sum(row[what] for row in rows)


def _share(right: int, of: int) -> str:
    low, high = wilson(right, of)
    return f"{right}/{of} [{low:.2f},{high:.2f}]"


def interval(cases: Sequence[Any], of: Callable[[Sequence[Any]], float]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of a figure over the cases."""
    chance = random.Random(0)
    found = sorted(of(chance.choices(cases, k=len(cases))) for _ in range(RESAMPLES))
    return found[round(0.025 * RESAMPLES)], found[round(0.975 * RESAMPLES) - 1]


def wrong(rows: Sequence[Row], system: str) -> None:
    """Print what the system answered wrongly, with what it read and said on the way."""
    for row in rows:
        if row["system"] == system and (row["f1"] < 1) == (row["variant"] == "whole"):
            print(f"\n{row['set']} {row['variant']} {row['question']}")
            print(f"  expected {row['expected']} said {row['answer']!r}")
            print("  " + "\n  ".join([*row["notes"], *row["replies"]]))
