"""Takes the looks of a game with the tool ``look`` of its folder."""

from __future__ import annotations

import re

from aeon.engines.tutor.actions import Action, arguments
from aeon.engines.tutor.effects import Act, FindTables, Recheck, Table, Tables
from aeon.errors import ToolError
from aeon.isolation.aside import aside
from aeon.language.words import is_common
from aeon.runtime.ledger import current_ledger
from aeon.schema import StepResult
from aeon.text import one_line
from aeon.tools.look import LOOK
from aeon.tools.measuring import kinds_of
from aeon.tools.registry import ToolRegistry
from aeon.tools.tableinfo import TableInfo
from aeon.tools.tool import Tool

__all__ = ["Observer"]

_MOST_NAMED = 4
_WORD = re.compile(r"[^\W\d_]{4,}")


class Observer:
    """Looks at the folder among some tools. It has no way to change anything: the tool only reads."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    async def tables(self, effect: FindTables) -> Tables:
        """The tables of the folder, with the values that the task names, and the task's uncommon words."""
        every = [self._tools.get(name) for name in self._tools.names]
        named = await aside(lambda: [pair for tool in every for pair in _named(tool, effect.task.text)])
        infos = (info for tool in every if tool.name == LOOK for info in tool.tables)
        found = tuple(_table(info, named[:_MOST_NAMED]) for info in infos)
        return Tables(tables=found, words=_uncommon(effect.task.text))

    async def act(self, effect: Act) -> StepResult:
        """What a look shows; one that cannot be taken shows nothing, and why. Raises as `recheck`."""
        return await self._look(effect.action)

    async def recheck(self, effect: Recheck) -> StepResult:
        """What a look shows now.

        Raises:
            AllowanceExhausted: the time of the run is over.
        """
        return await self._look(effect.action)

    async def _look(self, action: Action) -> StepResult:
        if LOOK not in self._tools.names:
            return StepResult(output=None, mode="tool", problem="there is no folder to look at: name one with --files")
        async with current_ledger().tool_call():
            try:
                seen = await self._tools.call(LOOK, arguments(action))
            except ToolError as error:
                return StepResult(output=None, mode="tool", problem=one_line(str(error).removeprefix("look: "), 300))
        return StepResult(output=seen.value, mode="tool")


def _named(tool: Tool, text: str) -> list[tuple[str, str]]:
    """The columns whose values stand in a text, with these values."""
    return [(one.column, one.value) for one in tool.named(text)] if tool.named is not None else []


def _uncommon(text: str) -> tuple[str, ...]:
    """The words of a text that do not stand in any text, each once, the longest first."""
    words = dict.fromkeys(word for word in _WORD.findall(text) if not is_common(word))
    return tuple(sorted(words, key=len, reverse=True))


def _table(info: TableInfo, named: list[tuple[str, str]]) -> Table:
    kinds = kinds_of(info)
    told = tuple((column, value) for column, value in named if column in kinds)
    return Table(name=info.name, columns=tuple(kinds.items()), named=told)
