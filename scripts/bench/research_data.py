"""Questions over closed sets of documents, split into halves, and what can be searched to answer them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.documents.passages import passages
from aeon.schema import Passage, Source

__all__ = ["Half", "Question", "Shelf", "load", "shelf", "texts", "unpack"]

Half = Literal["development", "closing"]


@dataclass(frozen=True)
class Question:
    """A question of a set with its answers (the first is the main one) and the documents that hold them."""

    collection: str
    id: str
    text: str
    answers: tuple[str, ...]
    supporting: tuple[str, ...]
    half: Half


def load(data: Path, collection: str, seed: int) -> list[Question]:
    """The questions of a set in its own order, half of them for development, drawn by the seed.

    Raises:
        SystemExit: the folder does not hold the set.
    """
    raw = _lines(data / collection / "questions.jsonl")
    drawn = random.Random(seed).sample(range(len(raw)), k=(len(raw) + 1) // 2)
    own = set(drawn)
    return [
        Question(
            collection, one["id"], one["question"], (one["answer"], *one["aliases"]), tuple(one["supporting_docs"]),
            "development" if number in own else "closing",
        )
        for number, one in enumerate(raw)
    ]  # fmt: skip


def texts(data: Path, collection: str) -> dict[str, str]:
    """The documents of a set, by their names.

    Raises:
        SystemExit: the folder does not hold the set.
    """
    return {one["name"]: one["text"] for one in _lines(data / collection / "docs.jsonl")}


def unpack(data: Path, collection: str, folder: Path) -> None:
    """Write the documents of a set into a new folder, a file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(data, collection).items():
        (folder / name).write_text(text, encoding="utf-8")


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise SystemExit(f"there is no {path}: --data names the folder that holds the sets")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Shelf:
    """A collection of documents, each with its title; ``supporting`` are the passages of the given documents."""

    def __init__(self, collection: Collection, supporting: Iterable[str]) -> None:
        self.collection = collection
        self.supporting = tuple(passage for name in supporting for passage in self._whole(name))

    def search(self, query: str, most: int) -> list[Passage]:
        """The best passages for a query, best first."""
        return self.collection.search(query, most)

    def holds(self, word: str) -> bool:
        """Whether a document holds a word."""
        return self.collection.holds(word)

    def title(self, passage: Source) -> str:
        """The first line of the document."""
        return self.collection.text(passage.source).split("\n", 1)[0].strip()

    def _whole(self, name: str) -> Iterator[Passage]:
        text = self.collection.text(name)
        for start, end, heading, sentences in passages(text):
            place = Passage(source=name, start=start, end=end, text=text[start:end], heading=heading)
            yield place.changed(sentences=sentences)

    def close(self) -> None:
        """Close the collection."""
        self.collection.close()


def shelf(folder: Path, index: Path, question: Question, taken_away: bool) -> Shelf:
    """The documents of a folder; with ``taken_away``, without those that support the question."""
    opened = Folder.open(folder)
    without = set(question.supporting) if taken_away else set()
    names = [name for name, _ in opened.files() if name not in without]
    return Shelf(Collection.of(opened, names, index), () if taken_away else question.supporting)
