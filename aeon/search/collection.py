"""Searching a local collection: offline, and without an account."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aeon.documents.collection import Collection
from aeon.errors import MissingExtraError, ToolFailed
from aeon.schema import Document, Found, Passage, SearchProblem

__all__ = ["CollectionSearch"]


class CollectionSearch:
    """Finds passages of a collection, which keeps the texts."""

    local = True

    def __init__(self, collection: Collection, name: str = "collection") -> None:
        self.name = name
        self._collection = collection

    async def search(self, query: str, most: int) -> Found:
        """Return the passages that fit the query best, best first; their documents without the texts."""
        return await asyncio.to_thread(self._found, lambda: self._collection.search(query, most))

    async def select(self, query: str, most: int, takes: Callable[[Document], bool]) -> Found:
        """Return the same of documents that are taken; whose site a file says it is counts for nothing."""
        named = lambda source: takes(Document(source=source))  # noqa: E731
        return await asyncio.to_thread(self._found, lambda: self._collection.search(query, most, named))

    async def text(self, source: str) -> str:
        """Return the whole text of a document; "" where it cannot be read any more."""
        try:
            return await asyncio.to_thread(self._collection.text, source)
        except ToolFailed:
            return ""

    async def titles(self, most: int) -> list[str]:
        """Return the titles of ``most`` documents, evenly from all of them; none where they cannot be read any more."""
        return await asyncio.to_thread(self._titles, most)

    def _titles(self, most: int) -> list[str]:
        try:
            names = sorted(self._collection.sizes())
            step = max(1, -(-len(names) // most))
            return [self._collection.document(name).title or name for name in names[::step]]
        except ToolFailed:
            return []

    def _found(self, search: Callable[[], list[Passage]]) -> Found:
        try:
            passages = search()
            documents = [
                self._collection.document(source) for source in dict.fromkeys(passage.source for passage in passages)
            ]
        except ToolFailed as error:
            problem = SearchProblem(kind="malformed", message=str(error), retryable=False)
            return Found(provider=self.name, problem=problem)
        except MissingExtraError as error:
            problem = SearchProblem(kind="configuration", message=str(error), retryable=False)
            return Found(provider=self.name, problem=problem)
        return Found(provider=self.name, passages=tuple(passages), documents=tuple(documents))
