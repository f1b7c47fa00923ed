"""The strongest baseline of the everyday benchmark: the model writes a short program, which is interpreted here.

The program is Python to look at, of which little works: assignments, arithmetic, comparisons, f-strings, a few
functions, and ``sql``, ``lookup`` and ``write``. Four examples for other files show how. What does not lead to the
printed value is not run. Where a program fails, one without ``sql`` is asked for, once.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import duckdb
from everyday_baselines import DIRECT, LONG, Calls, Reply, from_passages
from everyday_folder import opened
from everyday_interpreter import Failed, Unstated, constant, interpret, needed
from everyday_items import Item

from aeon.llm.adapter import LLMAdapter

__all__ = ["program"]

TOKENS = 300
HOW = """Write a short Python program that answers the question. It uses arithmetic, round, min, max, abs and these \
functions:
{functions}
Print the answer in the end. Reply with the program only."""
FUNCTIONS = {
    "sql": "sql(query): the result of a DuckDB query. It knows the columns of the tables and nothing else.",
    "lookup": "lookup(question): one fact from the texts: a price, rule, date, person or period that no column has.",
    "write": "write(task): a text, for a task that needs no files.",
}
FILES = """Tables:
trips(day date, driver varchar, km bigint, litres double)
  2024-02-03, Ola, 212, 14.1
  2024-02-04, Kim, 87, 6.2
Texts: parking.md, club-rules.txt

"""
LOOKUP = (
    "How much dearer is parking on Sundays than on Mondays?",
    """sunday = lookup("What does parking cost on Sundays?")
monday = lookup("What does parking cost on Mondays?")
print(sunday - monday)""",
)
SQL = (
    "How many kilometres did Ola drive in June?",
    """print(sql("SELECT sum(km) FROM trips WHERE driver = 'Ola' AND month(day) = 6"))""",
)
BOTH = (
    "Which driver has the most kilometres, and what does the club pay for them?",
    """best = sql("SELECT driver, sum(km) FROM trips GROUP BY driver ORDER BY sum(km) DESC LIMIT 1")
rate = lookup("How many euros per kilometre does the club pay?")
print(f"{best[0]}, {round(best[1] * rate, 2)}")""",
)
ARITHMETIC = (
    "12 pens at 1.20 each and 3 rulers at 2.50, paid with a 50 note. How much is left?",
    """cost = 12 * 1.20 + 3 * 2.50
print(50 - cost)""",
)
WRITE = (
    "Explain in two sentences why the sky is blue.",
    """print(write("Explain in two sentences why the sky is blue."))""",
)
OWN = re.compile(r"\b(?:print|sql|lookup|write)\(")


async def program(task: Item, folder: Path, llm: LLMAdapter) -> Reply:
    """A program over the tables, the texts and the model."""
    calls, found = Calls(llm), opened(folder)
    known = f"Tables:\n{found.told()}\nTexts: {', '.join(found.texts)}\n\nQuestion: {task.question}"
    for offered in (("sql", "lookup", "write"), ("lookup", "write")):
        said = await calls.ask(_how(offered), known, TOKENS, _examples(offered))
        text = _unfenced(said)
        if not OWN.search(text):
            return calls.reply(_prose(said, text))
        try:
            return calls.reply(await _ran(_parsed(text), folder, calls, offered))
        except (Failed, duckdb.Error) as error:
            calls.trace.append(f"failed: {str(error)[:200]}")
        except Unstated:
            break
    return calls.reply("not stated")


def _how(offered: tuple[str, ...]) -> str:
    return HOW.format(functions="\n".join(FUNCTIONS[name] for name in offered))


def _examples(offered: tuple[str, ...]) -> list[tuple[str, str]]:
    """The examples for what is offered; the first one tells their files."""
    told = (SQL, ARITHMETIC, BOTH, WRITE, LOOKUP) if "sql" in offered else (ARITHMETIC, WRITE, LOOKUP)
    return [(f"{'' if i else FILES}Question: {question}", program) for i, (question, program) in enumerate(told)]


def _prose(said: str, text: str) -> str:
    """The answer in a reply that calls no function: itself, unless it is only a number, which has no source."""
    return "not stated" if re.fullmatch(r"(?:\w+\s*=\s*)?-?[\d.]+", text) else said


def _unfenced(text: str) -> str:
    match = re.search(r"```(?:python)?\s*\n(.*?)(?:```|$)", text, re.DOTALL)
    return (match[1] if match else text.removeprefix("Program:")).strip()


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise Failed(str(error)) from error


async def _ran(tree: ast.Module, folder: Path, calls: Calls, offered: tuple[str, ...]) -> str:
    if constant(tree):
        return "not stated"
    found = opened(folder)

    async def sql(query: str) -> object:
        rows = found.query(query)
        calls.trace.append(f"{query} -> {str(rows)[:200]}")
        return _unwrapped(rows)

    async def lookup(question: str) -> object:
        return await from_passages(question, found, calls)

    async def write(what: str) -> object:
        return await calls.ask(DIRECT, what, LONG)

    functions = {name: one for name, one in (("sql", sql), ("lookup", lookup), ("write", write)) if name in offered}
    return await interpret(needed(tree), functions)


def _unwrapped(rows: list[tuple[object, ...]]) -> object:
    """A single value as itself, a single row as a row, a single column as a list."""
    if len(rows) == 1:
        return rows[0][0] if len(rows[0]) == 1 else rows[0]
    return [row[0] for row in rows] if rows and len(rows[0]) == 1 else rows
