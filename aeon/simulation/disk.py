"""A disk in memory, which a process can die on: what was written before that stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from aeon.runtime.journal import Journal
from aeon.runtime.sealed import sealed, unsealed

__all__ = ["NAME", "Crash", "Disk", "Mode", "Strike"]

Mode: TypeAlias = Literal["before", "after", "torn", "begun", "each"]

NAME = "run.jsonl"
_MOST_CRASHES = 8


class Crash(BaseException):
    """The process ends here: nothing that it holds in memory is there afterwards."""


class Strike(NamedTuple):
    """When to die: before, after or in the middle of line ``at`` (from 0), or after that ``begun`` line.

    ``each`` dies after line ``at`` and again after each of those that follow, eight times at most.
    """

    at: int
    mode: Mode


class Disk:
    """Holds the bytes of one journal. ``strike`` says when the process dies; ``crashed`` is told how."""

    def __init__(self, crashed: Callable[[str], None] = lambda _: None) -> None:
        self.data = b""
        self.lines = 0
        self.begun = 0
        self.strike: Strike | None = None
        self.dead = False
        self._crashed = crashed
        self._died = 0

    def journal(self) -> Journal:
        """The journal that is there, to be gone on with; an empty one where there is not a whole line."""
        self.dead = False
        lines, torn, seal = unsealed(NAME, self.data)
        self.data = self.data[: len(self.data) - len(torn)]
        if not lines:
            return Journal(lines=_File(self, ""))
        return Journal.of(NAME, lines, bool(torn), _File(self, seal))

    def write(self, line: bytes, begun: bool) -> None:
        """Add a line, or die."""
        if self.dead:
            raise Crash
        number, self.lines = self.lines, self.lines + 1
        tool, self.begun = self.begun, self.begun + begun
        mode = self.strike.mode if self.strike and self._hits(self.strike, number, tool if begun else None) else ""
        if mode == "before":
            self.die("before")
        if mode == "torn":
            self.data += line[: max(1, len(line) // 2)]
            self.die("torn")
        self.data += line
        if mode:
            self.die(mode)

    def die(self, how: str) -> None:
        """End the process; a strike comes once, ``each`` many times."""
        self.dead = True
        self._died += 1
        if how != "each" or self._died >= _MOST_CRASHES:
            self.strike = None
        self._crashed(how)
        raise Crash

    def _hits(self, strike: Strike, number: int, tool: int | None) -> bool:
        if strike.mode == "begun":
            return tool == strike.at
        return number >= strike.at if strike.mode == "each" else number == strike.at


class _File:
    """An open file of the disk."""

    def __init__(self, disk: Disk, seal: str) -> None:
        self._disk = disk
        self._seal = seal

    def append(self, line: bytes) -> None:
        whole, seal = sealed(line, self._seal)
        self._disk.write(whole, line.startswith(b'{"line":"begun"'))
        self._seal = seal

    def close(self) -> None:
        """Nothing is held."""
