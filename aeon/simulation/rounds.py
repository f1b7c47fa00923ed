"""What must hold of steps that are done by programs: how many are written, run and weighed, and what a step gives."""

from __future__ import annotations

from collections import Counter, defaultdict

from aeon.multipass.effects import RunProgram, TakeTurn, WeighResult, WritePrograms
from aeon.multipass.plans import is_by_programs
from aeon.multipass.sampling import told
from aeon.schema import Outcome, RefinementLimits, Step, Turn, fragment
from aeon.schema.effects import Effect
from aeon.schema.programs import Candidate, Programs, ProgramText, Ran
from aeon.simulation.world import World

__all__ = ["Rounds"]

_WITHIN, _GAVE = "rounds within their limits", "a result is what a program gave"
_MOST = 2
"""Programs that are run, and results that are weighed, in a round."""


class Rounds:
    """Counts the rounds of one process of a run, and knows what its programs gave, step by step."""

    def __init__(self, world: World, limits: RefinementLimits) -> None:
        self._world = world
        self._limits = limits
        self._written: Counter[str] = Counter()
        self._open: defaultdict[str, list[ProgramText]] = defaultdict(list)
        self._done: defaultdict[str, Counter[type[Effect]]] = defaultdict(Counter)
        self._ran: defaultdict[str, list[Candidate]] = defaultdict(list)
        self._given: defaultdict[str, set[str]] = defaultdict(set)
        self._turns: Counter[str] = Counter()

    def started(self, effect: Effect) -> None:
        """Hold what is asked for against what was before it."""
        match effect:
            case WritePrograms():
                self._written[effect.step.id] += 1
                self._done.pop(effect.step.id, None)
                self._hold(self._written.total() <= self._limits.rounds, f"{self._written.total()} rounds")
            case RunProgram():
                self._counted(effect, effect.step.id)
                self._hold(effect.program in self._open[effect.step.id], f"{effect.subject} is run, but not written")
            case WeighResult():
                self._counted(effect, effect.step.id)
                self._hold(
                    effect.candidate in self._ran[fragment(effect.step.id)],
                    f"{effect.subject} is weighed, but never ran",
                )
            case TakeTurn() if is_by_programs(effect.step):
                self._turns[effect.step.id] += 1
                alone = effect.last and self._turns[effect.step.id] == 1
                self._hold(alone, f"turn {self._turns[effect.step.id]} of {effect.step.id}, which works by programs")

    def ended(self, effect: Effect, outcome: Outcome) -> None:
        """Take note of what was written, and of what it gave."""
        match effect, outcome.value:
            case WritePrograms(), Programs() as written:
                self._open[effect.step.id] = list(written.programs)
            case RunProgram(), Ran() as ran:
                self._ran[fragment(effect.step.id)].append(Candidate(program=effect.program, ran=ran))
                self._given[fragment(effect.step.id)].add(told(ran.values))
            case TakeTurn(), Turn() as turn:
                self._given[fragment(effect.step.id)].add(turn.text)

    def gave(self, step: Step) -> None:
        """Hold the output of a step that works by programs against what these gave."""
        given = self._given[fragment(step.id)]  # a step that is done again goes on with what the earlier one had
        if is_by_programs(step) and step.output is not None and step.output not in given:
            self._world.wrong(_GAVE, f"{step.id} gave {str(step.output)[:200]!r}")

    def _counted(self, effect: Effect, step: str) -> None:
        """Count one of a round."""
        self._done[step][type(effect)] += 1
        self._hold(self._done[step][type(effect)] <= _MOST, f"more than {_MOST} a round of '{effect.phase}' for {step}")

    def _hold(self, holds: bool, detail: str) -> None:
        if not holds:
            self._world.wrong(_WITHIN, f"{detail}; at most {self._limits.rounds} rounds")
