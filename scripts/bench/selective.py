"""What the verdicts of everyday runs are worth: of those that converge, how many are right; and how many converge.

    python scripts/bench/everyday.py --half closing --systems aeon --out everyday.jsonl
    python scripts/bench/everyday.py --half closing --systems thought,consistency --like everyday.jsonl --out more.jsonl
    python scripts/bench/selective.py everyday.jsonl more.jsonl [--kinds word] [--picture docs/risk-coverage.svg]

Only questions with exact answers count, and those that no file answers; an answer in a free form has no verdict to be
held against. Brackets hold 95 % intervals: of shares Wilson's (1927), of areas and differences the percentiles of a
seeded bootstrap over the questions. The area under the risk-coverage curve (Geifman et al., 2019) orders the runs by
whether they converged, then by the probability that they came with; lower is better. The expected calibration error
compares the mean probability with the share right, in groups of one probability, weighted by runs.

Where the files hold other systems that say how sure they are, a table puts them beside Aeon, on the questions that all
of them have answered: how many are right, how many of the surest as many as Aeon converges on, the area, and the
calibration error, debiased: the root mean square over bins of equal size, less what chance adds (Kumar et al., 2019);
in brackets what a perfectly calibrated system would show on so few questions; the median of the tokens, read and
generated. Aeon stands there a second time with the
weighted confidence of its assessment in the place of verdict and probability. ``--picture`` draws the curves.
With ``--counts`` it prints how often answers were right by how they came about, as ``experience.json`` has it. With
``--experience FILE`` the probabilities, and what follows from them, are those of other counts than the runs had.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from curve import Line, picture
from figures import paired, wilson
from judging import debiased_error, perfect

from aeon.convergence.experience import Experience
from aeon.kernel.table import UNCERTAIN
from aeon.schema import ConvergenceThresholds

__all__ = [
    "Ranked",
    "area",
    "calibration",
    "compared",
    "counts",
    "drawn",
    "error",
    "judged_by",
    "main",
    "ranked",
    "risks",
    "told",
]

Row = dict[str, Any]
Sure = tuple[bool, float]
Question = tuple[object, object, object]
_DONE = ("converged", "confident")
_RESAMPLES = 1_000
_LEAST_RUNS = 10


def verdict(row: Row) -> Sure:
    """How sure a run is: whether it converged, then its probability."""
    return row["stop"] in _DONE, row["probability"] or 0.0


def risks(rows: Sequence[Row], sure: Callable[[Row], Sure] = verdict) -> list[float]:
    """The share that is wrong (0-1) among the first, two, three … runs, the surest first.

    Of equally sure ones each has their mean risk.
    """
    groups: defaultdict[Sure, list[Row]] = defaultdict(list)
    for row in rows:
        groups[sure(row)].append(row)
    wrong, found = 0.0, list[float]()
    for key in sorted(groups, reverse=True):
        share = sum(not row["right"] for row in groups[key]) / len(groups[key])
        for _ in groups[key]:
            wrong += share
            found.append(wrong / (len(found) + 1))
    return found


def area(rows: Sequence[Row], sure: Callable[[Row], Sure] = verdict) -> float:
    """The mean risk over all coverages: the area under the risk-coverage curve."""
    return sum(risks(rows, sure)) / len(rows)


def error(rows: Iterable[Row]) -> tuple[float, int]:
    """The expected calibration error, and of how many runs that came with a probability."""
    groups: defaultdict[float, list[bool]] = defaultdict(list)
    for row in rows:
        if row["probability"] is not None:
            groups[row["probability"]].append(row["right"])
    runs = sum(map(len, groups.values()))
    apart = sum(abs(said * len(rights) - sum(rights)) for said, rights in groups.items())
    return (apart / runs if runs else 0.0), runs


@dataclass(frozen=True)
class Ranked:
    """A system's runs, each of another question, in the order of the questions, and what they say of how sure they are.

    ``field`` of a row holds the probability; ``stands`` says whether the system has a verdict beside it.
    """

    name: str
    rows: Sequence[Row]
    field: str = "probability"
    stands: bool = False

    def sure(self, row: Row) -> Sure:
        """How sure a run is; one that says nothing is the least sure."""
        said = row.get(self.field)
        return verdict(row) if self.stands else (said is not None, said or 0.0)

    def pairs(self) -> list[tuple[float, bool]]:
        """The probability of each run that has one, and whether it is right."""
        return [(row[self.field], row["right"]) for row in self.rows if row.get(self.field) is not None]


def counts(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How often answers were right, by how they came about."""
    found: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"right": 0, "runs": 0})
    for row in rows:
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


