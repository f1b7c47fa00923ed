"""Engines and their runs: what an engine brings, and what the machine gives every run of every engine.

All of a run's state follows from the outcomes so far, so the same outcomes always lead to the same run: that is why
replay is sound. `Run.issue` alone yields batches and charges them; `Run.boundary` alone stops a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar, cast

from aeon.errors import UsageError
from aeon.kernel import budget
from aeon.kernel.decide import OVERSPENT, Rule, Signals, borne_out, first, table
from aeon.schema.conclusion import Conclusion, Decision, Degradation, PhaseTiming
from aeon.schema.config import Settings
from aeon.schema.effects import AskUser, Batch, Effect, EffectOf, Note, Program
from aeon.schema.outcome import Answer, Outcome
from aeon.schema.task import Question, Reply, Task
from aeon.schema.usage import NOTHING, Allowance, Bound, Left, Usage
from aeon.schema.value import Value

__all__ = ["DEAD_AFTER", "Engine", "Halt", "Run"]

C = TypeVar("C", bound=Settings)
C2 = TypeVar("C2", bound=Settings)
S = TypeVar("S", bound=Signals)
S2 = TypeVar("S2", bound=Signals)
R_co = TypeVar("R_co", bound=Conclusion, covariant=True)
V = TypeVar("V", bound=Value)
_NAME = re.compile(r"[a-z][a-z0-9-]*/[1-9][0-9]*")
DEAD_AFTER = 3  # requests in a row that failed, whatever they asked for: then the endpoint counts as unusable


@dataclass(eq=False)
class Halt(Exception):
    """The decision table ended the run at a boundary; ``midway``: within a phase, which is not complete."""

    decision: Decision
    midway: bool = False


@dataclass(frozen=True)
class Engine(Generic[C, S, R_co]):
    """What the machine needs to run programs of one kind.

    ``name`` has a version, as in ``"search/1"``: a program that asks otherwise than before is a new version. ``calls``
    says from the configuration alone how many model calls a run makes at most. ``final`` is the effect that makes the
    answer: its calls are kept back. ``order`` may order the rows of ``table`` otherwise. ``nested`` are the effects of
    engines that its program runs within its own runs.

    Raises:
        UsageError: the name is none, two effects have one phase, the caps lack a phase, the final effect is none of
            them, two rows have one reason, a row or its detail names no signal, or the order does not name each row
            once.
    """

    name: str
    config: type[C]
    result: type[R_co]
    signals: Callable[[], S]
    effects: tuple[type[Effect], ...]
    table: tuple[Rule, ...]
    calls: Callable[[C], int]
    program: Callable[[Run[C, S]], Program[R_co]]
    final: type[Effect] | None = None
    order: Callable[[C], Sequence[str]] = lambda config: ()
    nested: tuple[type[Effect], ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(f"engine '{self.name}': its name must look like 'search/1': a word and a version")
        config, signals = self.config(), self.signals()
        self.rules(config)
        try:
            for row in self.table:
                row.holds(signals)
                row.detail.format(s=signals)
        except AttributeError as error:
            raise UsageError(f"engine '{self.name}': its row '{row.reason}' names no signal '{error.name}'") from error
        caps = type(config.caps)
        for phase, effect in self.phases.items():
            if effect in self.effects and phase not in (AskUser.phase, *caps.model_fields):
                raise UsageError(f"engine '{self.name}': {caps.__name__} has no field for the phase '{phase}'")
        if self.final not in (None, *self.effects):
            raise UsageError(f"engine '{self.name}': its final effect is none of its effects")

    @cached_property
    def phases(self) -> dict[str, type[Effect]]:
        """The effects that a run can issue, by phase: its own, those of nested engines, and the question."""
        by_phase: dict[str, type[Effect]] = {AskUser.phase: AskUser}
        for effect in (*self.effects, *self.nested):
            other = by_phase.setdefault(effect.phase, effect)
            if other is not effect and other not in self.nested:  # nested ones are told apart by their scope
                raise UsageError(f"engine '{self.name}': two effects are called '{effect.phase}'")
        return by_phase

    def check(self, handlers: Collection[str]) -> None:
        """Refuse handlers, named by their phases, that leave an effect unanswered; only a question needs none.

        Raises:
            UsageError: names the phases.
        """
        if missing := [phase for phase in self.phases if phase not in (AskUser.phase, *handlers)]:
            raise UsageError(f"engine '{self.name}': no handler answers {', '.join(missing)}")

    def bound(self, config: C) -> Bound:
        """The most that any run under this configuration can spend, whatever the models say."""
        return budget.bound(config, self.calls(config))

    def start(self, task: Task, config: C, execution_id: str) -> Run[C, S]:
        """A run of this engine, ready for its program."""
        return Run(self, task, config, execution_id, self.signals())

    def within(self, outer: Run[C2, S2], config: C, task: Task | None = None, runs: int = 1) -> Program[R_co]:
        """The program of a run inside another one, with an equal part of what that has left for each of ``runs``.

        What it spends and asks counts for both: together they stay within the bound and the cap of the outer run.
        """
        free = outer.boundary()
        share = budget.share(budget.share(config.budget, outer.rest(outer.reserve), runs), free, 1)
        outer.nested += 1
        questions = config.questions.changed(most=min(config.questions.most, outer.config.questions.most))
        limited = config.changed(budget=share, questions=questions)
        run = self.start(task or outer.task, limited, outer.execution_id)
        run.scope, run.charge, run.asked = f"{outer.scope}/{outer.nested}", outer.account, outer.asked
        run.began = run.elapsed = outer.elapsed
        outer.inner += (run.claim,)
        try:
            return (yield from self.program(run))
        finally:
            outer.inner = tuple(claim for claim in outer.inner if claim != run.claim)

    def rules(self, config: C) -> tuple[Rule, ...]:
        """The whole decision table, in the order of this configuration."""
        return table(self.table, self.order(config))


@dataclass(slots=True)
class Run(Generic[C, S]):
    """One run of an engine. ``signals`` is what the decision table sees: the program sets its own as facts come in.

    ``elapsed`` is the time that effects took so far. A nested run began when that was ``began``; its effects carry its
    ``scope``, and ``charge`` charges the run around it, too. ``lost`` was spent by earlier lives of the run.
    ``failing`` counts requests in a row that failed, ``heard`` the outcomes that were taken note of ahead; ``asked``
    are the questions of the run and of those around it; ``inner`` are the claims of nested runs under way.
    """

    engine: Engine[C, S, Conclusion]
    task: Task
    config: C
    execution_id: str
    signals: S
    scope: str = ""
    charge: Callable[[Outcome], None] | None = None
    nested: int = 0
    inner: tuple[Callable[[], Usage], ...] = ()
    began: float = 0.0
    elapsed: float = 0.0
    usage: Usage = NOTHING
    lost: Usage = NOTHING
    failing: int = 0
    heard: int = 0
    asked: list[str] = field(default_factory=list)
    denied: str | None = None
    timings: list[PhaseTiming] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)
    bound: Bound = field(init=False)
    reserve: int = field(init=False)
    rules: tuple[Rule, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._configure(self.config)

    def _configure(self, config: C) -> None:
        self.config, self.rules, self.bound = config, self.engine.rules(config), self.engine.bound(config)
        self.reserve = config.caps.of(self.engine.final.phase) if self.engine.final else 0

    def left(self, final: bool = False) -> Left:
        """What is left of each budget, but for the reserve unless this is for the final effect.

        What nested runs under way may still spend is theirs.
        """
        return self.rest(0 if final else self.reserve, sum((claim() for claim in self.inner), NOTHING))

    def claim(self) -> Usage:
        """The most that it may still spend."""
        rest = self.rest(0)
        return Usage(calls=rest.calls, prompt_tokens=rest.tokens or 0, cost=rest.cost or 0.0)

    def rest(self, reserve: int, claimed: Usage = NOTHING) -> Left:
        """What is left of each budget but for so many calls, and for what is ``claimed``."""
        spent = self.usage + self.lost + claimed
        return budget.left(self.config, self.bound, spent, self.elapsed - self.began, reserve)

    def decide(self) -> Decision:
        """Ask the table, here and now."""
        return self._rule(self.rest(self.reserve)).decision(self.signals)

    def _rule(self, remaining: Left) -> Rule:
        self.signals.exhausted = self.denied or budget.exhausted(remaining, self.bound)
        return first(self.rules, self.signals)

    def boundary(self, midway: bool = False) -> Left:
        """Stop here if the table says so; else, what is left to be spent.

        Raises:
            Halt: with the decision.
        """
        remaining = self.rest(self.reserve)
        rule = self._rule(remaining)
        if rule.action == "OUTPUT":
            raise Halt(rule.decision(self.signals), midway)
        return self.left() if self.inner else remaining

    def allow(self, phase: str, effects: int = 1, final: bool = False) -> Allowance:
        """What so many effects of this phase may spend now, together."""
        return budget.allowance(self.left(final), effects * self.config.caps.of(phase))

    def perform(self, effect: EffectOf[V], instead: V, among: int = 1) -> Program[V]:
        """Issue one effect at a boundary; a failure is recorded, and ``instead`` stands in for its value.

        It may spend an equal part of what so many such effects may ``among`` them.
        """
        cap = self.config.caps.of(effect.phase)
        share = budget.split(budget.allowance(self.boundary(), among * cap), among, cap)[-1]
        (outcome,) = yield from self.issue((effect.changed(allowance=share),))
        if self.abandoned(effect, outcome):
            self.boundary(midway=True)
        return self.value(effect, outcome, instead)

    def final(self, effect: EffectOf[V], instead: V, decision: Decision) -> Program[V]:
        """Issue the effect that makes the answer, after the ``decision`` to end and with the reserve; never stops.

        Where no effect can be answered any more, or none may, nothing is issued.
        """
        if self.signals.overspent:
            self.degraded.append(Degradation(phase=effect.phase, message=self.signals.overspent))
        if self.signals.overspent or decision.reason in ("failed", "waiting"):
            return instead
        (outcome,) = yield from self.issue((effect.changed(allowance=self.allow(effect.phase, final=True)),))
        return self.value(effect, outcome, instead)

    def issue(self, effects: Sequence[Effect]) -> Program[tuple[Outcome, ...]]:
        """Issue effects at once, with the allowances that they carry, and charge them; failures are the caller's."""
        scoped = effects if not self.scope else [effect.changed(scope=self.scope) for effect in effects]
        outcomes = yield Batch(effects=tuple(scoped))
        for effect, outcome in zip(effects, outcomes, strict=True):
            self.timings.append(PhaseTiming(phase=effect.phase, started=outcome.started, ended=outcome.ended))
            if self.heard:
                self.heard -= 1
            else:
                self.account(outcome)
            self.denied = self.denied or self._denial(effect, outcome)
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
            Halt: nobody may be asked, nothing is left to ask with, or the answer is to stop.
        """
        short = (self.signals.overspent, self.denied, budget.exhausted(self.rest(self.reserve), self.bound))
        reply, may_ask = Reply(text="stop"), self.config.questions.unknown_outcome == "ask" and not any(short)
        if outcome.failure and outcome.failure.question and may_ask:
            reply = yield from self.ask(outcome.failure.question)
        if reply.text not in ("done", "repeat"):
            self.signals.failure = outcome.failure and outcome.failure.after(self.signals.failure)
            self.boundary(midway=True)
        return reply.text

    def conclude(self, decision: Decision, answer: Answer) -> Conclusion:
        """How the run ended, for the engine's result: ``Report(**dict(run.conclude(decision, answer)), pages=3)``.

        Its last effect, too, may have been counted beyond the bound.
        """
        if self.signals.overspent and decision.reason not in ("failed", "unknown_outcome", "waiting"):
            decision = OVERSPENT.decision(self.signals)
        decision = borne_out(decision, answer.claims)
        return Conclusion(
            execution_id=self.execution_id,
            engine=self.engine.name,
            answer=answer.text,
            value=answer.value,
            stop_reason=decision.reason,
            detail=decision.detail,
            sufficient=decision.sufficient,
            claims=answer.claims,
            degraded=tuple(self.degraded),
            question=self._unanswered() if decision.reason == "waiting" else None,
            assumptions=tuple(one for one in self.task.clarifications if one.assumed),
            usage=self.usage,
            lost=self.lost,
            bound=self.bound,
            seconds=round(self.elapsed - self.began, 3),
        )

    def _unanswered(self) -> Question | None:
        """The first question that waits for its answer; programs side by side may each have put one."""
        return (self.signals.failure and self.signals.failure.question) or self.signals.question

    def hear(self, outcomes: Sequence[Outcome]) -> None:
        """Take note of outcomes before programs of this run, side by side, go on: so none spends what another has."""
        for outcome in outcomes:
            self.account(outcome)
        self.heard += len(outcomes)

    def account(self, outcome: Outcome) -> None:
        """Take note of what an outcome cost and of what it says about the run, here and in the runs around this one."""
        self.usage += outcome.usage
        self.lost += outcome.lost
        self.elapsed = max(self.elapsed, outcome.ended)
        self.signals.interrupted |= outcome.interrupted
        failure, kind = outcome.failure, outcome.failure.kind if outcome.failure else ""
        self.failing = self.failing + 1 if kind == "request" else self.failing * (outcome.usage.calls == 0)
        if failure and (kind in ("endpoint", "waiting", "journal") or self.failing == DEAD_AFTER):
            self.signals.failure = failure.after(self.signals.failure)
        if self.charge is not None:
            self.charge(outcome)
        elif outcome.config is not None:  # a fork's: it is of the outermost run's kind
            self._configure(cast("C", outcome.config))
        self.signals.overspent = budget.overspent(self.bound, self.usage + self.lost)

    def _denial(self, effect: Effect, outcome: Outcome) -> str | None:
        """The budget of the run that kept this effect from being done; its own cap on calls is none."""
        limit = outcome.failure.limit if outcome.failure else None
        own_cap = limit == "calls" and effect.allowance.calls >= self.config.caps.of(effect.phase)
        if own_cap and (outcome.lost == NOTHING or self.left().calls):  # else what was lost is missing from its cap
            return None
        return f"{limit}_exhausted" if limit else None
