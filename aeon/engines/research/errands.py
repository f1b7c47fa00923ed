"""Searches that are put to providers: all at once, tried again where that may help, else asked of another provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Asked, FindProviders, Pause, Search
from aeon.engines.research.policy import Breaker, delay
from aeon.engines.research.record import ErrorRecord, Then
from aeon.engines.research.values import Providers, Query
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Run
from aeon.schema.config import Settings
from aeon.schema.effects import Effect, Program
from aeon.schema.outcome import Outcome
from aeon.schema.search import Found, ResultProblem, SearchProblem
from aeon.schema.usage import Allowance
from aeon.schema.value import Value

__all__ = ["Errands", "folded"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)


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
class Errands(Generic[C, S]):
    """What was searched for in a run of any engine, how it ended, and which providers can still be asked.

    ``settings`` say how many results are taken of a search, and what becomes of one that fails: a fork may move them.
    ``found`` is what the searches found that were not taken in yet, each with its query.
    ``limited``: some search could not be done, so that something may be missing of what it would have found.
    ``answered`` are the queries that some provider answered, be it with nothing.
    """

    run: Run[C, S]
    settings: Callable[[], ResearchConfig]
    providers: Providers = field(default_factory=Providers)
    asked: dict[str, Asked] = field(default_factory=dict)
    errors: list[ErrorRecord] = field(default_factory=list)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    found: list[tuple[str, Found]] = field(default_factory=list)
    limited: bool = False
    answered: set[str] = field(default_factory=set)

    def take(self) -> None:
        """Take in what the searches of a batch found; by default, nothing is done with it."""

    @property
    def known(self) -> tuple[str, ...]:
        """The hashes of texts that need not come again."""
        return ()

    @property
    def whole(self) -> int:
        """How many characters a text may have that is wanted whole."""
        return 0

    def most(self, provider: str) -> int:
        """How many results are wanted of a search with this provider."""
        return self.settings().most_results

    @property
    def there(self) -> tuple[str, ...]:
        """The providers that a query goes to now: each local one, and the first of the web that still works."""
        local = [name for name in self.providers.local if not self._breaker(name).open]
        return (*local, *self._web()[:1])

    @property
    def unsearched(self) -> tuple[str, ...]:
        """The queries that nobody could search for."""
        return tuple(one.query for one in self.asked.values() if one.failed)

    @property
    def misconfigured(self) -> str:
        """Which settings are wrong, where it is these alone that leave nobody to be asked."""
        breakers = [self._breaker(name) for name in (*self.providers.local, *self.providers.web)]
        if not all(one.misconfigured for one in breakers):
            return ""
        return "; ".join(dict.fromkeys(one.refused.message for one in breakers if one.refused))

    def find(self) -> Program[str]:
        """Find out where can be searched; the message of what kept it from finding out, "" where nothing did."""
        instead = Providers()
        self.providers = yield from self.run.perform(FindProviders(task=self.run.task), instead)
        return self.run.degraded[-1].message if self.providers is instead else ""

    def search(self, queries: Sequence[Query]) -> Program[None]:
        """Search for all queries at once, and settle what failed."""
        self.run.boundary(midway=True)  # what is not begun was not asked
        for query in queries:
            self.asked[folded(query.text)] = Asked(query=query.text)
        errands = [_Errand(query=query.text, provider=name) for query in queries for name in self.there]
        while errands:
            self.run.boundary(midway=True)
            errands = yield from self._batch(errands)
            self.take()

    def _batch(self, errands: Sequence[_Errand]) -> Program[list[_Errand]]:
        """Issue the errands as one batch; those that are to be run after it."""
        effects = list(self._effects(errands))
        outcomes = yield from self.run.issue(effects)
        searched = [outcome for effect, outcome in zip(effects, outcomes, strict=True) if isinstance(effect, Search)]
        settled = [self._settled(*pair) for pair in zip(errands, searched, strict=True)]
        return [again for failed in settled if failed is not None for again in self._again(failed)]

    def _effects(self, errands: Sequence[_Errand]) -> Iterator[Effect]:
        """The searches; each that is to wait comes behind a pause, in the same batch."""
        task = self.run.task
        allowance = Allowance(calls=0, tokens=0, cost=0.0, seconds=self.run.left().seconds)  # it takes time alone
        place = 0
        for one in errands:
            if one.wait:
                yield Pause(task=task, seconds=one.wait, query=one.query, allowance=allowance)
            after = (place,) if one.wait else ()
            yield Search(
                task=task, query=one.query, provider=one.provider, most=self.most(one.provider), attempt=one.attempt,
                known=self.known, whole=self.whole, after=after, allowance=allowance,
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
        seconds = delay(self.settings().retries, problem, errand.attempt, f"{self.run.execution_id}:{errand.query}")
        if seconds is None:
            self._breaker(errand.provider).settle(problem)
        return _Failed(errand=errand, problem=problem, now=outcome.ended, wait=seconds)

    def _found(self, errand: _Errand, found: Found) -> None:
        self._breaker(errand.provider).note(failed=False)
        before = self.asked[folded(errand.query)]
        hits = before.hits + len(found.passages)
        self.asked[folded(errand.query)] = before.changed(hits=hits, failed=False)
        self.answered.add(folded(errand.query))
        self.found.append((errand.query, found))

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
        asked = self.asked[folded(errand.query)]
        self.asked[folded(errand.query)] = asked.changed(failed=folded(errand.query) not in self.answered)
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
        return self.breakers.setdefault(provider, Breaker(self.settings().retries))


def folded(query: str) -> str:
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
