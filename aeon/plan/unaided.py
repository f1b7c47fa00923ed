"""Plans that need no model: the task is itself a calculation, a query of tables, or a quoted text to be found."""

from __future__ import annotations

import re

from aeon.errors import EndpointUnreachable, ToolArgumentError, ToolFailed
from aeon.multipass.effects import DraftPlan
from aeon.plan.reader import CALCULATOR
from aeon.schema import JsonObject, Plan, Step, ToolCall
from aeon.tools.expression import evaluate
from aeon.tools.registry import ToolRegistry

__all__ = ["UnaidedPlanner", "unaided"]

_SQL, _SEARCH = "sql", "search_files"
_ASKED = re.compile(r"(?:what is|what's|how much is|calculate|compute)\s+", re.IGNORECASE)
_NUMBER = re.compile(r"[\d.,\s]*|\w*[^\W\d]")
"""A number alone, or a single letter or word such as e: nothing is calculated."""
_QUERY = re.compile(r"(?:select|with)\b", re.IGNORECASE)
_QUOTED = re.compile(r"""(?:find\s+)?(?:"([^"]+)"|'([^']+)')""", re.IGNORECASE)
_NEEDED = (
    "the model tier T0 asks no model, and this task needs one: it is no calculation such as 'What is 15% of 2,480?', "
    "no SELECT over the tables of --files and no text in quotes to be found there; use T1, T2 or T3"
)


class UnaidedPlanner:
    """Drafts the plans that the host can make alone."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    async def draft(self, effect: DraftPlan) -> Plan:
        """The plan of one exact call that the task itself is.

        Raises:
            EndpointUnreachable: it is none, so that the run ends: only a model could go on with it.
        """
        plan = unaided(effect.task.text, self._tools)
        if plan is None:
            raise EndpointUnreachable(_NEEDED)
        return plan


def unaided(task: str, tools: ToolRegistry) -> Plan | None:
    """The plan that a task is, word for word; ``None`` where anything in it would have to be understood."""
    call = _calculation(task, tools) or _query(task, tools) or _search(task, tools)
    if call is None:
        return None
    return Plan(steps=(Step(id="s1", description=task.strip(), action=call, provides=("s1",)),), answer=("s1",))


def _calculation(task: str, tools: ToolRegistry) -> ToolCall | None:
    """The calculation that the whole task is, be it as a question."""
    text = _ASKED.sub("", task.strip(), count=1) if _ASKED.match(task.strip()) else task.strip()
    expression = text.rstrip("?=. \t\n")
    if CALCULATOR not in tools.names or _NUMBER.fullmatch(expression):
        return None
    try:
        evaluate(expression)
    except ToolArgumentError:
        return None
    except ToolFailed:  # it is a calculation, and has no value: the step says why
        pass
    return _call(CALCULATOR, {"expression": expression})


def _query(task: str, tools: ToolRegistry) -> ToolCall | None:
    """The query that the task is, where the tables can be asked it."""
    query = task.strip().rstrip(";").strip()
    if _SQL not in tools.names or not _QUERY.match(query) or tools.check(_SQL, {"query": query}):
        return None
    return _call(_SQL, {"query": query})


def _search(task: str, tools: ToolRegistry) -> ToolCall | None:
    """The search for the text in quotes that the task is."""
    quoted = _QUOTED.fullmatch(task.strip())
    if _SEARCH not in tools.names or quoted is None:
        return None
    return _call(_SEARCH, {"text": quoted[1] or quoted[2]})


def _call(tool: str, arguments: JsonObject) -> ToolCall:
    return ToolCall(tool=tool, arguments=arguments)
