"""Every setting of a run, with its default and its range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from aeon.schema.frozen import Frozen
from aeon.schema.plan import Step
from aeon.schema.policy import ReasoningEngine
from aeon.schema.usage import Allowance, Bound, Budget, Left, Price, Usage

__all__ = ["CallCaps", "Config", "ConvergenceThresholds", "Questions", "RefinementLimits", "Reserve"]


class ConvergenceThresholds(Frozen):
    """Scores (0-1) that an assessment must reach for a run to count as converged."""

    completeness: float = Field(0.95, ge=0, le=1)
    coherence: float = Field(0.90, ge=0, le=1)
    consistency: float = Field(0.90, ge=0, le=1)


class RefinementLimits(Frozen):
    """How much a plan may change, and how large it may get."""

    attempts_per_fragment: int = Field(3, ge=0)
    attempts: int = Field(10, ge=0, description="per run")
    subplan_depth: int = Field(5, ge=0)
    plan_steps: int = Field(12, ge=1, description="in a first plan")
    total_steps: int = Field(24, ge=1, description="over a whole run, replaced ones included")


class CallCaps(Frozen):
    """Model calls that one effect of each kind may make, repairs and retries included.

    Each default is the longest way through the module that answers the effect, where no request has to be retried;
    with three calls to find out what the endpoint can do, where the effect can be the first that asks a model. Steps
    are many, so theirs has no such calls: a step that comes first in a process asks in a way that every endpoint knows.
    """

    profile: int = Field(6, ge=0)
    plan: int = Field(7, ge=0)
    validate_plan: int = Field(7, ge=0)
    refine_plan: int = Field(8, ge=0)
    execute: int = Field(5, ge=0)
    validate_results: int = Field(8, ge=0)
    assess: int = Field(12, ge=0)
    synthesize: int = Field(3, ge=0)

    def of(self, phase: str) -> int:
        """The cap of an effect of this phase; 0 for one that asks no model."""
        cap: int = getattr(self, phase, 0)
        return cap


class Questions(Frozen):
    """What a run may ask the person who set the task, and what it does where nobody can be asked.

    ``most`` caps the questions of a run. From this ``ambiguity`` (0-1) of a task on it is judged, and then asked.
    ``unattended`` says what becomes of a question that nobody is there to answer: ``assume`` takes its default and
    lists it under the assumptions, ``suspend`` ends the run for now, with the stop reason ``waiting``.
    ``unknown_outcome`` is for a tool that changes the world and was under way when the process ended: ``ask`` whether
    it was done, or ``stop``. It is never called again unasked.
    """

    most: int = Field(3, ge=0)
    ambiguity: float = Field(0.5, ge=0, le=1)
    unattended: Literal["assume", "suspend"] = "assume"
    unknown_outcome: Literal["ask", "stop"] = "ask"


class Reserve(Frozen):
    """The share (0-1) of each budget that is kept for the synthesis, so that every run can end in an answer."""

    tokens: float = Field(0.25, ge=0, le=1)
    seconds: float = Field(0.20, ge=0, le=1)
    cost: float = Field(0.10, ge=0, le=1)


_NOTHING = Reserve(tokens=0, seconds=0, cost=0)


class Config(Frozen):
    """The configuration of a run; the most that a run may spend follows from it alone.

    ``max_passes`` is the global limit on passes (TTL); a task's profile may lower it, never raise it.
    ``prompt_bytes`` and ``output_tokens`` limit one model call. ``prices`` are by the model's name; ``None`` says that
    a price is not known, and then neither is the cost.
    """

    max_passes: int = Field(10, ge=1, le=1000)
    budget: Budget = Budget()
    prices: dict[str, Price | None] = Field({}, description="US dollars per million tokens, by the model's name")
    convergence: ConvergenceThresholds = ConvergenceThresholds()
    limits: RefinementLimits = RefinementLimits()
    caps: CallCaps = CallCaps()
    reserve: Reserve = Reserve()
    questions: Questions = Questions()
    reasoning_engine: ReasoningEngine = ReasoningEngine()
    prompt_bytes: int = Field(20_000, ge=1_000)
    output_tokens: int = Field(1_024, ge=64)
    tool_output_bytes: int = Field(16_384, ge=256)

    def left(self, most: Bound, spent: Usage, elapsed: float, final: bool = False) -> Left:
        """What is left of each budget but for the reserve, or with it where this is ``final``."""
        budget, kept = self.budget, _NOTHING if final else self.reserve
        return Left(
            max(0, most.calls - spent.calls - (0 if final else self.caps.synthesize)),
            None if budget.tokens is None else max(0, int(budget.tokens * (1 - kept.tokens)) - spent.tokens),
            None if budget.seconds is None else max(0.0, budget.seconds * (1 - kept.seconds) - elapsed),
            None if budget.cost is None else max(0.0, budget.cost * (1 - kept.cost) - spent.cost),
        )

    def afford(
        self, waves: Sequence[Sequence[Step]], left: Allowance, spent: Usage
    ) -> tuple[tuple[Step, ...], list[Allowance]]:
        """The steps to issue together, and the share of each in what is left.

        They are all those of the first wave, and as many of the later ones as are borne if each step spends all that it
        may, at the price that a call has had so far: so no step goes without for another that may need less.
        """
        price = spent.cost / spent.calls if spent.calls else 0.0
        fit = left.shares(self.caps.execute, self.prompt_bytes + self.output_tokens, price)
        steps = tuple(step for wave in waves for step in wave)[: max(len(waves[0]), fit)]
        return steps, left.split(len(steps), self.caps.execute)
