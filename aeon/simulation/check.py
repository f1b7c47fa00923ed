"""One seed: the run as it is, and the same run with trouble from outside; what did not hold, and which faults fired."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any, get_args

from aeon.errors import Divergence, JournalError, UsageError
from aeon.runtime.journal import Journal
from aeon.runtime.lines import LINE, Ended
from aeon.runtime.replay import AnyEngine, replay, resume_point
from aeon.runtime.sealed import unsealed
from aeon.schema.stream import OnLeave
from aeon.simulation.clock import QUANTUM
from aeon.simulation.disk import NAME, Mode, Strike
from aeon.simulation.faults import TROUBLES, Scenario
from aeon.simulation.invariants import hold, same
from aeon.simulation.life import Life, Story
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import Problem, World

__all__ = ["Report", "check"]

_AT_A_TOOL, _AT_A_LINE = 0.25, 0.4
_YEAR = 365.25 * 24 * 3600


@dataclass
class Report:
    """What a scenario showed: ``runs`` and ``effects`` were made, ``digest`` tells its histories from any others."""

    scenario: Scenario
    problems: list[Problem] = field(default_factory=list)
    fired: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    effects: int = 0
    digest: int = 0

    def add(self, world: World, story: Story | None) -> None:
        """Count a run in."""
        self.problems += world.problems
        self.fired += world.fired
        self.runs += world.lives
        self.effects += world.effects
        told = f"{story.text if story else ''}{sorted(world.fired.items())}{world.problems}".encode()
        self.digest ^= int.from_bytes(hashlib.blake2b(told + bytes([self.runs % 256]), digest_size=8).digest())
        if story is not None:
            self.reasons[story.result.stop_reason] += 1


def check(scenario: Scenario, life: Life) -> Report:
    """Run the scenario in every way it asks for."""
    report = Report(scenario)
    straight = _run(scenario, life, Troubles(), None, report)
    if straight is not None and scenario.faults & TROUBLES and not report.problems:
        _run(scenario, life, _troubles(scenario, straight), straight, report)
    return report


def _run(scenario: Scenario, life: Life, troubles: Troubles, straight: Story | None, report: Report) -> Story | None:
    world = World(scenario)
    story = life.lived(world, troubles)
    if story is not None:
        hold(story, life.parts.plugin.engine)
        if straight is not None:
            same(straight, story)
            _delivered_twice(story, life)
    report.add(world, story)
    return story


def _troubles(scenario: Scenario, straight: Story) -> Troubles:
    """What happens to the run, at places and times that it really has."""
    chance = scenario.chance("troubles")
    lines, tools = straight.world.disk.lines, max(1, straight.world.disk.begun)
    ends = [entry.ended for _, entry in sorted(straight.journal.entries.items())]
    last = int(max(ends, default=0.0) / QUANTUM)
    everything = Troubles(
        strike_call=chance.randrange(tools),
        interrupts=[chance.choice([*ends, chance.randint(0, last) * QUANTUM])],
        interrupt_begun=chance.randrange(tools) if chance.random() < _AT_A_TOOL else None,
        leave=(chance.randint(1, len(ends) + 2), chance.choice(get_args(OnLeave))),
        jumps=[(chance.randint(0, last) * QUANTUM, chance.choice((-1, 1)) * chance.randint(1, 9) * _YEAR)],
        moved=[chance.randint(-9, 9) * _YEAR + 1 for _ in range(3)],
        down_at=chance.randrange(max(1, straight.world.asked)),
        full_at=chance.randint(1, lines - 1),
        attended=False,
        **_at_lines(chance, straight),
    )
    at, tool = chance.randrange(lines), chance.randrange(tools)
    modes = [mode for mode in get_args(Mode) if f"crash_{mode}" in scenario.faults]
    mode = chance.choice(modes) if modes else None
    strike = Strike(tool if mode == "begun" else at, mode) if mode else None
    return everything.only(scenario.faults, strike)


def _at_lines(chance: Random, straight: Story) -> dict[str, Any]:
    """What comes at a line of the journal, or at the announcement of a tool call."""
    disk, line = straight.world.disk, chance.randint(1, straight.world.disk.lines - 1)
    comes = {"interrupt_line": line} if chance.random() < _AT_A_LINE else {}
    if chance.random() < _AT_A_LINE and disk.begun:
        return comes | {"stand_begun": chance.randrange(disk.begun)}
    return comes | {"stand_at": line}


def _delivered_twice(story: Story, life: Life) -> None:
    """Everything that can be delivered twice is: an answer, a resumption, a line of the journal."""
    world, engine = story.world, life.parts.plugin.engine
    chance = world.scenario.chance("twice")
    before = world.disk.data, world.asked, world.deeds, world.effects
    if world.has("twice_answered") and world.waited:
        world.fired["twice_answered"] += 1
        try:
            life.once_more(story, "the first one")
            world.wrong("an answer counts once", "it was taken twice")
        except UsageError:
            pass
    ended = resume_point(story.journal, engine).void is None  # else requests failed, and are made again
    if world.has("twice_resumed") and ended:
        world.fired["twice_resumed"] += 1
        again = life.once_more(story)
        if again.model_dump_json() != story.text:
            world.wrong("a run that has ended stays as it is", again.answer[:100])
    if (world.disk.data, world.asked, world.deeds, world.effects) != before:
        world.wrong("a run that has ended stays as it is", "something was done again")
    lines = world.disk.data.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    if world.has("line_twice"):
        world.fired["line_twice"] += 1
        _refused(world, b"".join([*lines[: at + 1], lines[at], *lines[at + 1 :]]), "a line that was there twice")
    if world.has("line_edited"):
        world.fired["line_edited"] += 1
        place = chance.randrange(len(world.disk.data) - 1)
        edited = world.disk.data[place] ^ (1 << chance.randrange(7))
        _refused(world, world.disk.data[:place] + bytes([edited]) + world.disk.data[place + 1 :], "an edited byte")
        _held_to_its_end(world, story, engine)


def _held_to_its_end(world: World, story: Story, engine: AnyEngine) -> None:
    """A replay holds the result against the end that the journal tells, even where its seals are right."""
    lines = unsealed(NAME, world.disk.data)[0]
    end = LINE.validate_json(lines[-1])
    if not isinstance(end, Ended):
        return
    other = end.changed(digest=end.digest[::-1])
    try:
        replay(Journal.of(NAME, [*lines[:-1], other.model_dump_json().encode()]), engine)
    except Divergence:
        return
    if other != end:
        world.wrong("an edited journal is refused", "the end of another result was not noticed")


def _refused(world: World, data: bytes, what: str) -> None:
    try:
        unsealed(NAME, data)
    except JournalError:
        return
    world.wrong("an edited journal is refused", f"{what} was not noticed")
