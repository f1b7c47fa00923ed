"""Watches a run from outside and says what should not have happened."""

from __future__ import annotations

import json

from aeon.kernel.effects import Effect, Note
from aeon.multipass.effects import ExecuteStep, Synthesize
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, RunEnded
from aeon.schema import Allowance, Outcome, Plan, Step, StepResult, Usage
from aeon.simulation.world import ROUNDING, World

__all__ = ["MOST_EFFECTS", "Watch"]

MOST_EFFECTS = 1_000
"""Effects that no simulated run may need: one that does is taken for one without end."""

_PLACE = {"index": 1, "total": 1, "incoming_context": "", "handoff": ""}
_STATE = {"status", "output", "clarity", "mode", "problem"}


class Watch:
    """An observer for one process of a run; it tells the world what did not hold."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._executed: dict[str, Step] = {}
        self._answering = False

    def __call__(self, event: Event) -> None:
        """See an event."""
        match event:
            case EffectStarted():
                self._started(event.effect, event.number)
            case EffectEnded():
                self._ended(event.effect, event.outcome, event.recorded)
            case Noted():
                self._noted(event.note)
            case RunEnded():
                self._world.over = True
                for record in event.result.history.passes:
                    for step in record.executed:
                        self._keep(step, past=True)

    def _started(self, effect: Effect, number: int) -> None:
        world = self._world
        world.effects += 1
        if number > MOST_EFFECTS:
            raise RecursionError(f"effect {number} is issued: the run does not end")
        if world.over or (self._answering and not isinstance(effect, Synthesize)):
            world.wrong("no effect after the end", f"effect {number}, '{effect.phase}', was issued")
        if not isinstance(effect, Synthesize) and 0 in (effect.allowance.seconds, effect.allowance.cost):
            world.wrong("within its bound", f"'{effect.phase}' was issued with {effect.allowance}")

    def _ended(self, effect: Effect, outcome: Outcome, recorded: bool) -> None:
        self._paid(effect, outcome)
        if isinstance(plan := getattr(effect, "plan", None), Plan) and not isinstance(effect, Synthesize):
            self.plan(plan)  # the answer may rest on an earlier plan
        if isinstance(effect, ExecuteStep) and isinstance(outcome.value, StepResult):
            self._keep(effect.step.given(outcome.value))
        if outcome.failure and not recorded:
            self._world.ran_out(outcome.failure.limit)

    def _paid(self, effect: Effect, outcome: Outcome) -> None:
        """Hold what an effect took, and how it failed, against what it may."""
        if outcome.ended < outcome.started:
            self._world.wrong("no negative duration", f"'{effect.phase}': {outcome.started} to {outcome.ended}")
        if _beyond(effect.allowance, outcome.usage):
            self._world.wrong("within its bound", f"'{effect.phase}': {outcome.usage} of {effect.allowance}")
        if outcome.failure and outcome.failure.kind == "handler":
            self._world.wrong("only errors of the hierarchy", f"'{effect.phase}': {outcome.failure.message}")

    def _noted(self, note: Note) -> None:
        if note.plan is not None:
            self.plan(note.plan)
        if note.decision is not None:
            self._answering = note.decision.action == "OUTPUT"

    def plan(self, plan: Plan) -> None:
        """Hold a plan against what is known: a step that has run never changes, save to become invalid."""
        for step in plan.steps:
            if step.executed:
                self._keep(step)
            elif step.id in self._executed:
                self._world.wrong("executed steps never change", f"{step.id} is {step.status} again")
        missing = self._executed.keys() - {step.id for step in plan.steps}
        if missing:
            self._world.wrong("executed steps never change", f"{', '.join(sorted(missing))} is gone")

    def _keep(self, step: Step, past: bool = False) -> None:
        """Hold a step that has run against what is known of it; one from the ``past`` may not be invalid yet."""
        bare = step.changed(**_PLACE)
        known = self._executed.setdefault(step.id, bare)
        if known is bare or known == bare:
            return
        first, second = (bare, known) if past else (known, bare)
        if first.status != "complete" or first.changed(status="invalid") != second:
            was, now = (json.dumps(one.model_dump(mode="json", include=_STATE)) for one in (known, bare))
            self._world.wrong("executed steps never change", f"{step.id} was {was}, is {now}")
        if not past:
            self._executed[step.id] = bare


def _beyond(allowed: Allowance, spent: Usage) -> bool:
    """Whether an effect spent more than it was allowed."""
    return (
        spent.calls > allowed.calls
        or (allowed.tokens is not None and spent.tokens > allowed.tokens)
        or (allowed.cost is not None and spent.cost > allowed.cost + ROUNDING)
    )
