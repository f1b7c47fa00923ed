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
from aeon.schema.search import Found, SearchProblem
from aeon.schema.usage import Allowance
from aeon.schema.value import Value

__all__ = ["Searches"]


class _Errand(Value):
    """A query to be put to a provider, after a wait."""

    query: str
    provider: str
    attempt: int = 1
    wait: float = 0.0


@dataclass(slots=True)
class Searches:
    """What was searched for, what came of it, and which providers can still be asked.

    ``shown`` is what the latest round found, whether or not it was known before.
    ``limited``: some search could not be done, so that the answer may lack what it would have found.
    """

    run: Run[ResearchConfig, ResearchSignals]
    sources: Sources
    providers: Providers = field(default_factory=Providers)
    asked: dict[str, Asked] = field(default_factory=dict)
    errors: list[ErrorRecord] = field(default_factory=list)
    shown: list[Numbered] = field(default_factory=list)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    limited: bool = False

    @property
    def there(self) -> tuple[str, ...]:
        """The providers that a query goes to now: each local one, and the first of the web that still works."""
        local = [name for name in self.providers.local if not self._breaker(name).open]
        return (*local, *self._web()[:1])

    def fresh(self, queries: Sequence[Query]) -> tuple[Query, ...]:
        """Those of the queries that were not asked, each once, as many as the limits leave."""
        left = max(0, self.run.signals.most_queries - len(self.asked))
        new = {_folded(query.text): query for query in reversed(queries) if _folded(query.text) not in self.asked}
        return tuple(reversed(new.values()))[:left]

    def search(self, queries: Sequence[Query]) -> Program[None]:
        """Search for all queries at once, and settle what failed."""
        for query in queries:
            self.asked[_folded(query.text)] = Asked(query=query.text)
        self.run.signals.queries = len(self.asked)
        self.shown.clear()
        errands = [_Errand(query=query.text, provider=name) for query in queries for name in self.there]
        while errands:
            self.run.boundary(midway=True)
            errands = yield from self._run(errands)

    def _run(self, errands: Sequence[_Errand]) -> Program[list[_Errand]]:
        """Issue the errands as one batch; those that are to be run after it."""
        effects = list(self._effects(errands))
        outcomes = yield from self.run.issue(effects)
        searched = [outcome for effect, outcome in zip(effects, outcomes, strict=True) if isinstance(effect, Search)]
        return [again for pair in zip(errands, searched, strict=True) for again in self._settled(*pair)]

    def best(self, most: int) -> Iterator[Numbered]:
        """What the latest round found, as many passages of each query as there is room for, best first."""
        queries = len({one.query for one in self.shown})
        counts: Counter[str] = Counter()
        for one in self.shown:
            counts[one.query] += 1
            if counts[one.query] <= max(1, most // queries):
                yield one

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

    def _settled(self, errand: _Errand, outcome: Outcome) -> Iterator[_Errand]:
        """Take in what a search gave; what is to be done about it, if it failed."""
        found = outcome.value if isinstance(outcome.value, Found) else None
        problem = found.problem if found is not None else _unusable(outcome)
        if problem is None and found is not None:
            self._breaker(errand.provider).note(failed=False)
            before = self.asked[_folded(errand.query)]
            hits = before.hits + len(found.passages)
            self.asked[_folded(errand.query)] = before.changed(hits=hits, failed=False)
            self.sources = self.sources.added(errand.query, found)
            self.shown += (
                Numbered(number=entry.number, passage=one, query=errand.query, title=entry.document.title)
                for entry, one in self.sources.numbered(found)
            )
        elif problem is not None:
            yield from self._failed(errand, problem, outcome.ended)

    def _failed(self, errand: _Errand, problem: SearchProblem, now: float) -> Iterator[_Errand]:
        """Take in a failure: a later attempt, another provider, or none of both."""
        retries, breaker = self.run.config.retries, self._breaker(errand.provider)
        seconds = delay(retries, problem, errand.attempt, f"{self.run.execution_id}:{errand.query}")
        if seconds is not None and not breaker.open:
            self._note(errand, problem, now, "retried")
            yield errand.changed(attempt=errand.attempt + 1, wait=seconds)
            return
        breaker.note(failed=True)
        if other := self._next(errand.provider):
            self._note(errand, problem, now, "another provider")
            yield _Errand(query=errand.query, provider=other)
            return
        self._note(errand, problem, now, "given up")
        asked = self.asked[_folded(errand.query)]
        self.asked[_folded(errand.query)] = asked.changed(failed=not asked.hits)
        self.limited = True

    def _note(self, errand: _Errand, problem: SearchProblem, now: float, then: Then) -> None:
        self.errors.append(
            ErrorRecord(
                query=errand.query,
                provider=errand.provider,
                attempt=errand.attempt,
                problem=problem,
                then=then,
                seconds=round(now, 3),
            )
        )

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


def _folded(query: str) -> str:
    """The query as two that mean the same search are alike."""
    return " ".join(query.casefold().split()).rstrip("?!. ")


def _unusable(outcome: Outcome) -> SearchProblem:
    """What kept a search from giving anything at all, such as a time that is over."""
    return SearchProblem(kind="server", message=outcome.message, retryable=False)
