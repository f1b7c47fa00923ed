"""Building and searching a collection of many passages, beside tantivy.

    python scripts/bench/index.py [--passages 10000 100000] [--queries 200] [--keep DIR]

The texts are made up by a seed: words with the frequencies that they have in the docstrings and comments of Python's
standard library, made-up names that are rare, and one paragraph of twenty that repeats another but for two words. Each
query has 4 to 12 words of one passage: frequent ones, rare ones and, in every second one, a name. tantivy indexes the
passages that Aeon cut, stemmed as well; building Aeon's index includes reading the files and cutting them. Each engine
runs in a process of its own. ``first`` is a query right after opening, ``open`` the opening; the peak is that of memory
while building. Needs tantivy, and the extra embeddings for the second line.
"""

from __future__ import annotations

import argparse
import collections
import io
import json
import re
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import tokenize
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from machine import machine, said

from aeon.documents import collection as collection_module
from aeon.documents import update as update_module
from aeon.documents.collecting import collect
from aeon.documents.collection import Collection
from aeon.documents.query import terms

ENGINES = ("words", "embeddings", "tantivy")
_RESULTS = 4
_PARAGRAPHS = 24
_NAMES = 40_000
_SYLLABLES = re.findall("..", "babedadofigahelinirjokakralimamonanorosperarisasetatelulvewenyozu")
_WORD = re.compile(r"[a-z]{2,}")


def vocabulary() -> collections.Counter[str]:
    """How often each word stands in the docstrings and comments of the standard library."""
    counts: collections.Counter[str] = collections.Counter()
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines = io.StringIO(path.read_text(encoding="utf-8", errors="replace")).readline
        for token in tokenize.generate_tokens(lines):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and '"""' in token.string):
                counts.update(_WORD.findall(token.string))
    return counts


class Writer:
    """Writes paragraphs, always the same ones for a seed."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        counts = vocabulary()
        self._words = sorted(counts)
        self._weights = list(accumulate(counts[word] for word in self._words))
        self._names = ["".join(self._chance.choices(_SYLLABLES, k=3)).title() for _ in range(_NAMES)]
        self._ranks = list(accumulate(1 / rank for rank in range(1, _NAMES + 1)))
        self._last: list[str] = []

    def paragraph(self) -> str:
        """Four sentences, or an earlier paragraph with two other words."""
        if self._last and self._chance.random() < 0.05:
            words = self._chance.choice(self._last).split()
            for place in self._chance.sample(range(1, len(words) - 1), 2):
                words[place] = self._drawn(1)[0]
            return " ".join(words)
        written = " ".join(self._sentence() for _ in range(4))
        self._last = [*self._last[-200:], written]
        return written

    def _sentence(self) -> str:
        words = self._drawn(self._chance.randint(12, 26))
        if self._chance.random() < 0.5:
            name = self._chance.choices(self._names, cum_weights=self._ranks)[0]
            words.insert(self._chance.randrange(len(words)), name)
        return " ".join([words[0].capitalize(), *words[1:]]) + "."

    def _drawn(self, count: int) -> list[str]:
        return self._chance.choices(self._words, cum_weights=self._weights, k=count)


def write(folder: Path, passages: int) -> None:
    """Write files of about so many passages."""
    writer = Writer(passages)
    folder.mkdir(parents=True)
    for number in range(-(-passages // _PARAGRAPHS)):
        text = "\n\n".join(writer.paragraph() for _ in range(_PARAGRAPHS))
        (folder / f"{number:05}.txt").write_text(text, encoding="utf-8")


def questions(folder: Path, count: int) -> list[str]:
    """Queries of the words of single paragraphs, in their order."""
    chance = Random(1)
    paths = sorted(folder.iterdir())
    asked = []
    for number in range(count):
        text = chance.choice(chance.choice(paths).read_text(encoding="utf-8").split("\n\n"))
        words = text.replace(".", "").split()
        chosen = sorted(chance.sample(range(len(words)), chance.randint(4, 12)))
        names = [word for word in words[1:] if word[0].isupper()] if number % 2 else []
        asked.append(" ".join([words[place] for place in chosen] + names[:1]))
    return asked


def aeon(folder: Path, place: Path, with_embeddings: bool) -> dict[str, Any]:
    """Build a collection file and open it."""
    if not with_embeddings:
        for module in (collection_module, update_module):
            module.embedder = lambda: None  # type: ignore[attr-defined]
    began = time.perf_counter()
    collected = collect(folder, place)
    built, peak, began = time.perf_counter() - began, _peak(), time.perf_counter()
    collection = Collection.open(place)
    opened = time.perf_counter() - began

    def search(question: str) -> object:
        return collection.search(question, _RESULTS)

    return {"passages": collected.passages, "build": built, "peak": peak, "bytes": collected.bytes, "open": opened,
            "search": search}  # fmt: skip


def tantivy_index(folder: Path, place: Path) -> dict[str, Any]:
    """Build an index of the passages of the collection beside it, and open it."""
    import tantivy  # noqa: PLC0415 - only this process needs it

    builder = tantivy.SchemaBuilder()
    for name in ("text", "heading", "name"):
        builder.add_text_field(name, stored=name == "text", tokenizer_name="en_stem")
    schema = builder.build()
    place.mkdir()
    passages = list(_cut(folder))
    began = time.perf_counter()
    index = tantivy.Index(schema, path=str(place))
    writer = index.writer()
    for text, heading, name in passages:
        writer.add_document(tantivy.Document(text=text, heading=heading, name=name))
    writer.commit()
    writer.wait_merging_threads()
    built, peak, began = time.perf_counter() - began, _peak(), time.perf_counter()
    index = tantivy.Index.open(str(place))
    searcher = index.searcher()
    opened = time.perf_counter() - began

    def search(question: str) -> object:
        query = index.parse_query(" ".join(terms(question)), ["text", "heading", "name"])
        return [searcher.doc(address)["text"] for _, address in searcher.search(query, 10).hits]

    size = sum(path.stat().st_size for path in place.iterdir())
    return {"passages": len(passages), "build": built, "peak": peak, "bytes": size, "open": opened, "search": search}


def _cut(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The passages that Aeon cuts, out of the collection that the engine ``words`` made."""
    collection = Collection.open(folder.with_name("words.aeon"))
    yield from collection._index._db.execute("SELECT text, heading, name FROM passages ORDER BY id")
    collection.close()