def ranked(every: Sequence[Row]) -> list[Ranked]:
    """Aeon by its verdict and by its weighted confidence, and the others, on the questions that all have answered.

    Of several answers of a system to a question the last one counts; a system that never says how sure it is has none.
    """
    names = dict.fromkeys(row["system"] for row in every if row["system"] == "aeon" or row["probability"] is not None)
    by: dict[str, dict[Question, Row]] = {name: {} for name in names}
    for row in every:
        by.get(row["system"], {})[row["model"], row.get("seed"), row.get("id")] = row
    rows = _on_shared(by)
    aeon = rows.pop("aeon", [])
    if not aeon:
        return []
    weighted = [Ranked("aeon, weighted confidence", aeon, "confidence")]
    has_confidence = any(row.get("confidence") is not None for row in aeon)
    others = [Ranked(name, own) for name, own in rows.items()]
    return [Ranked("aeon", aeon, stands=True), *(weighted if has_confidence else []), *others]


def _on_shared(by: Mapping[str, Mapping[Question, Row]]) -> dict[str, list[Row]]:
    """The rows of each system on the questions that all have answered, in one order."""
    shared = [key for key in next(iter(by.values()), {}) if all(key in rows for rows in by.values())]
    return {name: [own[key] for key in shared] for name, own in by.items()}


def _bootstrapped(count: int, of: Callable[[Sequence[int]], float]) -> tuple[float, float]:
    """The 95 % interval of a figure of questions, by the percentiles over samples of them."""
    chance = Random(0)
    found = sorted(of(chance.choices(range(count), k=count)) for _ in range(_RESAMPLES))
    return found[round(0.025 * _RESAMPLES)], found[round(0.975 * _RESAMPLES) - 1]


def _area_of(one: Ranked, chosen: Sequence[int]) -> float:
    return area([one.rows[index] for index in chosen], one.sure)


def compared(systems: Sequence[Ranked]) -> None:
    """Print a line for each system, and the differences of the others to the first one, question by question."""
    first, count = systems[0], len(systems[0].rows)
    done = sum(row["stop"] in _DONE for row in first.rows)
    print(f"\non {count} questions that all have answered; aeon converges on {done}")
    print(
        f"{'system':26} right        of the surest {done:3}   area [95 %]           calibration error, debiased  tokens"
    )
    for one in systems:
        print(f"{one.name:26} {_figures(one, done)}")
    for other in systems[1:]:
        low, high = _bootstrapped(count, lambda chosen, other=other: _area_of(first, chosen) - _area_of(other, chosen))
        apart = area(first.rows, first.sure) - area(other.rows, other.sure)
        told = f"area {apart:+.3f} [{low:+.3f}, {high:+.3f}]"
        if other.rows is not first.rows:
            mean, low, high = paired([
                float(a["right"]) - b["right"] for a, b in zip(first.rows, other.rows, strict=True)
            ])  # fmt: skip
            told += f", right {mean:+.1%} [{low:+.1%}, {high:+.1%}]"
        print(f"{first.name} - {other.name}: {told}")


