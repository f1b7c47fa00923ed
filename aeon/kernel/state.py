"""Where a run stands. Phases change it; every effect is issued through ``perform``, the one place that can stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from aeon.kernel.budget import allowance, bound, exhausted, pass_limit
from aeon.kernel.decide import Signals, decide
from aeon.kernel.effects import AskUser, Batch, Effect, Note, Program
from aeon.kernel.refine import Attempts
from aeon.schema import (
    Allowance, Bound, Config, ConvergenceAssessment, Decision, Degradation, Evaluation, ExecutionPass, Failure,
    Left, Outcome, Phase, PhaseTiming, Plan, Preparation, Question, Reply, StopReason, Task, TaskProfile, Usage, Value,
)  # fmt: skip

__all__ = ["Halt", "State"]

E = TypeVar("E", bound=Effect)
R = TypeVar("R", bound=Value | None)


@dataclass(eq=False)
class Halt(Exception):
    """The decision table ended the run at a boundary."""

    decision: Decision


@dataclass(slots=True)
class State:
    """One run: what was asked, what is known, what was spent. All of it follows from the outcomes so far.

    ``settled`` and ``assessment`` are of the latest complete pass, number ``complete``, and ``timings`` of the
    pass under way; ``failure`` is one that the run cannot go on after; ``denied`` is the budget that refused an effect;
    ``question`` is the open one, ``asked`` counts them.
    """

    task: Task
    config: Config
    bound: Bound
    attempts: Attempts
    profile: TaskProfile = field(default_factory=lambda: TaskProfile(inferred=False))
    plan: Plan = field(default_factory=Plan)
    settled: Plan | None = None
    complete: int = 0
    assessment: ConvergenceAssessment | None = None
    usage: Usage = field(default_factory=Usage)
    elapsed: float = 0.0
    interrupted: bool = False
    failure: Failure | None = None
    denied: StopReason | None = None
    question: Question | None = None
    asked: int = 0
    preparation: Preparation = field(default_factory=Preparation)
    passes: list[ExecutionPass] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    timings: list[PhaseTiming] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)

    def decide(self, stalled: bool = False) -> Decision:
        """Ask the table, here and now."""
        engine = self.config.reasoning_engine
        return decide(Signals(
            interrupted=self.interrupted, failure=self.failure, question=self.question, stalled=stalled,
            confident=engine.confident(self.evaluations), diminishing=engine.diminishing(self.evaluations),
            converged=self.assessment is not None and self.assessment.converged,
            passes=self.complete, ttl=pass_limit(self.profile, self.config),
            exhausted=self.denied or exhausted(self.left()),
        ), engine.decide.order)  # fmt: skip

    def boundary(self, stalled: bool = False) -> None:
        """Stop here if the table says so, by raising ``Halt``."""
        if (decision := self.decide(stalled)).action == "OUTPUT":
            raise Halt(decision)

    def allow(self, phase: Phase, effects: int = 1, final: bool = False) -> Allowance:
        """What so many effects of this phase may spend now, together."""
        return allowance(self.left(final), effects * self.config.caps.of(phase))

    def left(self, final: bool = False) -> Left:
        """What is left of each budget, but for the reserve unless this is final."""
        return self.config.left(self.bound, self.usage, self.elapsed, final)

    def request(self, kind: type[E], allowance: Allowance, **fields: object) -> E:
        """An effect about this run's task."""
        return kind.made(task=self.task, allowance=allowance, **fields)

    def perform(self, kind: type[Effect], instead: R, **fields: object) -> Program[R]:
        """Issue one effect at a boundary; a failure is recorded, and ``instead`` stands in for its value."""
        self.boundary()
        effect = self.request(kind, self.allow(kind.phase), **fields)
        (outcome,) = yield from self.issue((effect,))
        if self.abandoned(effect, outcome):
            self.boundary()
        return self.value(effect, outcome, instead)

    @property
    def may_ask(self) -> bool:
        """Whether a question is left of those that the run may ask, and the latest evaluation sees a need."""
        needed = not self.evaluations or self.evaluations[-1].needs_clarification
        return needed and self.asked < self.config.questions.most

    def ask(self, question: Question) -> Program[Reply]:
        """Put a question at a boundary; one that was put before, or is one too many, has its default for an answer."""
        assumed, self.asked = Reply(text=question.default, assumed=True), self.asked + 1
        if self.asked > self.config.questions.most or self.task.answered(question):
            return assumed
        self.question = question
        yield Note.made(pass_number=len(self.passes), decision=self.decide())
        reply = yield from self.perform(AskUser, assumed, question=question)
        self.question, self.task = None, self.task.clarified(question, reply)
        return reply

    def value(self, effect: Effect, outcome: Outcome, instead: R) -> R:
        """The outcome's value; without one ``instead``, and the degradation on record."""
        if isinstance(outcome.value, effect.result):
            return cast("R", outcome.value)
        self.degraded.append(Degradation(phase=effect.phase, message=outcome.message))
        return instead

    def issue(self, effects: Sequence[Effect]) -> Program[tuple[Outcome, ...]]:
        """Issue effects at once and charge what they cost; failures are the caller's to judge."""
        outcomes = yield Batch.made(effects=tuple(effects))
        for effect, outcome in zip(effects, outcomes, strict=True):
            self.usage += outcome.usage
            self.elapsed = max(self.elapsed, outcome.ended)
            self.interrupted = self.interrupted or outcome.interrupted
            self.timings.append(PhaseTiming.made(phase=effect.phase, started=outcome.started, ended=outcome.ended))
            if outcome.config:
                self.config, self.bound = outcome.config, bound(outcome.config)
                self.attempts.limits = self.config.limits
            if outcome.failure:
                self.denied = self.denied or self.denial(effect, outcome)
                if outcome.failure.kind in ("endpoint", "waiting"):
                    self.failure = outcome.failure
        return outcomes

    def denial(self, effect: Effect, outcome: Outcome) -> StopReason | None:
        """The budget of the run that kept this effect from being done; its own cap on calls is none."""
        limit = outcome.failure.limit if outcome.failure else None
        own_cap = limit == "calls" and effect.allowance.calls >= self.config.caps.of(effect.phase)
        return cast("StopReason", f"{limit}_exhausted") if limit and not own_cap else None

    def abandoned(self, effect: Effect, outcome: Outcome) -> bool:
        """Whether the effect was not done for want of means or time, so that it still can be."""
        return outcome.undone or self.denial(effect, outcome) is not None

    def record(self, **changes: object) -> None:
        """Put what is new into the record of the pass under way."""
        self.passes[-1] = self.passes[-1].changed(**changes)
