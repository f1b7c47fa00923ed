"""What a research program asks for."""

from __future__ import annotations

from collections.abc import Callable

from aeon.engines.research.places import passes
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Cited, Digest, Digests, Drafted, Paused, Providers, Queries, Query, Reflection
from aeon.schema.effects import EffectOf, Note, Role
from aeon.schema.plan import Passage
from aeon.schema.search import Document, Found, SourceFilter
from aeon.schema.value import Value

__all__ = [
    "Asked", "Cite", "FindProviders", "Numbered", "Pause", "PlanQueries", "Reflect", "RoundNote", "Search", "Summarise",
]  # fmt: skip


class FindProviders(EffectOf[Providers]):
    """Where can be searched, and how much of what is found can be read at once?"""

    phase = "find_providers"


class PlanQueries(EffectOf[Queries]):
    """Which queries, at most ``most``, begin the search? Where ``choose_tier``, how much research does it take?

    ``titles`` are some of the texts that are searched.
    """

    phase = "plan_queries"
    role: Role = "planner"
    most: int
    choose_tier: bool = False
    titles: tuple[str, ...] = ()


class Search(EffectOf[Found]):
    """What does this provider find for a query? ``attempt`` counts from 1.

    ``known`` are the hashes of texts that the run has already: they need not come again. Of a text of up to ``whole``
    characters all is wanted, as one passage. With a filter, ``only``, up to
    ``most`` passages of sources that pass it are wanted, however many others fit better, and up to ``most`` of others.
    """

    phase = "search"
    query: str
    provider: str
    most: int
    attempt: int = 1
    known: tuple[str, ...] = ()
    whole: int = 0
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
    """A query that was searched for, how many passages it gave in all, and how many of them were ``new``.

    ``failed``: no provider could search.
    """

    query: str
    hits: int = 0
    new: int = 0
    failed: bool = False


class Numbered(Value):
    """A passage of the source of this number, found for a query. ``about``: where and when it was published."""

    number: int
    passage: Passage
    query: str
    title: str = ""
    about: str = ""


class Summarise(EffectOf[Digests]):
    """What of these passages matters to the task? They are of sources that are too long to be shown in all prompts."""

    phase = "summarise"
    texts: tuple[Numbered, ...]


class Reflect(EffectOf[Reflection]):
    """Does what was found answer the task? If not, what is missing, and what is searched next?

    ``texts`` are all passages that were found, those first that fit best, without those that ``digests`` stand for.
    ``new`` says how many this round found. ``poor`` are queries that found too little: they are to be worded otherwise.
    At most ``most`` new queries are wanted. ``check``: whether a judge holds an answer against what it rests on.
    ``gaps`` are those of the reflection before, ``titles`` some of the texts at hand that nothing was found of.
    """

    phase = "reflect"
    round: int
    asked: tuple[Asked, ...]
    texts: tuple[Numbered, ...] = ()
    digests: tuple[Digest, ...] = ()
    new: int = 0
    gaps: tuple[str, ...] = ()
    poor: tuple[Query, ...] = ()
    titles: tuple[str, ...] = ()
    most: int
    check: bool = True


class RoundNote(Note):
    """A round of at most so many begins, with these queries; ``iteration`` counts from 1."""

    iteration: int
    most: int
    queries: tuple[Query, ...] = ()


class Cite(EffectOf[Cited]):
    """The answer, each sentence with what it cites. ``limited``: not every search could be done.

    ``texts`` and ``digests`` are as for `Reflect`. ``draft`` is the likeliest answer that was given while reading.
    ``searched`` are the queries of the run, ``unsearched`` those of them for which no provider could search. ``check``:
    whether a judge says of each sentence if what it cites supports it, and whether the answer is one to the task.
    """

    phase = "cite"
    sources: Sources
    texts: tuple[Numbered, ...] = ()
    digests: tuple[Digest, ...] = ()
    draft: tuple[Drafted, ...] = ()
    searched: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()
    limited: bool = False
    check: bool = True
