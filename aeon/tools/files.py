"""A folder given to a run: its tables, its documents, the list of its files, and a search for words in them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

from pydantic import Field

from aeon.documents.collection import Collection
from aeon.documents.folder import MOST_FILES, Folder
from aeon.documents.folders import Paths
from aeon.documents.joined import Joined
from aeon.documents.readers import DOCUMENT_SUFFIXES
from aeon.documents.stored import Stored, opened_paths, parted
from aeon.errors import ToolArgumentError, ToolError
from aeon.isolation.deadline import Deadline
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.search.collection import CollectionSearch
from aeon.settings.seconds import seconds_in
from aeon.tables.stated import stating
from aeon.text import one_line
from aeon.tools.cellvalues import values_named
from aeon.tools.database import TABLE_SUFFIXES, Database, NotRun
from aeon.tools.finding import finding
from aeon.tools.foldermaterial import folder_material
from aeon.tools.look import look
from aeon.tools.lookup import lookup
from aeon.tools.loop import OUTPUT_BYTES, loop_tools
from aeon.tools.quote import quote
from aeon.tools.sql import sql
from aeon.tools.texts import read_texts
from aeon.tools.tool import Tool, tool

__all__ = ["Files", "files", "takes_long"]

_SEARCH_BYTES = 64 * 1024 * 1024
_SEARCH_LINES = 100
_SEARCH_SECONDS = 20.0
_KEPT_RESULTS = 64
_MOST_REASONS = 5
_MANY_DOCUMENTS = 50
_MUCH = 16 * 1024 * 1024
_MOST_SECONDS = 3_600.0
_SHARE = 0.5
"""Of the time that is left, what one file of a run may take to be read."""

_reader = tool(side_effects=False, parallel_safe=True)


@dataclass(frozen=True)
class Files:
    """What was found in a folder, or in a collection file.

    ``skipped`` are the files that are of no use, each with the reason; ``cut`` the folders with more files than are
    looked at. ``seconds`` is how long reading took where it was done for one run, which is charged with it; what is
    read for any number of runs is charged to none.
    """

    folder: Folder
    database: Database | None
    collection: Collection
    skipped: tuple[tuple[str, str], ...]
    cut: tuple[Path, ...] = ()
    seconds: float = 0.0

    @classmethod
    def open(cls, path: Paths) -> Files:
        """Load the tables of a folder, or of several, and index the documents; only new and changed ones are read.

        A collection file that `collect` made can stand in the place of a folder. After the seconds that the variable
        ``AEON_READ_SECONDS`` says (3,600) no file is read any more: it is among the skipped.

        Raises:
            InputFileError: a path is missing, unreadable, or neither a folder nor a collection; or there is no room for
                the tables on the disk.
            UsageError: no path is given, or the variable is no number.
            MissingExtraError: there are tables, and DuckDB is not installed; or an extra is there but cannot be used.
        """
        return cls._of(opened_paths(path), lambda done, total: None, Deadline(_most_seconds(None)))

    @classmethod
    def for_run(
        cls,
        path: Paths | Folder,
        seconds: float | None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Files:
        """The same for one run, which is charged with it: within the ``seconds`` that the run has, if it is limited.

        No file takes more than half of what is left, so that the others are read. Raises as `open`.
        """
        began = time.monotonic()
        folder = path if isinstance(path, Folder) else opened_paths(path)
        read = cls._of(folder, progress, Deadline(_most_seconds(seconds), _SHARE))
        return replace(read, seconds=time.monotonic() - began)

    @classmethod
    def _of(cls, folder: Folder, progress: Callable[[int, int], None], deadline: Deadline) -> Files:
        """The same for a folder that was opened."""
        if isinstance(folder, Stored):
            return cls(folder, None, folder.collection, (), folder.cut())
        plain, stored = parted(folder)
        if not stored:
            return cls._read(folder, progress, deadline)
        if plain is None:
            return cls(folder, None, Joined(stored), (), folder.cut())
        read = cls._read(plain, progress, deadline)
        return replace(read, folder=folder, collection=Joined({"": read.collection, **stored}), cut=folder.cut())

    @classmethod
    def _read(cls, folder: Folder, progress: Callable[[int, int], None], deadline: Deadline) -> Files:
        """The same for files alone."""
        names = [name for name, _ in folder.files()]
        tables = [name for name in names if name.lower().endswith(TABLE_SUFFIXES)]
        texts = [name for name in names if name.lower().endswith(DOCUMENT_SUFFIXES)]
        database = Database.load(folder, tables, deadline) if tables else None
        collection = Collection.of(folder, texts, progress=progress, deadline=deadline)
        known = {*tables, *texts, *stating(names)}
        useless = ((name, "no table and no document") for name in _others(names, known))
        skipped = (*(database.skipped if database else ()), *collection.skipped, *useless)
        return cls(folder, database, collection, tuple(skipped), folder.cut())

    @property
    def found(self) -> str:
        """What was found and what was skipped, in a line or a few."""
        tables = self.database.tables if self.database else ()
        parts = [_counted(len(tables), "table"), _counted(len(self.collection.documents), "document")]
        if self.skipped:
            parts.append(f"skipped: {_told(self.skipped)}")
        notes = self.database.notes if self.database else ()
        parts += notes[:_MOST_REASONS]
        if len(notes) > _MOST_REASONS:
            parts.append(f"{len(notes) - _MOST_REASONS:,} more such notes")
        parts += self._cut
        return "; ".join([*parts, *([self.collection.note] if self.collection.note else [])])

    @property
    def left_out(self) -> str:
        """The tables and documents that nothing was read of, in a line; "" for none. An answer may stand there."""
        unread = (*(self.database.skipped if self.database else ()), *self.collection.unread)
        return "; ".join([*([_told(unread)] if unread else []), *self._cut])

    @property
    def _cut(self) -> list[str]:
        """That there are more files than are looked at."""
        folders = " and ".join(one_line(str(root)) for root in self.cut)
        return [f"only the first {MOST_FILES:,} files of {folders} are looked at"] if folders else []

    @property
    def tools(self) -> tuple[Tool, ...]:
        """``sql`` where there are tables, ``lookup``, ``list_files``, ``search_files``; others for the host alone."""
        asking = (self._sql(self.database),) if self.database and self.database.tables else ()
        return (
            *asking,
            lookup(self.collection),
            quote(self.collection),
            read_texts(self.collection),
            finding(CollectionSearch(self.collection)),
            _reader(_list_files(self.folder)),
            _reader(_search_files(self.folder)),
            look(self.folder, self.database),
        )

    @property
    def loop_tools(self) -> tuple[Tool, ...]:
        """``sql`` where there are tables, ``search`` where there are texts, and ``read``, for a loop of turns."""
        return self.loop_tools_within(OUTPUT_BYTES)

    def loop_tools_within(self, most_bytes: int) -> tuple[Tool, ...]:
        """The same with output of at most so many bytes of JSON."""
        return loop_tools(self.database, self.collection, self.skipped, self.material, most_bytes)

    @property
    def material(self) -> str:
        """What there is, as the prompts of a loop say it: tables with columns and rows, texts with their sizes."""
        is_odd = self.skipped or self.cut or self.collection.note or (self.database and self.database.notes)
        return folder_material(self.database, self.collection, self.found if is_odd else "")

    def _sql(self, database: Database) -> Tool:
        """The query tool; one that cannot give a value is refused when it is planned, for what is wrong with it."""

        @lru_cache(maxsize=_KEPT_RESULTS)
        def outcome(query: str) -> str | ToolError:
            try:
                return database.query_text(query)
            except NotRun:
                raise
            except ToolError as error:  # also kept: what took too long would take as long again
                return error

        def query(query: str) -> JsonValue:
            given = outcome(query)
            if isinstance(given, ToolError):
                raise type(given)(str(given))
            value: JsonValue = json.loads(given)
            return value

        def checked(arguments: JsonObject) -> dict[str, object]:
            try:
                query(str(arguments["query"]))
            except ToolArgumentError as error:
                raise ValueError(str(error)) from None
            except ToolError:  # it says what is wrong when it runs
                pass
            return dict(arguments)

        hint = f"Tables: {database.describe()}"
        asking = sql(database, query)
        return replace(asking, hint=hint, prepare=checked, named=partial(values_named, database), reads=database.reads)


def files(folder: Paths) -> tuple[Tool, ...]:
    """Return the tools over a folder, or over several. Raises as `Files.open`."""
    return Files.open(folder).tools


def takes_long(folder: Folder) -> bool:
    """Whether it may take more than a moment to read the folder for the first time."""
    if isinstance(folder, Stored):
        return False
    found = [(name.lower(), size) for name, size in folder.files()]
    documents = [size for name, size in found if name.endswith(DOCUMENT_SUFFIXES)]
    tables = [size for name, size in found if name.endswith(TABLE_SUFFIXES)]
    return len(documents) > _MANY_DOCUMENTS or sum(documents) + sum(tables) > _MUCH


def _most_seconds(run: float | None) -> float:
    """How long files are read: what a run has, if it is limited, and never longer than the variable says."""
    own = seconds_in(os.environ, "AEON_READ_SECONDS", _MOST_SECONDS)
    return own if run is None else min(own, run)


def _others(names: Iterable[str], known: Set[str]) -> list[str]:
    return [name for name in names if name not in known]


def _told(skipped: Sequence[tuple[str, str]]) -> str:
    """Files with the reason why they are of no use, in a line; where they are many, the first of each reason."""
    if len(skipped) <= _MOST_REASONS:
        return ", ".join(f"{one_line(name, 60)} ({reason})" for name, reason in skipped)
    several: dict[str, list[str]] = {}
    for name, reason in skipped:
        several.setdefault(reason, []).append(name)
    shown = [*several.items()][:_MOST_REASONS]
    parts = [f"{one_line(names[0], 60)}{_and_more(len(names) - 1)} ({reason})" for reason, names in shown]
    return ", ".join(parts) + _and_more(len(skipped) - sum(len(names) for _, names in shown))


def _and_more(count: int) -> str:
    return f" and {count:,} more" if count else ""


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _list_files(source: Folder) -> Callable[..., object]:
    def list_files() -> list[dict[str, JsonValue]]:
        """List the files of the folder with their sizes in bytes."""
        return [{"path": path, "bytes": size} for path, size in source.files()]

    return list_files


def _search_files(source: Folder) -> Callable[..., object]:
    def search_files(text: Annotated[str, Field(min_length=1)]) -> str:
        """Find the lines of all text files that contain a text, upper and lower case alike.

        Args:
            text: a word or phrase, not a pattern
        """
        hits, too_large, late = _hits(source, text.casefold())
        if len(hits) > _SEARCH_LINES:
            return "\n".join(hits[:-1]) + f"\n… [cut: the search stopped after {_SEARCH_LINES} lines]"
        limits = (f"{_SEARCH_BYTES // 1024**2} MB are", f"{_SEARCH_SECONDS:.0f} s are taken")
        note = "; ".join(filter(None, map(_not_searched, (too_large, late), limits)))
        if not hits:
            return f"no line contains {one_line(text, 100)!r}" + (f"; {note}" if note else "")
        return "\n".join(hits) + (f"\n… [{note}]" if note else "")

    return search_files


def _hits(source: Folder, phrase: str) -> tuple[list[str], list[str], list[str]]:
    """Matching lines as ``path:line: text``, one more than are shown at most; files too large; those out of time.

    A file above what is left of the bytes to be searched is left out; smaller ones after it are not.
    """
    hits: list[str] = []
    too_large: list[str] = []
    late: list[str] = []
    left, end = _SEARCH_BYTES, time.monotonic() + _SEARCH_SECONDS
    for path, size in source.files():
        if size > left or time.monotonic() > end:
            (too_large if size > left else late).append(path)
            continue
        try:
            text = source.content(path, size + 1)
        except ToolError:  # a binary or unreadable file holds no lines
            continue
        left -= size
        if phrase not in text.casefold():
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if phrase in line.casefold():
                hits.append(f"{path}:{number}: {one_line(line, 200)}")
                if len(hits) > _SEARCH_LINES:
                    return hits, too_large, late
    return hits, too_large, late


def _not_searched(names: Sequence[str], limit: str) -> str:
    """What is said of files that were not searched, as only so much is."""
    if not names:
        return ""
    listed = ", ".join(one_line(name, 60) for name in names[:_MOST_REASONS])
    return f"not searched, as only {limit}: {listed}{_and_more(max(0, len(names) - _MOST_REASONS))}"
