"""What must hold of the multi-pass engine alone: its passes, plans, refinements and steps."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable

from aeon.multipass.effects import (
    AssessConvergence,
    ExecuteStep,
    PassNote,
    Synthesize,
    TakeTurn,
    UseTool,
    ValidatePlan,
    ValidateResults,
)
from aeon.multipass.plans import is_by_programs
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted
from aeon.schema import (
    Config,
    Outcome,
    Plan,
    RefinementRecord,
    Result,
    SemanticValidationReport,
    Step,
    StepResult,
    fragment,
)
from aeon.schema.effects import Effect
from aeon.simulation.rounds import Rounds
from aeon.simulation.world import World

__all__ = ["PlanWatch", "hold_passes"]

_PLACE = {"index": 1, "total": 1, "incoming_context": "", "handoff": ""}
_STATE = {"status", "output", "clarity", "mode", "problem"}


class PlanWatch:
    """An observer for one process of a multi-pass run; it tells the world what did not hold."""

    def __init__(self, world: World, config: Config) -> None:
        self._world = world
        self._caps, self._limits = config.caps, config.limits
        limits, self._most_steps = config.limits, config.limits.total_steps
        self._rounds = Rounds(world, limits)
        self._turns: Counter[str] = Counter()
        self._calls: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        self._executed: dict[str, Step] = {}
        self._answering = False
        self._assessed: list[Plan] = []  # one for each pass
        self._answered: Plan | None = None
        self._report = SemanticValidationReport()

    def __call__(self, event: Event) -> None:
        """See an event."""
        match event:
            case EffectStarted():
                self._started(event.effect, event.number)
            case EffectEnded():
                self._ended(event.effect, event.outcome)
            case Noted(note=PassNote() as note):
                self._answering = note.decision is not None and note.decision.action == "OUTPUT"
                if note.plan is not None:
                    self._see(note.plan)

    def concluded(self, result: Result) -> None:
        """Hold the steps of the record, each as it was when it had run, against what was seen of them since."""
        for record in result.history.passes:
            for step in record.executed:
                self._rounds.gave(step)
                then = step.changed(**_PLACE)
                _hold_step(self._world, then, self._executed.get(step.id, then))
        self._hold_settled(result)

    def _hold_settled(self, result: Result) -> None:
        """Hold the plan of the answer against the latest complete pass: nothing that came after it is in there."""
        complete = [record for record in result.history.passes if record.complete]
        if self._answered is None or not complete:
            return
        if late := _ran(self._answered.steps) - _ran(step for record in complete for step in record.executed):
            self._world.wrong("an answer is of a settled plan", f"{', '.join(sorted(late))} ran in no complete pass")
        settled = self._assessed[complete[-1].number - 1] if complete[-1].assessment is not None else self._answered
        if self._answered != settled:
            self._world.wrong("an answer is of a settled plan", f"{_ids(self._answered)}, not {_ids(settled)}")

    def _started(self, effect: Effect, number: int) -> None:
        self._count(effect)
        if isinstance(effect, Synthesize):
            return
        if self._answering:
            self._world.wrong("no effect after the end", f"effect {number}, '{effect.phase}', was issued")
        asks = effect.phase in _UNSHARED and self._caps.of(effect.phase)
        allowed = effect.allowance
        if 0 in (allowed.seconds, allowed.cost) or (asks and 0 in (allowed.calls, allowed.tokens)):
            self._world.wrong("within its bound", f"'{effect.phase}' was issued with {effect.allowance}")

    def _count(self, effect: Effect) -> None:
        """Hold turns and calls against their limits."""
        limits = self._limits
        self._rounds.started(effect)
        if isinstance(effect, TakeTurn) and not is_by_programs(effect.step):
            self._turns[effect.step.id] += 1
            if self._turns.total() > limits.turns or self._turns[effect.step.id] > limits.turns_per_step:
                self._world.wrong("turns within their limits", f"turns of steps: {dict(self._turns)}; {limits}")
        if isinstance(effect, UseTool):
            self._calls[effect.step, self._turns[effect.step]].add(effect.call.id)
            if len(self._calls[effect.step, self._turns[effect.step]]) > limits.calls_per_turn:
                self._world.wrong("turns within their limits", f"calls of a turn of {effect.step}; {limits}")

    def _ended(self, effect: Effect, outcome: Outcome) -> None:
        if outcome.failure and outcome.failure.kind == "handler":
            self._world.wrong("only errors of the hierarchy", f"'{effect.phase}': {outcome.failure.message}")
        if isinstance(plan := getattr(effect, "plan", None), Plan) and not _elsewhere(effect):
            self._see(plan)
        self._rounds.ended(effect, outcome)
        self._rests(effect, outcome)
        if isinstance(effect, ExecuteStep) and isinstance(outcome.value, StepResult):
            self._keep(effect.step.given(outcome.value))

    def _rests(self, effect: Effect, outcome: Outcome) -> None:
        """Take note of what the assessment and the answer are made from."""
        match effect:
            case ValidateResults():
                value = outcome.value
                self._report = value if isinstance(value, SemanticValidationReport) else _UNCHECKED
            case AssessConvergence():
                if effect.report != self._report:
                    self._world.wrong("no report is dropped", f"assessed with {effect.report}, not {self._report}")
                self._assessed.append(effect.plan)
            case Synthesize():
                self._answered = effect.plan

    def _see(self, plan: Plan) -> None:
        """Hold a plan against what is known: a step that has run never changes, save to become invalid."""
        if len(plan.steps) > self._most_steps:
            self._world.wrong("refinement limits hold", f"a plan of {len(plan.steps)} steps, not {self._most_steps}")
        for step in plan.steps:
            if step.executed:
                self._keep(step)
            elif step.id in self._executed:
                self._world.wrong(_UNCHANGED, f"{step.id} is {step.status} again")
        missing = self._executed.keys() - {step.id for step in plan.steps}
        if missing:
            self._world.wrong(_UNCHANGED, f"{', '.join(sorted(missing))} is gone")

    def _keep(self, step: Step) -> None:
        """Hold a step that has run against what is known of it."""
        now = step.changed(**_PLACE)
        before = self._executed.setdefault(step.id, now)
        _hold_step(self._world, before, now)
        self._executed[step.id] = now


_UNSHARED = ("profile", "plan", "validate_plan", "refine_plan", "validate_results", "assess")
"""Effects that are issued alone: none begins where nothing is left for it. Those of steps share what there is."""
_UNCHECKED = SemanticValidationReport(failed=True)
_UNCHANGED = "executed steps never change"


def _ran(steps: Iterable[Step]) -> set[str]:
    return {step.id for step in steps if step.executed}


def _ids(plan: Plan) -> str:
    return ", ".join(f"{step.id} {step.status}" for step in plan.steps)


def _elsewhere(effect: Effect) -> bool:
    """Whether its plan is not the run's own now: an earlier one for the answer, or one that is only proposed."""
    return isinstance(effect, Synthesize) or (isinstance(effect, ValidatePlan) and bool(effect.steps))


