"""What happens to a run from outside."""

from __future__ import annotations

from dataclasses import dataclass, field

from aeon.schema.stream import OnLeave
from aeon.simulation.disk import Strike

__all__ = ["Troubles"]


@dataclass
class Troubles:
    """What happens to a run from outside. ``interrupts`` and ``jumps`` (time, seconds) come once, in the first process.

    ``interrupt_begun``: an interrupt comes while the journal is being told of the tool call of this number (from 0).
    ``interrupt_line``: one comes while this line of the journal is being written, when nothing may be under way.
    ``stand_at`` is the line after which the process stands still, until another one has continued the run, and
    ``stand_begun`` the tool call (from 0) whose announcement is that line. ``leave`` is
    the event after which whoever reads the run's events leaves them, and what becomes of the run then. ``moved`` is how far the clocks of the processes after the first are away. ``full_at`` is the line of the journal
    from which on the disk is full, until the run is resumed.
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
        return Troubles(
            strike=strike,
            strike_call=self.strike_call if "crash_called" in kinds else None,
            interrupts=self.interrupts if "interrupt" in kinds else [],
            interrupt_begun=self.interrupt_begun if "interrupt" in kinds else None,
            interrupt_line=self.interrupt_line if "interrupt" in kinds else None,
            stand_at=self.stand_at if "handed_over" in kinds else None,
            stand_begun=self.stand_begun if "handed_over" in kinds else None,
            leave=self.leave if "stream_left" in kinds else None,
            jumps=self.jumps if "clock_jump" in kinds else [],
            moved=self.moved if "clock_moved" in kinds else [],
            down_at=self.down_at if "outage" in kinds else None,
            full_at=self.full_at if "disk_full" in kinds else None,
            attended=self.attended or "question_suspended" not in kinds,
        )
