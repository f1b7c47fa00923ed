"""The tables and the texts that a run may ask: all of them are offered, whatever the question."""

from __future__ import annotations

from aeon.programs.evidence import Evidence
from aeon.schema import LONGEST_TASK
from aeon.supervisor.prompt import cut
from aeon.tools.registry import ToolRegistry

__all__ = ["LOOKUP", "SQL", "Sources"]

SQL = "sql"
LOOKUP = "lookup"


class Sources:
    """The sources of a run; ``names`` are the tools that ask them, ``tables`` what is known of the tables.

    A folder without texts has none to ask; ``there``: whether there is a folder, or a context that is searched.
    """

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools
        self.names = tuple(name for name in (SQL, LOOKUP) if name in tools.names and tools.get(name).knows)
        self.tables = tools.get(SQL).tables if SQL in self.names else ()
        self.there = bool(self.names) or (LOOKUP in tools.names and tools.get(LOOKUP).reading)

    async def evidence(self, question: str) -> Evidence:
        """The sentences of the texts that a search finds for a question; none where there are no texts."""
        if LOOKUP not in self.names:
            return Evidence()
        asked = cut(question, LONGEST_TASK)
        return Evidence((await self._tools.call(LOOKUP, {"question": asked})).value, asked)
