"""How many supporting documents a search finds, for the question and for one further query. No model is run.

    python scripts/bench/research_recall.py [--data DIR] [--sets hotpot,musique] [--words-only] [--worded]

The further query is asked for each supporting document that was found, as long as one comes to light: the question
with its title, or with its whole text. ``--words-only`` searches as where the extra embeddings is not installed.
``--worded`` runs a model after all: it words each question otherwise, as research begins with, and the passages of all
wordings are put in the order in which research reads them.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from research import PAPERS
from research_data import Question, Shelf, load, shelf, unpack

import aeon.documents.collection as collection_module
import aeon.documents.update as update_module
from aeon.engines.research.choosing import own
from aeon.engines.research.effects import Numbered
from aeon.engines.research.wording import other_words
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance
from aeon.supervisor.supervisor import Supervisor

__all__ = ["main", "reached"]

DEPTHS = (3, 5, 10, 20)
READ = (3, 5)
FURTHER = 5


def reached(shelf: Shelf, question: Question, depth: int, further: Callable[[str], str] | None = None) -> set[str]:
    """The supporting documents among the first passages, and those that further queries bring to light."""
    gold = set(question.supporting)
    found = gold & _documents(shelf, question.text, depth)
    asked: set[str] = set()
    while further and (left := found - asked):
        name = min(left)
        asked.add(name)
        found |= gold & _documents(shelf, f"{question.text} {further(name)}", FURTHER)
    return found


def _documents(shelf: Shelf, query: str, depth: int) -> set[str]:
    return {hit.source for hit in shelf.search(query, depth)}


def main() -> None:
    """Print a line for each set and depth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PAPERS)
    parser.add_argument("--sets", default="hotpot,musique")
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--worded", action="store_true")
    parser.add_argument("--half", choices=("development", "closing"), default="")
    options = parser.parse_args()
    if options.words_only:
        for module in (collection_module, update_module):
            module.embedder = lambda: None  # type: ignore[attr-defined]
    if options.worded:
        asyncio.run(_worded(options))
        return
    print(f"{'set':9}{'passages':>9}{'documents':>14}{'all of them':>14}{'with titles':>14}{'with texts':>14}")
    with tempfile.TemporaryDirectory(prefix="recall-") as base:
        for name in options.sets.split(","):
            unpack(options.data, name, Path(base, name))
            _table(name, load(options.data, name, 1), Path(base))


async def _worded(options: argparse.Namespace) -> None:
    """Print for each set of how many questions all documents are read, of how many one, and the seconds of the call."""
    llm = select(None)
    print(f"{'set':12}{'questions':>10}" + "".join(f"{f'all, one of {most}':>18}{'worded':>10}" for most in READ))
    with tempfile.TemporaryDirectory(prefix="recall-") as base:
        for name in options.sets.split(","):
            unpack(options.data, name, Path(base, name))
            asked = [one for one in load(options.data, name, 1) if options.half in ("", one.half)]
            rows = [await _by_words(Supervisor(llm), Path(base, name), question) for question in asked]
            seconds = median(one for _, one in rows)
            print(f"{name:12}{len(asked):10}{_counts(rows)}   {seconds:.1f} s", flush=True)
    await llm.aclose()


def _counts(rows: Sequence[tuple[list[tuple[bool, bool]], float]]) -> str:
    """Of how many questions all documents are read, and of how many one; a column for each depth, alone and worded."""
    columns = zip(*(reads for reads, _ in rows), strict=True)
    counts = [f"{sum(every for every, _ in one)}, {sum(some for _, some in one)}" for one in columns]
    return "".join(f"{one:>{width}}" for one, width in zip(counts, (18, 10, 18, 10), strict=True))


async def _by_words(supervisor: Supervisor, folder: Path, question: Question) -> tuple[list[tuple[bool, bool]], float]:
    """What is read for a question alone and with other words for it, at each depth; and the seconds that these take."""
    began = time.monotonic()
    with Ledger(Allowance(calls=1)):
        words = await other_words(supervisor, question.text)
    seconds = time.monotonic() - began
    documents = shelf(folder, folder.with_suffix(".sqlite"), question, taken_away=False)
    reads = [_read(documents, question, queries, most) for most in READ for queries in ((), words)]
    documents.close()
    return reads, seconds


def _read(documents: Shelf, question: Question, words: Sequence[str], most: int) -> tuple[bool, bool]:
    """Whether all supporting documents are among the passages that are read first, and whether one is."""
    numbers: dict[str, int] = {}
    shown = [
        Numbered(number=numbers.setdefault(one.source, len(numbers) + 1), passage=one, query=query)
        for query in (question.text, *words)
        for one in documents.search(query, FURTHER)
    ]
    found, gold = {one.passage.source for one in own(question.text, shown, most)}, set(question.supporting)
    return gold <= found, bool(gold & found)


def _table(name: str, questions: list[Question], base: Path) -> None:
    pairs = [(shelf(base / name, base / f"{name}.sqlite", one, taken_away=False), one) for one in questions]
    every = sum(len(question.supporting) for _, question in pairs)
    for depth in DEPTHS:
        alone = [reached(documents, question, depth) for documents, question in pairs]
        titles = [reached(documents, question, depth, _title) for documents, question in pairs]
        texts = [reached(documents, question, depth, _text_of(documents)) for documents, question in pairs]
        whole = "".join(f"{_whole(found, questions):>14}" for found in (alone, titles, texts))
        print(f"{name:9}{depth:9}{f'{sum(map(len, alone))} of {every}':>14}{whole}")
    for documents, _ in pairs:
        documents.close()


def _whole(found: list[set[str]], questions: list[Question]) -> str:
    """Of how many questions all supporting documents were found."""
    pairs = zip(found, questions, strict=True)
    return f"{sum(len(names) == len(question.supporting) for names, question in pairs)} of {len(questions)}"


def _title(name: str) -> str:
    return Path(name).stem


def _text_of(documents: Shelf) -> Callable[[str], str]:
    texts = {passage.source: passage.text for passage in reversed(documents.supporting)}
    return lambda name: texts[name]


if __name__ == "__main__":
    main()
