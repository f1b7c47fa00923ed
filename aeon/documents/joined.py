"""Several collections that are searched as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from aeon.documents.collection import Collection
from aeon.documents.fusion import fused
from aeon.errors import ToolFailed
from aeon.schema import Document, Passage
from aeon.text import one_line

__all__ = ["Joined"]

T = TypeVar("T")


class Joined(Collection):
    """Collections by name as one; each document is under its collection's name and its own path, as ``papers/a.md``.

    Those of the collection without a name, "", are under their own paths.

    What each finds is ranked on its own, and the rankings are fused: scores of two indexes cannot be compared.
    """

    def __init__(self, parts: Mapping[str, Collection]) -> None:
        self._parts = dict(parts)
        self.documents = tuple(_path(name, path) for name, part in parts.items() for path in part.documents)
        self.skipped = tuple((_path(name, path), why) for name, part in parts.items() for path, why in part.skipped)
        self.unread = tuple((_path(name, path), why) for name, part in parts.items() for path, why in part.unread)
        self.note = "; ".join(part.note for part in parts.values() if part.note)

    def search(self, question: str, most: int = 3, takes: Callable[[str], bool] | None = None) -> list[Passage]:
        """Return the passages that fit a question best. Raises as `Collection.search`."""
        found = [part.search(question, most, _below(name, takes)) for name, part in self._parts.items()]
        return self._fused(found, most)

    def nearest(self, question: str, most: int = 3) -> list[Passage]:
        """Return the most similar passages, however little they are. Raises as `Collection.nearest`."""
        return self._fused([part.nearest(question, most) for part in self._parts.values()], most)

    def text(self, source: str) -> str:
        """Return the text of a document. Raises ``ToolFailed`` as `Collection.text`."""
        part, path = self._part(source)
        return part.text(path)

    def document(self, source: str) -> Document:
        """Return what is known of a document, without its text. Raises ``ToolFailed`` as `text`."""
        part, path = self._part(source)
        return part.document(path).changed(source=source)

    def passages(self) -> dict[str, int]:
        """How many passages each document has. Raises ``ToolFailed`` as `search`."""
        return self._named(Collection.passages)

    def sizes(self) -> dict[str, int]:
        """How many bytes the file of each document had. Raises ``ToolFailed`` as `search`."""
        return self._named(Collection.sizes)

    def files(self) -> dict[str, tuple[str, ...]]:
        """The files of each document. Raises ``ToolFailed`` as `search`."""
        every = ((name, path, paths) for name, part in self._parts.items() for path, paths in part.files().items())
        return {_path(name, path): tuple(_path(name, one) for one in paths) for name, path, paths in every}

    def close(self) -> None:
        """Close the indexes; nothing can be searched any more."""
        for part in self._parts.values():
            part.close()

    def _named(self, figures: Callable[[Collection], Mapping[str, T]]) -> dict[str, T]:
        return {_path(name, path): one for name, part in self._parts.items() for path, one in figures(part).items()}

    def _part(self, source: str) -> tuple[Collection, str]:
        name, _, path = source.partition("/")
        if name and name in self._parts:
            return self._parts[name], path
        if "" not in self._parts:
            raise ToolFailed(f"there is no document {one_line(source, 100)!r}")
        return self._parts[""], source

    def _fused(self, hits: Iterable[list[Passage]], most: int) -> list[Passage]:
        named = [
            [passage.changed(source=_path(name, passage.source)) for passage in passages]
            for name, passages in zip(self._parts, hits, strict=True)
        ]
        found = {(one.source, one.start): one for passages in named for one in passages}
        ranking = fused([[(one.source, one.start) for one in passages] for passages in named])
        return [found[place].changed(score=score) for place, score in ranking[:most]]


def _path(name: str, path: str) -> str:
    return f"{name}/{path}" if name else path


def _below(name: str, takes: Callable[[str], bool] | None) -> Callable[[str], bool] | None:
    """What is asked of the paths of a part."""
    return None if takes is None else lambda path: takes(_path(name, path))
