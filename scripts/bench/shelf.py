"""Short questions that are put to all texts of made-up folders at once, and what tells right answers from wrong ones.

    python scripts/bench/shelf.py [--half development|closing] [--folders bakery,choir] [--model NAME|URL] [--out FILE]
    python scripts/bench/shelf.py --read FILE

Each question of ``folders/HALF`` (see ``folders.py``) is asked in a few words, with and without leave to say that the
files do not state it, in a sentence, and then whether the model holds its own short answer for right. Only the texts
are shown. The table says how many answers are right by what decides the question, and how often the model says that
it is not stated; then how right answers, and others that are given, are told apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from everyday_items import Item
from everyday_scoring import score
from folders import HALVES, KINDS, found
from machine import machine, said

from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance
from aeon.supervisor.plainly import bare
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.files import Files
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import every_text

__all__ = ["arguments", "main", "shown"]

_MANY = Allowance(calls=1_000_000, tokens=10**9)
_STEPS = (0.5, 0.6, 0.7, 0.8)


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--folders", default="", help="separated by commas; by default all of the half")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("shelf.jsonl"))
    parser.add_argument("--read", type=Path, help="print the table of what is on record; no model is run")
    return parser.parse_args()


async def _asked(llm: LLMAdapter, folder: Path, items: Sequence[Item], out: Path) -> None:
    """Put the questions to the texts of a folder, and append what comes of each."""
    tools = ToolRegistry(Files.open(folder).tools)
    for item in items:
        texts = await every_text(tools, item.question)
        if texts is None:
            continue
        with Ledger(_MANY):
            shelf = Shelf(Supervisor(llm), texts)
            began = time.monotonic()
            stated = await shelf.stated(item.question)
            short = await shelf.answer(item.question)
            sentence = await shelf.sentence(item.question)
            right = await shelf.right(item.question, bare(short.value))
        row = {
            "id": item.id, "kind": item.kind, "question": item.question, "stated": stated, "short": short.value,
            "likelihood": short.likelihood, "sentence": sentence, "held": right,
            "right": score(item, short.value).right, "seconds": round(time.monotonic() - began, 1),
            "sentence_right": score(item, sentence).right,
        }  # fmt: skip
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    print(f"{folder.name}: {len(items)} questions", flush=True)


def shown(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The table: answers by what decides the question, and by how right the model holds them."""
    by_kind = [_of_kind(kind, [row for row in rows if row["kind"] == kind]) for kind in KINDS]
    held = [_held(least, [row for row in rows if (row["held"] or 0.0) >= least]) for least in _STEPS]
    head, middle = (
        "kind      asked  short  sentence  says: not stated",
        "held for right from    texts: right of    others",
    )
    return [head, *by_kind, middle, *held]


def _of_kind(kind: str, rows: Sequence[Mapping[str, Any]]) -> str:
    short, sentence = (sum(row[name] for row in rows) for name in ("right", "sentence_right"))
    unstated = sum(not row["stated"] for row in rows)
    return f"{kind:<8}{len(rows):>7}{short:>7}{sentence:>10}{unstated:>10}"


def _held(least: float, rows: Sequence[Mapping[str, Any]]) -> str:
    texts = [row for row in rows if row["kind"] == "text"]
    right = sum(row["right"] for row in texts)
    return f"{least:<22}{right:>8} of {len(texts):<8}{len(rows) - len(texts):>4}"


async def main() -> None:
    """Ask the questions of one folder after the other, then print the table of all that is on record."""
    options = arguments()
    if options.read is None:
        llm = select(options.model)
        print(f"{llm.name}; {said(machine())}", flush=True)
        try:
            for folder, items in found(options.half, options.folders.split(",") if options.folders else ()).items():
                await _asked(llm, folder, items, options.out)
        finally:
            await llm.aclose()
    file = options.read or options.out
    print("\n".join(shown([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()])))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
