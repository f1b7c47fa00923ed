"""Everyday questions over a folder of files: Aeon beside simpler ways to use the same model. Writes JSON lines.

    python scripts/bench/everyday.py [--half development|closing] [--kinds tables,fact] [--systems direct,program,aeon]
                                     [--sample N] [--seed N] [--words N] [--like FILE] [--model NAME|URL]
                                     [--out FILE] [--resume] [--show-wrong]
    python scripts/bench/everyday.py --list

Files and questions are made from the seed (``everyday_tasks.py``), so that nothing in them is common knowledge and each
right answer is known exactly; ``everyday_scoring.py`` judges. The systems take turns on each question, so that a noisy
machine meets all alike. ``--out`` holds a line for each answer, written at once; ``--resume`` goes on with such a file,
and judges what it holds anew.

Three systems say how sure they are: ``thought`` by the probability of its answer's tokens, ``consistency`` by the share
of votes, Aeon by its verdict; ``thought-texts`` and ``consistency-texts`` see the best passages too. With ``--like`` a
question costs self-consistency as many tokens, read and generated together, as the median one of its kind cost Aeon in
that file; without, it takes 5 samples. ``selective.py`` puts them side by side.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from everyday_baselines import Reply, System, aeon_answer, bm25, direct, pasted, sql
from everyday_items import COUNTS, Item, shown
from everyday_program import program
from everyday_scoring import score
from everyday_tasks import make
from everyday_thoughts import Consistency, Thought, spent
from figures import Row, wilson
from machine import machine, said

from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.schema import Usage

SYSTEMS: dict[str, System] = {
    "direct": direct, "thought": Thought(), "thought-texts": Thought(passages=True), "consistency": Consistency(),
    "consistency-texts": Consistency(passages=True), "pasted": pasted, "bm25": bm25, "sql": sql, "program": program,
    "aeon": aeon_answer,
}  # fmt: skip


class Record:
    """The lines of the output file that belong to this model, this seed and these questions."""

    def __init__(self, path: Path, model: str, seed: int, items: Sequence[Item]) -> None:
        self._path, self._model, self._seed = path, model, seed
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        found = [row for row in map(json.loads, lines) if (row["model"], row["seed"]) == (model, seed)]
        by = {item.id: item for item in items}
        asked = [row for row in found if row["id"] in by and by[row["id"]].question == row["question"]]
        self.rows: list[Row] = [{**row, **_judged(by[row["id"]], row["answer"])} for row in asked]

    def has(self, item: Item, system: str) -> bool:
        """Whether the system has answered the question."""
        return any((row["id"], row["system"]) == (item.id, system) for row in self.rows)

    def add(self, item: Item, system: str, reply: Reply) -> Row:
        """Write a line at once."""
        spent = reply.usage
        row: Row = {
            "model": self._model, "seed": self._seed, "id": item.id, "kind": item.kind, "half": item.half,
            "system": system, "question": item.question, "expected": [shown(value) for value in item.expected],
            "answer": reply.answer, **_judged(item, reply.answer), "calls": spent.calls, "prompt": spent.prompt_tokens,
            "cached": spent.cached_tokens, "generated": spent.generated_tokens, "seconds": round(reply.seconds, 2),
            "trace": reply.trace, "stop": reply.stop, "made": reply.kind, "probability": reply.probability,
            "confidence": reply.confidence, "likelihood": reply.likelihood,
        }  # fmt: skip
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return row


def _judged(item: Item, answer: str) -> dict[str, Any]:
    verdict = score(item, answer)
    return {"right": verdict.right, "why": verdict.why}


def chosen(items: Sequence[Item], kinds: Sequence[str], half: str, sample: int) -> list[Item]:
    """The items of these kinds and this half, at most ``sample`` of a kind, the kinds in turn."""
    own = {k: [item for item in items if item.kind == k and half in ("", item.half)] for k in kinds}
    spread = [found[: sample or None] for found in own.values()]
    most = max(map(len, spread), default=0)
    return [found[i] for i in range(most) for found in spread if i < len(found)]


async def measure(
    llm: LLMAdapter, items: Sequence[Item], systems: Mapping[str, System], folder: Path, record: Record
) -> None:
    """Every question with every system, as far as it is not on record."""
    for number, item in enumerate(items, 1):
        for system, answer in systems.items():
            if record.has(item, system):
                continue
            try:
                reply = await answer(item, folder, llm)
            except AeonError as error:
                reply = Reply("", Usage(), 0.0, (f"{type(error).__name__}: {error}",))
            row = record.add(item, system, reply)
            mark = "right" if row["right"] else f"wrong: {row['why']}"
            told = f"{row['calls']:2} calls {row['generated']:5} tokens {row['seconds']:6.1f} s"
            print(f"{number:3} of {len(items)}  {item.id:10} {system:17} {told}  {mark[:70]}", flush=True)


def table(rows: Sequence[Row], kinds: Sequence[str], systems: Sequence[str]) -> None:
    """Print a line for each kind and system, and for all kinds together."""
    print(f"{'kind':8} {'system':17}  right          [95 %]    calls  prompt   gen   s median  90 %")
    for kind in (*kinds, *(("all",) if len(kinds) > 1 else ())):
        for system in systems:
            own = [row for row in rows if row["system"] == system and kind in ("all", row["kind"])]
            if own:
                print(_line(kind, system, own))


def _line(kind: str, system: str, rows: Sequence[Row]) -> str:
    right, of = sum(row["right"] for row in rows), len(rows)
    low, high = wilson(right, of)
    calls, prompt, generated, seconds = (
        statistics.median(row[what] for row in rows) for what in ("calls", "prompt", "generated", "seconds")
    )
    slow = sorted(row["seconds"] for row in rows)[min(of - 1, round(0.9 * of))]
    share = f"{right:3} of {of:3} {right / of:6.1%} [{low:4.0%},{high:5.0%}]"
    return f"{kind:8} {system:17} {share} {calls:5.1f} {prompt:7.0f} {generated:5.0f} {seconds:9.1f} {slow:6.1f}"


def wrong(rows: Sequence[Row]) -> None:
    """Print the wrong answers."""
    for row in sorted((row for row in rows if not row["right"]), key=lambda row: (row["system"], row["id"])):
        print(f"\n{row['system']} {row['id']}: {row['question']}")
        print(f"  expected {', '.join(row['expected']) or '-'}; {row['why']}")
        print(f"  said {' '.join(row['answer'].split())[:300]!r}")


def listed(items: Sequence[Item]) -> None:
    """Print the items."""
    for item in items:
        expected = ", ".join(shown(value) for value in item.expected)
        kept = ", ".join(f"{c.what} {c.count or ' '.join(c.words)}" for c in item.constraints)
        print(f"{item.id:10} {item.half:11} {item.question}\n{'':22} -> {expected or kept or 'not stated'}")


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("development", "closing"), default="")
    parser.add_argument("--kinds", default=",".join(COUNTS), help="separated by commas")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="separated by commas")
    parser.add_argument("--sample", type=int, default=0, help="at most so many of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", type=int, default=COUNTS["word"], help="word problems of both halves together")
    parser.add_argument("--like", type=Path, action="append", default=[], help="runs of Aeon: as many tokens as these")
    parser.add_argument("--model", default=None)
    parser.add_argument("--folder", type=Path, help="where to write the files; else a temporary folder")
    parser.add_argument("--out", type=Path, default=Path("everyday.jsonl"))
    parser.add_argument("--resume", action="store_true", help="go on with the output file")
    parser.add_argument("--show-wrong", action="store_true", help="print the wrong answers")
    parser.add_argument("--list", action="store_true", help="print the items; no model is run")
    options = parser.parse_args()
    options.kinds, options.systems = options.kinds.split(","), options.systems.split(",")
    if unknown := sorted({*options.kinds} - {*COUNTS} | {*options.systems} - {*SYSTEMS}):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join((*COUNTS, *SYSTEMS))}")
    if options.out.exists() and not (options.resume or options.list):
        parser.error(f"{options.out} exists: go on with it (--resume) or name another (--out)")
    if missing := [str(path) for path in options.like if not path.is_file()]:
        parser.error(f"--like {', '.join(missing)}: there is no such file")
    if options.words < COUNTS["word"]:
        parser.error(f"--words {options.words}: there are at least {COUNTS['word']}; use --sample for fewer")
    return options


def systems(names: Sequence[str], tokens: Mapping[str, float]) -> dict[str, System]:
    """The systems of these names; self-consistency spends so many tokens on a question of a kind."""
    own = {name: replace(system, tokens=tokens) for name, system in SYSTEMS.items() if isinstance(system, Consistency)}
    return {name: (SYSTEMS | own)[name] for name in names}


async def main() -> None:
    """Run the questions one after the other, then print the table of all that is on record."""
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="everyday-") as temporary:
        folder = options.folder or Path(temporary)
        every = make(folder, options.seed, options.words)
        items = chosen(every, options.kinds, options.half, options.sample)
        if options.list:
            listed(items)
            return
        llm = select(options.model)
        record = Record(options.out, llm.name, options.seed, every)
        print(f"{llm.name}, seed {options.seed}, {len(items)} questions; {said(machine())}", flush=True)
        try:
            await measure(llm, items, systems(options.systems, spent(options.like)), folder, record)
        finally:
            await llm.aclose()
    asked = {item.id for item in items}
    rows = [row for row in record.rows if row["id"] in asked and row["system"] in options.systems]
    table(rows, options.kinds, options.systems)
    if options.show_wrong:
        wrong(rows)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
