"""Short questions that are put to all texts of made-up folders at once, and what tells right answers from wrong ones.

    python scripts/bench/shelf.py [--half development|closing] [--folders bakery,choir] [--model NAME|URL] [--out FILE]
    python scripts/bench/shelf.py --read FILE [--read FILE]

Each question of ``folders/HALF`` (see ``folders.py``) is asked in a few words, with and without leave to say that the
files do not state it, and in a sentence; then the model is asked whether its own short answer is right, behind the same
texts, which decides nothing in the product. Only the texts are shown. The first table says by what decides the question
how many answers are right, and how often the model says that it is not stated; the second one, of questions that a text
or nothing decides, how answers are read (`read_shelf`, with the judge of sentences), and how many short answers are
right among these, how many are wrong, and how many no text gives; then how well the model's word on its own answer
tells right ones from wrong ones (AUROC, 95 % bootstrap).
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
from judging import auroc, interval
from machine import machine, said

from aeon.execution.reading import absent_from
from aeon.execution.shelved import read_shelf
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import bare
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.files import Files
from aeon.tools.material import Material, material
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import every_text

__all__ = ["arguments", "main", "shown"]

_MANY = Allowance(calls=1_000_000, tokens=10**9)
_READ = ("clear", "partly clear", "absent", "elsewhere")


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--folders", default="", help="separated by commas; by default all of the half")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("shelf.jsonl"))
    parser.add_argument("--read", type=Path, action="append", help="print what is on record; no model is run")
    return parser.parse_args()


async def _asked(llm: LLMAdapter, folder: Path, items: Sequence[Item], out: Path) -> None:
    """Put the questions to the texts of a folder, and append what comes of each."""
    tools, supervisor = ToolRegistry(Files.open(folder).tools), Supervisor(llm)
    judge = AnswerJudge(Judge(supervisor, samples=0))
    for item in items:
        texts = await every_text(tools, item.question)
        if texts is None:
            continue
        with Ledger(_MANY):
            shelf, began = Shelf(supervisor, texts), time.monotonic()
            short = await shelf.answer(item.question)
            row = {
                "id": item.id, "kind": item.kind, "question": item.question, "short": short.value,
                "stated": await shelf.stated(item.question), "sentence": await shelf.sentence(item.question),
                "held": await _held(supervisor, texts, item.question, bare(short.value)),
                **await _read(shelf, item.question, judge), "right": score(item, short.value).right,
            }  # fmt: skip
        row |= {"seconds": round(time.monotonic() - began, 1), "said_right": score(item, row["sentence"] or "").right}
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    print(f"{folder.name}: {len(items)} questions", flush=True)


async def _held(supervisor: Supervisor, texts: Material, question: str, answer: str) -> float:
    """How likely the model says that its answer is right."""
    asked = f"Question: {question}\nProposed answer: {answer}\n\nIs the proposed answer right? Answer Yes or No."
    turn = (fence("files", material(texts.sentences), 14_000), "I have read them.")
    return await supervisor.probability(Prompt(load("aeon.supervisor", "shelf.md"), asked, (turn,), fixed=texts.whole))


async def _read(shelf: Shelf, question: str, judge: AnswerJudge) -> dict[str, str]:
    """What becomes of the answer where a step reads it, and what speaks against it."""
    result = await read_shelf(shelf, question, absent_from("files", question), judge)
    if result is None:
        return {"read": "elsewhere", "doubts": ""}
    clarity = result.clarity.replace("_", " ").lower().replace("ially", "ly")
    return {"read": "absent" if result.output is None else clarity, "doubts": result.problem}


def shown(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The tables."""
    texts = _where(rows, "kind", "text", "absent")
    doubted = [row for row in texts if "judged" in row["doubts"]]
    pairs = [(float(row["held"]), bool(row["right"])) for row in rows]
    told = f"its own answer right or wrong: {auroc(pairs):.2f} ({interval(pairs, auroc)}) of {len(pairs)}"
    return [
        "kind      asked  short  sentence  says: not stated",
        *(_of_kind(kind, _where(rows, "kind", kind)) for kind in KINDS),
        "read as            right  wrong  of nothing",
        *(_of_reading(how, _where(texts, "read", how)) for how in _READ),
        _of_reading("judge doubts", doubted),
        told,
    ]


def _where(rows: Sequence[Mapping[str, Any]], name: str, *values: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if row[name] in values]


def _of_kind(kind: str, rows: Sequence[Mapping[str, Any]]) -> str:
    short, sentence = (sum(row[name] for row in rows) for name in ("right", "said_right"))
    unstated = sum(row["stated"] == "" for row in rows)
    return f"{kind:<8}{len(rows):>7}{short:>7}{sentence:>10}{unstated:>10}"


def _of_reading(how: str, rows: Sequence[Mapping[str, Any]]) -> str:
    texts = [bool(row["right"]) for row in rows if row["kind"] == "text"]
    return f"{how:<16}{sum(texts):>8}{len(texts) - sum(texts):>7}{len(rows) - len(texts):>12}"


async def main() -> None:
    """Ask the questions of one folder after the other, then print the tables of all that is on record."""
    options = arguments()
    if not options.read:
        llm = select(options.model)
        print(f"{llm.name}; {said(machine())}", flush=True)
        try:
            for folder, items in found(options.half, options.folders.split(",") if options.folders else ()).items():
                await _asked(llm, folder, items, options.out)
        finally:
            await llm.aclose()
    lines = [line for file in options.read or [options.out] for line in file.read_text(encoding="utf-8").splitlines()]
    print("\n".join(shown([json.loads(line) for line in lines])))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
