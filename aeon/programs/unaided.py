"""Programs without a model: the task is itself a calculation, a query of the tables, or a text in quotes."""

from __future__ import annotations

import json
import re
from functools import partial

from aeon.errors import EndpointUnreachable, ToolArgumentError, ToolFailed
from aeon.isolation.aside import aside
from aeon.multipass.effects import WritePrograms
from aeon.programs.prompts import is_query
from aeon.programs.reader import CALCULATOR
from aeon.programs.sources import SQL
from aeon.proof.expression import evaluate
from aeon.proof.figures import figures_in
from aeon.schema import JsonObject
from aeon.schema.programs import Programs, ProgramText
from aeon.tools.registry import ToolRegistry

__all__ = ["UnaidedWriter", "unaided"]

_SEARCH = "search_files"
_NUMBER = re.compile(r"[\d.,\s]*|\w*[^\W\d]")
"""A number alone, or a single letter or word such as e: nothing is calculated."""
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_NEEDED = (
    "the model tier T0 asks no model, and this task needs one: it is no calculation such as '15% of 2,480', no SELECT "
    "over the tables of --files and no text in quotes to be found there; use T1, T2 or T3"
)


class UnaidedWriter:
    """Writes the programs that the host can write alone."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    async def write(self, effect: WritePrograms) -> Programs:
        """The exact call that the task itself is.

        Raises:
            EndpointUnreachable: it is none, so that the run ends: only a model could go on with it.
        """
        call = await aside(partial(unaided, effect.task.text, self._tools))
        if call is None:
            raise EndpointUnreachable(_NEEDED)
        return Programs(programs=(ProgramText(way="given", text=json.dumps(call, ensure_ascii=False)),))


def unaided(task: str, tools: ToolRegistry) -> JsonObject | None:
    """The ``tool`` and the ``arguments`` that a task is; ``None`` where anything in it would have to be understood."""
    return _calculation(task, tools) or _query(task, tools) or _search(task, tools)


def _calculation(task: str, tools: ToolRegistry) -> JsonObject | None:
    """The calculation that the whole task is."""
    expression = task.strip().rstrip("?=. \t\n")
    if CALCULATOR not in tools.names or _NUMBER.fullmatch(expression) or _is_other(expression):
        return None
    try:
        evaluate(expression)
    except ToolArgumentError:
        return None
    except ToolFailed:  # it is a calculation, and has no value: the step says why
        pass
    return _call(CALCULATOR, {"expression": expression})


def _is_other(expression: str) -> bool:
    """Whether what looks like a difference is a day, a telephone number or an address."""
    found = figures_in(expression)
    return len(found) == 1 and found[0].kind != "number" and found[0].text == expression


def _query(task: str, tools: ToolRegistry) -> JsonObject | None:
    """The query that the task is, where the tables can be asked it."""
    query = task.strip().rstrip(";").strip()
    if SQL not in tools.names or not is_query(query) or tools.check(SQL, {"query": query}):
        return None
    return _call(SQL, {"query": query})


def _search(task: str, tools: ToolRegistry) -> JsonObject | None:
    """The search for the text in quotes that the task is."""
    quoted = _QUOTED.fullmatch(task.strip())
    if _SEARCH not in tools.names or quoted is None:
        return None
    return _call(_SEARCH, {"text": quoted[1] or quoted[2]})


def _call(tool: str, arguments: JsonObject) -> JsonObject:
    return {"tool": tool, "arguments": arguments}
