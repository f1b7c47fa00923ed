"""Which passages a search gives: words (BM25), embeddings, and both joined; and how long it takes.

    python scripts/bench/retrieval.py [--half development|closing] [--seeds 1-6]
    python scripts/bench/retrieval.py --time 110000

Exact facts are the questions after one fact of the everyday benchmark, over its texts from each seed, and reworded
ones those in other words than their sentence's. Paraphrases, in
``paraphrases.jsonl``, are written by hand and share no content word with the sentence that answers them; their
texts lie in the same folder. Recall at k is the share of questions with a right passage among the first k. ``search``
is what `Collection.search` gives. Needs the extra embeddings; no model is run.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np
from everyday_items import Date, Item, Name, Value, day, shown
from everyday_tasks import make
from figures import wilson
from machine import machine, said

from aeon.documents import collection as collection_module
from aeon.documents import update as update_module
from aeon.documents.collection import Collection
from aeon.documents.embedding import DIMENSIONS, Embedder, embedder
from aeon.documents.folder import Folder
from aeon.documents.fusion import share
from aeon.documents.index import Row
from aeon.documents.query import terms
from aeon.documents.telling import telling
from aeon.schema import Passage

PARAPHRASES = Path(__file__).parent / "paraphrases.jsonl"
DEPTHS = (1, 3, 4, 8)
READ = 5  # passages that a lookup finds
_DEEP = 100
Place = tuple[str, int]
Ranking = list[Row]


@dataclass(frozen=True)
class Question:
    """A question and how a passage that answers it is known: ``pattern`` matches its text; none does if absent."""

    kind: str
    half: str
    text: str
    source: str = ""
    pattern: str = ""

    def answered(self, rows: Iterable[Row]) -> bool:
        """Whether one of the passages holds the answer."""
        return any(row.path == self.source and re.search(self.pattern, _plain(row.text)) for row in rows)


class World:
    """The folder of a seed, the collection of its texts, and the questions."""

    def __init__(self, folder: Path, seed: int) -> None:
        facts = [_question(item) for item in make(folder, seed) if item.kind in ("fact", "reworded", "absent")]
        self.questions = [*facts, *_paraphrases(folder)]
        opened = Folder.open(folder)
        names = [name for name, _ in opened.files() if name.endswith((".md", ".txt"))]
        self.collection = Collection.of(opened, names, ":memory:")
        self.index = self.collection._index
        every = self.index.nearest("everything", _embedder())
        self.passages = sorted(every, key=lambda row: (row.path, row.start))
        self.vectors = _embedder().embed([f"{row.heading}. {row.text}".removeprefix(". ") for row in self.passages])
        self._check()

    def _check(self) -> None:
        lost = [one.text for one in self.questions if one.pattern and not one.answered(self.passages)]
        if lost:
            raise SystemExit(f"no passage answers: {', '.join(lost)}")


def _paraphrases(folder: Path) -> list[Question]:
    """The paraphrases, after their texts were written into the folder."""
    cases = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()]
    for name in {case["file"] for case in cases}:
        parts = [case["text"] for case in cases if case["file"] == name]
        (folder / name).write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return [
        Question("paraphrase", case["half"], case["question"], case["file"], re.escape(case["sentence"]))
        for case in cases
    ]


System: TypeAlias = Callable[[World, str], Ranking]


def _question(item: Item) -> Question:
    if item.kind == "absent":
        return Question("absent", item.half, item.question)
    (value,) = item.expected
    kind = "exact fact" if item.kind == "fact" else "reworded"
    return Question(kind, item.half, item.question, item.note, _pattern(value))


def _pattern(value: Value) -> str:
    """What matches a value as the texts write it; 2.5 is written 2.50."""
    written = day(value.value) if isinstance(value, Date) else value.text if isinstance(value, Name) else shown(value)
    zeros = "0?" if "." in written else ""
    return rf"(?<![\w.]){re.escape(written)}{zeros}(?!\w)"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _embedder() -> Embedder:
    found = embedder()
    if found is None:
        raise SystemExit("this needs the extra embeddings: pip install 'aeon-orchestrator[embeddings]'")
    return found


def words(world: World, question: str) -> Ranking:
    """The passages by BM25."""
    return list(islice(world.index.ranked(terms(question)), _DEEP))


def similar(world: World, question: str) -> Ranking:
    """The passages by cosine."""
    return list(islice(world.index.nearest(question, _embedder()), _DEEP))


def shortened(dimensions: int) -> System:
    """The passages by the cosine of the first so many dimensions."""

    def ranked(world: World, question: str) -> Ranking:
        asked = _embedder().embed([question])[0, :dimensions].astype(float)
        rows = world.vectors[:, :dimensions].astype(float)
        cosines = rows @ asked / np.linalg.norm(rows, axis=1)
        return [world.passages[place] for place in np.argsort(-cosines, kind="stable")[:_DEEP]]

    return ranked


def joined(weight: float, depth: int, other: System = similar) -> System:
    """Reciprocal rank fusion of the first ``depth`` of both, with a weight for embeddings."""

    def ranked(world: World, question: str) -> Ranking:
        scores: dict[Place, float] = {}
        rows: dict[Place, Row] = {}
        for factor, ranking in ((1.0, words(world, question)), (weight, other(world, question))):
            for rank, row in enumerate(ranking[:depth], 1):
                place = row.path, row.start
                rows.setdefault(place, row)
                scores[place] = scores.get(place, 0.0) + factor * share(rank)
        return [rows[place] for place in sorted(rows, key=lambda place: -scores[place])]

    return ranked


def search(world: World, question: str) -> Ranking:
    """What the collection gives."""
    hits = world.collection.search(question, max(DEPTHS))
    return [Row(hit.source, hit.start, hit.text, hit.page, hit.heading, hit.sentences, hit.score) for hit in hits]


SYSTEMS: dict[str, System] = {
    "words": words,
    "embeddings": similar,
    "128 dimensions": shortened(128),
    "64 dimensions": shortened(64),
    "both, 100 each": joined(1.0, _DEEP),
    "both, 10 each": joined(1.0, 10),
    "10 each, 128 dimensions": joined(1.0, 10, shortened(128)),
    "10 each, 64 dimensions": joined(1.0, 10, shortened(64)),
    "10 each, half weight": joined(0.5, 10),
    "10 each, double weight": joined(2.0, 10),
    "search": search,
}


def apart(rows: Iterable[Row]) -> Ranking:
    """The first passages of a ranking of which no two overlap."""
    chosen: Ranking = []
    for row in rows:
        if not any(row.path == one.path and row.start < _end(one) and one.start < _end(row) for one in chosen):
            chosen.append(row)
        if len(chosen) == max(DEPTHS):
            break
    return chosen


def _end(row: Row) -> int:
    return row.start + len(row.text)


def _asked(worlds: Sequence[World], kind: str, half: str) -> list[tuple[World, Question]]:
    """The questions of a kind with their worlds. Paraphrases are the same in each."""
    some = worlds[:1] if kind == "paraphrase" else worlds
    return [(world, one) for world in some for one in world.questions if (one.kind, one.half) == (kind, half)]


def recall(worlds: Sequence[World], half: str) -> None:
    """Print recall at each depth for each kind of question and each system."""
    heads = "".join(f"{f'at {depth}':>20}" for depth in DEPTHS)
    print(f"{half}\n{'kind':12}{'system':25}{'of':>5}{heads}")
    for kind in ("exact fact", "reworded", "paraphrase"):
        asked = _asked(worlds, kind, half)
        for name, system in SYSTEMS.items():
            rankings = [(one, apart(system(world, one.text))) for world, one in asked]
            hits = [sum(one.answered(ranking[:depth]) for one, ranking in rankings) for depth in DEPTHS]
            print(f"{kind:12}{name:25}{len(asked):5}{''.join(_share(count, len(asked)) for count in hits)}")
        found = sum(_is_told(one, world) for world, one in asked)
        print(f"{kind:12}{'sentences told':25}{len(asked):5}{_share(found, len(asked))}")


def _is_told(one: Question, world: World) -> bool:
    """Whether a model is shown a sentence that holds the answer, of the passages that a lookup finds."""
    found = world.collection.search(one.text, READ) or world.collection.nearest(one.text, READ)
    told = telling(found, one.text)
    return any(source.source == one.source and re.search(one.pattern, _plain(source.text)) for source in told)


def _share(right: int, of: int) -> str:
    low, high = wilson(right, of)
    return f"{right / of:8.3f} [{low:.2f}, {high:.2f}]"


def absent(worlds: Sequence[World], half: str) -> None:
    """Print what a model is given to read where no text holds the answer."""
    asked = _asked(worlds, "absent", half)
    print(f"{'absent':12}{'system':25}{'of':>5}{'none found':>14}{'passages':>12}{'sentences':>12}{'told':>14}")
    for name in ("words", "search"):
        hits = [[_passage(row) for row in apart(SYSTEMS[name](world, one.text))[:READ]] for world, one in asked]
        told = [len(telling(passages, one.text)) for passages, (_, one) in zip(hits, asked, strict=True)]
        sentences = [sum(len(passage.sentences) for passage in passages) for passages in hits]
        means = [statistics.mean(counts) for counts in (map(len, hits), sentences, told)]
        print(f"{'':12}{name:25}{len(asked):5}{hits.count([]):14}{means[0]:12.2f}{means[1]:12.2f}{means[2]:14.2f}")


def cosines(worlds: Sequence[World], half: str) -> None:
    """Print how similar a paraphrase's right passage is to it, and the most similar passage to an absent fact."""
    for kind in ("paraphrase", "absent"):
        best = [
            next(
                row.score
                for row in world.index.nearest(one.text, _embedder())
                if not one.pattern or one.answered([row])
            )
            for world, one in _asked(worlds, kind, half)
        ]
        print(f"{kind:12}cosine: {', '.join(f'{part:.2f}' for part in statistics.quantiles(best, n=4))} (quartiles)")


