"""What a search service gives, as passages: of the pages that its results lead to, or of its own texts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from aeon.documents.plain import clean
from aeon.documents.readers import Text
from aeon.errors import MissingExtraError, ToolFailed
from aeon.schema import Document, Found, Passage, ResultProblem, SearchProblem, SearchProblemKind
from aeon.search.guard import AddressRefused, parse
from aeon.search.pages import Page, Pages, digest, ranked
from aeon.text import one_line

__all__ = ["Result", "found"]

_MOST_SNIPPET = 20_000


@dataclass(frozen=True)
class Result:
    """One result of a service: where it leads to, and what the service says of it."""

    url: str
    title: str = ""
    text: str = ""
    published: str = ""


async def found(
    provider: str,
    query: str,
    most: int,
    results: Iterable[Result],
    pages: Pages | None,
    problems: Iterable[SearchProblem] = (),
) -> Found:
    """Return the passages of the first ``most`` results that fit the query best, best first.

    With ``pages``, each result's page is read, and where it cannot be had, the service's own text stands in, with a
    note; without, these texts are all. Such a text is a document of its own, since it is not what the page says.
    ``problems`` are what the service says that it could not do.
    """
    gathered = _Gathered(provider)
    for problem in problems:
        gathered.note(problem.message, problem)
    chosen = _distinct(results, most, gathered)
    hits = await pages.get([result.url for result in chosen]) if pages else [None] * len(chosen)
    for result, hit in zip(chosen, hits, strict=True):
        gathered.add(result, hit)
    try:
        passages = await asyncio.to_thread(ranked, query, gathered.texts, most)
    except (ToolFailed, MissingExtraError) as error:
        problem = SearchProblem(kind="configuration", message=str(error), retryable=False)
        return Found(provider=provider, problem=problem)
    return gathered.found(passages)


class _Gathered:
    """The documents of a search by source, with their texts, and what could not be used."""

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.notes: list[str] = []
        self.problems: list[ResultProblem] = []
        self.texts: dict[str, Text] = {}
        self._documents: dict[str, Document] = {}

    def add(self, result: Result, hit: Page | SearchProblem | None) -> None:
        """Add the page of a result, or else the text of the result, if it has one."""
        document = hit.document if isinstance(hit, Page) else _snippet(self.provider, result)
        if isinstance(hit, SearchProblem):
            became = "the text of the search stands in" if document else "left out"
            self.note(f"{hit.message}; {became}", hit, stands_in=document is not None)
        if document:
            self._documents[document.source] = document
            self.texts[document.source] = hit.text if isinstance(hit, Page) else Text(document.text)

    def note(self, line: str, problem: SearchProblem, stands_in: bool = False) -> None:
        """Note what kept a result from being used, in a line and as what it is."""
        self.notes.append(line)
        told = problem.changed(message=one_line(problem.message))
        self.problems.append(ResultProblem(problem=told, stands_in=stands_in))

    def found(self, passages: list[Passage]) -> Found:
        """The passages with the documents that they are of, and all notes."""
        used = dict.fromkeys(passage.source for passage in passages)
        for source, document in self._documents.items():
            if source not in used:
                self.notes.append(f"{source} has no passage that fits the query")
            elif document.cut:
                self.notes.append(f"{source} is cut: its last {document.cut:,} characters are left out")
        return Found(
            provider=self.provider,
            passages=tuple(passages),
            documents=tuple(self._documents[source] for source in used),
            problems=tuple(dict.fromkeys(self.problems)),
            notes=tuple(one_line(note) for note in dict.fromkeys(self.notes)),
        )


def _distinct(results: Iterable[Result], most: int, gathered: _Gathered) -> list[Result]:
    """The first results that lead somewhere, each address once; the others are noted."""
    chosen: dict[str, Result] = {}
    for result in results:
        if len(chosen) >= most:
            break
        if not result.url.strip():
            titled = one_line(result.title, 80) or "no title"
            gathered.note(*_left_out("malformed", f"a result without an address is left out: {titled}"))
            continue
        try:
            chosen.setdefault(str(parse(result.url)), result)
        except AddressRefused as refusal:
            gathered.note(*_left_out("forbidden", f"a result is left out: {refusal}"))
    return list(chosen.values())


def _left_out(kind: SearchProblemKind, line: str) -> tuple[str, SearchProblem]:
    return line, SearchProblem(kind=kind, message=line, retryable=False)


def _snippet(provider: str, result: Result) -> Document | None:
    """The text of a result as a document; the end of its source tells it from the page, and from other such texts."""
    text = clean(result.text)[:_MOST_SNIPPET].strip()
    if not text:
        return None
    place, text_hash = parse(result.url), digest(text)
    return Document(
        source=f"{place}#result-{text_hash[:8]}",
        title=one_line(result.title),
        site=place.host,
        text=text,
        published=one_line(result.published, 40),
        retrieved=datetime.now(UTC).isoformat(timespec="seconds"),
        extractor=f"text of the search {provider}",
        raw_sha256=text_hash,
        text_sha256=text_hash,
    )
