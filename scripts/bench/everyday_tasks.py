"""The everyday benchmark from a seed: a folder of files, and questions with the answers that follow from it."""

from __future__ import annotations

from pathlib import Path
from random import Random

from everyday_absent import absent
from everyday_facts import fact, facts, mixed
from everyday_files import world, write_tables
from everyday_items import COUNTS, Item, halved
from everyday_open import opened
from everyday_papers import write_texts
from everyday_reworded import reworded
from everyday_tables import tables
from everyday_words import words

__all__ = ["make"]


def make(folder: Path, seed: int, word: int = COUNTS["word"]) -> list[Item]:
    """Write the files into the folder, and give all questions; both are the same for the same seed.

    ``word`` is how many word problems there are. The first ones, and their halves, are the same however many there are.
    """
    found = world(Random(f"{seed} files"))
    stated = write_texts(found, Random(f"{seed} texts"))
    folder.mkdir(parents=True, exist_ok=True)
    write_tables(found, folder)
    for name, text in found.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    chance = {kind: Random(f"{seed} {kind}") for kind in COUNTS}
    drawn = {
        "tables": tables(found, chance["tables"], COUNTS["tables"]),
        "fact": fact(stated, chance["fact"], COUNTS["fact"]),
        "facts": facts(stated, found, chance["facts"], COUNTS["facts"]),
        "mixed": mixed(found, chance["mixed"], COUNTS["mixed"]),
        "absent": absent(found, chance["absent"], COUNTS["absent"]),
        "open": opened(chance["open"], COUNTS["open"]),
        "word": words(chance["word"], COUNTS["word"]),
    }
    more = words(Random(f"{seed} word"), word)[COUNTS["word"] :]
    return [
        *(item for kind, items in drawn.items() for item in halved(kind, items, chance[kind])),
        *reworded(stated, chance["reworded"], COUNTS["reworded"]),
        *halved("word", more, Random(f"{seed} more"), COUNTS["word"]),
    ]
