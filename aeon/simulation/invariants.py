"""What must hold of a run that has ended, whatever happened in it."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from aeon.errors import AeonError
from aeon.runtime.journal import Journal
from aeon.runtime.replay import Make, replay
from aeon.schema import Frozen, RefinementRecord, Result, StopReason, Usage, fragment
from aeon.simulation.life import Story
from aeon.simulation.world import ROUNDING, World

__all__ = ["hold", "same"]

_TIMES = {"started", "ended", "seconds"}


def hold(story: Story, program: Make) -> None:
    """Hold a run against every invariant that needs no other run; what does not hold is told to its world."""
    world, result, journal = story.world, story.result, story.journal
    _answered(world, result)
    _bounded(world, result)
    _refined(world, result)
    _added_up(world, result, journal)
    _done_once(world)
    _replayed(story, program)


def same(straight: Story, troubled: Story) -> None:
    """Hold a run that was troubled from outside against the same one without: result and entries, byte for byte.

    Three things may differ. Where a process died in a tool that changes the world, the run asks or stops, so that it is
    another run from there on. Where an endpoint was down until the time was over, the time is what ran out, and that
    is not taken back. Where the clock jumped, or tools waited for one that hung, times are not compared; and with a
    budget of seconds nothing is, since what was done then depends on them.
    """
    world = troubled.world
    if _in_doubt(troubled.journal) or _out_of_time(straight, troubled):
        return
    timeless = bool(world.fired["clock_jump"]) or _hung(straight.world)
    if timeless and straight.result.history.configuration.budget.seconds is not None:
        return
    for what, one, other in _pairs(straight, troubled):
        if one != other and not (timeless and _untimed(one) == _untimed(other)):
            world.wrong("the same bytes as without trouble", f"{what}: {_difference(one, other)}")
            return


def _out_of_time(straight: Story, troubled: Story) -> bool:
    """Whether an effect ran out of time in the troubled run only, whose endpoint was down."""
    if not troubled.world.fired["outage"]:
        return False
    ours, theirs = straight.journal.entries, troubled.journal.entries
    late = {n for n, entry in theirs.items() if entry.failure and entry.failure.limit == "seconds"}
    return any(n not in ours or ours[n].failure != theirs[n].failure for n in late)


def _pairs(straight: Story, troubled: Story) -> list[tuple[str, str, str]]:
    """What has to be equal, each with its name."""
    pairs = [("the result", straight.text, troubled.text)]
    ours, theirs = straight.journal.entries, troubled.journal.entries
    pairs += [("the entries", str(sorted(ours)), str(sorted(theirs)))] if ours.keys() != theirs.keys() else []
    same_numbers = sorted(ours.keys() & theirs.keys())
    return pairs + [(f"entry {n}", _json(ours[n]), _json(theirs[n])) for n in same_numbers if ours[n] != theirs[n]]


def _json(value: Frozen) -> str:
    return value.model_dump_json()


def _answered(world: World, result: Result) -> None:
    if not result.answer:
        world.wrong("it ends in an answer", "the answer is empty")
    if result.stop_reason not in get_args(StopReason):
        world.wrong("it ends in an answer", f"{result.stop_reason!r} is no stop reason")
    world.ran_out(result.stop_reason.removesuffix("_exhausted"))
    world.fired["question_assumed"] += world.has("question_assumed") and bool(result.assumptions)


def _bounded(world: World, result: Result) -> None:
    bound, usage = result.bound, result.usage
    dear = bound.cost is None or usage.cost > bound.cost + ROUNDING
    if usage.calls > bound.calls or usage.tokens > bound.tokens or dear:
        world.wrong("within its bound", f"{usage}; at most {bound}")
    if len(result.history.passes) > result.history.configuration.max_passes:
        world.wrong("within its bound", f"{len(result.history.passes)} passes")


def _refined(world: World, result: Result) -> None:
    history = result.history
    limits = history.configuration.limits
    records = [history.preparation.refinement, *(record.refinement for record in history.passes)]
    used = Counter(name for record in records for name in _attempts(record))
    if used.total() > limits.attempts or any(n > limits.attempts_per_fragment for n in used.values()):
        world.wrong("refinement limits hold", f"deltas applied: {dict(used)}; {limits}")
    steps = {step.id for record in history.passes for step in record.executed}
    if len(steps) > limits.total_steps:
        world.wrong("refinement limits hold", f"{len(steps)} steps have run; at most {limits.total_steps}")


def _attempts(record: RefinementRecord) -> list[str]:
    return [fragment(action.target or "plan") for action in record.applied]


def _added_up(world: World, result: Result, journal: Journal) -> None:
    spent = sum((entry.usage for _, entry in sorted(journal.entries.items())), Usage())
    if spent != result.usage:
        world.wrong("usage is the sum of the entries", f"{result.usage}, not {spent}")


def _done_once(world: World) -> None:
    for key, times in world.happened.items():
        if times > 1 + world.repeats[key.rpartition(":")[2]]:
            world.wrong("each side effect happens once", f"{key}: {times} times")


def _replayed(story: Story, program: Make) -> None:
    try:
        again = replay(story.journal, program).model_dump_json()
    except AeonError as error:
        story.world.wrong("replay is byte-identical", f"{type(error).__name__}: {error}")
        return
    if again != story.text:
        story.world.wrong("replay is byte-identical", _difference(story.text, again))


def _in_doubt(journal: Journal) -> bool:
    """Whether a process died in a tool that changes the world, so that nobody knows what it did."""
    lost = "had been called when the process ended"
    return any(e.failure is not None and lost in e.failure.message for e in journal.entries.values())


def _hung(world: World) -> bool:
    return bool(world.fired["tool_hangs"])


def _untimed(text: str) -> str:
    """The JSON text with every time as 0."""
    kept = text
    for name in _TIMES:
        head, *parts = kept.split(f'"{name}":')
        kept = head + "".join(f'"{name}":0' + part.lstrip("0123456789.e-") for part in parts)
    return kept


def _difference(one: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(0, at - 60)
    return f"…{one[begin : at + 60]}… is …{other[begin : at + 60]}…"