def _peak() -> float:
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def measured(engine: str, folder: Path, count: int) -> dict[str, float]:
    """Build, open and search with one engine."""
    place = folder.with_name(f"{engine}.aeon")
    made = tantivy_index(folder, place) if engine == "tantivy" else aeon(folder, place, engine == "embeddings")
    spent, worked = _timed(made.pop("search"), questions(folder, count))
    later = sorted(spent[1:])
    return {**made, "first": spent[0], "median": statistics.median(later), "cpu": statistics.median(worked[1:]),
            "p95": later[int(0.95 * len(later))],
            "most": later[-1]}  # fmt: skip


def _timed(search: Callable[[str], object], asked: Sequence[str]) -> tuple[list[float], list[float]]:
    """The seconds that each query takes by the clock, and of the processor."""
    spent, worked = [], []
    for question in asked:
        began, work = time.perf_counter(), time.process_time()
        search(question)
        spent.append(time.perf_counter() - began)
        worked.append(time.process_time() - work)
    return spent, worked


def show(results: dict[str, dict[str, float]]) -> None:
    """Print a line for each engine, and its ratios to tantivy."""
    print(f"{'engine':12}{'passages':>9}{'build s':>9}{'peak MB':>9}{'file MB':>9}{'open ms':>9}{'first ms':>10}"
          f"{'median ms':>11}{'(cpu)':>7}{'p95 ms':>8}{'most ms':>9}")  # fmt: skip
    base = results.get("tantivy")
    for engine, one in results.items():
        times = [one[name] * 1e3 for name in ("open", "first", "median", "cpu", "p95", "most")]
        print(f"{engine:12}{one['passages']:9,}{one['build']:9.1f}{one['peak']:9.0f}{one['bytes'] / 1e6:9.1f}"
              "{:9.1f}{:10.1f}{:11.2f}{:7.1f}{:8.1f}{:9.1f}".format(*times))  # fmt: skip
        if base and engine != "tantivy":
            parts = {name: one[name] / base[name] for name in ("build", "peak", "bytes", "median", "p95")}
            print(f"{'':12}times tantivy: {', '.join(f'{name} {part:.1f}' for name, part in parts.items())}")


def main() -> None:
    """Print the table of each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES), help="tantivy needs words")
    parser.add_argument("--keep", type=Path, help="an empty folder where texts and indexes stay")
    parser.add_argument("--one", nargs=2, metavar=("ENGINE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one[0], Path(options.one[1]), options.queries)))
        return
    print(said(machine()))
    with tempfile.TemporaryDirectory(prefix="index-") as base:
        for passages in options.passages:
            folder = Path(options.keep or base, str(passages), "texts")
            write(folder, passages)
            show({engine: _apart(engine, folder, options.queries) for engine in options.engines})


def _apart(engine: str, folder: Path, queries: int) -> dict[str, float]:
    """What an engine needs, in a process of its own."""
    command = [sys.executable, __file__, "--one", engine, str(folder), "--queries", str(queries)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


if __name__ == "__main__":
    main()