def _figures(one: Ranked, done: int) -> str:
    count, found = len(one.rows), risks(one.rows, one.sure)
    low, high = _bootstrapped(count, lambda chosen: _area_of(one, chosen))
    right = sum(row["right"] for row in one.rows)
    surest = f"{1 - found[done - 1]:6.1%}" if done else f"{'-':>6}"
    under = f"{sum(found) / count:.3f} [{low:.3f}, {high:.3f}]"
    tokens = statistics.median(row.get("prompt", 0) + row.get("generated", 0) for row in one.rows)
    return f"{right:3} {right / count:6.1%}   {surest:>17}   {under}  {calibration(one.pairs()):27}  {tokens:6.0f}"


def calibration(pairs: Sequence[tuple[float, bool]]) -> str:
    """The debiased calibration error, and in brackets that of a perfect one on as many; of how many runs."""
    if len(pairs) < _LEAST_RUNS:
        return "-"
    return f"{debiased_error(pairs):.3f} [{perfect(pairs, debiased_error):.3f}] of {len(pairs)}"


NAMES: Mapping[str, str] = {
    "aeon": "Aeon: verdict and probability", "aeon, weighted confidence": "Aeon: weighted confidence",
    "thought": "chain of thought: its probability", "thought-texts": "chain of thought, with passages",
    "consistency": "self-consistency: share of votes", "consistency-texts": "self-consistency, with passages",
}  # fmt: skip


def drawn(systems: Sequence[Ranked]) -> str:
    """The curves as a picture; the point on Aeon's is where it stops to converge."""
    lines = [
        Line(
            NAMES.get(one.name, one.name), risks(one.rows, one.sure), f"area {area(one.rows, one.sure):.3f}",
            sum(row["stop"] in _DONE for row in one.rows) if one.stands else 0,
        )
        for one in systems
    ]  # fmt: skip
    return picture(lines, f"Risk and coverage on {len(systems[0].rows)} questions with exact answers")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="what everyday.py wrote")
    parser.add_argument("--kinds", default="", help="only questions of these kinds, separated by commas")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw the risk-coverage curves")
    parser.add_argument("--counts", action="store_true", help="print how answers came about, as JSON")
    parser.add_argument("--experience", type=Path, metavar="FILE.json", help="probabilities by these counts")
    options = parser.parse_args(arguments)
    every = _read(options.files, options.kinds)
    if options.experience:
        every = [judged_by(row, json.loads(options.experience.read_text(encoding="utf-8"))) for row in every]
    rows = [row for row in every if row["system"] == "aeon"]
    if not rows:
        parser.error("no run of Aeon with an exact answer is in these files")
    if options.counts:
        print(json.dumps({rows[0]["model"]: {"kinds": counts(rows)}}, indent=2))
        return 0
    told(rows)
    systems = ranked(every)
    if not systems:
        parser.error("there is no question that all systems of these files have answered")
    if len(systems) > 1:
        compared(systems)
    if options.picture:
        options.picture.write_text(drawn(systems), encoding="utf-8")
    return 0


def _read(files: Sequence[Path], kinds: str) -> list[Row]:
    """The rows of the files that are of these kinds, all but open ones where none is named."""
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = kinds.split(",") if kinds else [row["kind"] for row in rows]
    return [row for row in rows if row["kind"] in chosen and row["kind"] != "open"]


def judged_by(row: Row, experience: Mapping[str, Any]) -> Row:
    """A run of Aeon with the probability that these counts give, by model, and the ending that follows from it."""
    if row["system"] != "aeon" or row["model"] not in experience:
        return row
    made = row["made"].replace("reading", "refusal") if row["stop"] == "not_stated" else row["made"]
    seen = Experience.model_validate(experience[row["model"]]).of_kind(made)
    open_ = row["stop"] in (*_DONE, UNCERTAIN)
    stop = next(iter(seen.codes(ConvergenceThresholds().probability)), _DONE[0]) if open_ else row["stop"]
    return {**row, "made": made, "probability": seen.probability, "stop": stop}


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
    print(f"calibration error, debiased: {calibration(Ranked('aeon', rows).pairs())}")


if __name__ == "__main__":
    sys.exit(main())
