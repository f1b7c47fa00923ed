"""The tools over a folder for a model that works in a loop: ``sql``, ``search`` and ``read``, with nothing in between.

What the model writes is run as it is; what comes back is data that it can cite: rows, or numbered sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Annotated

from pydantic import Field

from aeon.documents.collection import Collection
from aeon.schema import JsonObject
from aeon.schema.turns import TableRead
from aeon.tables.naming import quoted
from aeon.tools.database import Database
from aeon.tools.foldertexts import FolderTexts, fitting
from aeon.tools.lookup import CONTEXT
from aeon.tools.tableinfo import TableInfo
from aeon.tools.textparts import TextPart, parts_of
from aeon.tools.tool import Tool, tool

__all__ = ["OUTPUT_BYTES", "READ", "SEARCH", "SQL", "loop_tools", "with_long_context"]

SQL = "sql"
SEARCH = "search"
READ = "read"
OUTPUT_BYTES = 16_384
"""Bytes of JSON that a tool of the loop gives at most, where nothing else is said."""

_TIMEOUT = 30.0
_TABLE_ROWS = 20


def loop_tools(
    database: Database | None,
    collection: Collection,
    skipped: Sequence[tuple[str, str]] = (),
    hint: str = "",
    most_bytes: int = OUTPUT_BYTES,
) -> tuple[Tool, ...]:
    """The tools over these tables and texts: ``sql`` where there are tables, ``search`` where texts are, ``read``.

    ``hint`` is what prompts say of the folder, ``skipped`` the files that cannot be read, with the reasons. Their
    output has at most ``most_bytes`` of JSON. Those that give sentences have ``reading``.
    """
    texts = FolderTexts(collection, database.tables if database else (), dict(skipped), most_bytes)
    asking = (_sql(database, most_bytes),) if database and database.tables else ()
    searching = (_search(texts),) if collection.documents else ()
    return (*asking, *searching, replace(_read(texts, database), hint=hint))


def with_long_context(tools: Iterable[Tool], context: str, most_bytes: int = OUTPUT_BYTES) -> tuple[Tool, ...]:
    """The tools with a task's context as one more text, named "context", that is searched and read.

    Raises:
        ToolFailed: it cannot be indexed.
    """
    every = tuple(tools)
    hint = f"The task's context is a text of {len(context):,} characters, named {CONTEXT}."
    search, read = loop_tools(None, Collection.of_text(CONTEXT, context), (), hint, most_bytes)
    others = {_kind(one): one for one in every if one.reading}
    taken = {one.name for one in every if not one.reading}
    own = (
        _either_search(search, others[SEARCH], most_bytes) if SEARCH in others else _free(search, taken),
        _either_read(read, others[READ]) if READ in others else _free(read, taken),
    )
    return (*(one for one in every if not one.reading), *own)


def _kind(reader: Tool) -> str:
    """Which of the two a tool that reads is, whatever its name: ``search`` takes words."""
    properties = reader.parameters.get("properties")
    return SEARCH if isinstance(properties, dict) and "words" in properties else READ


def _free(own: Tool, taken: set[str]) -> Tool:
    return replace(own, name=f"{own.name}_{CONTEXT}") if own.name in taken else own


def _sql(database: Database, most_bytes: int) -> Tool:
    @tool(name=SQL, side_effects=False, parallel_safe=True, timeout=_TIMEOUT)
    def ask(query: str) -> JsonObject:
        """Run one DuckDB query that reads. At most 100 rows are shown."""
        return database.plain_query(query, most_bytes)

    return replace(ask, tables=database.tables, tables_read=lambda given: database.read_for(str(given["query"])))


def _search(texts: FolderTexts) -> Tool:
    @tool(name=SEARCH, side_effects=False, parallel_safe=True, timeout=_TIMEOUT)
    def search(words: Annotated[str, Field(min_length=1)]) -> JsonObject:
        """Find passages of the texts by words."""
        return texts.found(words)

    return replace(search, reading=True)


def _read(texts: FolderTexts, database: Database | None) -> Tool:
    @tool(name=READ, side_effects=False, parallel_safe=True, timeout=_TIMEOUT)
    def read(name: str, start: Annotated[int, Field(ge=1)] = 1) -> JsonObject:
        """Read a text from sentence number `start` on, a long one in parts; of a table 20 rows from row `start` on."""
        found = texts.meant(name)
        if isinstance(found, TableInfo):
            return _rows(database, found, start, texts.most_bytes)
        return texts.part(found, start)

    def tables_read(given: JsonObject) -> tuple[TableRead, ...]:
        found = texts.meant(str(given["name"]))
        return (found.read_as(None),) if isinstance(found, TableInfo) and found.reading.told else ()

    return replace(read, reading=True, tables_read=tables_read)


def _rows(database: Database | None, table: TableInfo, start: int, most_bytes: int) -> JsonObject:
    if database is None:
        return {}
    query = f"SELECT * FROM {quoted(table.name)} LIMIT {_TABLE_ROWS} OFFSET {start - 1}"
    return {**database.plain_query(query, most_bytes), "total": table.rows}


def _either_search(own: Tool, other: Tool, most_bytes: int) -> Tool:
    """A search of both: of their passages, the best ones in turn."""

    def search(words: str) -> JsonObject:
        found = [parts_of(one.call(words=words)) for one in (own, other)]  # type: ignore[arg-type]
        turns = chain.from_iterable(zip_longest(*(one.parts for one in found if one)))
        parts: list[TextPart] = [part for part in turns if part is not None]
        return fitting(parts, "; ".join(one.note for one in found if one), most_bytes).output()

    return replace(other, call=search)


def _either_read(own: Tool, other: Tool) -> Tool:
    """A reader of both: by the name of the text."""

    def of(name: object) -> Tool:
        return own if str(name).strip().casefold() == CONTEXT else other

    def read(name: str, start: int = 1) -> object:
        return of(name).call(name=name, start=start)

    def tables_read(given: JsonObject) -> tuple[TableRead, ...]:
        asked = of(given["name"]).tables_read
        return asked(given) if asked is not None else ()

    hint = "\n".join(filter(None, (other.hint, own.hint)))
    return replace(other, call=read, hint=hint, tables_read=tables_read)
