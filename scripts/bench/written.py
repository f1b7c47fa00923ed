"""Texts written from the files of a folder: summaries, explanations, letters. Beside it everything pasted, one call.

    python scripts/bench/written.py [--half development|closing] [--systems pasted,aeon] [--model NAME|URL]
                                    [--out FILE] [--resume] [--show]

``written/HALF.jsonl`` holds the tasks, made up by somebody who saw the texts of ``folders/`` and no code: ``facts`` are
what a good text says, each in several ways to write it, ``wrong`` what it must not say, such as a price of last year.
Where ``none``, no file says anything about it, and the only good answer says so. A text is good if it says all of the
facts but one of four, and nothing wrong. ``--out`` holds a line for each text.

What it writes of a sentence that no file bears out is not seen here: read them (``--show``).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from everyday_baselines import pasted
from everyday_items import Item
from figures import wilson
from folders import FOLDERS
from machine import machine, said

from aeon.assembly.build import build
from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select

__all__ = ["HALVES", "TASKS", "graded", "tasks"]

TASKS = Path(__file__).with_name("written")
HALVES = ("development", "closing")
_ENOUGH = 0.75
_REFUSED = re.compile(
    r"\b(?:not (?:stated|say|mention)|no information|do(?:es)? not (?:say|mention|contain))", re.IGNORECASE
)

Row: TypeAlias = dict[str, Any]


def tasks(half: str) -> list[Row]:
    """The tasks of a half."""
    return [json.loads(line) for line in (TASKS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


def graded(task: Mapping[str, Any], answer: str) -> Row:
    """How many of its facts a text says, which wrong things, and whether it is good."""
    text = " ".join(answer.casefold().split())
    has = [any(one.casefold() in text for one in fact) for fact in task["facts"]]
    wrong = [one for one in task["wrong"] if one.casefold() in text]
    refused = bool(_REFUSED.search(answer))
    good = refused if task["none"] else not wrong and sum(has) >= _ENOUGH * len(has)
    return {"said": sum(has), "facts": len(has), "wrong": wrong, "refused": refused, "good": good}


async def _aeon(task: Mapping[str, Any], llm: LLMAdapter) -> Row:
    began = time.monotonic()
    result = await build(llm=llm, files=FOLDERS / "development" / task["folder"]).aexecute(task["task"])
    lost = [claim.text for claim in result.claims if claim.verdict in ("not_found", "contradicted")]
    sentences = [claim for claim in result.claims if claim.kind == "sentence"]
    return {
        "answer": result.answer, "stop": result.stop_reason, "seconds": round(time.monotonic() - began, 1),
        "calls": result.usage.calls, "prompt": result.usage.prompt_tokens - result.usage.cached_tokens,
        "generated": result.usage.generated_tokens, "lost": lost, "sentences": len(sentences),
    }  # fmt: skip


async def _pasted(task: Mapping[str, Any], llm: LLMAdapter) -> Row:
    item = Item(task["id"], task["kind"], task["task"], (), (), ())
    reply = await pasted(item, FOLDERS / "development" / task["folder"], llm)
    used = reply.usage
    return {
        "answer": reply.answer, "stop": "", "seconds": round(reply.seconds, 1), "calls": used.calls,
        "prompt": used.prompt_tokens - used.cached_tokens, "generated": used.generated_tokens,
        "lost": [], "sentences": 0,
    }  # fmt: skip


_SYSTEMS = {"aeon": _aeon, "pasted": _pasted}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--systems", default="aeon", help="separated by commas: aeon, pasted")
    parser.add_argument("--folders", default="", help="separated by commas; by default all")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("written.jsonl"))
    parser.add_argument("--resume", action="store_true", help="go on with the output file")
    parser.add_argument("--show", action="store_true", help="print the texts")
    options = parser.parse_args()
    options.systems = options.systems.split(",")
    if unknown := sorted({*options.systems} - {*_SYSTEMS}):
        parser.error(f"there is no system {', '.join(unknown)}; there are {', '.join(_SYSTEMS)}")
    if options.out.exists() and not options.resume:
        parser.error(f"{options.out} exists: go on with it (--resume) or name another (--out)")
    return options


async def _answered(options: argparse.Namespace, every: Sequence[Row], rows: list[Row], llm: LLMAdapter) -> None:
    done = {(row["id"], row["system"]) for row in rows}
    for system in options.systems:
        for task in every:
            if (task["id"], system) in done:
                continue
            try:
                got = await _SYSTEMS[system](task, llm)
            except AeonError as error:
                got = {"answer": "", "stop": type(error).__name__, "seconds": 0.0}
            row = {"id": task["id"], "kind": task["kind"], "system": system, **got, **graded(task, got["answer"])}
            rows.append(row)
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            told = f"{row['said']} of {row['facts']} facts {row['seconds']:6.1f} s  {row['stop']}"
            print(f"{task['id']:22} {system:7} {'good' if row['good'] else 'bad '} {told}", flush=True)


def _table(rows: Sequence[Row], systems: Sequence[str]) -> None:
    for system in systems:
        own = [row for row in rows if row["system"] == system]
        good, ended = _good(own), [row for row in own if row["stop"] == "converged"]
        low, high = wilson(good, len(own))
        told, facts, wrong = sum(row["said"] for row in own), sum(row["facts"] for row in own), _wrong(own)
        seconds = sorted(row["seconds"] for row in own)[len(own) // 2]
        print(
            f"{system}: {good} of {len(own)} good [{low:.0%}-{high:.0%}], {told} of {facts} facts, {wrong} wrong; "
            f"{len(ended)} converge, {_good(ended)} of them good; median {seconds:.0f} s"
        )


def _good(rows: Sequence[Row]) -> int:
    return sum(row["good"] for row in rows)


def _wrong(rows: Sequence[Row]) -> int:
    return sum(len(row["wrong"]) for row in rows)


def _known(options: argparse.Namespace, by_id: Mapping[str, Row]) -> list[Row]:
    """What the output file holds of these tasks and systems, judged anew."""
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    rows = [row for row in map(json.loads, lines) if row["id"] in by_id and row["system"] in options.systems]
    return [{**row, **graded(by_id[row["id"]], row["answer"])} for row in rows]


async def _main() -> None:
    options = _arguments()
    names = set(filter(None, options.folders.split(",")))
    by_id = {task["id"]: task for task in tasks(options.half) if not names or task["folder"] in names}
    rows = _known(options, by_id)
    llm = select(options.model)
    print(f"{llm.name}, {len(by_id)} tasks; {said(machine())}", flush=True)
    try:
        await _answered(options, list(by_id.values()), rows, llm)
    finally:
        await llm.aclose()
    _table(rows, options.systems)
    for row in rows if options.show else ():
        print(f"\n{row['id']} {row['system']} ({row['stop']}): {by_id[row['id']]['task']}\n{row['answer']}")


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
