"""Searching the items of a report: documents that are given directly."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from aeon.documents.collection import Collection
from aeon.documents.plain import clean
from aeon.documents.readers import Text
from aeon.engines.report.items import Item, named
from aeon.engines.report.tiers import ITEMS
from aeon.errors import ToolFailed
from aeon.schema import Document, Found, Passage, SearchProblem

__all__ = ["ItemSearch", "documents_of"]


class ItemSearch:
    """Finds passages of items. They are indexed in memory when the first search comes."""

    name = ITEMS
    local = True

    def __init__(self, items: Sequence[Item]) -> None:
        self._documents = {document.source: document for document in documents_of(items)}
        self._collection: Collection | None = None

    async def search(self, query: str, most: int) -> Found:
        """Return the passages that fit the query best, best first."""
        return await asyncio.to_thread(self._found, lambda collection: collection.search(query, most))

    async def select(self, query: str, most: int, takes: Callable[[Document], bool]) -> Found:
        """Return the same of items that are taken."""
        named = lambda name: takes(self._documents[name])  # noqa: E731
        return await asyncio.to_thread(self._found, lambda collection: collection.search(query, most, named))

    def _found(self, search: Callable[[Collection], list[Passage]]) -> Found:
        try:
            if self._collection is None:
                texts = {name: Text(clean(one.text)) for name, one in self._documents.items()}
                self._collection = Collection.of_texts(texts)
            passages = search(self._collection)
            names = dict.fromkeys(passage.source for passage in passages)
            documents = [self._documents[name].changed(text=self._collection.text(name)) for name in names]
        except ToolFailed as error:
            problem = SearchProblem(kind="malformed", message=str(error), retryable=False)
            return Found(provider=self.name, problem=problem)
        return Found(provider=self.name, passages=tuple(passages), documents=tuple(documents))


def documents_of(items: Sequence[Item]) -> list[Document]:
    """The items as documents, as `named` has them; a name is the first line of its text."""
    return [_document(source, one) for source, one in named(items).items()]


def _document(source: str, one: Item) -> Document:
    name = one.name.strip()
    return Document(
        source=source,
        title=name or one.url.strip(),
        site=one.site.strip(),
        text=f"{name}\n\n{one.description}" if name else one.description,
        text_sha256=hashlib.sha256(one.description.encode("utf-8", "surrogatepass")).hexdigest(),
    )
