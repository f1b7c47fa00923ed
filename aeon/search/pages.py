"""Pages of the web as documents: each is fetched once, and the same text under two addresses is one."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import unquote
from weakref import WeakKeyDictionary, WeakValueDictionary

from aeon.documents.collection import Collection
from aeon.documents.extras import library
from aeon.documents.metadata import PageFacts
from aeon.documents.readers import CONTENT_TYPES, Text, read_bytes, read_page
from aeon.errors import MissingExtraError, ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.schema import Document, Passage, SearchProblem
from aeon.search.client import Ask, Client, Reply
from aeon.search.failures import of_status
from aeon.search.guard import AddressRefused, parse
from aeon.text import one_line

__all__ = ["MOST_CHARACTERS", "Page", "Pages", "digest", "ranked"]

MOST_CHARACTERS = 200_000
"""Characters of a page that are kept."""
_MOST_AT_ONCE = 8
_READ_SECONDS = 60.0
_ALIKE = 0.8
"""Share of words that two texts have in common if one of their pages is another form of the other's."""
_HTML = ("text/html", "application/xhtml+xml")
_EXTRACTORS = {"text/html": "trafilatura", "application/xhtml+xml": "trafilatura", "application/pdf": "pypdfium2"}


@dataclass(frozen=True)
class Page:
    """A page as a document. ``text`` is its text again, with where the pages of a PDF begin.

    ``canonical`` is the address that the page goes by: what it says itself, if that is of the same server, or its own.
    """

    document: Document
    text: Text
    canonical: str


class Pages:
    """The pages that one run has fetched through a client. What fails and may succeed later is not kept."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, Page | SearchProblem] = {}
        self._by_text: dict[str, Page] = {}
        self._by_canonical: dict[str, Page] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def require(self) -> None:
        """Raise ``MissingExtraError`` if the extra that reads HTML is not installed: before a run, not within it."""
        library("trafilatura", "html", "reading pages of the web")

    async def get(self, urls: Sequence[str]) -> list[Page | SearchProblem]:
        """Return the page of each address, or why there is none; up to eight are fetched at once in a run.

        A page that has the text of one before, or is another form of it by its own word, is the one before.
        """
        gate = self._gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_MOST_AT_ONCE))
        hits = await asyncio.gather(*(self._once(url, gate) for url in urls))
        return [self._first(hit) if isinstance(hit, Page) else hit for hit in hits]

    async def _once(self, url: str, gate: asyncio.Semaphore) -> Page | SearchProblem:
        try:
            key = str(self._client.guard.place(url))
        except AddressRefused as refusal:
            return SearchProblem(kind="forbidden", message=str(refusal), retryable=False)
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock, gate:
            if key not in self._known:
                hit = await self._fetched(key)
                if isinstance(hit, SearchProblem) and hit.retryable:
                    return hit
                self._known[key] = hit
                if isinstance(hit, Page):
                    self._known.setdefault(hit.document.source, hit)
            return self._known[key]

    async def _fetched(self, url: str) -> Page | SearchProblem:
        reply = await self._client.fetch(Ask(url, types=frozenset(CONTENT_TYPES)))
        if isinstance(reply, SearchProblem):
            return reply
        label = one_line(reply.url, 120)
        if problem := of_status(reply.status, label, reply.wait):
            return problem
        deadline = Deadline(_READ_SECONDS)
        try:
            return await asyncio.to_thread(_page, reply, label, deadline)
        except ToolFailed as error:
            return _unreadable(str(error))
        except MissingExtraError as error:
            return SearchProblem(kind="configuration", message=f"{label}: {error}", retryable=False)
        finally:
            deadline.call_off()  # a thread is not cancelled with who waits for it

    def _first(self, page: Page) -> Page:
        """The first page with this text, or that goes by the same address and says nearly the same.

        What a page says of itself is not enough: else one could pass for another, or crowd it out.
        """
        twin = self._by_text.get(page.document.text_sha256)
        if twin is None:
            other = self._by_canonical.get(page.canonical)
            twin = other if other is not None and _are_alike(page.text.text, other.text.text) else page
            self._by_text[page.document.text_sha256] = twin
        self._by_canonical.setdefault(page.canonical, twin)
        return twin


def ranked(query: str, texts: Mapping[str, Text], most: int) -> list[Passage]:
    """Return the passages of some texts, by source, that fit a query best, best first.

    Raises:
        ToolFailed: this SQLite has no full-text search.
        MissingExtraError: the extra embeddings is there but cannot be used.
    """
    collection = Collection.of_texts(texts)
    try:
        return collection.search(query, most)
    finally:
        collection.close()


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of some bytes, or of a text as UTF-8, in hexadecimal."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def _page(reply: Reply, label: str, deadline: Deadline) -> Page:
    """The page of a reply. Raises ``ToolFailed`` or ``MissingExtraError`` as `read_bytes`."""
    if reply.content_type in _HTML:
        whole, facts = read_page(reply.body, label, reply.charset, reply.url, deadline)
    else:
        whole, facts = read_bytes(reply.body, reply.content_type, label, reply.charset, deadline), PageFacts()
    text = _cut(whole)
    document = Document(
        source=reply.url,
        title=facts.title or unquote(reply.url.partition("?")[0].rstrip("/").rpartition("/")[2]),
        site=reply.host,
        text=text.text,
        published=facts.published,
        retrieved=reply.retrieved,
        extractor=_extractor(reply.content_type),
        raw_sha256=digest(reply.body),
        text_sha256=digest(text.text),
        cut=len(whole.text) - len(text.text),
    )
    return Page(document, text, _canonical(facts.canonical, reply))


def _cut(text: Text) -> Text:
    """The text up to the most that is kept, at the end of a line if one is near."""
    if len(text.text) <= MOST_CHARACTERS:
        return text
    line_end = text.text.rfind("\n", MOST_CHARACTERS * 99 // 100, MOST_CHARACTERS)
    end = line_end if line_end > 0 else MOST_CHARACTERS
    return Text(text.text[:end], tuple(begin for begin in text.pages if begin < end))


def _extractor(content_type: str) -> str:
    name = _EXTRACTORS.get(content_type, "python-docx" if content_type.startswith("application/vnd.") else "")
    return f"{name} {version(name)}" if name else "plain text"


def _canonical(claim: str, reply: Reply) -> str:
    """The address that a page names as its own, if it is of the same server; else where it came from."""
    try:
        place = parse(claim)
    except AddressRefused:
        return reply.url
    return str(place) if place.host == reply.host else reply.url


def _are_alike(one: str, other: str) -> bool:
    first, second = _words(one), _words(other)
    return len(first & second) >= _ALIKE * len(first | second)


def _words(text: str) -> set[str]:
    return set(text.casefold().split())


def _unreadable(message: str) -> SearchProblem:
    return SearchProblem(kind="malformed", message=message, retryable=False)
