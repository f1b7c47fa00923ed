"""The sources of a run: append-only, numbered by the host, each text once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeon.schema.plan import Passage
from aeon.schema.search import Document, Found
from aeon.schema.value import Value

__all__ = ["Entry", "Sources"]


class Entry(Value):
    """A source and what was found of it. ``number`` counts from 1: ``[1]`` in an answer. ``query`` found it first."""

    number: int
    document: Document
    provider: str
    query: str
    passages: tuple[Passage, ...] = ()

    def __contains__(self, passage: object) -> bool:
        return isinstance(passage, Passage) and any(
            passage.start >= known.start and passage.end <= known.end for known in self.passages
        )


class Sources(Value):
    """All that searches found, in the order of the numbers. ``most`` limits how many sources there are.

    What is once in it stays as it is: a later search adds sources, and passages to a source. A text that has changed
    since then is left out: numbers and spans are those of the text that was read first.
    """

    most: int
    entries: tuple[Entry, ...] = ()

    def added(self, found: Sequence[tuple[str, Found]], room: int | None = None) -> Sources:
        """The sources with what was found for some queries: all of the first one, then the others by rank.

        A text that is known under another address is no new source. ``room`` limits how many sources there are now.
        """
        sources, most = self, self.most if room is None else min(room, self.most)
        ranked = [
            ((query != found[0][0], rank), document, passage, query, one.provider)
            for query, one in found
            for rank, (document, passage) in enumerate(self._readable(one))
        ]
        for _, document, passage, query, provider in sorted(ranked, key=lambda place: place[0]):
            new = Entry(number=1, document=document, provider=provider, query=query)
            sources = sources._with(passage, new, most)
        return sources

    def _with(self, passage: Passage, new: Entry, most: int) -> Sources:
        known = self._known(new.document)
        if known is None:
            if len(self.entries) >= most:
                return self
            entry = new.changed(number=len(self.entries) + 1, passages=(passage,))
            return self.changed(entries=(*self.entries, entry))
        if passage in known:
            return self
        named = passage.changed(source=known.document.source)
        entry = known.changed(passages=(*known.passages, named))
        return self.changed(entries=tuple(entry if one is known else one for one in self.entries))

    def _readable(self, found: Found) -> Iterator[tuple[Document, Passage]]:
        """The passages of a search with their documents, without those of texts that are not as they were read."""
        documents = {document.source: document for document in found.documents}
        for passage in found.passages:
            document = documents.get(passage.source, Document(source=passage.source))
            entry = self._known(document)
            if entry is None or entry.document.text_sha256 == document.text_sha256:
                yield document, passage

    def _known(self, document: Document) -> Entry | None:
        """The entry of this address, or of the same text."""
        text = document.text_sha256
        same = (one for one in self.entries if one.document.source == document.source)
        alike = (one for one in self.entries if text and one.document.text_sha256 == text)
        return next(same, None) or next(alike, None)

    @property
    def passages(self) -> int:
        """How many passages there are: what it counts whether a round gained anything."""
        return sum(len(entry.passages) for entry in self.entries)

    @property
    def texts(self) -> tuple[str, ...]:
        """The hashes of the texts that are kept here and nowhere else."""
        return tuple(entry.document.text_sha256 for entry in self.entries if entry.document.text)

    def numbered(self, found: Found) -> Iterator[tuple[Entry, Passage]]:
        """The passages of a search with the entries of their sources; those of sources that found no room are left out.

        A passage names the source as its entry does.
        """
        for document, passage in self._readable(found):
            entry = self._known(document)
            if entry is not None:
                yield entry, passage.changed(source=entry.document.source)
