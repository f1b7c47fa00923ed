"""Searching a local collection: offline, and without an account."""

from __future__ import annotations

import asyncio
import re
from pathlib import PurePath

from aeon.documents.collection import Collection
from aeon.errors import MissingExtraError, ToolFailed
from aeon.schema import Document, Found, SearchProblem
from aeon.search.pages import digest

__all__ = ["CollectionSearch"]

_TITLE = re.compile(r"\s*# (\S[^\n]{0,200})")


class CollectionSearch:
    """Finds passages of a collection, which keeps the texts."""

    local = True

    def __init__(self, collection: Collection, name: str = "collection") -> None:
        self.name = name
        self._collection = collection
        self._documents: dict[str, Document] = {}

    async def search(self, query: str, most: int) -> Found:
        """Return the passages that fit the query best, best first; their documents without the texts."""
        return await asyncio.to_thread(self._search, query, most)

    def _search(self, query: str, most: int) -> Found:
        try:
            passages = self._collection.search(query, most)
            documents = [self._document(source) for source in dict.fromkeys(passage.source for passage in passages)]
        except ToolFailed as error:
            problem = SearchProblem(kind="malformed", message=str(error), retryable=False)
            return Found(provider=self.name, problem=problem)
        except MissingExtraError as error:
            problem = SearchProblem(kind="configuration", message=str(error), retryable=False)
            return Found(provider=self.name, problem=problem)
        return Found(provider=self.name, passages=tuple(passages), documents=tuple(documents))

    def _document(self, source: str) -> Document:
        """The document of a source, read once. Raises ``ToolFailed`` if the index was damaged meanwhile."""
        if source not in self._documents:
            text = self._collection.text(source)
            heading = _TITLE.match(text)
            title = heading[1].strip() if heading else PurePath(source).name
            self._documents[source] = Document(source=source, title=title, text_sha256=digest(text))
        return self._documents[source]
