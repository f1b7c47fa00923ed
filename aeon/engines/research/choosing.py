"""Which passages are worth reading for a question, and whether what was read is about it at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from aeon.documents.fusion import fused
from aeon.engines.research.common import stems
from aeon.engines.research.effects import Numbered
from aeon.engines.research.phrases import names
from aeon.engines.research.values import Finding
from aeon.schema import Passage

__all__ = ["best", "holds_names", "is_about", "is_found_about", "own", "place_of"]

_LEAST_NAMES, _ENOUGH = 0.3, 2.0
"""Share of a query's names that a passage holds which is read, and how many are enough."""
_LONGEST = 600
"""Characters of a question that are searched for."""
_FIRST = 5
"""Passages of a query itself that are read before any that other words for it find."""
_PARENTHESES = re.compile(r"\([^)]*\)")


def is_found_about(finding: Finding, shown: Sequence[Numbered]) -> bool:
    """Whether the sources that an answer was read in hold half of the names of its question."""
    numbers = {one.number for one in finding.evidence}
    return is_about(finding.question, [one for one in shown if one.number in numbers])


def holds_names(query: str, title: str, passage: Passage) -> bool:
    """Whether a passage, with its title, holds some names of a query: at least one of three, or two."""
    asked = names(query)
    return len(asked & stems(f"{title} {passage.text}")) >= min(_ENOUGH, _LEAST_NAMES * len(asked))


def is_about(question: str, shown: Iterable[Numbered]) -> bool:
    """Whether these passages hold half of the names of a question."""
    asked = names(question)
    return 2 * len(asked & _stems(shown)) >= len(asked)


def own(query: str, shown: Sequence[Numbered], most: int, apart: Collection[str] = ()) -> list[Numbered]:
    """The passages to read for a query as it stands, best first: the first that it finds, then what all queries find.

    Behind the first five the rankings of all queries are fused, without those to be kept ``apart``, which come last: a
    name finds what is about it, not what is asked.
    """
    rankings: dict[str, list[tuple[int, int]]] = {}
    for one in shown:
        if one.query not in apart:
            rankings.setdefault(one.query.casefold(), []).append(place_of(one))
    first = rankings.get(query[:_LONGEST].casefold(), [])[:_FIRST]
    every = {place_of(one): one for one in _ranked(query, shown)}
    order = [*first, *(place for place, _ in fused([*rankings.values()])), *every]
    return [every[place] for place in dict.fromkeys(order)][:most]


def best(query: str, shown: Sequence[Numbered], most: int) -> list[Numbered]:
    """The passages to read for a query, best first: those that were found for it, then those of other queries.

    They hold some of its names, at least one of three or two. A source whose title stands in the query comes first, and
    beside each of these one passage less of the others is worth reading.
    """
    hits = [one for one in _ranked(query, shown) if holds_names(query, one.title, one.passage)]
    plain = f" {_plain(query)} "
    titled = [one for one in hits if f" {_plain(_PARENTHESES.sub('', one.title))} " in plain]
    others = [one for one in hits if one not in titled]
    return [*titled[:most], *others[: max(1, most - 2 * len(titled))]]


def _ranked(query: str, shown: Sequence[Numbered]) -> list[Numbered]:
    """The passages that were found for a query, then the best of each other query, then the second best."""
    found = [one for one in shown if one.query.casefold() == query[:_LONGEST].casefold()]
    ranks: Counter[str] = Counter()
    others: list[tuple[int, Numbered]] = []
    for one in shown:
        ranks[one.query] += 1
        others.append((ranks[one.query], one))
    rest = [one for _, one in sorted(others, key=lambda pair: pair[0])]
    return list({place_of(one): one for one in [*found, *rest]}.values())


def place_of(one: Numbered) -> tuple[int, int]:
    """What tells a passage from others: its source, and where it begins in it."""
    return one.number, one.passage.start


def _stems(shown: Iterable[Numbered]) -> frozenset[str]:
    return stems(" ".join(f"{one.title} {one.passage.text}" for one in shown))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
