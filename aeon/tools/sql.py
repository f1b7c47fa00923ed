"""The tool ``sql``: one query over the tables of a folder. Needs the extra ``tables``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aeon.schema.frozen import JsonValue
from aeon.tools.database import Database
from aeon.tools.tool import Tool, tool

__all__ = ["sql"]

_TIMEOUT = 20.0


def sql(database: Database, ask: Callable[[str], JsonValue] | None = None) -> Tool:
    """Return the tool ``sql`` over these tables, which it names; its hint describes them.

    ``ask`` gives what a query does, if another way than asking the tables each time is wanted.
    """
    answer = ask or database.query

    @tool(side_effects=False, parallel_safe=True, timeout=_TIMEOUT, hint=database.describe())
    def sql(query: str) -> JsonValue:
        """Ask the tables with one SQL SELECT (DuckDB) and get the value, list or rows that it gives.

        Args:
            query: the SELECT; texts in single quotes are compared without case
        """
        return answer(query)

    return replace(
        sql,
        tables=database.tables,
        schema=database.schema(),
        tables_read=lambda given: database.read_for(str(given["query"])),
    )
