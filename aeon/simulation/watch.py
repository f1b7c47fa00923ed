"""Watches a run of any engine from outside and says what should not have happened."""

from __future__ import annotations

from typing import Any

from aeon.kernel.ports import Job
from aeon.multipass.effects import UseTool
from aeon.runtime.events import EffectEnded, EffectStarted, Event, RunEnded
from aeon.schema import NOTHING, Allowance, Outcome, Reserve, Usage
from aeon.schema.effects import AskUser, Effect
from aeon.simulation.world import ROUNDING, World

__all__ = ["Watch"]

_NOTHING_KEPT = Reserve(tokens=0, seconds=0, cost=0)
_LATE = 1e-6  # seconds: times are kept in six decimals


class Watch:
    """An observer for one process of a run; it tells the world what did not hold."""

    def __init__(self, world: World, job: Job[Any, Any, Any]) -> None:
        self._world = world
        self._config = config = job.config
        self._final = job.engine.final
        self._kept_calls = config.caps.of(self._final.phase) if self._final else 0
        self._kept = config.reserve if self._kept_calls else _NOTHING_KEPT
        bound = job.engine.bound(config)
        self._calls, world.most_tokens = bound.calls, bound.tokens
        self._spent = NOTHING
        self._under_way: dict[int, Allowance] = {}

    def __call__(self, event: Event) -> None:
        """See an event."""
        match event:
            case EffectStarted():
                self._started(event.effect, event.number)
            case EffectEnded():
                self._ended(event.effect, event.outcome, event.recorded)
                self._under_way.pop(event.number, None)
                self._spent += event.outcome.usage + event.outcome.lost
            case RunEnded():
                self._world.over = True

    def _started(self, effect: Effect, number: int) -> None:
        world = self._world
        world.effects += 1
        if world.over:
            world.wrong("no effect after the end", f"effect {number}, '{effect.phase}', was issued")
        if world.disk.refused:
            world.wrong("no effect after the end", f"'{effect.phase}' began when the journal could not be written")
        world.timed |= effect.allowance.seconds is not None
        world.metered |= effect.allowance.tokens is not None
        if not isinstance(effect, AskUser | UseTool):  # these ask no model: what they have is no grant
            self._under_way[number] = effect.allowance
            self._reserved(effect)

    def _reserved(self, effect: Effect) -> None:
        """What is spent, and what all effects under way may spend, leaves what is kept for the answer."""
        for name, most in self._limits(effect).items():
            given = getattr(effect.allowance, name)
            if most is None or given == 0 or self._is_overspent(name, most):
                continue
            granted = sum(getattr(allowance, name) or 0 for allowance in self._under_way.values())
            committed = getattr(self._spent, name) + granted
            if given is None or committed > most + ROUNDING:
                detail = f"'{effect.phase}' may spend {given} {name}: {committed} of {most} are spent or granted"
                self._world.wrong("the reserve is kept", detail)

    def _is_overspent(self, name: str, most: float) -> bool:
        """Whether more of a budget was counted than there is: then no call is admitted, whatever an effect is given."""
        return bool(self._world.beyond) and getattr(self._spent, name) > most

    def _limits(self, effect: Effect) -> dict[str, float | None]:
        """The most of each budget that may be spent before the answer, or on it."""
        final = self._is_final(effect)
        kept, budget = _NOTHING_KEPT if final else self._kept, self._config.budget
        return {
            "calls": self._calls - (0 if final else self._kept_calls),
            "tokens": None if budget.tokens is None else int(budget.tokens * (1 - kept.tokens)),
            "cost": None if budget.cost is None else budget.cost * (1 - kept.cost),
        }

    def _is_final(self, effect: Effect) -> bool:
        return self._final is not None and isinstance(effect, self._final)

    def _ended(self, effect: Effect, outcome: Outcome, recorded: bool) -> None:
        """Hold what an effect took against what it may; note whether the run was short of calls for it."""
        if self._is_short(effect) or self._leaves_nothing(effect.allowance, outcome):
            self._world.short = True
        if outcome.ended < outcome.started:
            self._world.wrong("no negative duration", f"'{effect.phase}': {outcome.started} to {outcome.ended}")
        if _beyond(effect.allowance, outcome.usage) and not self._world.beyond:
            self._world.wrong("within its bound", f"'{effect.phase}': {outcome.usage} of {effect.allowance}")
        if outcome.failure and not recorded:
            self._world.ran_out(outcome.failure.limit)
        self._in_time(effect, outcome)

    def _is_short(self, effect: Effect) -> bool:
        """Whether an effect got less than its cap; one of a nested run, whose caps are its own, may have."""
        if effect.scope:
            return effect.allowance.spare == 0
        cap: int = self._config.caps.of(effect.phase)
        return effect.allowance.calls < cap

    def _leaves_nothing(self, allowed: Allowance, outcome: Outcome) -> bool:
        """Whether, for what was lost, an effect had fewer calls than it was given, or nothing has any after it."""
        lost = outcome.lost.calls
        left = allowed.calls + allowed.spare - lost - outcome.usage.calls
        return lost > allowed.spare or (self._calls > 0 and left <= 0)

    def _in_time(self, effect: Effect, outcome: Outcome) -> None:
        """The time that an effect is given ends before what is kept for the answer."""
        limit, given = self._config.budget.seconds, effect.allowance.seconds
        if limit is None or effect.after or isinstance(effect, AskUser):
            return
        most = limit if self._is_final(effect) else limit * (1 - self._kept.seconds)
        if given is None or (given and outcome.started + given > most + _LATE):
            self._world.wrong("the reserve is kept", f"'{effect.phase}' has {given} s from {outcome.started} on")


def _beyond(allowed: Allowance, spent: Usage) -> bool:
    """Whether an effect spent more than it was allowed."""
    return (
        spent.calls > allowed.calls
        or (allowed.tokens is not None and spent.tokens > allowed.tokens)
        or (allowed.cost is not None and spent.cost > allowed.cost + ROUNDING)
    )
