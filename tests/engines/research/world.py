"""A world to research in: it answers each effect of a research run from a table, without loop, clock or model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import kernel.world as kernel
from kernel.world import ONE_CALL, Said

from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.effects import Cite, Numbered, PlanQueries, Reflect, Search, Summarise
from aeon.engines.research.program import RESEARCH
from aeon.engines.research.record import Research
from aeon.engines.research.values import (
    Citation,
    Cited,
    Digest,
    Digests,
    Drafted,
    Paused,
    Providers,
    Queries,
    Query,
    Reflection,
    Sentence,
)
from aeon.schema import Document, Found, JsonObject, Passage, SearchProblem, SearchProblemKind, Task, Usage, Value
from aeon.schema.effects import Effect

__all__ = [
    "World",
    "answering",
    "cited",
    "document",
    "drafting",
    "failing",
    "found",
    "numbered",
    "once",
    "partly",
    "passage",
    "problem",
    "queries",
    "seeking",
    "summarised",
]  # fmt: skip

_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|$)", re.DOTALL)


def document(source: str, text: str, title: str = "") -> Document:
    """A page of this text."""
    return Document(source=source, title=title, text=text, text_sha256=hashlib.sha256(text.encode()).hexdigest())


def passage(source: str, text: str, start: int = 0) -> Passage:
    """A passage of these sentences, which begins at ``start`` of its text."""
    spans = tuple((start + match.start(), start + match.end()) for match in _SENTENCE.finditer(text))
    return Passage(source=source, start=start, end=start + len(text), text=text, sentences=spans)


def numbered(number: int, source: str, text: str, query: str = "q", title: str = "") -> Numbered:
    """A passage of the source of this number."""
    return Numbered(number=number, passage=passage(source, text), query=query, title=title)


def found(*names: str, provider: str = "shelf", **texts: str) -> Found:
    """What a search gives: for each name a text about it, and texts by their names."""
    every = {f"{name}.txt": f"{name.capitalize()} is near the harbour." for name in names}
    every |= {f"{name}.txt": text for name, text in texts.items()}
    return Found(
        provider=provider,
        passages=tuple(passage(source, text) for source, text in every.items()),
        documents=tuple(document(source, text) for source, text in every.items()),
    )


def problem(
    kind: SearchProblemKind = "server", retryable: bool = True, wait: float | None = None, provider: str = "web"
) -> Found:
    """A search that failed."""
    it = SearchProblem(kind=kind, message=f"it said {kind}", retryable=retryable, retry_after=wait)
    return Found(provider=provider, problem=it)


def failing(*providers: str, **how: object) -> Said:
    """What searches give where these providers fail, always alike, and others find something new."""

    def search(effect: Effect, n: int) -> Value:
        assert isinstance(effect, Search)
        bad = effect.provider in providers
        return problem(provider=effect.provider, **how) if bad else found(f"t{n}", provider=effect.provider)  # type: ignore[arg-type]

    return search


def queries(*texts: str) -> tuple[Query, ...]:
    """Queries of these texts."""
    return tuple(Query(text=text) for text in texts)


def answering(effect: Effect, n: int) -> Reflection:
    """A reflection that finds the task answered as soon as it is shown a passage; without one it asks on."""
    assert isinstance(effect, Reflect)
    return Reflection(sufficient=True) if effect.texts else seeking(effect, n)


def seeking(effect: Effect, n: int) -> Reflection:
    """A reflection that wants two queries more, other ones each time."""
    return Reflection(gaps=("all",), queries=queries(f"more {n}", f"other {n}"))


def drafting(effect: Effect, n: int) -> Reflection:
    """A reflection of a small model: it is sufficient, and has an answer that rests on the first passage."""
    assert isinstance(effect, Reflect)
    draft = Drafted(text="It is near the harbour.", citations=_first(effect.texts), score=0.9)
    return Reflection(sufficient=True, confidence=0.9, draft=(draft,))


def _first(texts: Sequence[Numbered]) -> tuple[Citation, ...]:
    """The first sentence of the first passage, where there is one."""
    return tuple(Citation(number=one.number, source=one.passage.sources()[0]) for one in texts[:1])


def cited(effect: Effect, n: int) -> Cited:
    """An answer that cites the first sentence found, judged to be one and supported; a refusal where nothing was."""
    assert isinstance(effect, Cite)
    evidence = _first(effect.texts)
    if not evidence:
        return Cited(text="The sources do not say.")
    text = "It is near the harbour [1]."
    whole = Sentence(start=0, end=len(text), citations=evidence, verdict="supported", score=0.9)
    return Cited(text=text, sentences=(whole,), reply="answer", standing="assumed")


def partly(effect: Effect, n: int) -> Cited:
    """An answer that nobody checked."""
    text = "It is near the harbour [1]."
    source = passage("t0.txt", "T0 is near the harbour.").sources()[0]
    whole = Sentence(start=0, end=len(text), citations=(Citation(number=1, source=source),))
    return Cited(text=text, sentences=(whole,))


def summarised(effect: Effect, n: int) -> Digests:
    """Of each source its first sentence, and the same words as its summary."""
    assert isinstance(effect, Summarise)
    first = {one.number: one for one in reversed(effect.texts)}
    return Digests(
        digests=tuple(
            Digest(number=number, summary=one.passage.sources()[0].text, sentences=one.passage.sources()[:1])
            for number, one in sorted(first.items())
        )
    )


def once(first: Value, later: Any) -> Any:
    """A reply for the first time, and another for all later ones."""
    return lambda effect, n: first if not n else later(effect, n) if callable(later) else later


def _found_anew(effect: Effect, n: int) -> Found:
    assert isinstance(effect, Search)
    return found(f"t{n}", provider=effect.provider)


def _paused(effect: Effect, n: int) -> Paused:
    return Paused(seconds=getattr(effect, "seconds", 0.0))


def _price(effect: Effect) -> Usage:
    return ONE_CALL if isinstance(effect, PlanQueries | Summarise | Reflect | Cite) else Usage()


class World(kernel.World):
    """Answers the effects of a research run: a search finds one new text, and the first reflection the answer in it.

    ``local`` and ``web`` are the providers; ``replies`` are as for the world of the kernel's tests.
    """

    def __init__(
        self,
        local: tuple[str, ...] = ("shelf",),
        web: tuple[str, ...] = (),
        interrupted_at: int | None = None,
        **replies: Said,
    ) -> None:
        said: dict[str, Said] = {
            "find_providers": Providers(local=local, web=web),
            "plan_queries": Queries(queries=queries("one", "two", "three")),
            "search": _found_anew,
            "pause": _paused,
            "summarise": summarised,
            "reflect": answering,
            "cite": cited,
        }
        super().__init__(cost=_price, interrupted_at=interrupted_at, **(said | replies))

    def research(self, task: str = "Where is it?", schema: JsonObject | None = None, **settings: object) -> Research:
        """The research of a task to its end, with these settings."""
        return self.run_on(RESEARCH, ResearchConfig.model_validate(settings), Task(text=task, answer_schema=schema))

    @property
    def searches(self) -> list[Search]:
        """The searches so far."""
        return [effect for effect in self.effects if isinstance(effect, Search)]

    @property
    def rounds(self) -> list[list[str]]:
        """What was searched for, round by round, retries left out."""
        rounds: list[list[str]] = []
        for effect in self.effects:
            if isinstance(effect, Reflect):
                rounds.append([])
        marks = [place for place, effect in enumerate(self.effects) if isinstance(effect, Reflect)]
        starts = [0, *marks[:-1]]
        for number, (start, end) in enumerate(zip(starts, marks, strict=True)):
            asked = [one for one in self.effects[start:end] if isinstance(one, Search) and one.attempt == 1]
            rounds[number] = [one.query for one in asked]
        return rounds
