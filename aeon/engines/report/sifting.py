"""The sources of a mode: what a search finds of other tiers is dropped before anybody reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from aeon.engines.report.tiers import ITEMS, Mode, ModeConfigs, Ranked, SourceTier, ranked, usable
from aeon.engines.report.values import Other
from aeon.engines.research.effects import Search
from aeon.schema.effects import Batch, Effect, Note, Program
from aeon.schema.outcome import Outcome
from aeon.schema.plan import Passage
from aeon.schema.search import Document, Found, SourceFilter

__all__ = ["Sieve"]

T = TypeVar("T")
_EVERY = (None, 1, 2, 3, 4, 5)


@dataclass(slots=True)
class Sieve:
    """Lets only sources through that the mode takes, and remembers which it saw.

    ``only`` narrows it to one tier. ``kept`` and ``dropped`` are by the name of the source; ``passages`` are the best
    ones of sources that were kept, in the order in which they were found; ``keys`` are those that gave a tier.
    """

    mode: Mode
    modes: ModeConfigs
    tiers: Mapping[str, SourceTier]
    only: int | None = None
    kept: dict[str, Ranked] = field(default_factory=dict)
    dropped: dict[str, Ranked] = field(default_factory=dict)
    passages: dict[str, Passage] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def run(self, program: Program[T]) -> Program[T]:
        """A program whose searches give only what the mode takes."""
        reply: tuple[Outcome, ...] | None = None
        try:
            while True:
                request = next(program) if reply is None else program.send(reply)
                reply = yield from self._passed(request)
        except StopIteration as end:
            return_value: T = end.value
            return return_value
        finally:
            program.close()

    def _passed(self, request: Batch | Note) -> Program[tuple[Outcome, ...]]:
        if isinstance(request, Note):
            yield request
            return ()
        asked = request.changed(effects=tuple(self._filtered(effect) for effect in request.effects))
        outcomes = yield asked
        return tuple(self._sifted(*pair) for pair in zip(request.effects, outcomes, strict=True))

    def _filtered(self, effect: Effect) -> Effect:
        """The effect; a search finds the sources that the mode rests on, however many others fit better."""
        if not isinstance(effect, Search) or all(map(self._rests_on, _EVERY)):
            return effect
        sources = SourceFilter(
            places=tuple(key for key, one in self.tiers.items() if self._rests_on(one.tier)),
            barred=tuple(key for key, one in self.tiers.items() if not self._rests_on(one.tier)),
            others=self._rests_on(None),
            sites=effect.provider == ITEMS,
        )
        return effect.changed(only=sources)

    def _rests_on(self, tier: int | None) -> bool:
        """Whether a report of the mode rests on sources of this tier; monitor takes others, and rests on two."""
        if self.only is None and self.mode == "monitor":
            return tier in self.modes.monitor.compare_tiers
        return self._passes(tier)

    def _passes(self, tier: int | None) -> bool:
        return usable(tier, self.mode, self.modes) and self.only in (None, tier)

    def _sifted(self, effect: Effect, outcome: Outcome) -> Outcome:
        """The outcome; that of a search without what the mode does not take, and no more than was wanted."""
        found = outcome.value
        if not isinstance(effect, Search) or not isinstance(found, Found):
            return outcome
        documents = {document.source: document for document in found.documents}
        passages = [one for one in found.passages if self._takes(one, documents, found.provider)][: effect.most]
        left = _documents(passages, documents)
        return outcome.changed(value=found.changed(passages=tuple(passages), documents=left))

    def _takes(self, passage: Passage, documents: Mapping[str, Document], provider: str) -> bool:
        document = documents.get(passage.source, Document(source=passage.source))
        ranking = ranked(document, provider, self.tiers)
        self.keys.add(ranking.key)
        if self._passes(ranking.tier):
            self.kept.setdefault(passage.source, ranking)
            self.passages.setdefault(passage.source, passage)
            return True
        if not usable(ranking.tier, self.mode, self.modes):
            self.dropped.setdefault(passage.source, ranking)
        return False

    def others(self, cited: frozenset[str], most: int) -> tuple[Other, ...]:
        """The best passages of sources that are not cited; one tier is compared with another, and not within itself."""
        free = [source for source in self.passages if source not in cited][: most if self.only is None else 0]
        return tuple(
            Other(title=self.kept[one].title or one, passage=self.passages[one], tier=self.kept[one].tier)
            for one in free
        )


def _documents(passages: Iterable[Passage], documents: Mapping[str, Document]) -> tuple[Document, ...]:
    """The documents that passages are of, each once."""
    names = dict.fromkeys(one.source for one in passages)
    return tuple(documents[name] for name in names if name in documents)
