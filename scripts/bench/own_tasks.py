"""Twelve tasks on a real model: Aeon beside one direct call and one chain-of-thought call. Writes JSON, prints a table.

    python scripts/bench/own_tasks.py [--model NAME|URL] [--only ID,ID] [--aeon] [--out FILE]

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


MARK = {True: "right", False: "wrong", None: "-"}


async def measure(llm: LLMAdapter, task: dict[str, Any], alone: bool) -> dict[str, Any]:
    """One task with Aeon and, unless it is to be alone, in the two other ways; prints a line."""
    a = await aeon(llm, task)
    row = {"id": task["id"], "kind": task["kind"], "aeon": a}
    line = f"{task['id']:10} {task['kind']:10} | {MARK[a['right']]:5} {a['stop']:12} {a['passes']:4} {a['calls']:5}"
    line += f" {a['generated']:4} {a['seconds']:4.0f}"
    for way, how, tokens in () if alone else (("direct", DIRECT, 120), ("thought", THINK, 600)):
        one = row[way] = await one_call(llm, task, how, tokens)
        line += f" | {MARK[one['right']]:6} {one['generated']:4}"
    print(line, flush=True)
    return row


def summary(rows: list[dict[str, Any]]) -> None:
    """Print how many were right in each way, and for how many tokens."""
    for way in [key for key in rows[0] if key not in ("id", "kind")]:
        judged = [row[way] for row in rows if row[way]["right"] is not None]
        tokens = sum(one["generated"] for one in judged)
        print(f"{way:8} {sum(one['right'] for one in judged)} of {len(judged)} right, {tokens} tokens generated")


async def main() -> None:
    """Run the tasks one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--aeon", action="store_true", help="only Aeon, without the single calls beside it")
    parser.add_argument("--out", default="answers.json")
    options = parser.parse_args()
    llm = select(options.model)
    tasks = [json.loads(line) for line in (HERE / "tasks.jsonl").read_text().splitlines()]
    wanted = [task for task in tasks if not options.only or task["id"] in options.only.split(",")]
    print(f"{llm.name} on {platform.machine()}, Python {platform.python_version()}")
    print(f"{'task':10} {'kind':10} | aeon  stop         pass calls  gen    s | direct  gen | thought gen")
    rows = [await measure(llm, task, options.aeon) for task in wanted]
    summary(rows)
    Path(options.out).write_text(json.dumps(rows, indent=1))
    await llm.aclose()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