def _passage(row: Row) -> Passage:
    place = Passage(source=row.path, start=row.start, end=_end(row), text=row.text, page=row.page, heading=row.heading)
    return place.changed(sentences=row.sentences)


def timed(count: int) -> None:
    """Print how long it takes to index, to open and to search a collection of about so many passages."""
    chance = Random(0)
    with tempfile.TemporaryDirectory(prefix="retrieval-") as base:
        folder, place = Path(base, "files"), Path(base, "index.sqlite")
        make(Path(base, "texts"), 0)
        texts = [path.read_text(encoding="utf-8") for path in sorted(Path(base, "texts").glob("*.[tm][xd]*"))]
        pool = sorted({word for text in texts for word in re.findall(r"[a-z]{3,}", text)})
        weights = [1 / rank for rank in range(1, len(pool) + 1)]
        folder.mkdir()
        for number in range(-(-count // 500)):
            drawn = [chance.choices(pool, weights, k=90) for _ in range(500)]
            (folder / f"{number:04}.txt").write_text("\n\n".join(" ".join(some) + "." for some in drawn))
        questions = [" ".join(chance.choices(pool, k=5)) for _ in range(60)]
        for name, off in (("words", True), ("embeddings added", False), ("both", False)):
            _timed(name, off, folder, place, questions)


def _timed(name: str, off: bool, folder: Path, place: Path, questions: Sequence[str]) -> None:
    """Print a line of times; with ``off``, as where the extra is not installed."""
    for module in (collection_module, update_module):
        module.embedder = (lambda: None) if off else embedder
    opened = Folder.open(folder)
    names = [path for path, _ in opened.files()]
    began = time.perf_counter()
    collection = Collection.of(opened, names, place)
    built, began = time.perf_counter() - began, time.perf_counter()
    collection.close()
    collection = Collection.of(opened, names, place)
    again = time.perf_counter() - began
    spent = []
    for question in questions:
        began = time.perf_counter()
        collection.search(question, READ)
        spent.append(time.perf_counter() - began)
    (passages,) = collection._index._db.execute("SELECT count(*) FROM passages").fetchone()
    collection.close()
    later = sorted(spent[1:])
    size, first = place.stat().st_size / 1e6, spent[0] * 1e3
    middle, slow = statistics.median(later) * 1e3, later[int(0.9 * len(later))] * 1e3
    print(
        f"{name:18}{passages:9,} passages  {size:6.0f} MB  {built:6.1f} s to bring up to date  {again:5.2f} s to open"
    )
    print(f"{'':18}searches: first {first:4.0f} ms, median {middle:4.0f} ms, 90 % below {slow:4.0f} ms")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("development", "closing"), default="development")
    parser.add_argument("--seeds", default="1-6", help="the first and the last")
    parser.add_argument("--time", type=int, default=0, metavar="N", help="measure times at N passages instead")
    options = parser.parse_args()
    print(f"{said(machine())}; {DIMENSIONS} dimensions")
    if options.time:
        timed(options.time)
        return
    first, last = map(int, options.seeds.split("-"))
    with tempfile.TemporaryDirectory(prefix="retrieval-") as base:
        worlds = [World(Path(base, str(seed)), seed) for seed in range(first, last + 1)]
        recall(worlds, options.half)
        absent(worlds, options.half)
        cosines(worlds, options.half)


if __name__ == "__main__":
    main()
