"""Watches how a run of any engine is stopped: what begins after that, and that what ended after it says so."""

from __future__ import annotations

from functools import cache

from aeon.assembly.registry import shipped
from aeon.engines.contractive.branch import BRANCH
from aeon.runtime.events import EffectEnded, EffectStarted, Event
from aeon.schema import Conclusion, Outcome
from aeon.schema.effects import Effect
from aeon.simulation.world import World

__all__ = ["StopWatch"]

_HONOURED = "an interrupt is honoured within one effect"
_BEFORE_IT = ("failed", "unknown_outcome", "waiting", "overspent", "interrupted")
"""The stop reasons of an interrupted run: its own, and those of the rows before it."""
_WITHOUT_ONE = ("waiting", "unknown", "journal")
"""The failures whose outcomes need not say that there was an interrupt: they end the run, or ask, on their own."""


class StopWatch:
    """An observer for one process of a run; it tells the world what an interrupt did not stop."""

    def __init__(self, world: World, final: type[Effect] | None) -> None:
        self._world = world
        self._finals = _finals() if final is None else (final, *_finals())
        self._late: set[int] = set()
        self._interrupted = self._stopped = self._ends = False

    def __call__(self, event: Event) -> None:
        """See an event."""
        match event:
            case EffectStarted():
                if self._stopped and not isinstance(event.effect, self._finals):
                    self._world.wrong(_HONOURED, f"effect {event.number}, '{event.effect.phase}', began after another")
                if self._world.stopping:
                    self._late.add(event.number)
            case EffectEnded() if not event.recorded:
                self._ended(event.number, event.effect, event.outcome)

    def _ended(self, number: int, effect: Effect, outcome: Outcome) -> None:
        """What began after an interrupt says so in its outcome, and what its outcome says ends the run."""
        kind = outcome.failure.kind if outcome.failure is not None else ""
        if number in self._late and not outcome.interrupted and kind not in _WITHOUT_ONE:
            self._world.wrong(_HONOURED, f"the outcome of effect {number}, '{effect.phase}', says nothing of it")
        self._interrupted |= outcome.interrupted
        self._stopped |= outcome.interrupted and number in self._late  # one beside it may not have heard of it yet
        self._ends |= outcome.interrupted and not isinstance(effect, self._finals)

    def concluded(self, result: Conclusion) -> None:
        """Hold the end against the interrupt."""
        if self._ends and result.stop_reason not in _BEFORE_IT:
            self._world.wrong(_HONOURED, f"the run ended as {result.stop_reason}")
        if result.stop_reason == "interrupted" and not self._interrupted:
            self._world.wrong(_HONOURED, "the run ended as interrupted, and was not")


@cache
def _finals() -> tuple[type[Effect], ...]:
    """The effects that make answers, of any engine that may run within another."""
    return tuple(one.final for one in (*shipped(), BRANCH) if one.final is not None)
