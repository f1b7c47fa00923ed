"""The record of a research run: its rounds, sources and errors, and the result that it ends in."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from aeon.engines.research.sources import Entry
from aeon.engines.research.values import Citation, Query, Sentence
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue
from aeon.schema.judgment import ReplyKind, Standing
from aeon.schema.outcome import FailureKind
from aeon.schema.plan import Passage, Source
from aeon.schema.search import SearchProblem
from aeon.schema.value import Value

__all__ = ["ErrorRecord", "PhaseProblem", "Research", "Round", "SourceUsed", "Then"]

Then = Literal["retried", "another provider", "given up", "left out", "its result stands in", "done without"]


class PhaseProblem(Value):
    """Why a phase that asks a model gave nothing usable, and whether the same call may succeed later."""

    kind: FailureKind
    message: str
    retryable: bool


class ErrorRecord(Value):
    """What went wrong in a phase, and what became of it. ``seconds`` is when, since the run began.

    A search was ``retried``, put to ``another provider`` or ``given up``; or it was one of its results that was
    ``left out``, or for whose page ``its result stands in``, the service's own text of it. What another phase, such as
    the plan or the answer, should have given was ``done without``: there, query and provider are empty.
    """

    query: str = ""
    provider: str = ""
    attempt: int = 1
    problem: Annotated[SearchProblem | PhaseProblem, Field(discriminator="kind")]
    then: Then
    seconds: float
    phase: str = "search"

    @property
    def is_of_search(self) -> bool:
        """Whether it is a search that went wrong, and not one of its results alone."""
        return self.then in ("retried", "another provider", "given up")


class Round(Value):
    """A round of searches: its queries, how many passages and sources were new, and the reflection on all of them.

    ``summarised`` are the numbers of the sources that prompts show as summaries from then on; their passages stand
    behind these numbers.
    """

    number: int
    queries: tuple[Query, ...]
    passages: int = 0
    sources: int = 0
    sufficient: bool = False
    confidence: float | None = None
    gaps: tuple[str, ...] = ()
    summarised: tuple[int, ...] = ()


class SourceUsed(Value):
    """A source as the bibliography names it. ``cited`` are the sentences that the answer rests on; often none.

    ``passages`` are those that hold the sentences: the text around them.
    """

    number: int
    source: str
    title: str
    site: str = ""
    published: str = ""
    retrieved: str = ""
    raw_sha256: str = ""
    text_sha256: str = ""
    provider: str = ""
    query: str = ""
    cited: tuple[Citation, ...] = ()
    passages: tuple[Passage, ...] = ()

    @classmethod
    def of(cls, entry: Entry, sentences: tuple[Sentence, ...]) -> SourceUsed:
        """The source of an entry, with what the sentences of the answer cite of it."""
        document = entry.document
        every = (one for sentence in sentences for one in sentence.citations if one.number == entry.number)
        cited = tuple({(one.source.start, one.source.end): one for one in every}.values())
        return cls(
            number=entry.number,
            source=document.source,
            title=document.title or document.source,
            site=document.site,
            published=document.published,
            retrieved=document.retrieved,
            raw_sha256=document.raw_sha256,
            text_sha256=document.text_sha256,
            provider=entry.provider,
            query=entry.query,
            cited=cited,
            passages=_around(entry, cited),
        )

    def around(self, span: Source) -> Passage | None:
        """The passage that holds a cited sentence, if one does."""
        return next((one for one in self.passages if _holds(one, span)), None)


def _around(entry: Entry, cited: tuple[Citation, ...]) -> tuple[Passage, ...]:
    """The passages that hold cited sentences."""
    return tuple(one for one in entry.passages if any(_holds(one, each.source) for each in cited))


def _holds(passage: Passage, span: Source) -> bool:
    """Whether the passage has just this text at this place."""
    start = span.start - passage.start
    return start >= 0 and passage.text[start : start + len(span.text)] == span.text != ""


class Research(Conclusion):
    """The result of a research run.

    ``sentences`` are those of ``answer``. ``reply`` is what a judge says that it is, ``None`` where nobody did, and
    ``standing`` what that judge is worth; ``missing`` is what was asked and is not in the sources, as the model says.
    ``sources`` are all that were found, by their numbers. ``searched`` are the queries of the run, ``unsearched`` those
    of them for which no provider could search. ``limited``: not every search could be done, so that the answer rests on
    a part of what there is. ``error_log`` has what failed in each phase, in this order.
    """

    gives_claims: ClassVar[bool] = True

    sentences: tuple[Sentence, ...] = ()
    reply: ReplyKind | None = None
    missing: tuple[str, ...] = ()
    standing: Standing = "none"
    sources: tuple[SourceUsed, ...] = ()
    rounds: tuple[Round, ...] = ()
    tier: str = "standard"
    searched: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()
    limited: bool = False
    error_log: tuple[ErrorRecord, ...] = ()

    @property
    def citations(self) -> tuple[SourceUsed, ...]:
        """The bibliography: the sources that the answer cites."""
        return tuple(source for source in self.sources if source.cited)

    def parts(self) -> dict[str, JsonValue]:
        """Rounds and sources, each under its name and without times."""
        rounds = {f"round {one.number}": one.model_dump(mode="json") for one in self.rounds}
        sources = {f"source {one.number}": one.changed(retrieved="").model_dump(mode="json") for one in self.sources}
        return {**rounds, **sources}
