"""Whole runs beside a direct answer, chain of thought and self-consistency, on generated tasks with a checkable answer.

    python scripts/bench/answers.py [--families LIST] [--per-family N] [--seed S] [--methods LIST] [--model NAME|URL]
                                      [--tools LIST] [--out FILE]

The tasks are reasoning-gym's (``pip install 'aeon-orchestrator[bench]'``), the same for the same seed, and its own
verifiers judge: an answer is right if it scores 1. What is given to the verifier is read out of the answer in the same
way for every method (``reading.py``). Self-consistency samples chains of thought at temperature 0.7 and takes the most
frequent answer; on each task it goes on until it has generated as many tokens as Aeon did there, so that it never has
fewer. Costs are what the endpoint counts; prompt tokens, of which Aeon reads many more, have a column of their own.

``--out`` holds a line for each task and method. What it holds already is not asked again, so that a run that was broken
off goes on, and another method can be added later. Accuracy has Wilson's 95 % interval, differences between methods on
the same tasks a bootstrap interval.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import reasoning_gym
from figures import Row, table
from reading import read

from aeon import build
from aeon.errors import EndpointFailed
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.schema import LLMRequest, LLMResponse, Message, Usage

COMPUTED = (
    "chain_sum", "gcd", "lcm", "leg_counting", "fraction_simplification", "simple_equations", "gsm_symbolic",
)  # fmt: skip
"""Families whose answer follows from calculation once the task is understood."""

OTHERS = ("calendar_arithmetic", "family_relationships")
METHODS = ("aeon", "direct", "cot", "self-consistency")
DIRECT = "Answer with the final answer only."
THINK = "Think step by step, then give the final answer on a last line that begins with 'Answer:'."
DIRECT_TOKENS, THINK_TOKENS = 120, 800
TEMPERATURE, MOST_SAMPLES = 0.7, 20


@dataclass(frozen=True)
class Problem:
    """One generated task and its verifier."""

    family: str
    index: int
    entry: dict[str, Any]
    verifier: Any

    @property
    def question(self) -> str:
        """The task in words."""
        return str(self.entry["question"])

    def read(self, said: str) -> str:
        """The answer in what was said."""
        return read(said, str(self.entry["answer"]))

    def score(self, said: str) -> float:
        """The verifier's score of the answer, 0-1."""
        return float(self.verifier.score_answer(self.read(said), self.entry))


def problems(families: list[str], per_family: int, seed: int) -> list[Problem]:
    """The first tasks of each family, one of each in turn, so that a run that is broken off has some of all."""
    sets = {family: reasoning_gym.create_dataset(family, size=per_family, seed=seed) for family in families}
    return [Problem(name, i, each[i], each) for i in range(per_family) for name, each in sets.items()]


async def one_call(
    llm: LLMAdapter, task: str, how: str, tokens: int, temperature: float = 0.0, seed: int = 0
) -> LLMResponse:
    """One call to the model, without tools."""
    messages = (Message(role="system", content=how), Message(role="user", content=task))
    return await llm.complete(LLMRequest(messages=messages, max_tokens=tokens, temperature=temperature, seed=seed))


async def vote(llm: LLMAdapter, problem: Problem, budget: int) -> tuple[str, Usage]:
    """The most frequent answer of as many chains of thought as it takes to generate ``budget`` tokens.

    A sample that the endpoint fails to give has no vote.
    """
    spent, answers = Usage(), Counter[str]()
    for seed in range(1, MOST_SAMPLES + 1):
        try:
            reply = await one_call(llm, problem.question, THINK, THINK_TOKENS, TEMPERATURE, seed)
        except EndpointFailed as error:
            print(f"    sample {seed} failed: {error}", file=sys.stderr)
            continue
        spent += reply.usage
        answers[problem.read(reply.text)] += 1
        if spent.generated_tokens >= budget:
            break
    return answers.most_common(1)[0][0] if answers else "", spent


async def answer(
    method: str, llm: LLMAdapter, problem: Problem, tools: list[str], budget: int
) -> tuple[str, Usage, Row]:
    """What the method answers, what that cost, and what else is worth keeping."""
    if method == "aeon":
        result = await build(llm, tools=tools).aexecute(problem.question)
        return result.answer, result.usage, {"stop": result.stop_reason, "passes": result.passes}
    if method == "self-consistency":
        said, spent = await vote(llm, problem, budget)
        return said, spent, {"samples": spent.calls}
    how, tokens = (DIRECT, DIRECT_TOKENS) if method == "direct" else (THINK, THINK_TOKENS)
    reply = await one_call(llm, problem.question, how, tokens)
    return reply.text, reply.usage, {"finish": reply.finish_reason}


