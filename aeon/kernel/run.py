"""A run in a program's hand: budgets, boundaries, questions, fallbacks and the conclusion, for every engine alike.

All of a run's state follows from the outcomes so far, so the same outcomes always lead to the same run: that is why
replay is sound. ``issue`` is the only place that yields a batch and charges it; ``boundary`` the only place that stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from aeon.kernel import budget
from aeon.kernel.decide import Rule, Signals, decide
from aeon.kernel.effects import AskUser, Batch, Effect, EffectOf, Note, Program
from aeon.schema.conclusion import Conclusion, Decision, Degradation, PhaseTiming
from aeon.schema.config import Settings
from aeon.schema.outcome import Answer, Outcome
from aeon.schema.task import Question, Reply, Task
from aeon.schema.usage import Allowance, Bound, Left, Usage
from aeon.schema.value import Value

__all__ = ["Halt", "Run", "Terms"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
V = TypeVar("V", bound=Value)
_DEAD_AFTER = 3  # requests in a row that failed, whatever they asked for: then the endpoint counts as unusable


@dataclass(eq=False)
class Halt(Exception):
    """The decision table ended the run at a boundary; ``midway``: within a phase, which is not complete."""

    decision: Decision
    midway: bool = False


@dataclass(frozen=True)
class Terms(Generic[C, S]):
    """What a run takes from its engine: name, decision table, the most model calls, and the calls kept for the end."""

    engine: str
    rules: Callable[[C], tuple[Rule[S], ...]]
    calls: Callable[[C], int]
    reserve: Callable[[C], int]


@dataclass(slots=True)
class Run(Generic[C, S]):
    """One run of an engine. ``signals`` is what the decision table sees: the program sets its own as facts come in.

    ``elapsed`` is the time that effects took so far. A nested run began when that was ``began``; its effects carry its
    ``scope``, and ``charge`` charges the run around it, too. ``lost`` was spent by earlier lives of the run.
    ``failing`` counts requests in a row that failed; ``asked`` are the questions of the run and of those around it.
    """

    terms: Terms[C, S]
    task: Task
    config: C
    execution_id: str
    signals: S
    scope: str = ""
    charge: Callable[[Outcome], None] | None = None
    nested: int = 0
    began: float = 0.0
    elapsed: float = 0.0
    usage: Usage = field(default_factory=Usage)
    lost: Usage = field(default_factory=Usage)
    failing: int = 0
    asked: list[str] = field(default_factory=list)
    denied: str | None = None
    timings: list[PhaseTiming] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)
    bound: Bound = field(init=False)
    rules: tuple[Rule[S], ...] = field(init=False)

    def __post_init__(self) -> None:
        self._configure(self.config)

    def _configure(self, config: C) -> None:
        self.config, self.rules = config, self.terms.rules(config)
        self.bound = budget.bound(config, self.terms.calls(config))

    def left(self, final: bool = False) -> Left:
        """What is left of each budget, but for the reserve unless this is for the final effect."""
        reserve = 0 if final else self.terms.reserve(self.config)
        return budget.left(self.config, self.bound, self.usage + self.lost, self.elapsed - self.began, reserve)

    def decide(self) -> Decision:
        """Ask the table, here and now."""
        self.signals.exhausted = self.denied or budget.exhausted(self.left(), self.bound)
        return decide(self.rules, self.signals)

    def boundary(self, midway: bool = False) -> None:
        """Stop here if the table says so.

        Raises:
            Halt: with the decision.
        """
        if (decision := self.decide()).action == "OUTPUT":
            raise Halt(decision, midway)

    def allow(self, phase: str, effects: int = 1, final: bool = False) -> Allowance:
        """What so many effects of this phase may spend now, together."""
        return budget.allowance(self.left(final), effects * self.config.caps.of(phase))

    def perform(self, effect: EffectOf[V], instead: V) -> Program[V]:
        """Issue one effect at a boundary; a failure is recorded, and ``instead`` stands in for its value."""
        self.boundary()
        (outcome,) = yield from self.issue((effect.changed(allowance=self.allow(effect.phase)),))
        if self.abandoned(effect, outcome):
            self.boundary(midway=True)
        return self.value(effect, outcome, instead)

    def final(self, effect: EffectOf[V], instead: V, decision: Decision) -> Program[V]:
        """Issue the effect that makes the answer, after the ``decision`` to end and with the reserve; never stops.

        Where no effect can be answered any more, nothing is issued.
        """
        if decision.reason in ("failed", "waiting"):
            return instead
        (outcome,) = yield from self.issue((effect.changed(allowance=self.allow(effect.phase, final=True)),))
        return self.value(effect, outcome, instead)

    def issue(self, effects: Sequence[Effect]) -> Program[tuple[Outcome, ...]]:
        """Issue effects at once, with the allowances that they carry, and charge them; failures are the caller's."""
        scoped = effects if not self.scope else [effect.changed(scope=self.scope) for effect in effects]
        outcomes = yield Batch(effects=tuple(scoped))
        for effect, outcome in zip(effects, outcomes, strict=True):
            self.timings.append(PhaseTiming(phase=effect.phase, started=outcome.started, ended=outcome.ended))
            self.denied = self.denied or self._denial(effect, outcome)
            self.account(outcome)
        return outcomes

    def value(self, effect: EffectOf[V], outcome: Outcome, instead: V) -> V:
        """The outcome's value; without one ``instead``, and the degradation on record."""
        if isinstance(outcome.value, effect.result):
            return cast("V", outcome.value)
        self.degraded.append(Degradation(phase=effect.phase, message=outcome.message))
        return instead

    def abandoned(self, effect: Effect, outcome: Outcome) -> bool:
        """Whether the effect was not done for want of means or time, so that it still can be."""
        return outcome.undone or self._denial(effect, outcome) is not None

    def ask(self, question: Question) -> Program[Reply]:
        """Put a question at a boundary; one that was put before, or is one too many, has its default for an answer."""
        assumed, before = Reply(text=question.default, assumed=True), tuple(self.asked)
        self.asked.append(question.text)
        if len(before) >= self.config.questions.most or question.text in before or self.task.answered(question):
            return assumed
        self.signals.question = question
        self.boundary()
        yield Note(decision=self.decide())
        reply = yield from self.perform(AskUser(task=self.task, question=question), assumed)
        self.signals.question, self.task = None, self.task.clarified(question, reply)
        return reply

    def resolve(self, outcome: Outcome) -> Program[str]:
        """What to do about an effect whose tool may have changed the world: ``done`` or ``repeat``, says a person.

        Raises:
            Halt: nobody may be asked, or the answer is to stop.
        """
        reply = Reply(text="stop")
        if outcome.failure and outcome.failure.question and self.config.questions.unknown_outcome == "ask":
            reply = yield from self.ask(outcome.failure.question)
        if reply.text not in ("done", "repeat"):
            self.signals.failure = outcome.failure
            self.boundary(midway=True)
        return reply.text

    def conclude(self, decision: Decision, answer: Answer) -> Conclusion:
        """How the run ended, for the engine's result: ``Report(**dict(run.conclude(decision, answer)), pages=3)``."""
        return Conclusion(
            execution_id=self.execution_id,
            engine=self.terms.engine,
            answer=answer.text,
            value=answer.value,
            stop_reason=decision.reason,
            detail=decision.detail,
            sufficient=decision.sufficient,
            degraded=tuple(self.degraded),
            question=self.signals.question if decision.reason == "waiting" else None,
            assumptions=tuple(one for one in self.task.clarifications if one.assumed),
            usage=self.usage,
            lost=self.lost,
            bound=self.bound,
            seconds=round(self.elapsed - self.began, 3),
        )

    def account(self, outcome: Outcome) -> None:
        """Take note of what an outcome cost and of what it says about the run, here and in the runs around this one."""
        self.usage += outcome.usage
        self.lost += outcome.lost
        self.elapsed = max(self.elapsed, outcome.ended)
        self.signals.interrupted |= outcome.interrupted
        failure = outcome.failure
        self.failing = self.failing + 1 if failure and failure.kind == "request" else 0
        if failure and (failure.kind in ("endpoint", "waiting", "journal") or self.failing == _DEAD_AFTER):
            self.signals.failure = failure
        if self.charge is not None:
            self.charge(outcome)
        elif outcome.config is not None:  # a fork's: it is of the outermost run's kind
            self._configure(cast("C", outcome.config))

    def _denial(self, effect: Effect, outcome: Outcome) -> str | None:
        """The budget of the run that kept this effect from being done; its own cap on calls is none."""
        limit = outcome.failure.limit if outcome.failure else None
        own_cap = limit == "calls" and effect.allowance.calls >= self.config.caps.of(effect.phase)
        return f"{limit}_exhausted" if limit and not own_cap else None
