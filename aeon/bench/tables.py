"""The figures of a bench as tables, and what they show in a sentence for each system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aeon.bench.rows import Row
from aeon.bench.summary import ALL, Difference, Figures
from aeon.bench.systems import THOUGHT

__all__ = ["answered", "lines"]

_COSTS = (
    "family", "system", "right", "accuracy [95 %]", "coverage", "per 1,000", "split", "approved", "calls", "read",
    "generated", "s",
)  # fmt: skip
_BESIDE = ("family", "system", "right", "same tokens", "samples", "more than that [95 %]", "more than thought [95 %]")
_LONGEST = 60


def answered(row: Row) -> str:
    """A row in a line, as it comes."""
    verdict = {True: "right", False: "wrong", None: "-"}[row.right]
    said = f"error: {row.error}" if row.error else f"{verdict:5}  {'asks: ' if row.asked else ''}{row.answer}"
    cost = f"{row.calls:3} calls {row.tokens:6} tokens {row.seconds:6.1f} s"
    return f"{row.family}-{row.number:02}  {row.system:12} {cost}  {' '.join(said.split())[:_LONGEST]}"


def lines(figures: Sequence[Figures]) -> Iterator[str]:
    """All that there is to say of these figures."""
    yield from _table(_COSTS, map(_costs, figures))
    yield ""
    yield "coverage: of the keywords; per 1,000: coverage for so many tokens; split: of the nodes;"
    yield "approved: of the answers that a peer reviewed"
    yield ""
    compared = [one for one in figures if one.system != THOUGHT]
    yield from _table(_BESIDE, map(_beside, compared))
    yield ""
    yield f"same tokens: right by self-consistency at the tokens of the system; {THOUGHT}: chain of thought"
    whole = [one for one in compared if one.family == ALL] or compared
    yield from (f"{_where(one)}{one.system} {_sentence(one)}" for one in whole if one.to_consistency)


def _where(one: Figures) -> str:
    return "" if one.family == ALL else f"{one.family}: "


def _sentence(one: Figures) -> str:
    """What is shown of a system beside self-consistency at its tokens."""
    assert one.to_consistency is not None
    words = {
        "better": "beats self-consistency at equal tokens",
        "worse": "is worse than self-consistency at equal tokens",
        "not shown": "is not shown to beat self-consistency at equal tokens",
    }[one.to_consistency.shown]
    short = f"; on {one.short} questions the most samples there are took fewer tokens" if one.short else ""
    return f"{words} (on {one.to_consistency.pairs} questions{short})"


def _costs(one: Figures) -> tuple[str, ...]:
    accuracy = f"{one.right / one.judged:4.0%} [{one.low:4.0%}, {one.high:4.0%}]" if one.judged else "-"
    errors = f" ({one.errors} failed)" if one.errors else ""
    return (
        one.family, one.system, f"{one.right} of {one.judged}{errors}", accuracy, _share(one.coverage),
        "-" if one.efficiency is None else f"{one.efficiency:.2f}", _share(one.decomposition), _share(one.agreement),
        f"{one.calls:.1f}", f"{one.prompt:,.0f}", f"{one.generated:,.0f}", f"{one.seconds:.1f}",
    )  # fmt: skip


def _beside(one: Figures) -> tuple[str, ...]:
    voted = "-" if one.consistency_right is None else f"{one.consistency_right}"
    samples = "-" if one.samples is None else f"{one.samples:.1f}"
    right = f"{one.right} of {one.judged}"
    return one.family, one.system, right, voted, samples, _difference(one.to_consistency), _difference(one.to_thought)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _difference(one: Difference | None) -> str:
    return "-" if one is None else f"{one.mean:+5.0%} [{one.low:+5.0%}, {one.high:+5.0%}]"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The columns, each as wide as it has to be; the first two to the left."""
    table = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (f"{cell:{'<' if place < 2 else '>'}{widths[place]}}" for place, cell in enumerate(row))
        yield "  ".join(cells).rstrip()