class Record:
    """The lines of the output file that belong to this model and seed."""

    def __init__(self, path: Path, model: str, seed: int) -> None:
        self._path, self._model, self._seed = path, model, seed
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        self.rows: list[Row] = [row for row in map(json.loads, lines) if (row["model"], row["seed"]) == (model, seed)]

    def find(self, problem: Problem, method: str) -> Row | None:
        """The line of this task and method."""
        key = (problem.family, problem.index, method)
        return next((row for row in self.rows if (row["family"], row["index"], row["method"]) == key), None)

    def add(self, problem: Problem, method: str, said: str, spent: Usage, seconds: float, more: Row) -> Row:
        """Write a line at once."""
        score = problem.score(said)
        row: Row = {
            "model": self._model, "seed": self._seed, "family": problem.family, "index": problem.index,
            "method": method, "question": problem.question, "expected": str(problem.entry["answer"]), "answer": said,
            "read": problem.read(said), "score": score, "right": score >= 1.0, "calls": spent.calls,
            "prompt": spent.prompt_tokens, "cached": spent.cached_tokens, "generated": spent.generated_tokens,
            "seconds": round(seconds, 1), **more,
        }  # fmt: skip
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return row


async def measure(llm: LLMAdapter, options: argparse.Namespace, tasks: list[Problem], record: Record) -> None:
    """Every task with every method, as far as it is not on record."""
    for number, problem in enumerate(tasks, 1):
        for method in options.methods:
            if record.find(problem, method) is not None:
                continue
            run = record.find(problem, "aeon")
            if method == "self-consistency" and run is None:
                sys.exit("self-consistency may cost what Aeon costs: run the method aeon too")
            budget = run["generated"] if run is not None else 0
            began = time.monotonic()
            said, spent, more = await answer(method, llm, problem, options.tools.split(","), budget)
            row = record.add(problem, method, said, spent, time.monotonic() - began, more)
            mark = "right" if row["right"] else f"wrong: {row['read'][:24]!r} for {row['expected']!r}"
            told = f"{row['generated']:5} tokens {row['seconds']:6.1f} s  {mark}"
            print(f"{number:3} of {len(tasks)}  {problem.family:24} {method:16} {told}", flush=True)


def machine() -> str:
    """What the seconds were measured on."""
    names = [line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")]
    chip = names[0] if names else platform.processor() or platform.machine()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores of {chip}, {system}{load}; {datetime.now(UTC):%d %B %Y}"


def _cpu_lines() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", default=",".join((*COMPUTED, *OTHERS)), help="separated by commas")
    parser.add_argument("--per-family", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--methods", default=",".join(METHODS), help="separated by commas")
    parser.add_argument("--model", default=None)
    parser.add_argument("--tools", default="calculator", help="what Aeon may use")
    parser.add_argument("--out", type=Path, default=Path("reasoning.jsonl"))
    options = parser.parse_args()
    options.families, options.methods = options.families.split(","), options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"there is no method {', '.join(sorted(unknown))}; there are {', '.join(METHODS)}")
    options.methods.sort(key=METHODS.index)  # Aeon first: self-consistency may cost what it costs
    return options


async def main() -> None:
    """Run the tasks one after the other, then print the table of all that is on record."""
    options = arguments()
    llm = select(options.model)
    tasks = problems(options.families, options.per_family, options.seed)
    print(f"{llm.name}, seed {options.seed}, {len(tasks)} tasks; {machine()}", flush=True)
    record = Record(options.out, llm.name, options.seed)
    try:
        await measure(llm, options, tasks, record)
    finally:
        await llm.aclose()
    asked = {(problem.family, problem.index) for problem in tasks}
    rows = [row for row in record.rows if (row["family"], row["index"]) in asked]
    single = [(family, frozenset({family})) for family in options.families]
    groups = [("computed", frozenset(COMPUTED)), ("others", frozenset(OTHERS)), ("all", frozenset(options.families))]
    table(rows, [*single, *groups], options.methods)


if __name__ == "__main__":
    asyncio.run(main())
