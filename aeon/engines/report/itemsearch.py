"""Searching the items of a report: documents that are given directly."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from aeon.documents.collection import Collection
from aeon.documents.plain import clean
from aeon.documents.readers import Text
from aeon.engines.report.items import Item
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
    """The items as documents, each text of an address once; a name is the first line of its text.

    Another text under the same address is kept, too, under the address with a number: both may be cited.
    """
    documents: dict[str, Document] = {}
    for one in items:
        digest = hashlib.sha256(one.description.encode("utf-8", "surrogatepass")).hexdigest()
        name = source = one.url.strip() or one.name.strip()
        number = 1
        while source in documents and documents[source].text_sha256 != digest:
            number += 1
            source = f"{name}#{number}"
        title = one.name.strip() or name
        text = f"{one.name.strip()}\n\n{one.description}" if one.name.strip() else one.description
        documents[source] = Document(source=source, title=title, site=one.site.strip(), text=text, text_sha256=digest)
    return list(documents.values())
