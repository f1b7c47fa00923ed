"""The engines beside the plain model at equal tokens, on generated questions over a folder. Writes JSON lines.

    python scripts/bench/engines.py [--engines graph,loop] [--kinds tables,fact] [--sample N] [--seed N]
                                    [--model NAME|URL] [--out FILE] [--resume]

Questions, files and judging are those of ``everyday.py``. Beside the engines stand the question alone (``direct``), a
chain of thought that sees the best passages of the texts (``thought``), and self-consistency over such chains, which
on each question gets as many tokens, read and generated together, as the first engine spent on it: 2 to 20 samples.
``--out`` holds a line for each answer; ``--resume`` continues with such a file.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from everyday import Record, chosen, table
from everyday_baselines import Reply, System, aeon_answer, direct
from everyday_items import COUNTS, Item
from everyday_tasks import make
from everyday_thoughts import Consistency, Thought
from figures import Row, paired
from machine import machine, said

from aeon.assembly.build import build
from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.schema import Settings, Usage

CONSISTENCY = "consistency"
BASELINES: dict[str, System] = {"direct": direct, "thought": Thought(passages=True)}


def engine(name: str, config: Settings | None = None) -> System:
    """An engine as a system of the benchmark."""

    async def answer(task: Item, folder: Path, llm: LLMAdapter) -> Reply:
        began = time.monotonic()
        result = await build(llm=llm, files=folder, engine=name, config=config).aexecute(task.question)
        seconds, way = time.monotonic() - began, tuple(one.node for one in getattr(result, "path", ()))
        return Reply(result.answer, result.usage, seconds, way, result.stop_reason, getattr(result, "complexity", ""))

    return aeon_answer if name == "multi-pass" else answer


async def answered(item: Item, system: System, folder: Path, llm: LLMAdapter) -> Reply:
    """What a system answers; an error is a wrong answer."""
    try:
        return await system(item, folder, llm)
    except AeonError as error:
        return Reply("", Usage(), 0.0, (f"{type(error).__name__}: {error}",))


async def measure(llm: LLMAdapter, items: Sequence[Item], engines: Sequence[str], record: Record, folder: Path) -> None:
    """Every question with every system, as far as it is not on record; self-consistency comes last."""
    systems = {**BASELINES, **{name: engine(name) for name in engines}}
    for item in items:
        for name, system in systems.items():
            if not record.has(item, name):
                _say(record.add(item, name, await answered(item, system, folder, llm)))
        if not record.has(item, CONSISTENCY):
            like = next(row for row in record.rows if (row["id"], row["system"]) == (item.id, engines[0]))
            own = replace(Consistency(passages=True), tokens={item.kind: like["prompt"] + like["generated"]})
            _say(record.add(item, CONSISTENCY, await answered(item, own, folder, llm)))


def _say(row: Row) -> None:
    mark = "right" if row["right"] else f"wrong: {row['why']}"
    cost = f"{row['calls']:2} calls {row['seconds']:6.1f} s"
    print(f"{row['id']:10} {row['system']:12} {cost}  {row['stop']:12} {mark[:60]}", flush=True)


def differences(rows: Sequence[Row], kinds: Sequence[str], engines: Sequence[str]) -> None:
    """Print for each engine and kind how many more it gets right than self-consistency, with a 95 % interval."""
    print(f"\n{'kind':8} {'engine':12} more right than {CONSISTENCY} [95 %, bootstrap over the questions]")
    for kind in (*kinds, "all"):
        own = [row for row in rows if kind in ("all", row["kind"])]
        for name in engines:
            if pairs := _pairs(own, name):
                mean, low, high = paired(pairs)
                print(f"{kind:8} {name:12} {mean:+6.1%} [{low:+6.1%}, {high:+6.1%}] of {len(pairs)}")


def _pairs(rows: Sequence[Row], name: str) -> list[float]:
    """For each question that both answered, how much more the engine got right than self-consistency."""
    right = {(row["id"], row["system"]): float(row["right"]) for row in rows}
    ids = sorted({row["id"] for row in rows})
    both = (i for i in ids if {(i, name), (i, CONSISTENCY)} <= right.keys())
    return [right[i, name] - right[i, CONSISTENCY] for i in both]


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="graph,loop,multi-pass", help="separated by commas")
    parser.add_argument("--kinds", default="tables,fact,facts,word,absent", help="separated by commas")
    parser.add_argument("--sample", type=int, default=2, help="of each kind")
    parser.add_argument("--half", choices=("development", "closing"), default="closing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("engines.jsonl"))
    parser.add_argument("--resume", action="store_true", help="continue with the output file")
    parser.add_argument("--report", action="store_true", help="only print what is on record; no model is run")
    options = parser.parse_args()
    options.engines, options.kinds = options.engines.split(","), options.kinds.split(",")
    if unknown := sorted({*options.kinds} - {*COUNTS}):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(COUNTS)}")
    if options.out.exists() and not (options.resume or options.report):
        parser.error(f"{options.out} exists: continue with it (--resume) or name another (--out)")
    return options


async def main() -> None:
    """Ask the questions one after the other, then print what is on record."""
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="engines-") as temporary:
        every = make(Path(temporary), options.seed, COUNTS["word"])
        items = chosen(every, options.kinds, options.half, options.sample)
        llm = select(options.model)
        record = Record(options.out, llm.name, options.seed, every)
        try:
            if not options.report:
                print(f"{llm.name}, seed {options.seed}, {len(items)} questions; {said(machine())}", flush=True)
                await measure(llm, items, options.engines, record, Path(temporary))
        finally:
            await llm.aclose()
    asked = {item.id for item in items}
    rows = [row for row in record.rows if row["id"] in asked]
    table(rows, options.kinds, (*BASELINES, *options.engines, CONSISTENCY))
    differences(rows, options.kinds, options.engines)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
