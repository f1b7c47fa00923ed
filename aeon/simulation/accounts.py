"""The world's own account of a run, effect by effect, against what the run says that it took."""

from __future__ import annotations

from aeon.runtime.journal import Journal
from aeon.schema import NOTHING, Bound, Conclusion, Usage
from aeon.simulation.world import ROUNDING, World

__all__ = ["hold_accounts"]

_OVERSPENT = "what is counted beyond the bound ends the run"
_BEFORE_IT = ("failed", "unknown_outcome", "waiting")
_CLOCK = 0.001
"""Seconds: a result gives its time in thousandths."""


def hold_accounts(world: World, result: Conclusion, journal: Journal) -> None:
    """Hold what each effect is charged, and the time of the run, against what the world counted."""
    _bounded(world, result)
    _added_up(world, result, journal)
    alone = world.lives == 1
    told = sum(world.beyond.values(), NOTHING) if alone else NOTHING  # what a process heard is gone with it
    _counted(world, "the run", world.total() + told, result.usage + result.lost)
    if alone:
        for number in sorted(world.made.keys() | journal.entries.keys()):
            _charged(world, number, journal)
    if world.clock_alone and abs(result.seconds - world.clock()) > _CLOCK:
        world.wrong("time is what it took", f"{result.seconds} s; the world counted {world.clock()} s")


def _bounded(world: World, result: Conclusion) -> None:
    """What the world counted, and what the result says, is no more than was said before the start.

    What an endpoint said beyond that ends the run.
    """
    said, over = result.usage + result.lost, _is_over(result.usage + result.lost, result.bound)
    if _is_over(world.total(), result.bound) or (over and not world.beyond):
        world.wrong("within its bound", f"{world.total()}, {said}; at most {result.bound}")
    ends = result.stop_reason in ("overspent", *_BEFORE_IT)
    if (over and not ends) or (result.stop_reason == "overspent" and not over):
        world.wrong(_OVERSPENT, f"{result.stop_reason}: {said}; at most {result.bound}")


def _is_over(usage: Usage, bound: Bound) -> bool:
    dear = bound.cost is None or usage.cost > bound.cost + ROUNDING
    return usage.calls > bound.calls or usage.tokens > bound.tokens or dear


def _added_up(world: World, result: Conclusion, journal: Journal) -> None:
    entries = [entry for _, entry in sorted(journal.entries.items())]
    spent, lost = (sum(usages, NOTHING) for usages in ([e.usage for e in entries], [e.lost for e in entries]))
    if (spent, lost) != (result.usage, result.lost):
        said = f"{result.usage}, {result.lost}"
        world.wrong("usage is the sum of the entries", f"{said}, not {spent}, {lost}")


def _counted(world: World, whose: str, made: Usage, said: Usage) -> bool:
    """Whatever was used is charged, in whichever process that was; of a tool, in the process that tells."""
    less = said.calls < made.calls or said.tokens < made.tokens or said.cost < made.cost - ROUNDING
    if less or (world.lives == 1 and said.tool_calls < made.tool_calls):
        world.wrong("whatever was used is counted", f"{whose}: {made} was used; charged is {said}")
        return False
    return True


def _charged(world: World, number: int, journal: Journal) -> None:
    """An effect is charged what it took itself; and no more, where everything was counted."""
    entry, made = journal.entries.get(number), world.made[number] + world.beyond[number]
    said = entry.usage if entry is not None else NOTHING
    counted = _counted(world, f"effect {number}", made, said)
    if counted and not said.estimated and not world.has("probed") and _differs(made, said):
        world.wrong("nothing else is charged", f"effect {number}: {made} was used; charged is {said}")


def _differs(made: Usage, said: Usage) -> bool:
    return (
        made.calls != said.calls
        or made.prompt_tokens != said.prompt_tokens
        or made.generated_tokens != said.generated_tokens
        or made.tool_calls != said.tool_calls
        or abs(made.cost - said.cost) > ROUNDING
    )
