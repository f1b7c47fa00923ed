"""The runs of a server: one journal each in a folder, and one SQLite file that lists them.

The journal says what happened in a run. The list says whose it is, what was asked for and where it stands; after a
crash it may be behind the journal, never the other way round for what a client was told.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from filelock import FileLock, Timeout

from aeon.durable.values import DEFAULT_PRIORITY
from aeon.errors import InputFileError
from aeon.runtime.commits import CommitLog
from aeon.runtime.gathering import Gathering
from aeon.schema import JsonObject
from aeon.server.problems import Problem

__all__ = ["MOST_PLACE", "OPEN", "RunRecord", "RunState", "Runs", "has_room", "no_room", "now", "over_budget"]

T = TypeVar("T")
RunState = Literal["queued", "running", "waiting", "ended", "failed", "cancelled"]
OPEN: tuple[RunState, ...] = ("queued", "running")
"""The states of runs that the server still works on."""
MOST_PLACE = 2**62
"""A place in the list of runs beyond which there is none."""
_VERSION = 1
_ROOM = 1_000_000
_RETRY_SECONDS = 1.0
_SCHEMA = """
CREATE TABLE runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    engine TEXT NOT NULL,
    task TEXT NOT NULL,
    request TEXT NOT NULL,
    key TEXT,
    digest TEXT NOT NULL,
    parent TEXT,
    about TEXT,
    calls INTEGER NOT NULL DEFAULT 0,
    created TEXT NOT NULL,
    ended TEXT,
    answer TEXT,
    stop INTEGER NOT NULL DEFAULT 0,
    conclusion TEXT,
    error TEXT,
    UNIQUE (owner, key)
);
CREATE INDEX runs_state ON runs (state);
"""
_ATTEMPTS = """
CREATE TABLE IF NOT EXISTS attempts (
    run TEXT PRIMARY KEY, deaths INTEGER NOT NULL, alone INTEGER NOT NULL, outcomes INTEGER NOT NULL
)
"""
_COLUMNS = (
    "seq", "id", "owner", "state", "engine", "task", "request", "key", "digest", "parent", "about", "calls", "created",
    "ended", "answer", "stop", "conclusion", "error",
)  # fmt: skip


class RunRecord(NamedTuple):
    """A run in the list. ``seq`` is its place in the order in which runs were accepted, which no clock can change.

    ``request`` is the body that asked for it, ``about`` what another API keeps of that. ``key`` and ``digest`` are its
    idempotency key and the hash of what was asked for. ``calls`` are the model calls that it counts for: as many as it
    could make, until it has ended. ``answer`` is what was said to its question and is not in its journal yet; ``stop``:
    it was asked to stop. ``conclusion`` is how it ended, ``error`` why it could not.
    """

    seq: int
    id: str
    owner: str
    state: RunState
    engine: str
    task: str
    request: JsonObject
    key: str | None
    digest: str
    parent: str | None
    about: JsonObject | None
    calls: int
    created: str
    ended: str | None
    answer: str | None
    stop: bool
    conclusion: JsonObject | None
    error: JsonObject | None

    @property
    def priority(self) -> int:
        """Before which others it is started: the lowest goes first. Runs of earlier versions had none."""
        asked = self.request.get("priority")
        return asked if isinstance(asked, int) else DEFAULT_PRIORITY

    @classmethod
    def new(
        cls, name: str, owner: str, engine: str, request: JsonObject, key: str | None, digest: str, parent: str | None
    ) -> RunRecord:
        """A run that waits in the queue."""
        task = str(request.get("task", ""))
        rest = (None, 0, now(), None, None, False, None, None)
        return cls(0, name, owner, "queued", engine, task, request, key, digest, parent, *rest)


def now() -> str:
    """The time in ISO form, for people: nothing is decided by it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class _Asked(NamedTuple):
    """Work for the next transaction; ``sure``: it waits for the disk."""

    work: Callable[[sqlite3.Connection], Any]
    sure: bool


