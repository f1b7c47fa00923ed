"""What the rows of a bench come to: figures of each system, in each family and in all, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    thought = _of_thought(rows)
    groups = [(family, {family}) for family in families]
    groups += [(ALL, {*families})] if len(families) > 1 else []
    made = (_figures(name, system, _of(rows, system, group), thought) for name, group in groups for system in systems)
    return [one for one in made if one.answers or one.errors]


def _of_thought(rows: Sequence[Row]) -> dict[tuple[str, int], bool | None]:
    """Whether chain of thought was right, by family and number."""
    return {(row.family, row.number): row.right for row in rows if row.system == THOUGHT and not row.error}


def _of(rows: Sequence[Row], system: str, families: set[str]) -> list[Row]:
    return [row for row in rows if row.system == system and row.family in families]


def _figures(family: str, system: str, own: Sequence[Row], thought: Mapping[tuple[str, int], bool | None]) -> Figures:
    rows = [row for row in own if not row.error]
    judged = [row for row in rows if row.right is not None]
    beside = (_Pair(row, thought.get((row.family, row.number))) for row in judged if system != THOUGHT)
    return Figures.model_validate({
        "family": family, "system": system, "answers": len(rows), "errors": len(own) - len(rows),
        **_accuracy(judged), **_metrics(rows), **_votes(judged), "to_thought": _difference(beside),
    })  # fmt: skip


def _accuracy(judged: Sequence[Row]) -> dict[str, object]:
    """How many are right, with the interval."""
    right = sum(row.right is True for row in judged)
    low, high = wilson(right, len(judged))
    return {"right": right, "judged": len(judged), "low": low, "high": high}


def _metrics(rows: Sequence[Row]) -> dict[str, object]:
    """The five metrics, and what the answers cost."""
    covered = [(row.coverage, row.tokens) for row in rows if row.coverage is not None]
    coverage = sum(share for share, _ in covered)
    return {
        "coverage": _share(coverage, len(covered)),
        "efficiency": _share(1_000 * coverage, sum(tokens for _, tokens in covered)),
        "decomposition": _share(sum(row.split for row in rows), sum(row.nodes for row in rows)),
        "agreement": _share(sum(row.approved for row in rows), sum(row.reviewed for row in rows)),
        **_costs(rows),
    }


def _costs(rows: Sequence[Row]) -> dict[str, object]:
    return {
        "seconds": _mean([row.seconds for row in rows]),
        "calls": _mean([row.calls for row in rows]),
        "prompt": _mean([row.prompt for row in rows]),
        "generated": _mean([row.generated for row in rows]),
        "asked": sum(row.asked for row in rows),
    }


def _votes(judged: Sequence[Row]) -> dict[str, object]:
    """Self-consistency at the tokens of these rows."""
    pairs = [(row, row.consistency) for row in judged if row.consistency is not None]
    return {
        "consistency_right": sum(vote.right is True for _, vote in pairs) if pairs else None,
        "samples": _mean([vote.samples for _, vote in pairs]) if pairs else None,
        "short": sum(vote.short for _, vote in pairs),
        "to_consistency": _difference(_Pair(row, vote.right) for row, vote in pairs),
    }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def _difference(pairs: Iterable[_Pair]) -> Difference | None:
    """How many more are right than beside them; ``None`` where nothing is."""
    differences = [float(pair.row.right is True) - float(pair.other) for pair in pairs if pair.other is not None]
    if not differences:
        return None
    mean, low, high = paired(differences, _RESAMPLES)
    return Difference(pairs=len(differences), mean=mean, low=low, high=high)
