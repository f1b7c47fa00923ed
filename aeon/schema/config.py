"""Every setting of a run, with its default and its range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from aeon.schema.frozen import Frozen, Written
from aeon.schema.policy import ReasoningEngine
from aeon.schema.usage import Budget, Price

__all__ = [
    "CallCaps",
    "Caps",
    "Config",
    "ConvergenceThresholds",
    "ModelTier",
    "Questions",
    "RefinementLimits",
    "Reserve",
    "Roles",
    "Settings",
]


ModelTier: TypeAlias = Literal["T0", "T1", "T2", "T3"]
"""How much a run may ask of models: nothing, no judge, as usual, or everything that its engine can have checked."""


class ConvergenceThresholds(Frozen):
    """Scores (0-1) that an assessment must reach for a run to count as converged.

    ``probability`` is that of the answer's being right, where recorded runs of the model say what it is.
    """

    completeness: float = Field(default=0.95, ge=0, le=1)
    coherence: float = Field(default=0.90, ge=0, le=1)
    consistency: float = Field(default=0.90, ge=0, le=1)
    probability: float = Field(default=0.75, ge=0, le=1)


class RefinementLimits(Frozen):
    """How much a plan may change, and how large it may get."""

    attempts_per_fragment: int = Field(default=3, ge=0)
    attempts: int = Field(default=10, ge=0, description="per run")
    subplan_depth: int = Field(default=5, ge=0)
    plan_steps: int = Field(default=12, ge=1, description="in a first plan")
    total_steps: int = Field(default=24, ge=1, description="over a whole run, replaced ones included")
    turns: int = Field(default=24, ge=1, description="of a model with tools, over a whole run")
    rounds: int = Field(default=16, ge=1, description="in which programs are written, over a whole run")
    turns_per_step: int = Field(default=12, ge=1, description="the last of which must answer")
    calls_per_turn: int = Field(default=16, ge=1, description="tool calls; those beyond are not made")

    @property
    def first_steps(self) -> int:
        """The most steps of a first plan."""
        return min(self.plan_steps, self.total_steps)


class Caps(Frozen):
    """Model calls that one effect of each phase may make, repairs and retries included: a field for each phase.

    An engine's own class names its phases. A person is asked without a model.
    """

    def of(self, phase: str) -> int:
        """The cap of an effect of this phase.

        Raises:
            KeyError: the caps know no such phase.
        """
        cap: int | None = 0 if phase == "ask" else vars(self).get(phase)
        if cap is None:
            raise KeyError(f"the caps say nothing of the phase '{phase}'")
        return cap


class CallCaps(Caps):
    """Model calls that one effect of each phase of the multi-pass engine may make, repairs and retries included.

    Each default bears the longest way through the module that answers the effect, where no request has to be retried;
    with the calls that find out what an endpoint can do, where the effect can be the first that asks a model: three,
    and of a run's first effect five. Steps are many, so theirs has no such calls: a step that comes first in a process
    asks in a way that every endpoint knows.
    """

    profile: int = Field(default=8, ge=0)
    plan: int = Field(default=7, ge=0)
    validate_plan: int = Field(default=7, ge=0)
    refine_plan: int = Field(default=7, ge=0)
    execute: int = Field(default=5, ge=0)
    turn: int = Field(default=3, ge=0)
    use_tool: int = Field(default=0, ge=0)
    write: int = Field(default=7, ge=0)
    run_program: int = Field(default=3, ge=0)
    weigh: int = Field(default=2, ge=0)
    validate_results: int = Field(default=8, ge=0)
    assess: int = Field(default=12, ge=0)
    synthesize: int = Field(default=3, ge=0)


class Questions(Frozen):
    """What a run may ask the person who set the task, and what it does where nobody can be asked.

    ``most`` caps the questions of a run. From this ``ambiguity`` (0-1) of a task on it is judged, and then asked.
    ``unattended`` says what becomes of a question that nobody is there to answer: ``assume`` takes its default and
    lists it under the assumptions, ``suspend`` ends the run for now, with the stop reason ``waiting``.
    ``unknown_outcome`` is for a tool that changes the world and was under way when the process ended: ``ask`` whether
    it was done, or ``stop``. It is never called again unasked.
    """

    most: int = Field(default=3, ge=0)
    ambiguity: float = Field(default=0.5, ge=0, le=1)
    unattended: Literal["assume", "suspend"] = "assume"
    unknown_outcome: Literal["ask", "stop"] = "ask"


class Reserve(Frozen):
    """The share (0-1) of each budget that is kept for the synthesis, so that every run can end in an answer."""

    tokens: float = Field(default=0.25, ge=0, le=1)
    seconds: float = Field(default=0.20, ge=0, le=1)
    cost: float = Field(default=0.10, ge=0, le=1)


class Roles(Written):
    """Models with a role of their own, each by its name, path or address; empty: the run's own model.

    ``same`` is the run's own model as well: it names a ``tutor`` or a ``peer``, which a run has only where it is named.
    """

    planner: str = Field(default="", description="drafts plans, classifies and profiles tasks")
    worker: str = Field(default="", description="executes steps, reads, samples and writes")
    verifier: str = Field(default="", description="validates, derives again and judges")
    tutor: str = Field(default="", description="does again what the worker could not settle")
    peer: str = Field(default="", description="reviews answers without seeing how they came about")

    @property
    def named(self) -> dict[str, str]:
        """The roles that have a model, each with what names it."""
        return {role: model for role, model in self if model}


class Settings(Written):
    """What every engine's configuration has; the most that a run may spend follows from it alone.

    ``prompt_bytes`` and ``output_tokens`` limit one model call, ``tool_output_bytes`` what one tool call gives.
    ``effects`` limits how many effects a run may issue, so that a program without end is stopped.
    ``prices`` are by the model's name; ``None`` says that a price is not known, and then neither is the cost.
    """

    budget: Budget = Budget()
    prices: dict[str, Price | None] = Field(
        default={}, description="US dollars per million tokens, by the model's name"
    )
    reserve: Reserve = Reserve()
    questions: Questions = Questions()
    caps: Caps = Caps()
    prompt_bytes: int = Field(default=48_000, ge=1_000)
    output_tokens: int = Field(default=1_024, ge=64)
    thought_tokens: int = Field(default=4_096, ge=0, description="more, of a model that thinks before it answers")
    tool_output_bytes: int = Field(default=16_384, ge=256)
    effects: int = Field(default=100_000, ge=1)
    roles: Roles = Roles()
    instructions: str = Field(default="", description="the user's own, in every prompt of the run")
    model_tier: ModelTier = Field(
        default="T2", description="T0: no model; T1: no judge; T3: with a tutor or a peer, and all derivations"
    )

    @property
    def generated_tokens(self) -> int:
        """The most tokens that one model call may generate, thoughts included."""
        return self.output_tokens + self.thought_tokens


class Config(Settings):
    """The configuration of a multi-pass run.

    ``max_passes`` is the global limit on passes (TTL); a task's profile may lower it, never raise it.
    """

    second_names: ClassVar[Mapping[str, str]] = {
        "reasoning_engine.decide.max_iterations": "max_passes",
        "reasoning_engine.decide.cost_budget": "budget.cost",
    }
    """The names of the reference for settings that Aeon has elsewhere."""

    max_passes: int = Field(default=10, ge=1, le=1000)
    convergence: ConvergenceThresholds = ConvergenceThresholds()
    brief: bool = Field(default=False, description="answer with the bare values, without a sentence around them")
    thorough: bool = Field(
        default=False,
        description="in the program form: profile every task in full, and plan it in steps",
    )
    derivations: int = Field(
        default=3, ge=1, description="in the program form: ways to an answer that are tried at most, until one leads"
    )
    form: Literal["auto", "tools", "program"] = Field(
        default="auto", description="how the model works: what was measured or the endpoint can, unless it is named"
    )
    limits: RefinementLimits = RefinementLimits()
    caps: CallCaps = CallCaps()
    reasoning_engine: ReasoningEngine = ReasoningEngine()