class Runs:
    """The runs in a folder. One server at a time may use it. ``commits`` keeps the lines of their journals.

    Raises:
        InputFileError: the folder cannot be written, another server uses it, or the list is of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._asked: Gathering[_Asked] = Gathering(lambda batch: asyncio.to_thread(self._transact, batch))
        self._unwritten: dict[str, dict[str, object]] = {}
        self._settling: asyncio.Task[None] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._owned = FileLock(folder / "server.lock", blocking=False, thread_local=False)
            self._owned.acquire()
        except Timeout:
            what = f"{folder}: another server works on these runs; stop it, or name another folder with --runs"
            raise InputFileError(what) from None
        except OSError as error:
            raise _unwritable(folder, error) from None
        try:
            self.commits = CommitLog(folder)
            self._file = _opened(folder / "runs.sqlite", "FULL")
            self._quick = _opened(folder / "runs.sqlite", "NORMAL")
        except BaseException as error:
            self._owned.release()
            if isinstance(error, OSError):
                raise _unwritable(folder, error) from None
            if isinstance(error, sqlite3.Error):
                what = f"{folder}/runs.sqlite: cannot be used: {error}; name another with --runs"
                raise InputFileError(what) from None
            raise

    def path(self, name: str) -> Path:
        """Where the journal of a run is."""
        return self.folder / f"{name}.jsonl"

    def begun(self, name: str) -> bool:
        """Whether the journal of a run is there, with its first line."""
        try:
            with self.path(name).open("rb") as file:
                return file.readline().endswith(b"\n")
        except FileNotFoundError:
            return False

    def has_room(self) -> bool:
        """Whether the disk has room for another journal."""
        return has_room(self.folder)

    def close(self) -> None:
        """Let go of the folder."""
        if self._settling is not None:
            self._settling.cancel()
        with self._lock:
            self._file.close()
            self._quick.close()
        self.commits.close()
        self._owned.release()

    async def add(self, record: RunRecord, most: int | None = None) -> tuple[RunRecord, bool]:
        """Accept a run: it is on disk when this returns. With a key that was used, the run of that key; else a new one.

        ``most`` is how many model calls the runs of its owner may make in all.

        Raises:
            Problem: it cannot be written, or goes beyond that.
        """
        return await self.done(lambda file: _add(file, record, most))

    async def get(self, name: str) -> RunRecord | None:
        """The run of that id."""
        found = await self.done(lambda file: _one(file, "id = ?", name), sure=False)
        return self._latest(found) if found is not None else None

    async def keyed(self, owner: str, key: str) -> RunRecord | None:
        """The run that was asked for with this idempotency key."""
        return await self.done(lambda file: _one(file, "owner = ? AND key = ?", owner, key), sure=False)

    async def change(self, name: str, **fields: object) -> None:
        """Set fields of a run.

        Raises:
            Problem: it cannot be written.
        """
        await self._set(name, fields, sure=True)

    async def note(self, name: str, **fields: object) -> None:
        """The same for what follows from the journal: a power cut may lose it, and then the next start finds it again.

        Where it cannot be written now it counts all the same, and is written as soon as there is room.
        """
        try:
            await self._set(name, fields, sure=False)
        except Problem:
            self._unwritten[name] = {**self._unwritten.get(name, {}), **fields}
            if self._settling is None:
                self._settling = asyncio.create_task(self._settle())

    async def _set(self, name: str, fields: dict[str, object], sure: bool) -> None:
        before = self._unwritten.get(name)
        whole = {**(before or {}), **fields}
        await self.done(lambda file: _change(file, name, whole), sure)
        if self._unwritten.get(name) is before:  # nothing was added meanwhile
            self._unwritten.pop(name, None)

    async def _settle(self) -> None:
        """Write what could not be written, once that is possible."""
        while self._unwritten:
            await asyncio.sleep(_RETRY_SECONDS)
            for name in [*self._unwritten]:
                with contextlib.suppress(Problem):
                    await self._set(name, {}, sure=False)
        self._settling = None

    def _latest(self, record: RunRecord) -> RunRecord:
        return record._replace(**self._unwritten.get(record.id, {}))  # type: ignore[arg-type]

    async def page(self, owner: str, most: int, before: int | None, state: str | None) -> list[RunRecord]:
        """The latest runs of an owner, newest first, before the place ``before`` in the list."""
        where, values = "owner = ?", [owner]
        if state is not None:
            where, values = f"{where} AND state = ?", [*values, state]
        until = before if before is not None else MOST_PLACE
        sql = f"{where} AND seq < ? ORDER BY seq DESC LIMIT ?"
        found = await self.done(lambda file: _several(file, sql, *values, until, most), sure=False)
        return [*map(self._latest, found)]

    async def open(self) -> list[RunRecord]:
        """The runs that the server still has to work on, in the order in which they were accepted."""
        waiting = "state IN ('queued', 'running') ORDER BY seq"
        return await self.done(lambda file: _several(file, waiting), sure=False)

    async def done(self, work: Callable[[sqlite3.Connection], T], sure: bool = True) -> T:
        """Do this in the next transaction; ``sure``: it is on disk when this returns.

        Those that wait while another transaction is written share the next one, and its wait for the disk.

        Raises:
            Problem: it cannot be written.
        """
        done: T = await self._asked.add(_Asked(work, sure))
        return done

    def _transact(self, batch: Sequence[_Asked]) -> list[object]:
        """What came of each piece of work, or why it did not; all that could be done stands in one transaction."""
        file = self._file if any(asked.sure for asked in batch) else self._quick
        with self._lock:
            try:
                file.execute("BEGIN")
                outcomes = [_part(file, asked.work) for asked in batch]
                file.commit()
            except sqlite3.Error as error:
                with contextlib.suppress(sqlite3.Error):
                    file.rollback()
                return [_refusal(error) for _ in batch]
            return outcomes


def _part(file: sqlite3.Connection, work: Callable[[sqlite3.Connection], object]) -> object:
    """What comes of a piece of work in a transaction, or why nothing does; then nothing of it is left."""
    file.execute("SAVEPOINT part")
    try:
        outcome = work(file)
    except Exception as error:
        if not file.in_transaction:  # a full disk has undone the whole of it
            raise
        file.execute("ROLLBACK TO part")
        outcome = _refusal(error) if isinstance(error, sqlite3.Error) else error
    file.execute("RELEASE part")
    return outcome


def _refusal(error: sqlite3.Error) -> Problem:
    """Why the list of runs could not be read or written."""
    full = "disk" in str(error) or "full" in str(error)
    what = "the list of runs cannot be written: no space is left" if full else "the list of runs failed"
    return Problem(507 if full else 500, "storage", f"{what}; nothing was started", True)


def _unwritable(folder: Path, error: OSError) -> InputFileError:
    return InputFileError(f"{folder}: cannot be written: {error.strerror}; name another folder with --runs")


def has_room(folder: Path) -> bool:
    """Whether the disk of a folder has room for another run."""
    return shutil.disk_usage(folder).free >= _ROOM


def no_room() -> Problem:
    """Why no run is accepted while the disk is full."""
    return Problem(507, "storage", "no space is left for another run; make room, then try again", True)


def _opened(path: Path, synchronous: str) -> sqlite3.Connection:
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    file = sqlite3.connect(path, check_same_thread=False, timeout=5)
    file.execute("PRAGMA journal_mode=WAL")
    file.execute(f"PRAGMA synchronous={synchronous}")
    version = file.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        file.executescript(f"BEGIN;{_SCHEMA}PRAGMA user_version={_VERSION};COMMIT;")
    elif version != _VERSION:
        file.close()
        raise InputFileError(f"{path}: is of version {version}, which this Aeon does not read; name another folder")
    file.execute(_ATTEMPTS)
    return file


def _add(file: sqlite3.Connection, record: RunRecord, most: int | None) -> tuple[RunRecord, bool]:
    if record.key is not None and (there := _one(file, "owner = ? AND key = ?", record.owner, record.key)):
        return there, False
    if most is not None:
        counted = file.execute("SELECT COALESCE(SUM(calls), 0) FROM runs WHERE owner = ?", [record.owner]).fetchone()[0]
        over_budget(counted, record.calls, most)
    names = _COLUMNS[1:]
    marks = ", ".join("?" * len(names))
    values = [_stored(getattr(record, name)) for name in names]
    cursor = file.execute(f"INSERT INTO runs ({', '.join(names)}) VALUES ({marks})", values)
    return record._replace(seq=cursor.lastrowid or 0), True


def over_budget(counted: int, calls: int, most: int) -> None:
    """Refuse a run that could make ``calls`` model calls where ``counted`` of ``most`` are made or promised.

    Raises:
        Problem: it says how many are left.
    """
    if counted + calls > most:
        raise Problem(
            403, "over_budget",
            f"this token may make {most:,} model calls in all, {counted:,} are made or promised, and the run could "
            f'make {calls:,}: ask for less with "budget": {{"calls": {max(0, most - counted)}}}',
        )  # fmt: skip


def _change(file: sqlite3.Connection, name: str, fields: dict[str, object]) -> None:
    assert set(fields) <= set(_COLUMNS)
    if not fields:  # written meanwhile
        return
    marks = ", ".join(f"{column} = ?" for column in fields)
    file.execute(f"UPDATE runs SET {marks} WHERE id = ?", [*map(_stored, fields.values()), name])


def _one(file: sqlite3.Connection, where: str, *values: object) -> RunRecord | None:
    return next(iter(_several(file, where, *values)), None)


def _several(file: sqlite3.Connection, where: str, *values: object) -> list[RunRecord]:
    return [*map(_read, file.execute(f"SELECT {', '.join(_COLUMNS)} FROM runs WHERE {where}", values))]


def _stored(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict) else value


def _read(row: Iterable[Any]) -> RunRecord:
    values = dict(zip(_COLUMNS, row, strict=True))
    for name in ("request", "about", "conclusion", "error"):
        values[name] = json.loads(values[name]) if values[name] is not None else None
    return RunRecord(**{**values, "stop": bool(values["stop"])})
