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
    shelves = [shelf(base / name, base / f"{name}.sqlite", one, taken_away=False) for one in questions]
    for depth in DEPTHS:
        pairs = list(zip(shelves, questions, strict=True))
        alone = [reached(one, question, depth) for one, question in pairs]
        titles = [reached(one, question, depth, lambda name: Path(name).stem) for one, question in pairs]
        texts = [reached(one, question, depth, _text_of(one)) for one, question in pairs]
        every, found = sum(len(one.supporting) for one in questions), sum(map(len, alone))
        whole = [sum(len(got) == len(one.supporting) for got, one in zip(each, questions, strict=True))
                 for each in (alone, titles, texts)]  # fmt: skip
        print(
            f"{name:9}{depth:9}{f'{found} of {every}':>14}"
            + "".join(f"{f'{n} of {len(questions)}':>14}" for n in whole)
        )
    for one in shelves:
        one.close()


def _text_of(documents: Shelf) -> Callable[[str], str]:
    texts = {passage.source: passage.text for passage in reversed(documents.supporting)}
    return lambda name: texts[name]


if __name__ == "__main__":
    main()
