"""Twelve tasks on a real model: Aeon beside one direct call and one chain-of-thought call. Writes JSON, prints a table.

    python scripts/bench/answers.py [--model NAME|URL] [--only ID,ID] [--aeon] [--out FILE]

The tasks are in ``tasks.jsonl``, the files they ask about in ``folder/``. A number is right if the answer holds it, to
half a cent; a word if the answer holds it; an open task has no right answer and is printed to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

from aeon import build
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.schema import LLMRequest, Message

HERE = Path(__file__).parent
FOLDER = HERE / "folder"
DIRECT = "Answer in one short sentence, with nothing else."
THINK = "Think step by step, then give the final answer on a last line that begins with 'Answer:'."


def right(answer: str, expected: object) -> bool | None:
    """Whether the answer holds what is expected; ``None`` where nothing can be expected."""
    if expected == "":
        return None
    last = answer.rsplit("Answer:", 1)[-1]
    if isinstance(expected, str):
        return re.search(rf"\b({expected})\b", last, re.IGNORECASE) is not None
    numbers = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", last)]
    return any(abs(number - float(expected)) < 0.006 for number in numbers)  # type: ignore[arg-type]


def with_files(task: dict[str, Any]) -> str:
    """The task as a model without tools gets it: with the files it asks about, cut to fit, if it asks about any."""
    if task["kind"] not in ("files", "steps"):
        return str(task["task"])
    asked = [f for f in sorted(FOLDER.iterdir()) if f.name in task["task"] or f.stem in task["task"]]
    return "\n\n".join([f"{f.name}:\n{f.read_text()}" for f in asked] + [str(task["task"])])


async def one_call(llm: LLMAdapter, task: dict[str, Any], how: str, tokens: int) -> dict[str, Any]:
    """One call to the model, without tools."""
    began = time.monotonic()
    messages = (Message(role="system", content=how), Message(role="user", content=with_files(task)))
    reply = await llm.complete(LLMRequest(messages=messages, max_tokens=tokens))
    return {
        "answer": reply.text, "right": right(reply.text, task["answer"]), "calls": 1,
        "generated": reply.usage.generated_tokens, "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


async def aeon(llm: LLMAdapter, task: dict[str, Any]) -> dict[str, Any]:
    """One run of Aeon with the tools that the kind of task needs."""
    tools = ["calculator", f"files={FOLDER}"] if task["kind"] in ("files", "steps") else ["calculator"]
    began = time.monotonic()
    result = await build(llm, tools=tools).aexecute(task["task"])
    return {
        "answer": result.answer, "right": right(result.answer, task["answer"]), "stop": result.stop_reason,
        "passes": result.passes, "calls": result.usage.calls, "prompt": result.usage.prompt_tokens,
        "cached": result.usage.cached_tokens, "generated": result.usage.generated_tokens,
        "seconds": round(time.monotonic() - began, 1),
        "plan": [
            {"goal": s.description, "do": s.action.model_dump(), "output": s.output, "status": s.status}
            for record in result.history.passes for s in record.executed
        ],
        "degraded": [d.model_dump() for d in result.degraded],
    }  # fmt: skip


async def main() -> None:
    """Run the tasks one after the other, each three ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--aeon", action="store_true", help="only Aeon, without the single calls beside it")
    parser.add_argument("--out", default="answers.json")
    options = parser.parse_args()
    llm = select(options.model)
    tasks = [json.loads(line) for line in (HERE / "tasks.jsonl").read_text().splitlines()]
    rows = []
    print(f"{llm.name} on {platform.machine()}, Python {platform.python_version()}")
    print(f"{'task':10} {'kind':10} | aeon  stop         pass calls  gen    s | direct gen | thought gen")
    for task in tasks:
        if options.only and task["id"] not in options.only.split(","):
            continue
        row = {"id": task["id"], "kind": task["kind"], "aeon": await aeon(llm, task)}
        rows.append(row)
        a = row["aeon"]
        mark = {True: "right", False: "wrong", None: "-"}
        line = f"{task['id']:10} {task['kind']:10} | {mark[a['right']]:5} {a['stop']:12} {a['passes']:4} {a['calls']:5}"
        line += f" {a['generated']:4} {a['seconds']:4.0f}"
        if not options.aeon:
            d = row["direct"] = await one_call(llm, task, DIRECT, 120)
            t = row["thought"] = await one_call(llm, task, THINK, 600)
            line += f" | {mark[d['right']]:6} {d['generated']:3} | {mark[t['right']]:6} {t['generated']:4}"
        print(line, flush=True)
    for way in ("aeon",) if options.aeon else ("aeon", "direct", "thought"):
        judged = [row[way] for row in rows if row[way]["right"] is not None]
        print(f"{way:8} {sum(r['right'] for r in judged)} of {len(judged)} right, "
              f"{sum(r['generated'] for r in judged)} tokens generated")  # fmt: skip
    Path(options.out).write_text(json.dumps(rows, indent=1))
    await llm.aclose()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
