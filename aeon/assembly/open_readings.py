"""What is open of a table, put to a model at once: each answer is a value that one of its cells may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import RootModel

from aeon.llm.adapter import LLMAdapter
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, JsonObject
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.tables.extraction import TEXTS
from aeon.tables.reading import Column, Reading, Ways
from aeon.text import one_line
from aeon.tools.tableinfo import TableInfo

__all__ = ["Answered", "asked"]

_CALLS, _TOKENS = 4, 300
_SHOWN = 1_500
_UNKNOWN = "cannot be told"


class Answered(RootModel[dict[str, str]]):
    """What a cell of each column means, by the numbers of the questions."""


async def asked(model: LLMAdapter, table: TableInfo, path: Path) -> Reading:
    """The table's reading as the model settles it: it is asked twice, with the values in both orders.

    What it cannot tell, or tells otherwise when the other value comes first, stays open.

    Raises:
        CompletionError: it gave no usable answer, repairs included.
        ModelError: it could not be asked.
    """
    columns = [column for column in table.reading.columns if column.ways]
    beginning = fence("file", _beginning(table, path), _SHOWN)
    first = await _answers(model, beginning, columns)
    second = await _answers(model, beginning, [_reversed(column) for column in columns])
    agreed = (one if one == other else "" for one, other in zip(first, second, strict=True))
    return table.reading.settled({one.name: _stated(one, said) for one, said in zip(columns, agreed, strict=True)})


async def _answers(model: LLMAdapter, beginning: str, columns: Sequence[Column]) -> list[str]:
    """What the cells of these columns mean, as the model says."""
    questions = "\n".join(f"{number}. {_question(column)}" for number, column in enumerate(columns, 1))
    system = render(load("aeon.assembly", "open_readings.md"), unknown=_UNKNOWN)
    prompt, schema = Prompt(system, f"{beginning}\n\n{questions}"), _schema(columns)
    with Ledger(Allowance(calls=_CALLS)):
        reply = await Supervisor(model).structured(prompt, Answered, max_tokens=_TOKENS, schema=schema, repairs=1)
    return [reply.value.root[str(number)] for number in range(1, len(columns) + 1)]


def _reversed(column: Column) -> Column:
    """The same with its ways in the other order."""
    return replace(column, ways=column.ways and Ways(column.ways.cell, column.ways.values[::-1]))


def _beginning(table: TableInfo, path: Path) -> str:
    """The beginning of a text as it stands; of another file the names of its columns and its first rows."""
    text = ""
    if path.suffix.lower() in TEXTS:
        with path.open("rb") as file:
            text = file.read(_SHOWN).decode("utf-8", "replace")
    rows = ["; ".join(name for name, _ in table.columns), *("; ".join(row) for row in table.sample)]
    return f"{path.name}\n{text or chr(10).join(rows)}"


def _question(column: Column) -> str:
    cell = column.ways.cell if column.ways else ""
    listed = " or ".join(_values(column))
    return f"In the column {one_line(column.name, 80)!r}, is the cell {one_line(cell, 40)!r} {listed}?"


def _values(column: Column) -> list[str]:
    return [value for _, value in column.ways.values] if column.ways else []


def _schema(columns: Sequence[Column]) -> JsonObject:
    numbers = [str(number) for number, _ in enumerate(columns, 1)]
    each: list[JsonObject] = [{"enum": [*_values(column), _UNKNOWN]} for column in columns]
    return {
        "type": "object",
        "properties": {**dict(zip(numbers, each, strict=True))},
        "required": [*numbers],
        "additionalProperties": False,
    }


def _stated(column: Column, answer: str) -> str:
    """What a reading states of the column by an answer, "" where it does not."""
    found = {value: stated for stated, value in column.ways.values} if column.ways else {}
    return found.get(answer, "")
