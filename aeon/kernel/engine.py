"""An engine: a value that brings its own effects, rules, program and result. The machine knows none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from aeon.errors import UsageError
from aeon.kernel import budget
from aeon.kernel.decide import Rule, Signals, table
from aeon.kernel.effects import AskUser, Effect, Program
from aeon.kernel.run import Run, Terms
from aeon.schema.conclusion import Conclusion
from aeon.schema.config import Settings
from aeon.schema.task import Task
from aeon.schema.usage import Bound

__all__ = ["Engine"]

C = TypeVar("C", bound=Settings)
C2 = TypeVar("C2", bound=Settings)
S = TypeVar("S", bound=Signals)
S2 = TypeVar("S2", bound=Signals)
R = TypeVar("R", bound=Conclusion)
_NAME = re.compile(r"[a-z][a-z0-9-]*/[1-9][0-9]*")


@dataclass(frozen=True)
class Engine(Generic[C, S, R]):
    """What the machine needs to run programs of one kind.

    ``name`` has a version, as in ``"search/1"``: a program that asks otherwise than before is a new version. ``calls``
    says from the configuration alone how many model calls a run makes at most. ``final`` is the effect that makes the
    answer: its calls are kept back. ``order`` may order the rows of ``table`` otherwise. ``nested`` are the effects of
    engines that its program runs within its own runs.

    Raises:
        UsageError: the name is none, two effects have one phase, the caps lack a phase, the final effect is none of
            them, two rows have one reason, or the order does not name each row once.
    """

    name: str
    config: type[C]
    result: type[R]
    signals: Callable[[], S]
    effects: tuple[type[Effect], ...]
    table: tuple[Rule[S], ...]
    calls: Callable[[C], int]
    program: Callable[[Run[C, S]], Program[R]]
    final: type[Effect] | None = None
    order: Callable[[C], Sequence[str]] = lambda config: ()
    nested: tuple[type[Effect], ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(f"engine '{self.name}': its name must look like 'search/1': a word and a version")
        config = self.config()
        table(self.table, self.order(config))
        caps = type(config.caps)
        for effect in self.effects:
            if effect.phase not in (AskUser.phase, *caps.model_fields):
                raise UsageError(f"engine '{self.name}': {caps.__name__} has no field for the phase '{effect.phase}'")
        if self.final not in (None, *self.effects):
            raise UsageError(f"engine '{self.name}': its final effect is none of its effects")
        self.phases()

    def phases(self) -> dict[str, type[Effect]]:
        """The effects that a run can issue, by phase: its own, those of nested engines, and the question."""
        by_phase: dict[str, type[Effect]] = {AskUser.phase: AskUser}
        for effect in (*self.effects, *self.nested):
            if by_phase.setdefault(effect.phase, effect) is not effect:
                raise UsageError(f"engine '{self.name}': two effects are called '{effect.phase}'")
        return by_phase

    def check(self, handlers: Collection[str]) -> None:
        """Refuse handlers, named by their phases, that leave an effect unanswered; only a question needs none.

        Raises:
            UsageError: names the phases.
        """
        if missing := [phase for phase in self.phases() if phase not in (AskUser.phase, *handlers)]:
            raise UsageError(f"engine '{self.name}': no handler answers {', '.join(missing)}")

    def bound(self, config: C) -> Bound:
        """The most that any run under this configuration can spend, whatever the models say."""
        return budget.bound(config, self.calls(config))

    def start(self, task: Task, config: C, execution_id: str) -> Run[C, S]:
        """A run of this engine, ready for its program."""
        terms = Terms(self.name, lambda now: table(self.table, self.order(now)), self.calls, self._reserve)
        return Run(terms, task, config, execution_id, self.signals())

    def within(self, outer: Run[C2, S2], config: C, task: Task | None = None, runs: int = 1) -> Program[R]:
        """The program of a run inside another one, with an equal part of what that has left for each of ``runs``.

        What it spends and asks counts for both: together they stay within the bound and the cap of the outer run.
        """
        outer.boundary()
        outer.nested += 1
        questions = config.questions.changed(most=min(config.questions.most, outer.config.questions.most))
        limited = config.changed(budget=budget.share(config.budget, outer.left(), runs), questions=questions)
        run = self.start(task or outer.task, limited, outer.execution_id)
        run.scope, run.charge, run.asked = f"{outer.scope}/{outer.nested}", outer.account, outer.asked
        run.began = run.elapsed = outer.elapsed
        return (yield from self.program(run))

    def _reserve(self, config: C) -> int:
        return config.caps.of(self.final.phase) if self.final else 0
