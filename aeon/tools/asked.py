"""What a process of its own does with a query: it answers from a file of tables, and keeps the latest files open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeon.errors import ToolFailed
from aeon.isolation.limits import MEGABYTE, kept_bytes
from aeon.schema.frozen import JsonValue
from aeon.tools import plainsql, smallsql
from aeon.tools.plainsql import PlainForm
from aeon.tools.queryerrors import not_shown
from aeon.tools.queryuse import used_by
from aeon.tools.smallsql import SmallForm
from aeon.tools.tablefile import TableFile

__all__ = ["reads", "table", "used", "value"]

_MOST_OPEN = 4
_MOST_KEPT = 136 * MEGABYTE
"""Bytes of memory that are kept from one query to the next; a process has some 85 MB, each small file some 5."""
_MOST_GIVEN = MEGABYTE
_OPEN: dict[str, TableFile] = {}
"""The files that are open, the one that was asked last at the end."""


def value(data: bytes, folder: str, seconds: float) -> str:
    """What a query gives in its smallest form, as JSON. Raises as `SmallForm.value`."""
    with _opened(folder) as file, file.session(smallsql.SETUP, seconds) as cursor:
        return _text(SmallForm(file, cursor, seconds).value(_query(data)))


def reads(data: bytes, folder: str, seconds: float) -> str:
    """Whether a query gives something that a table has, as JSON. Raises as `SmallForm.reads`."""
    with _opened(folder) as file, file.session(smallsql.SETUP, seconds) as cursor:
        return _text(SmallForm(file, cursor, seconds).reads(_query(data)))


def table(data: bytes, folder: str, seconds: float, most_bytes: int) -> str:
    """The columns and rows that a query gives, as JSON. Raises as `PlainForm.table`."""
    with _opened(folder) as file, file.session(plainsql.SETUP, seconds) as cursor:
        return _text(PlainForm(file, cursor, seconds).table(_query(data), most_bytes))


def used(data: bytes, folder: str, seconds: float) -> str:
    """Which tables and columns a query uses, as JSON. Gives what `used_by` gives."""
    with _opened(folder) as file, file.session(plainsql.SETUP, seconds) as cursor:
        return json.dumps(used_by(cursor, _query(data), [table.name for table in file.tables]))


@contextmanager
def _opened(folder: str) -> Iterator[TableFile]:
    """The file of a folder, closed after an error: DuckDB may have given it up.

    What is no longer there is closed, too, and all files where a query left much in memory.
    """
    for one in [one for one in _OPEN if not Path(one).exists()]:
        _OPEN.pop(one).close()
    file = _OPEN[folder] = _OPEN.pop(folder) if folder in _OPEN else TableFile(Path(folder))
    while len(_OPEN) > _MOST_OPEN:
        _OPEN.pop(next(iter(_OPEN))).close()
    try:
        yield file
    except BaseException:
        _OPEN.pop(folder).close()
        raise
    finally:
        if kept_bytes() > _MOST_KEPT:
            while _OPEN:
                _OPEN.popitem()[1].close()


def _query(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _text(given: JsonValue) -> str:
    try:
        text = json.dumps(given, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        raise not_shown(error) from None
    if len(text.encode("utf-8", "replace")) > _MOST_GIVEN:
        raise ToolFailed(f"the query gives more than {_MOST_GIVEN // MEGABYTE} MB; ask for less at once")
    return text