def _hold_step(world: World, before: Step, now: Step) -> None:
    if before != now and (before.status != "complete" or before.changed(status="invalid") != now):
        was, is_now = (json.dumps(step.model_dump(mode="json", include=_STATE)) for step in (before, now))
        world.wrong(_UNCHANGED, f"{now.id} was {was}, is {is_now}")


def hold_passes(world: World, result: Result) -> None:
    """Hold the record of a run that has ended against the engine's own invariants; the world is told what broke."""
    passes, configuration = result.history.passes, result.history.configuration
    if len(passes) > configuration.max_passes:
        world.wrong("within its bound", f"{len(passes)} passes")
    _refined(world, result)
    executed = {step.id: step for record in passes for step in record.executed}
    if len(executed) > configuration.limits.total_steps:
        world.wrong("refinement limits hold", f"{len(executed)} steps; at most {configuration.limits.total_steps}")


def _refined(world: World, result: Result) -> None:
    history, limits = result.history, result.history.configuration.limits
    records = [history.preparation.refinement, *(record.refinement for record in history.passes)]
    used = Counter(name for record in records for name in _attempts(record))
    if used.total() > limits.attempts or any(n > limits.attempts_per_fragment for n in used.values()):
        world.wrong("refinement limits hold", f"deltas applied: {dict(used)}; {limits}")


def _attempts(record: RefinementRecord) -> list[str]:
    return [fragment(action.target or "plan") for action in record.applied]
