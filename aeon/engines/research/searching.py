"""The searches of a research run, and what of it is shown in the next prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Numbered
from aeon.engines.research.errands import Errands, folded
from aeon.engines.research.rules import ResearchSignals
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Digest, Query

__all__ = ["Searches", "distinct"]

_KEPT = 2
"""Sources that are kept for each later round."""
_PASSAGES = 3
"""How many times as many results are wanted of texts that are read by passages.

Of 27 questions the two readings of eight then have all documents for 25, with five results a query for 22.
"""
_FUSION = 60
"""What is added to a rank in reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""


@dataclass(slots=True)
class Searches(Errands[ResearchConfig, ResearchSignals]):
    """What research searched for, and the sources that it found.

    ``places`` are the passages that were found, in the order in which each query has them; ``digests`` are what stands
    for sources in prompts, by their numbers, and ``condensed`` the passages that these stand for.
    """

    sources: Sources = field(default_factory=lambda: Sources(most=1))
    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    passages: dict[tuple[int, int], Numbered] = field(default_factory=dict)
    digests: dict[int, Digest] = field(default_factory=dict)
    condensed: set[tuple[int, int]] = field(default_factory=set)

    @property
    def known(self) -> tuple[str, ...]:
        """The hashes of texts that are kept with the sources."""
        return self.sources.texts

    @property
    def whole(self) -> int:
        """How many characters a text may have that is wanted whole."""
        return self.providers.whole

    def most(self, provider: str) -> int:
        """How many results are wanted: more of texts at hand that are read by passages, of which each has several."""
        by_passages = not self.whole and provider in self.providers.local
        return self.settings().most_results * (_PASSAGES if by_passages else 1)

    @property
    def left(self) -> int:
        """How many queries may still be asked."""
        return max(0, self.run.signals.most_queries - len(self.asked))

    def fresh(self, queries: Sequence[Query]) -> tuple[Query, ...]:
        """Those of the queries that were not asked, each once, as many as the limits leave."""
        return tuple(query for query in distinct(queries) if folded(query.text) not in self.asked)[: self.left]

    def take(self) -> None:
        """Take in what a batch found, the best of each query first: of many sources some find no room in this round."""
        found = tuple(self.found)
        self.found.clear()
        self.sources = self.sources.added(found, self._room())
        for query, one_found in found:
            for entry, one in self.sources.numbered(one_found):
                place = entry.number, one.start
                if place not in self.passages:
                    asked = self.asked[folded(query)]
                    self.asked[folded(query)] = asked.changed(new=asked.new + 1)
                self.places.setdefault(query, []).append(place)
                self.passages[place] = Numbered(
                    number=entry.number, passage=one, query=query, title=entry.document.title,
                    about=", ".join(filter(None, (entry.document.site, entry.document.published))),
                )  # fmt: skip

    def _room(self) -> int:
        """How many sources there may be after this round: up to a third is kept for what later rounds find."""
        signals, most = self.run.signals, self.sources.most
        later = min(self.left, max(0, signals.most_rounds - signals.rounds - 1))
        return max(len(self.sources.entries), most - min(most // 3, _KEPT * later))

    def texts(self) -> tuple[Numbered, ...]:
        """All passages, those first that the rankings of all queries have first; without those in digests."""
        scores: dict[tuple[int, int], float] = dict.fromkeys(self.passages, 0.0)
        for ranking in self.places.values():
            for rank, place in enumerate(dict.fromkeys(ranking), 1):
                scores[place] += 1 / (_FUSION + rank)
        ranked = sorted(scores, key=lambda place: -scores[place])
        return tuple(self.passages[place] for place in ranked if place not in self.condensed)

    def condense(self, texts: Sequence[Numbered], digests: Sequence[Digest]) -> None:
        """Have the digests stand for these passages from now on, beside what a source has by now."""
        made = {one.number: one for one in digests}
        for number, one in {one.number: one for one in texts}.items():
            before, new = self.digests.get(number), made.get(number, Digest(number=number))
            digest = _joined(before, new) if before is not None else new
            self.digests[number] = digest.changed(title=one.title or one.passage.source, about=one.about)
        self.condensed |= {(one.number, one.passage.start) for one in texts}

    def poor(self, few: int) -> tuple[Query, ...]:
        """The queries that found too little, though somebody could be asked."""
        return tuple(Query(text=one.query) for one in self.asked.values() if one.hits < few and not one.failed)


def _joined(before: Digest, more: Digest) -> Digest:
    """One digest of a source for two, each sentence once."""
    summary = " ".join(filter(None, (before.summary, more.summary)))
    sentences = {one.start: one for one in (*before.sentences, *more.sentences)}
    return before.changed(summary=summary, sentences=tuple(sentences.values()))


def distinct(queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries without those that mean the same search as one before them."""
    first = {folded(query.text): query for query in reversed(queries)}
    return tuple(reversed(first.values()))
