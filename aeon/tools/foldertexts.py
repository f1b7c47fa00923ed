"""The texts of a folder as a model searches and reads them: by words, or by a name that need not be exact."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import PurePosixPath

from aeon.documents.collection import Collection
from aeon.documents.query import content
from aeon.documents.sentences import Sentence, sentences
from aeon.errors import ToolArgumentError
from aeon.schema import JsonObject, Passage
from aeon.text import one_line
from aeon.tools.tableinfo import TableInfo
from aeon.tools.textparts import TextPart, TextParts, spaced_out

__all__ = ["FolderTexts", "fitting"]

_PASSAGES = 8
_RANKED = 40
"""Passages that are looked at for the names of their texts."""
_MOST_NAMES, _MOST_CLOSE = 12, 5
_KEPT_TEXTS = 4
_PAGE = 1_000
"""Sentences that are looked at for one part of a text; more never fit."""
_OVERHEAD = 300
"""Bytes of an output beside its sentences."""


class FolderTexts:
    """The texts of a collection, and the tables and skipped files beside them, whose names a model may take for texts.

    ``most_bytes`` is how much JSON `found` and `part` give at most.
    """

    def __init__(
        self, collection: Collection, tables: Sequence[TableInfo], skipped: Mapping[str, str], most_bytes: int
    ) -> None:
        self.most_bytes = most_bytes
        self._collection = collection
        self._tables = tables
        self._skipped = skipped
        self._split = lru_cache(maxsize=_KEPT_TEXTS)(self._sentences)

    def found(self, words: str) -> JsonObject:
        """The passages that fit the words best, best first, no sentence twice. Raises as `Collection.search`."""
        ranked = self._collection.search(words, _RANKED)
        passages = ranked or self._collection.nearest(words, _PASSAGES)
        parts, seen = [], set[tuple[str, int]]()
        for passage in passages[:_PASSAGES]:
            new = [span for span in passage.sentences if (passage.source, span[0]) not in seen]
            seen |= {(passage.source, start) for start, _ in new}
            if new:
                parts.append(self._part_of(passage, new))
        return fitting(parts, self._note(words, ranked, passages), self.most_bytes).output()

    def part(self, name: str, start: int) -> JsonObject:
        """The sentences of a text from ``start`` on (from 1), as many as fit.

        Raises ``ToolArgumentError`` for a name of no text and for a start beyond its end.
        """
        text, every = self._split(name)
        if start > len(every):
            raise ToolArgumentError(f"{one_line(name, 100)} has {len(every):,} sentences; there is none {start:,}")
        page = every[start - 1 : start - 1 + _PAGE]
        whole = TextPart(
            source=name,
            sentences=spaced_out(text, [(one.start, one.end) for one in page]),
            heading=page[0].heading if start > 1 else "",
        )
        shown = fitting([whole], "", self.most_bytes)
        last = start - 1 + sum(len(part.sentences) for part in shown.parts)
        span = f"sentences {start:,} to {last:,}" if last > start else f"sentence {start:,}"
        note = f"{span} of {len(every):,}"
        if (start, last) == (1, len(every)):
            note = "the whole text"
        if last < len(every):
            note += f"; the text goes on at start={last + 1}"
        return shown.changed(note=note).output()

    def meant(self, name: str) -> str | TableInfo:
        """The text or table of that name, or of the only one like it.

        Raises ``ToolArgumentError``, which gives the nearest names, or says why a file cannot be read.
        """
        if name in self._collection.documents:
            return name
        plain = name.strip().replace("\\", "/").removeprefix("./")
        for spelt in (str, _plain, _last, _stem):
            if (found := self._spelt_so(plain, spelt)) is not None:
                return found
        raise self._unknown(plain)

    def _spelt_so(self, name: str, spelt: Callable[[str], str]) -> str | TableInfo | None:
        """The one text or table whose name is the same if both are ``spelt`` so."""
        texts = {text for file, text in self._files.items() if spelt(file) == spelt(name)}
        tables = [table for table in self._tables if spelt(name) in (spelt(table.name), spelt(table.source))]
        if len(texts) == 1 and not (spelt is _stem and tables):
            return texts.pop()
        return _only(tables, name) if tables and not texts else None

    @cached_property
    def _files(self) -> dict[str, str]:
        """The text that each file holds: several may hold the same."""
        return {file: text for text, files in self._collection.files().items() for file in files}

    def _unknown(self, name: str) -> ToolArgumentError:
        label = one_line(name, 100)
        if name in self._skipped:
            return ToolArgumentError(f"{label} cannot be read: {one_line(self._skipped[name], 200)}")
        names = [*self._collection.documents, *(table.name for table in self._tables)]
        close = difflib.get_close_matches(name[:200], names, _MOST_CLOSE, 0.4) or names[:_MOST_CLOSE]
        more = f" and {len(names) - len(close):,} more" if len(names) > len(close) else ""
        listed = ", ".join(one_line(one, 80) for one in close) or "none"
        return ToolArgumentError(f"nothing is named {label!r}; the nearest names are: {listed}{more}")

    def _sentences(self, name: str) -> tuple[str, list[Sentence]]:
        text = self._collection.text(name)
        return text, sentences(text)

    def _part_of(self, passage: Passage, spans: Iterable[tuple[int, int]]) -> TextPart:
        own = [(start - passage.start, end - passage.start) for start, end in spans]
        inside = spaced_out(passage.text, own)
        moved = tuple((start + passage.start, end + passage.start, *rest) for start, end, *rest in inside)
        return TextPart(source=passage.source, sentences=moved, heading=passage.heading, page=passage.page)  # type: ignore[arg-type]

    def _note(self, words: str, ranked: Sequence[Passage], shown: Sequence[Passage]) -> str:
        count = len(self._collection.documents)
        searched = f"{count:,} text{'s' * (count != 1)} searched"
        titled = self._titled(words)
        if not shown:
            tables = "; tables are not searched, sql asks them" if self._tables else ""
            return f"nothing found, {searched}{titled}{tables}"
        if not ranked:
            return f"nothing found by these words, {searched}; these passages are the most similar{titled}"
        return f"found in {_names([passage.source for passage in ranked])}; {searched}{titled}"

    def _titled(self, words: str) -> str:
        """The texts whose names hold one of the words."""
        asked = [word.replace(" ", "") for word in content(words) if len(word) > 1]
        named = [name for name in self._collection.documents if any(word in name.casefold() for word in asked)]
        return f"; names with these words: {_names(named)}" if named else ""


def fitting(parts: Iterable[TextPart], note: str, most_bytes: int) -> TextParts:
    """As many of the sentences of these parts, in their order, as fit into so many bytes of JSON."""
    left = most_bytes - _OVERHEAD - _size(note)
    kept: list[TextPart] = []
    for part in parts:
        left -= _size(part.changed(sentences=()).output()) + 2
        count = 0
        for sentence in part.sentences:
            left -= _size(sentence) + 2
            if left < 0:
                break
            count += 1
        if count or not kept:
            kept.append(part.changed(sentences=part.sentences[: max(count, int(not kept))]))
        if left < 0:
            break
    return TextParts(parts=tuple(kept), note=note)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


def _last(name: str) -> str:
    return _plain(PurePosixPath(name).name)


def _stem(name: str) -> str:
    return _plain(PurePosixPath(name).stem)


def _only(tables: Sequence[TableInfo], name: str) -> TableInfo:
    """The table of a file. Raises ``ToolArgumentError`` for a file of several."""
    if len(tables) > 1:
        listed = ", ".join(table.name for table in islice(tables, _MOST_NAMES))
        raise ToolArgumentError(f"{one_line(name, 100)} holds several tables; read one of them: {listed}")
    return tables[0]


def _names(names: Iterable[str]) -> str:
    every = list(dict.fromkeys(names))
    more = f" and {len(every) - _MOST_NAMES:,} more" if len(every) > _MOST_NAMES else ""
    return ", ".join(one_line(name, 80) for name in every[:_MOST_NAMES]) + more
