"""The searches of a research run, and what of it is shown in the next prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Numbered
from aeon.engines.research.errands import Errands, folded
from aeon.engines.research.rules import ResearchSignals
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Query
from aeon.schema.effects import Program

__all__ = ["Searches", "distinct"]

_KEPT = 2
"""Sources that are kept for each later round."""


@dataclass(slots=True)
class Searches(Errands[ResearchConfig, ResearchSignals]):
    """What research searched for, and the sources that it found.

    ``shown`` is what the latest round found, whether or not it was known before, with its rank in its search.
    """

    sources: Sources = field(default_factory=lambda: Sources(most=1))
    shown: list[tuple[int, Numbered]] = field(default_factory=list)

    @property
    def known(self) -> tuple[str, ...]:
        """The hashes of texts that are kept with the sources."""
        return self.sources.texts

    @property
    def left(self) -> int:
        """How many queries may still be asked."""
        return max(0, self.run.signals.most_queries - len(self.asked))

    def fresh(self, queries: Sequence[Query]) -> tuple[Query, ...]:
        """Those of the queries that were not asked, each once, as many as the limits leave."""
        return tuple(query for query in distinct(queries) if folded(query.text) not in self.asked)[: self.left]

    def round(self, queries: Sequence[Query]) -> Program[None]:
        """Search for all queries of a round."""
        self.shown.clear()
        yield from self.search(queries)

    def take(self) -> None:
        """Take in what a batch found, the best of each query first: of many sources some find no room in this round."""
        found = tuple(self.found)
        self.found.clear()
        self.sources = self.sources.added(found, self._room())
        self.shown += (
            (rank, Numbered(number=entry.number, passage=one, query=query, title=entry.document.title))
            for query, one_found in found
            for rank, (entry, one) in enumerate(self.sources.numbered(one_found))
        )

    def _room(self) -> int:
        """How many sources there may be after this round: up to a third is kept for what later rounds find."""
        signals, most = self.run.signals, self.sources.most
        later = min(self.left, max(0, signals.most_rounds - signals.rounds - 1))
        return max(len(self.sources.entries), most - min(most // 3, _KEPT * later))

    def best(self, most: int) -> tuple[Numbered, ...]:
        """At most so many passages of the latest round, equally many of each query, whoever found them; best first."""
        ranked = [one for _, one in sorted(self.shown, key=lambda pair: pair[0])]
        share = max(1, most // max(1, len({one.query for one in ranked})))
        counts: Counter[str] = Counter()
        chosen: list[Numbered] = []
        for one in ranked:
            counts[one.query] += 1
            if counts[one.query] <= share:
                chosen.append(one)
        return tuple(chosen[:most])

    def poor(self, few: int) -> tuple[Query, ...]:
        """The queries that found too little, though somebody could be asked."""
        return tuple(Query(text=one.query) for one in self.asked.values() if one.hits < few and not one.failed)


def distinct(queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries without those that mean the same search as one before them."""
    first = {folded(query.text): query for query in reversed(queries)}
    return tuple(reversed(first.values()))
