"""The file in which a folder's tables lie: it is filled once, and asked by processes that cannot change it."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec

from aeon.isolation.limits import MEGABYTE
from aeon.tables.extra import extra
from aeon.tools.tableinfo import TableInfo

if TYPE_CHECKING:
    import duckdb

__all__ = ["DATABASE", "Known", "TableFile", "engine_memory", "filled", "sweep"]

DATABASE = "memory.duckdb"
"""A database is called like its file: ``memory.main.sales`` is a table, as where all of it is in memory."""
_KNOWN = "tables.json"
_SPILL = "spill-"
_AGAIN = 0.05
"""Seconds after which a statement that begins when the time is over is interrupted."""
_FILLING_MEMORY = 512 * MEGABYTE
_ASKING_MEMORY, _MOST_MEMORY = 192 * MEGABYTE, 640 * MEGABYTE
_WIDE, _MEMORY_A_COLUMN = 500, 327_680
"""Columns of a table above which a query may take more memory, and how much for each that is more."""
_LOCK = (
    "autoinstall_known_extensions=false",
    "autoload_known_extensions=false",
    "allow_community_extensions=false",
    "enable_external_access=false",
    "default_collation='NOCASE'",
    "ieee_floating_point_ops=false",
    "error_on_division_by_zero=false",
    "allowed_configs=['default_collation', 'ieee_floating_point_ops', 'error_on_division_by_zero']",
    "lock_configuration=true",
)
_OPTIONAL = frozenset({"ieee_floating_point_ops=false", "error_on_division_by_zero=false"})
"""These make a division by zero NULL; DuckDB 1 does not take them for all connections, and gives infinity."""
_MACROS = ("CREATE MACRO date_format(day, form) AS strftime(day, form)",)  # what MySQL calls it, and models write


@dataclass(frozen=True)
class Known:
    """What is known of the tables of a file: each of them, and the words that a name must not be.

    ``skipped`` are the files of the folder that have none, with the reason.
    """

    tables: tuple[TableInfo, ...]
    keywords: frozenset[str]
    skipped: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, folder: Path) -> Known:
        """What was written beside a file. Raises ``OSError`` and ``msgspec.DecodeError``."""
        return msgspec.json.decode((folder / _KNOWN).read_bytes(), type=cls)

    def keep(self, folder: Path) -> None:
        """Write it beside the file. Raises ``OSError``."""
        (folder / _KNOWN).write_bytes(msgspec.json.encode(self))


def engine_memory(tables: Iterable[TableInfo]) -> int:
    """Bytes of memory that DuckDB may take for a query of these tables."""
    columns = max((len(table.columns) for table in tables), default=0)
    return min(_MOST_MEMORY, _ASKING_MEMORY + _MEMORY_A_COLUMN * max(0, columns - _WIDE))


@contextmanager
def filled(folder: Path, module: ModuleType, blocks: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that fills the file of a folder, with blocks of so many bytes, which is whole when the block ends.

    Raises ``duckdb.Error`` where the file cannot be written.
    """
    config = _config(folder / f"{_SPILL}{os.getpid()}", _FILLING_MEMORY) | {"default_block_size": str(blocks)}
    connection: duckdb.DuckDBPyConnection = module.connect(str(folder / DATABASE), config=config)
    try:
        yield connection
        for macro in _MACROS:
            connection.execute(macro)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()


class TableFile:
    """The file of a folder as one process asks it: nothing in it changes, and nothing else can be reached.

    Texts are compared without case, unless a session is set otherwise. One thread at a time may use it.
    """

    def __init__(self, folder: Path) -> None:
        """Open it. Raises ``OSError`` and ``duckdb.Error`` where that cannot be done."""
        self.module = extra("duckdb")
        known = Known.of(folder)
        self.tables, self.keywords = known.tables, known.keywords
        config = _config(folder / f"{_SPILL}{os.getpid()}", engine_memory(known.tables))
        self._connection = self.module.connect(str(folder / DATABASE), read_only=True, config=config)
        for setting in _LOCK:
            with suppress(*[self.module.Error] if setting in _OPTIONAL else []):
                self._connection.execute(f"SET GLOBAL {setting}")

    @contextmanager
    def session(self, setup: Sequence[str], seconds: float) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of its own after these statements, in which what runs after so many seconds is interrupted."""
        cursor = self._connection.cursor()
        for statement in setup:
            cursor.execute(statement)
        done = threading.Event()
        watch = threading.Thread(target=_interrupt, args=(cursor, done, seconds), daemon=True)
        watch.start()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor
        finally:
            done.set()
            watch.join()  # it must not interrupt a connection that is closed
            cursor.close()

    def close(self) -> None:
        """Give back the memory that it takes."""
        self._connection.close()


def sweep(folder: Path) -> None:
    """Remove what processes that were ended left on disk."""
    for place in folder.glob(f"{_SPILL}*"):
        if not _lives(int(place.name.removeprefix(_SPILL))):
            shutil.rmtree(place, ignore_errors=True)


def _lives(number: int) -> bool:
    """Whether there is a process of this number; Windows keeps by itself what one has open."""
    if os.name != "posix":
        return False
    try:
        os.kill(number, 0)
    except OSError:
        return False
    return True


def _config(spill: Path, memory: int) -> dict[str, str | int | bool | list[str]]:
    return {
        "threads": 2,
        "async_threads": 0,  # each would take 8 MB for its stack
        "memory_limit": f"{memory}B",
        "temp_directory": str(spill),
        "max_temp_directory_size": "4GB",
        "python_enable_replacements": False,
    }


def _interrupt(cursor: duckdb.DuckDBPyConnection, done: threading.Event, seconds: float) -> None:
    """Interrupt what the connection does after some time, and each statement that it begins after that."""
    wait = seconds
    while not done.wait(wait):
        cursor.interrupt()
        wait = _AGAIN
