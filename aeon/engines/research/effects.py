"""What a research program asks for."""

from __future__ import annotations

from collections.abc import Callable

from aeon.engines.research.places import passes
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Aim, Cited, Finding, Paused, Providers, Queries, Query, Reflection
from aeon.schema.effects import EffectOf, Note, Role
from aeon.schema.plan import Passage
from aeon.schema.search import Document, Found, SourceFilter
from aeon.schema.value import Value

__all__ = ["Asked", "Cite", "FindProviders", "Numbered", "Pause", "PlanQueries", "Reflect", "RoundNote", "Search"]


class FindProviders(EffectOf[Providers]):
    """Where can be searched?"""

    phase = "find_providers"


class PlanQueries(EffectOf[Queries]):
    """Which queries, at most ``most``, begin the search? Where ``choose_tier``, how much research does it take?

    ``check``: whether a judge says of each finding if what it cites answers its question.
    """

    phase = "plan_queries"
    role: Role = "planner"
    most: int
    choose_tier: bool = False
    check: bool = True


class Search(EffectOf[Found]):
    """What does this provider find for a query? ``attempt`` counts from 1.

    ``known`` are the hashes of texts that the run has already: they need not come again. With a filter, ``only``, up to
    ``most`` passages of sources that pass it are wanted, however many others fit better, and up to ``most`` of others.
    """

    phase = "search"
    query: str
    provider: str
    most: int
    attempt: int = 1
    known: tuple[str, ...] = ()
    only: SourceFilter | None = None

    @property
    def subject(self) -> str:
        """The query and where it goes."""
        return f"search {self.provider}: {self.query}"

    def takes(self) -> Callable[[Document], bool]:
        """What says whether a document is of a source that passes the filter; without one, all do."""
        return passes(self.only or SourceFilter(others=True))


class Pause(EffectOf[Paused]):
    """Wait so many seconds before ``query`` is tried again."""

    phase = "pause"
    seconds: float
    query: str


class Asked(Value):
    """A query that was searched for, and how many passages it gave in all; ``failed``: no provider could search."""

    query: str
    hits: int = 0
    failed: bool = False


class Numbered(Value):
    """A passage of the source of this number, found for a query."""

    number: int
    passage: Passage
    query: str
    title: str = ""


class Reflect(EffectOf[Reflection]):
    """Do the passages and the evidence so far answer the task? If not, what is missing, and what is searched next?

    ``shown`` are the passages of this round, by query, best first; ``new`` says how many were not seen before.
    ``aim`` is what was looked up, ``findings`` are what earlier rounds found out. ``poor`` are queries that found too
    little: they are to be worded otherwise. At most ``most`` new queries are wanted. ``check``: whether a judge says of
    each finding if what it cites answers its question.
    """

    phase = "reflect"
    round: int
    asked: tuple[Asked, ...]
    shown: tuple[Numbered, ...] = ()
    new: int = 0
    aim: Aim | None = None
    findings: tuple[Finding, ...] = ()
    poor: tuple[Query, ...] = ()
    most: int
    check: bool = True


class RoundNote(Note):
    """A round of at most so many begins, with these queries; ``iteration`` counts from 1."""

    iteration: int
    most: int
    queries: tuple[Query, ...] = ()


class Cite(EffectOf[Cited]):
    """The answer, each sentence with what it cites. ``limited``: not every search could be done.

    ``searched`` are the queries of the run, ``unsearched`` those of them for which no provider could search.
    ``sufficient``: the reflection said that the evidence answers the task. ``check``: whether a judge says of each
    sentence if what it cites supports it.
    """

    phase = "cite"
    sources: Sources
    findings: tuple[Finding, ...] = ()
    answer: str = ""
    searched: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()
    sufficient: bool = False
    limited: bool = False
    check: bool = True
