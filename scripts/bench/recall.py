"""Whether a search among very many passages still finds the documents that answer a question.

    python scripts/bench/recall.py SET [SET …] [--noise 100000]

A set is a folder with ``docs.jsonl`` ({name, text}) and ``questions.jsonl`` ({question, supporting_docs}). Its texts
lie among made-up passages, whose words follow each other as in the sets, so that they hold what the questions ask for.
Recall at k is the mean share of a question's supporting documents that the first k passages are of. ``exact`` ranks
every passage that holds any word of the question by BM25; ``words`` is what the index gives, ``search`` what
`Collection.search` does, with embeddings where the extra is there.
"""

from __future__ import annotations

import argparse
import collections
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from random import Random

from machine import machine, said

from aeon.documents.collecting import collect
from aeon.documents.collection import Collection
from aeon.documents.query import terms

_DEPTHS = (5, 10)
_PARAGRAPHS = 20
_WORDS = 86
Question = tuple[str, frozenset[str]]


def laid_out(sets: list[Path], folder: Path, noise: int) -> dict[str, list[Question]]:
    """Write the documents of the sets and the noise below a folder; the questions of each set, with their documents."""
    texts: list[str] = []
    questions: dict[str, list[Question]] = {}
    for one in sets:
        place = folder / one.name
        place.mkdir(parents=True)
        for document in _lines(one / "docs.jsonl"):
            (place / document["name"]).write_text(document["text"], encoding="utf-8")
            texts.append(document["text"])
        questions[one.name] = [
            (asked["question"], frozenset(f"{folder.name}/{one.name}/{name}" for name in asked["supporting_docs"]))
            for asked in _lines(one / "questions.jsonl")
        ]
    _write_noise(folder / "noise", [text.split() for text in texts], noise)
    return questions


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write_noise(folder: Path, texts: list[list[str]], passages: int) -> None:
    """Paragraphs in which three of four words follow the one before as in the texts."""
    chance = Random(5)
    after = collections.defaultdict(list)
    words = [word for text in texts for word in text]
    for text in texts:
        for first, second in pairwise(text):
            after[first].append(second)
    folder.mkdir()
    for number in range(-(-passages // _PARAGRAPHS)):
        paragraphs = []
        for _ in range(_PARAGRAPHS):
            written = [chance.choice(words)]
            while len(written) < _WORDS:
                follows = after[written[-1]]
                written.append(chance.choice(follows if follows and chance.random() < 0.75 else words))
            paragraphs.append(" ".join(written) + ".")
        (folder / f"{number:05}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")


def systems(collection: Collection) -> dict[str, Callable[[str], list[str]]]:
    """What gives the sources of the first passages for a question, by name."""
    index = collection._index
    deepest = max(_DEPTHS)

    def exact(question: str) -> list[str]:
        query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        rows = index._db.execute(query, (" OR ".join(terms(question)), deepest)).fetchall()
        return [index._row(number, 0.0).path for (number,) in rows]

    def words(question: str) -> list[str]:
        return [row.path for row in islice(index.ranked(terms(question)), deepest)]

    def search(question: str) -> list[str]:
        return [passage.source for passage in collection.search(question, deepest)]

    return {"exact": exact, "words": words, "search": search}


def show(collection: Collection, questions: dict[str, list[Question]]) -> None:
    """Print recall at each depth, and the time of a query, for each set and system."""
    print(f"{'set':12}{'system':10}{'of':>5}{'at 5':>8}{'at 10':>8}{'median ms':>11}{'p95 ms':>9}")
    for name, asked in questions.items():
        for label, system in systems(collection).items():
            shares: dict[int, list[float]] = {depth: [] for depth in _DEPTHS}
            spent = []
            for question, documents in asked:
                began = time.perf_counter()
                sources = system(question)
                spent.append((time.perf_counter() - began) * 1e3)
                for depth, share in shares.items():
                    share.append(len(documents & set(sources[:depth])) / len(documents))
            means = "".join(f"{statistics.mean(share):8.3f}" for share in shares.values())
            late = sorted(spent)[int(0.95 * len(spent))]
            print(f"{name:12}{label:10}{len(asked):5}{means}{statistics.median(spent):11.1f}{late:9.1f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--noise", type=int, default=100_000, help="made-up passages")
    options = parser.parse_args()
    print(said(machine()))
    with tempfile.TemporaryDirectory(prefix="recall-") as base:
        folder, place = Path(base, "texts"), Path(base, "all.aeon")
        questions = laid_out(options.sets, folder, options.noise)
        print(f"{collect(folder, place).passages:,} passages")
        collection = Collection.open(place)
        show(collection, questions)
        collection.close()


if __name__ == "__main__":
    main()
