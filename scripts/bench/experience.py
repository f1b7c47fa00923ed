"""What lessons are worth: tasks with and without those of first attempts at others of their family. Writes JSON lines.

    python scripts/bench/experience.py [--engine loop|graph] [--half development|closing] [--sample N] [--seed N]
                                       [--roles sibling,lookalike,unrelated] [--model NAME|URL] [--out FILE] [--resume]
    python scripts/bench/experience.py --table --out FILE

Families, folders and questions are those of ``experience_families.py``. One task of each family is attempted first, and
what it teaches is noted as Aeon notes it; where Aeon does not know what a run is worth, the scoring says it. Then
come siblings of it, lookalikes, of which the opposite holds, and unrelated tasks, each with a file of all lessons and
without one, in turn. Nothing that is learnt there is kept. ``--sample`` is how many of each there are of each family:
6 + 36 N runs, and 6 + 12 N for each role alone. ``--out`` holds a line for each run; ``--resume`` continues with such
a file, and judges what it holds anew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from everyday_items import shown
from everyday_scoring import score
from experience_families import FAMILIES, HALVES, ROLES, Instance, instance
from figures import Row, paired, wilson
from machine import machine, said

from aeon.assembly.build import build
from aeon.engines.graph.config import GraphConfig, WorkConfig
from aeon.engines.graph.nodes import taught
from aeon.engines.graph.record import Worked
from aeon.errors import AeonError
from aeon.experience.store import Experience
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.schema import Usage
from aeon.schema.experience import Lesson, Lessons

__all__ = ["ARMS", "CONFIGS", "Attempt", "Record", "differences", "lesson_of", "main", "measure", "table", "tasks"]

ARMS = ("without", "with")
CONFIGS: dict[str, type[WorkConfig]] = {"loop": WorkConfig, "graph": GraphConfig}
_DAYS = 180


class Attempt(NamedTuple):
    """A run: its result, or the error that it ended with, and what a first one taught."""

    result: Worked | None
    seconds: float
    error: str = ""
    lesson: Lesson | None = None
    told_by: str = ""


class Record:
    """The lines of the output file that belong to this model, engine, half and seed, and to tasks that are the same."""

    def __init__(self, path: Path, about: Row, every: Sequence[Instance]) -> None:
        self._path, self._about = path, about
        by = {one.item.id: one for one in every}
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        found = [row for row in map(json.loads, lines) if {key: row[key] for key in about} == about]
        asked = [row for row in found if row["id"] in by and by[row["id"]].item.question == row["question"]]
        self.rows: list[Row] = [{**row, **_judged(by[row["id"]], row["answer"])} for row in asked]

    def has(self, one: Instance, arm: str) -> bool:
        """Whether the task was done in this arm."""
        return any((row["id"], row["arm"]) == (one.item.id, arm) for row in self.rows)

    @property
    def lessons(self) -> list[Lesson]:
        """What the first attempts taught, each under the id of its task."""
        firsts = ((row["id"], row["question"], row["lesson"]) for row in self.rows if row["lesson"])
        return [Lesson(id=i, task=task, outcome=one["outcome"], text=one["text"]) for i, task, one in firsts]

    def add(self, one: Instance, arm: str, attempt: Attempt) -> Row:
        """Write a line at once."""
        result, lesson = attempt.result, attempt.lesson
        usage, answer = (result.usage, result.answer) if result else (Usage(), "")
        told = lesson and {"outcome": lesson.outcome, "text": lesson.text, "told_by": attempt.told_by}
        lessons = result.lessons if result else ()
        row: Row = {
            **self._about, "id": one.item.id, "family": one.family, "role": one.role, "arm": arm,
            "question": one.item.question, "expected": [shown(value) for value in one.item.expected], "answer": answer,
            **_judged(one, answer), "stop": result.stop_reason if result else attempt.error,
            "plans": len(result.plans) if result else 0, "calls": usage.calls, "prompt": usage.prompt_tokens,
            "cached": usage.cached_tokens, "generated": usage.generated_tokens, "seconds": round(attempt.seconds, 2),
            "shown": [{"id": n.id, "outcome": n.outcome, "similarity": n.similarity} for n in lessons], "lesson": told,
        }  # fmt: skip
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return row


def _judged(one: Instance, answer: str) -> dict[str, Any]:
    """Whether an answer is right; and whether it is that of who reads the table otherwise than its note says."""
    verdict = score(one.item, answer)
    trapped = one.trap is not None and score(replace(one.item, expected=(one.trap,)), answer).right
    return {"right": verdict.right, "why": verdict.why, "trapped": trapped}


def tasks(half: str, seed: int, sample: int, roles: Sequence[str] = ROLES[1:]) -> list[Instance]:
    """The first attempt of each family, then so many tasks of each role and family, the families in turn."""
    firsts = [instance(family, ROLES[0], half, seed) for family in FAMILIES]
    numbers = range(1, sample + 1)
    return firsts + [instance(family, role, half, seed, n) for n in numbers for role in roles for family in FAMILIES]


async def measure(llm: LLMAdapter, engine: str, every: Sequence[Instance], record: Record) -> None:
    """Every task in each arm, as far as it is not on record; every other one with lessons first."""
    for index, one in enumerate(every):
        arms = ARMS[:1] if one.role == ROLES[0] else ARMS[:: -1 if index % 2 else 1]
        with tempfile.TemporaryDirectory(prefix="experience-") as name:
            files = Path(name) / "files"
            files.mkdir()
            for file, text in one.files.items():
                (files / file).write_text(text, encoding="utf-8")
            for arm in arms:
                if not record.has(one, arm):
                    kept = Path(name) / f"{arm}.sqlite"
                    _say(record.add(one, arm, await _attempted(llm, engine, one, files, _file(kept, record, one, arm))))


def _file(path: Path, record: Record, one: Instance, arm: str) -> str:
    """The file of lessons of a run, "" for none; that of a first attempt is empty."""
    if arm == "without" and one.role != ROLES[0]:
        return ""
    experience = Experience(str(path))
    for lesson in record.lessons if arm == "with" else ():
        experience.keep(lesson, _DAYS)
    return str(path)


async def _attempted(llm: LLMAdapter, engine: str, one: Instance, files: Path, lessons: str) -> Attempt:
    """A run over the files; an error is a wrong answer, and teaches nothing."""
    began = time.monotonic()
    config = CONFIGS[engine](experience=lessons)
    try:
        result: Worked = await build(llm=llm, files=files, engine=engine, config=config).aexecute(one.item.question)
    except AeonError as error:
        return Attempt(None, time.monotonic() - began, f"{type(error).__name__}: {error}")
    seconds = time.monotonic() - began
    if one.role != ROLES[0]:
        return Attempt(result, seconds)
    noted = Experience(lessons).find(one.item.question, "", least=0.0, most=1, days=_DAYS)
    return Attempt(result, seconds, "", *lesson_of(one, result, noted))


def lesson_of(one: Instance, result: Worked, noted: Lessons) -> tuple[Lesson, str]:
    """What a first attempt taught, and who says how it ended: Aeon, or the scoring where Aeon noted nothing."""
    if noted.lessons:
        return noted.lessons[0], "aeon"
    outcome = "success" if score(one.item, result.answer).right else "failure"
    problems = [verdict.reason for verdict in result.verdicts if verdict.says == "no"]
    text = taught(result.plans[-1], problems)
    return Lesson(id=result.execution_id, task=one.item.question, outcome=outcome, text=text), "scoring"


def _say(row: Row) -> None:
    mark = "right" if row["right"] else "trapped" if row["trapped"] else f"wrong: {row['why']}"
    cost = f"{row['calls']:2} calls {row['seconds']:6.1f} s"
    print(f"{row['id']:22} {row['arm']:8} {cost}  {row['stop'][:12]:12} {mark[:40]:40} {_shown(row)}", flush=True)


def _shown(row: Row) -> str:
    return ", ".join(f"{one['id']} ({one['outcome']}, {one['similarity']:.2f})" for one in row["shown"])


def table(rows: Sequence[Row]) -> None:
    """Print a line for each role and arm, with means of what a run cost, then what was taught and shown."""
    print(f"\n{'role':10} {'arm':8} {'right':>9}  [95 %]       trapped  calls    read  generated      s  shown lessons")
    for role in ROLES:
        for arm in ARMS:
            if own := [row for row in rows if (row["role"], row["arm"]) == (role, arm)]:
                print(_line(role, arm, own))
    print("\nlessons of the first attempts, whose outcome is Aeon's, or the scoring's where Aeon noted none")
    for row in rows:
        if row["role"] == ROLES[0]:
            print(_taught(row))
    print("\nruns that were shown lessons, the most similar first")
    for row in rows:
        if row["shown"]:
            print(f"{row['id']:22} {_shown(row)}")


def _line(role: str, arm: str, rows: Sequence[Row]) -> str:
    right, of = sum(row["right"] for row in rows), len(rows)
    low, high = wilson(right, of)
    means = [statistics.fmean(row[what] for row in rows) for what in ("calls", "prompt", "generated", "seconds")]
    costs = "{:5.1f} {:7.0f} {:10.0f} {:6.1f}".format(*means)
    trapped, lessons = (sum(bool(row[what]) for row in rows) for what in ("trapped", "shown"))
    own = sum(any(one["id"].startswith(f"{row['family']}-") for one in row["shown"]) for row in rows)
    seen = f"{lessons} of {of}, {own} of their family"
    return f"{role:10} {arm:8} {right:3} of {of:3} [{low:4.0%}, {high:4.0%}] {trapped:7}  {costs}  {seen}"


def _taught(row: Row) -> str:
    if not (one := row["lesson"]):
        return f"{row['id']:22} none: {row['stop']}"
    truth = "right" if row["right"] else "wrong"
    return f"{row['id']:22} {one['outcome']} (by {one['told_by']}; was {truth}): {one['text']}"


def differences(rows: Sequence[Row]) -> None:
    """Print what lessons change in right answers and costs, with a 95 % interval.

    The bootstrap is over the families, since tasks of one family hang on the same lesson.
    """
    print("\nwith lessons - without [95 %, bootstrap over the families]")
    for role in ROLES[1:]:
        for name, form in (("right", "+.1%"), ("calls", "+.2f"), ("tokens", "+.0f"), ("seconds", "+.1f")):
            if means := _means(rows, role, name):
                mean, low, high = (format(one, form) for one in paired(means))
                print(f"{role:10} {name:8} {mean} [{low}, {high}] of {len(means)} families")


def _means(rows: Sequence[Row], role: str, name: str) -> list[float]:
    """For each family, the mean of what lessons change on a task that was done in both arms."""
    by: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row["role"] == role:
            value = row["prompt"] + row["generated"] if name == "tokens" else row[name]
            by.setdefault((row["family"], row["id"]), {})[row["arm"]] = float(value)
    pairs = [(family, arms["with"] - arms["without"]) for (family, _), arms in by.items() if len(arms) == len(ARMS)]
    families = dict.fromkeys(family for family, _ in pairs)
    return [statistics.fmean(change for other, change in pairs if other == family) for family in families]


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=[*CONFIGS], default="loop")
    parser.add_argument("--half", choices=HALVES, default="closing")
    parser.add_argument("--sample", type=int, default=1, help="tasks of each role and family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--roles", default=",".join(ROLES[1:]), help="separated by commas")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("experience.jsonl"))
    parser.add_argument("--resume", action="store_true", help="continue with the output file")
    parser.add_argument("--table", action="store_true", help="only print what is on record; no model is run")
    options = parser.parse_args()
    options.roles = options.roles.split(",")
    if unknown := sorted({*options.roles} - {*ROLES[1:]}):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(ROLES[1:])}")
    if options.sample < 1:
        parser.error(f"--sample {options.sample}: at least 1 task")
    if options.out.exists() and not (options.resume or options.table):
        parser.error(f"{options.out} exists: continue with it (--resume) or name another (--out)")
    return options


async def main() -> None:
    """Do the tasks one after the other, then print what is on record."""
    options = arguments()
    every = tasks(options.half, options.seed, options.sample, options.roles)
    llm = select(options.model)
    about = {"model": llm.name, "engine": options.engine, "half": options.half, "seed": options.seed}
    record = Record(options.out, about, every)
    runs = sum(1 if one.role == ROLES[0] else len(ARMS) for one in every)
    try:
        if not options.table:
            print(f"{llm.name}, {options.engine}, seed {options.seed}, {runs} runs; {said(machine())}", flush=True)
            await measure(llm, options.engine, every, record)
    finally:
        await llm.aclose()
    table(record.rows)
    differences(record.rows)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
