"""The figures of answers to questions over documents, with bootstrap intervals over the questions."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from figures import wilson
from research_data import Question
from research_scoring import broken, cited_right, f1, holds, invented, is_covered

__all__ = ["Row", "citations", "judged", "table", "wrong"]

Row = dict[str, Any]
RESAMPLES = 2_000


def judged(row: Row, question: Question, texts: Mapping[str, str]) -> Row:
    """What an answer is worth; ``texts`` are the documents of its set, by name.

    Of a question whose documents were taken away, only a refusal is right.
    """
    answer, gold, names = row["answer"], question.supporting, [one[0] for one in row["cited"]]
    in_gold, cited, gold_cited, of = cited_right(names, gold)
    not_there, ids = invented(names, row["read"], row.get("marks", ()), row.get("listed", ()))
    return {
        "right": bool(answer) and holds(answer, question.answers),
        "f1": f1(answer, question.answers) if answer else 0.0,
        "refused": not answer, "found": len({*gold} & {*row["read"]}), "supporting": of, "cited_gold": in_gold,
        "cited_all": cited, "gold_cited": gold_cited, "covered": is_covered(names, gold), "invented": not_there,
        "ids": ids, "broken": broken(row["cited"], texts), "checked": "support" in row.get("scores", {}),
    }  # fmt: skip


def table(rows: Sequence[Row], sets: Sequence[str], systems: Sequence[str]) -> None:
    """Print a line for each set and system, then the differences to the first system, then the refusals."""
    print(f"\n{'set':9}{'system':13}{'n':>3}  {'right':18}{'F1':20}{'documents':>10}  {'cited right':>14}"
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


def citations(rows: Sequence[Row], sets: Sequence[str], systems: Sequence[str]) -> None:
    """Print what the citations of each set and system are worth, and what its answers cost, with denominators.

    Citation recall, as `is_covered` says, is of the answers given, and so is how many of them a judge checked. Invented
    ids and broken spans are of all citations, also those of questions whose documents were taken away; they have to be
    0. Tokens are the mean of all questions, and then all tokens over the answers given: a refusal costs, too.
    """
    print(f"\n{'set':9}{'system':13}{'citation recall':20}{'checked':>9}{'invented':>10}{'broken':>8}"
          f"{'prompt, generated a question':>32}{'an answer':>22}")  # fmt: skip
    for name in sets:
        for system in systems:
            own, taken = (_of(rows, name, system, variant) for variant in ("whole", "taken"))
            if own or taken:
                print(f"{name:9}{system:13}{_cited(own, [*own, *taken])}")


def _cited(rows: Sequence[Row], every: Sequence[Row]) -> str:
    answered = [row for row in rows if not row["refused"]]
    covered = _share(_sum(answered, "covered"), len(answered)) if answered else "no answer"
    checked = f"{_sum(answered, 'checked')}/{len(answered)}"
    ids, spans = (
        f"{_sum(every, wrong)}/{_sum(every, of)}" for wrong, of in (("invented", "ids"), ("broken", "cited_all"))
    )
    return (
        f"{covered:20}{checked:>9}{ids:>10}{spans:>8}{_tokens(rows, len(rows)):>32}{_tokens(rows, len(answered)):>22}"
    )


def _tokens(rows: Sequence[Row], of: int) -> str:
    """The prompt and generated tokens of the rows, over a number of questions or answers."""
    if not of:
        return "no answer"
    return f"{_sum(rows, 'prompt') / of:,.0f}, {_sum(rows, 'generated') / of:,.0f} of {of}"


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
