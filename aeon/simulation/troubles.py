"""What happens to a run from outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aeon.schema.stream import OnLeave
from aeon.simulation.disk import Strike

__all__ = ["Troubles"]


@dataclass
class Troubles:
    """What happens to a run from outside. ``interrupts`` and ``jumps`` (time, seconds) come once, in the first process.

    ``interrupt_begun``: an interrupt comes while the journal is being told of the tool call of this number (from 0);
    ``interrupt_line``: one comes while this line of it is being written, when nothing may be under way. ``stand_at`` is
    the line after which the process stands still until another one has continued the run, and ``stand_begun`` the tool
    call (from 0) whose announcement is that line. ``leave`` is the event after which whoever reads the run's events
    leaves them, and what becomes of the run then. ``moved`` is how far the clocks of the processes after the first are
    away. ``full_at`` is the line of the journal from which on the disk is full, until the run is resumed.
    """

    strike: Strike | None = None
    strike_call: int | None = None
    interrupts: list[float] = field(default_factory=list)
    interrupt_begun: int | None = None
    interrupt_line: int | None = None
    stand_at: int | None = None
    stand_begun: int | None = None
    leave: tuple[int, OnLeave] | None = None
    jumps: list[tuple[float, float]] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    down_at: int | None = None
    full_at: int | None = None
    attended: bool = True

    def only(self, kinds: frozenset[str], strike: Strike | None) -> Troubles:
        """Those of these kinds, with this strike."""
        own: dict[str, Any] = {name: getattr(self, name) for name, kind in _KINDS.items() if kind in kinds}
        return Troubles(strike=strike, attended=self.attended or "question_suspended" not in kinds, **own)


_KINDS = {
    "strike_call": "crash_called",
    "interrupts": "interrupt",
    "interrupt_begun": "interrupt",
    "interrupt_line": "interrupt",
    "stand_at": "handed_over",
    "stand_begun": "handed_over",
    "leave": "stream_left",
    "jumps": "clock_jump",
    "moved": "clock_moved",
    "down_at": "outage",
    "full_at": "disk_full",
}
"""The kind of fault that each trouble is one of."""
