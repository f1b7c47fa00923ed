"""How many supporting documents a search finds, for the question and for one further query. No model is run.

    python scripts/bench/research_recall.py --data DIR [--sets hotpot,musique] [--words-only]

The further query is asked for each supporting document that was found, as long as one comes to light: the question
with its title, or with its whole text. ``--words-only`` searches as where the extra embeddings is not installed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from research_data import Question, Shelf, load, shelf, unpack

import aeon.documents.collection as collection_module
import aeon.documents.update as update_module

__all__ = ["main", "reached"]

DEPTHS = (3, 5, 10, 20)
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
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="hotpot,musique")
    parser.add_argument("--words-only", action="store_true")
    options = parser.parse_args()
    if options.words_only:
        for module in (collection_module, update_module):
            module.embedder = lambda: None  # type: ignore[attr-defined]
    print(f"{'set':9}{'passages':>9}{'documents':>14}{'all of them':>14}{'with titles':>14}{'with texts':>14}")
    with tempfile.TemporaryDirectory(prefix="recall-") as base:
        for name in options.sets.split(","):
            unpack(options.data, name, Path(base, name))
            _table(name, load(options.data, name, 1), Path(base))


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
