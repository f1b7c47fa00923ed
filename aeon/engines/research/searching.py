"""The searches of a run: all at once, tried again where that may help, asked of another provider where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Asked, Numbered, Pause, Search
from aeon.engines.research.policy import Breaker, delay
from aeon.engines.research.record import ErrorRecord, Then
from aeon.engines.research.rules import ResearchSignals
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Providers, Query
from aeon.kernel.effects import Effect, Program
from aeon.kernel.engine import Run
from aeon.schema.outcome import Outcome
from aeon.schema.search import Found, ResultProblem, SearchProblem
from aeon.schema.usage import Allowance
from aeon.schema.value import Value

__all__ = ["Searches", "distinct"]


_KEPT = 2
"""Sources that are kept for each later round."""


class _Errand(Value):
    """A query to be put to a provider, after a wait."""

    query: str
    provider: str
    attempt: int = 1
    wait: float = 0.0


class _Failed(Value):
    """An errand that failed, when, and the seconds after which it may be run again; ``None``: not with its provider."""

    errand: _Errand
    problem: SearchProblem
    now: float
    wait: float | None


@dataclass(slots=True)
class Searches:
    """What was searched for, what came of it, and which providers can still be asked.

    ``batch`` is what the searches of one batch found; ``shown`` is what the latest round found, whether or not it was
    known before, with its rank in its search.
    ``limited``: some search could not be done, so that the answer may lack what it would have found.
    """

    run: Run[ResearchConfig, ResearchSignals]
    sources: Sources
    providers: Providers = field(default_factory=Providers)
    asked: dict[str, Asked] = field(default_factory=dict)
    errors: list[ErrorRecord] = field(default_factory=list)
    shown: list[tuple[int, Numbered]] = field(default_factory=list)
    batch: list[tuple[str, Found]] = field(default_factory=list)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    limited: bool = False

    @property
    def there(self) -> tuple[str, ...]:
        """The providers that a query goes to now: each local one, and the first of the web that still works."""
        local = [name for name in self.providers.local if not self._breaker(name).open]
        return (*local, *self._web()[:1])

    @property
    def misconfigured(self) -> str:
        """Which settings are wrong, where nothing was found and it is these alone that leave nobody to be asked."""
        breakers = [self._breaker(name) for name in (*self.providers.local, *self.providers.web)]
        if self.sources.entries or not all(one.misconfigured for one in breakers):
            return ""
        return "; ".join(dict.fromkeys(one.refused.message for one in breakers if one.refused))

    @property
    def left(self) -> int:
        """How many queries may still be asked."""
        return max(0, self.run.signals.most_queries - len(self.asked))

    def fresh(self, queries: Sequence[Query]) -> tuple[Query, ...]:
        """Those of the queries that were not asked, each once, as many as the limits leave."""
        return tuple(query for query in distinct(queries) if _folded(query.text) not in self.asked)[: self.left]

    def search(self, queries: Sequence[Query]) -> Program[None]:
        """Search for all queries at once, and settle what failed."""
        self.shown.clear()
        self.run.boundary(midway=True)  # what is not begun was not asked
        for query in queries:
            self.asked[_folded(query.text)] = Asked(query=query.text)
        errands = [_Errand(query=query.text, provider=name) for query in queries for name in self.there]
        while errands:
            self.run.boundary(midway=True)
            errands = yield from self._run(errands)
            self._take()

    def _take(self) -> None:
        """Take in what a batch found, the best of each query first: of many sources some find no room in this round."""
        found = tuple(self.batch)
        self.batch.clear()
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

    def _run(self, errands: Sequence[_Errand]) -> Program[list[_Errand]]:
        """Issue the errands as one batch; those that are to be run after it."""
        effects = list(self._effects(errands))
        outcomes = yield from self.run.issue(effects)
        searched = [outcome for effect, outcome in zip(effects, outcomes, strict=True) if isinstance(effect, Search)]
        settled = [self._settled(*pair) for pair in zip(errands, searched, strict=True)]
        return [again for failed in settled if failed is not None for again in self._again(failed)]

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

    @property
    def unsearched(self) -> tuple[str, ...]:
        """The queries that nobody could search for."""
        return tuple(one.query for one in self.asked.values() if one.failed)

    def poor(self, few: int) -> tuple[Query, ...]:
        """The queries that found too little, though somebody could be asked."""
        return tuple(Query(text=one.query) for one in self.asked.values() if one.hits < few and not one.failed)

    def _effects(self, errands: Sequence[_Errand]) -> Iterator[Effect]:
        """The searches; each that is to wait comes behind a pause, in the same batch."""
        task, config = self.run.task, self.run.config
        allowance = Allowance(calls=0, tokens=0, cost=0.0, seconds=self.run.left().seconds)  # it takes time alone
        known = self.sources.texts
        place = 0
        for one in errands:
            if one.wait:
                yield Pause(task=task, seconds=one.wait, query=one.query, allowance=allowance)
            after = (place,) if one.wait else ()
            yield Search(
                task=task, query=one.query, provider=one.provider, most=config.most_results, attempt=one.attempt,
                known=known, after=after, allowance=allowance,
            )  # fmt: skip
            place += 2 if one.wait else 1

    def _settled(self, errand: _Errand, outcome: Outcome) -> _Failed | None:
        """Take in what a search gave; if it failed, how."""
        value = outcome.value
        if isinstance(value, Found) and value.problem is None:
            self._found(errand, value)
            self.errors += (_unread(errand, one, outcome.ended) for one in value.problems)
            return None
        problem = (isinstance(value, Found) and value.problem) or _unusable(outcome)
        seconds = delay(self.run.config.retries, problem, errand.attempt, f"{self.run.execution_id}:{errand.query}")
        if seconds is None:
            self._breaker(errand.provider).settle(problem)
        return _Failed(errand=errand, problem=problem, now=outcome.ended, wait=seconds)

    def _found(self, errand: _Errand, found: Found) -> None:
        self._breaker(errand.provider).note(failed=False)
        before = self.asked[_folded(errand.query)]
        hits = before.hits + len(found.passages)
        self.asked[_folded(errand.query)] = before.changed(hits=hits, failed=False)
        self.batch.append((errand.query, found))

    def _again(self, failed: _Failed) -> Iterator[_Errand]:
        """What becomes of a failure, once the whole batch is settled: a later attempt, another provider, or neither.

        A provider that the batch has shown to be out of order is not asked again, whatever it asked to wait.
        """
        errand, breaker = failed.errand, self._breaker(failed.errand.provider)
        if failed.wait is not None:
            if not breaker.open:
                self._note(failed, "retried")
                yield errand.changed(attempt=errand.attempt + 1, wait=failed.wait)
                return
            breaker.note(failed=True)
        if other := self._next(errand.provider):
            self._note(failed, "another provider")
            yield _Errand(query=errand.query, provider=other)
            return
        self._note(failed, "given up")
        asked = self.asked[_folded(errand.query)]
        self.asked[_folded(errand.query)] = asked.changed(failed=not asked.hits)
        self.limited = True

    def _note(self, failed: _Failed, then: Then) -> None:
        self.errors.append(_recorded(failed.errand, failed.problem, then, failed.now))

    def _next(self, provider: str) -> str | None:
        """The provider that a query goes to after this one failed; none for a local one."""
        if provider not in self.providers.web:
            return None
        place = self.providers.web.index(provider)
        return next((name for name in self.providers.web[place + 1 :] if not self._breaker(name).open), None)

    def _web(self) -> list[str]:
        return [name for name in self.providers.web if not self._breaker(name).open]

    def _breaker(self, provider: str) -> Breaker:
        return self.breakers.setdefault(provider, Breaker(self.run.config.retries))


def distinct(queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries without those that mean the same search as one before them."""
    first = {_folded(query.text): query for query in reversed(queries)}
    return tuple(reversed(first.values()))


def _folded(query: str) -> str:
    """The query as two that mean the same search are alike."""
    return " ".join(query.casefold().split()).rstrip("?!. ")


def _unread(errand: _Errand, one: ResultProblem, now: float) -> ErrorRecord:
    """The record of a result that could not be used."""
    return _recorded(errand, one.problem, "its result stands in" if one.stands_in else "left out", now)


def _recorded(errand: _Errand, problem: SearchProblem, then: Then, now: float) -> ErrorRecord:
    return ErrorRecord(
        query=errand.query,
        provider=errand.provider,
        attempt=errand.attempt,
        problem=problem,
        then=then,
        seconds=round(now, 3),
    )


def _unusable(outcome: Outcome) -> SearchProblem:
    """What kept a search from giving anything at all, such as a time that is over."""
    return SearchProblem(kind="server", message=outcome.message, retryable=False)
