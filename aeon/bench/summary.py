"""What the rows of a bench come to: figures of each system, in each family and in all, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from aeon.bench.intervals import paired, wilson
from aeon.bench.rows import Row
from aeon.bench.systems import THOUGHT
from aeon.schema import Frozen

__all__ = ["ALL", "Difference", "Figures", "Shown", "summary"]

ALL = "all"
"""The name of all families together."""
_RESAMPLES = 2_000
_FEWEST = 5
"""Pairs below which no difference is shown, whatever the interval: a bootstrap of so few says too little."""
Shown = Literal["better", "worse", "not shown"]


class Difference(Frozen):
    """How many more (as a share of the ``pairs``) a system has right than another, with the 95 % interval."""

    pairs: int
    mean: float
    low: float
    high: float

    @property
    def shown(self) -> Shown:
        """What the interval shows."""
        if self.pairs < _FEWEST or self.low <= 0 <= self.high:
            return "not shown"
        return "better" if self.low > 0 else "worse"


class Figures(Frozen):
    """The figures of a system in a family. What was not measured, or what the system has not, is ``None``.

    ``right`` of ``judged`` answers, with the 95 % interval of their share. The metrics: ``coverage`` of the keywords,
    ``efficiency``: coverage for each 1,000 tokens, ``decomposition``: split nodes of all nodes, ``agreement``: approved
    answers of those reviewed, ``seconds`` to the answer. Calls and tokens are means.
    """

    family: str
    system: str
    answers: int
    errors: int
    right: int
    judged: int
    low: float
    high: float
    coverage: float | None
    efficiency: float | None
    decomposition: float | None
    agreement: float | None
    seconds: float
    calls: float
    prompt: float
    generated: float
    asked: int
    consistency_right: int | None
    samples: float | None
    short: int
    to_thought: Difference | None
    to_consistency: Difference | None


class _Pair(NamedTuple):
    row: Row
    other: bool | None


def summary(rows: Sequence[Row], families: Sequence[str], systems: Sequence[str]) -> list[Figures]:
    """The figures of each system in each of these families, and in all of them if there are several."""
    thought = {(row.family, row.number): row.right for row in rows if row.system == THOUGHT and not row.error}
    groups = [(family, {family}) for family in families]
    if len(families) > 1:
        groups.append((ALL, {*families}))
    mine = [
        (name, system, [row for row in rows if row.system == system and row.family in group])
        for name, group in groups
        for system in systems
    ]
    return [_figures(name, system, own, thought) for name, system, own in mine if own]


def _figures(family: str, system: str, own: Sequence[Row], thought: dict[tuple[str, int], bool | None]) -> Figures:
    rows = [row for row in own if not row.error]
    judged = [row for row in rows if row.right is not None]
    right = sum(row.right is True for row in judged)
    low, high = wilson(right, len(judged))
    votes = [row.consistency for row in rows if row.consistency is not None]
    covered = [row for row in rows if row.coverage is not None]
    coverage = sum(row.coverage or 0.0 for row in covered)
    return Figures(
        family=family, system=system, answers=len(rows), errors=len(own) - len(rows), right=right, judged=len(judged),
        low=low, high=high,
        coverage=_share(coverage, len(covered)),
        efficiency=_share(1_000 * coverage, sum(row.tokens for row in covered)),
        decomposition=_share(sum(row.split for row in rows), sum(row.nodes for row in rows)),
        agreement=_share(sum(row.approved for row in rows), sum(row.reviewed for row in rows)),
        seconds=_mean(rows, lambda row: row.seconds), calls=_mean(rows, lambda row: row.calls),
        prompt=_mean(rows, lambda row: row.prompt), generated=_mean(rows, lambda row: row.generated),
        asked=sum(row.asked for row in rows),
        consistency_right=sum(vote.right is True for vote in votes) if votes else None,
        samples=fmean(vote.samples for vote in votes) if votes else None,
        short=sum(vote.short for vote in votes),
        to_thought=None if system == THOUGHT else _difference(
            _Pair(row, thought.get((row.family, row.number))) for row in judged
        ),
        to_consistency=_difference(_Pair(row, row.consistency.right) for row in judged if row.consistency),
    )  # fmt: skip


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(rows: Sequence[Row], value: Callable[[Row], float]) -> float:
    return fmean(map(value, rows)) if rows else 0.0


def _difference(pairs: Iterable[_Pair]) -> Difference | None:
    """How many more are right than beside them; ``None`` where nothing is."""
    differences = [float(pair.row.right is True) - float(pair.other) for pair in pairs if pair.other is not None]
    if not differences:
        return None
    mean, low, high = paired(differences, _RESAMPLES)
    return Difference(pairs=len(differences), mean=mean, low=low, high=high)
