"""A disk in memory, which a process can die on and which can be full: what was written before that stays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Literal, NamedTuple, TypeAlias

from aeon.errors import JournalError
from aeon.runtime.journal import Journal
from aeon.runtime.sealed import sealed, unsealed
from aeon.runtime.store import Store

__all__ = ["BEGINNINGS", "ENDED", "NAME", "PROCESS", "Crash", "Disk", "DiskStore", "Mode", "Strike"]

Mode: TypeAlias = Literal["before", "after", "torn", "begun", "each"]

NAME = "run.jsonl"
ENDED = "ended"
"""The kind of the last line of a run."""
BEGINNINGS = ("opening", "resumed")
"""The kinds of the first line of a life of a run."""

PROCESS: ContextVar[int] = ContextVar("process", default=0)
"""Which process of the run something is done by: the owner of the disk, unless it has lost the run to another one."""
_LOST = "another process continues this run"
_MOST_CRASHES = 8
_CALLED, _BEGUN = b'{"line":"called"', b'{"line":"begun"'


class Crash(BaseException):
    """The process ends here: nothing that it holds in memory is there afterwards."""


class Strike(NamedTuple):
    """When to die: before, after or in the middle of line ``at`` (from 0), or after that ``begun`` line.

    ``each`` dies after line ``at`` and again after each of those that follow, eight times at most.
    """

    at: int
    mode: Mode


class Disk:
    """Holds the bytes of one journal. ``strike`` says when the process dies; ``crashed`` is told how.

    ``lines`` counts the lines that were to be written, ``called`` and ``begun`` those written of these kinds.
    ``noted`` is called while a line of the latter kind is being written, with its number, and ``written`` with that of
    any line. The process that writes the line ``stand_at``, or the one that announces tool call ``stand_begun``, stands
    still after it, for as long as ``stood`` takes; the ``owner`` is the latest process that read the journal, and no
    other one can write any more. ``full_at`` is the line from which on none can be written; ``refused`` is the kind of
    the first such line of this process, if there was one.
    """

    def __init__(self, crashed: Callable[[str], None] = lambda _: None) -> None:
        self.data = b""
        self.lines = 0
        self.called = 0
        self.begun = 0
        self.noted: Callable[[int], None] = lambda _: None
        self.written: Callable[[int], None] = lambda _: None
        self.stand_at: int | None = None
        self.stand_begun: int | None = None
        self.stood: Callable[[], Awaitable[None]] | None = None
        self.kept_in: Callable[[DiskStore], Store] = lambda store: store
        self.owner = 0
        self.announced: set[tuple[int, int]] = set()
        self.strike: Strike | None = None
        self.full_at: int | None = None
        self.refused = ""
        self.dead = False
        self._crashed = crashed
        self._died = 0

    def journal(self) -> Journal:
        """The journal that is there, to be continued; an empty one where there is not a whole line."""
        self.dead = False
        self.owner += 1
        lines, torn, seal = unsealed(NAME, self.data)
        self.data = self.data[: len(self.data) - len(torn)]
        if not lines:
            return Journal(store=self.kept_in(DiskStore(self, "")))
        return Journal.of(NAME, lines, bool(torn), self.kept_in(DiskStore(self, seal)))

    def write(self, line: bytes) -> None:
        """Add a line, or die.

        Raises:
            JournalError: the disk is full.
        """
        if self.dead:
            raise Crash
        if self.full_at is not None and self.lines >= self.full_at:
            self.refused = self.refused or json.loads(line).get("line", "opening")
            raise JournalError(f"{NAME}: cannot be written: No space left on device")
        number, self.lines = self.lines, self.lines + 1
        begins = line.startswith(_BEGUN)
        mode = self.strike.mode if self.strike and self._hits(self.strike, number, begins) else ""
        self.begun += begins
        if mode == "before":
            self.die("before")
        if mode == "torn":
            self.data += line[: max(1, len(line) // 2)]
            self.die("torn")
        self.data += line
        self.called += line.startswith(_CALLED)
        if mode:
            self.die(mode)

    def stands(self, number: int, begins: bool) -> bool:
        """Whether the process stands still after this line; it does so once."""
        if number == self.stand_at or (begins and self.begun - 1 == self.stand_begun):
            self.stand_at = self.stand_begun = None
            return True
        return False

    def die(self, how: str) -> None:
        """End the process; a strike comes once, ``each`` many times."""
        self.dead = True
        self._died += 1
        if how != "each" or self._died >= _MOST_CRASHES:
            self.strike = None
        self._crashed(how)
        raise Crash

    def _hits(self, strike: Strike, number: int, begins: bool) -> bool:
        if strike.mode == "begun":
            return begins and self.begun == strike.at
        return number >= strike.at if strike.mode == "each" else number == strike.at


class DiskStore:
    """The journal's file on the disk, for the process that has just read it."""

    def __init__(self, disk: Disk, seal: str) -> None:
        self._disk = disk
        self._seal = seal
        self._owner = disk.owner

    @property
    def sure(self) -> bool:
        """Whether no other process continues the run."""
        return self._owner == self._disk.owner

    async def append(self, line: bytes) -> None:
        """Add a line; others go on before its writer does, as with a real disk.

        Raises:
            JournalError: the disk is full, or another process continues the run: what is announced is not done then.
        """
        self.append_now(line)
        await self.passes(line)
        if line.startswith(_BEGUN):
            if not self.sure:
                raise JournalError(_LOST)
            self._disk.announced.add((self._owner, json.loads(line)["number"]))

    async def passes(self, line: bytes) -> None:
        """Let what comes while a line is being written, and while the process stands still after it, come."""
        number = self._disk.lines - 1
        if line.startswith(_BEGUN):
            self._disk.noted(self._disk.begun - 1)
        self._disk.written(number)
        await asyncio.sleep(0)
        if self._disk.stood is not None and self._disk.stands(number, line.startswith(_BEGUN)):
            await self._disk.stood()

    def append_now(self, line: bytes) -> None:
        """Add a line. Raises as `append`."""
        if not self.sure:
            raise JournalError(_LOST)
        whole, seal = sealed(line, self._seal)
        self._disk.write(whole)
        self._seal = seal

    def close(self) -> None:
        """Nothing is held."""
