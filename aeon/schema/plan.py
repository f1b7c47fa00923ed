"""Plans: steps as data, and the deltas that change them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import Frozen, JsonObject, JsonValue

__all__ = [
    "Action",
    "Clarity",
    "Plan",
    "Reasoning",
    "RefinementAction",
    "Step",
    "StepMode",
    "StepResult",
    "StepStatus",
    "ToolCall",
]

StepStatus = Literal["pending", "running", "complete", "failed", "invalid"]
Clarity = Literal["CLEAR", "PARTIALLY_CLEAR", "BLOCKED"]
StepMode = Literal["tool", "tool_repaired", "reasoning", "reasoning_fallback"]


class ToolCall(Frozen):
    """A step done by a tool.

    A string in ``arguments`` may hold references such as ``$s1``: the host puts that step's output in their place.
    ``arguments`` is ``None`` where they are written only when the step runs, with its inputs in view.
    """

    type: Literal["tool"] = "tool"
    tool: str
    arguments: JsonObject | None = None


class Reasoning(Frozen):
    """A step done by the model itself."""

    type: Literal["reasoning"] = "reasoning"


Action = Annotated[ToolCall | Reasoning, Field(discriminator="type")]


class Step(Frozen):
    """One step of a plan and where it stands. ``id``, ``index`` (1-based) and ``total`` are given by the host.

    ``incoming_context`` and ``handoff`` are filled when the step is issued. An executed step (complete, failed or
    invalid) never changes again, save that a complete one may become invalid.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)
    description: str = Field(min_length=1)
    action: Action = Reasoning()
    dependencies: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    index: int = Field(1, ge=1)
    total: int = Field(1, ge=1)
    incoming_context: str = ""
    handoff: str = ""
    status: StepStatus = "pending"
    output: JsonValue = None
    clarity: Clarity = "CLEAR"
    mode: StepMode | None = None
    problem: str = ""
    depth: int = Field(0, ge=0, description="how many subplans it is nested in")

    @property
    def executed(self) -> bool:
        """Whether the step has run to an end, good or bad."""
        return self.status in ("complete", "failed", "invalid")


class Plan(Frozen):
    """Steps in order; what may run when follows from their dependencies."""

    steps: tuple[Step, ...] = ()

    def find(self, step_id: str) -> Step | None:
        """The step of that id, or ``None``."""
        return next((step for step in self.steps if step.id == step_id), None)

    def ready(self) -> tuple[Step, ...]:
        """Every pending step whose dependencies are complete, in plan order."""
        done = {step.id for step in self.steps if step.status == "complete"}
        return tuple(s for s in self.steps if s.status == "pending" and done.issuperset(s.dependencies))


class StepResult(Frozen):
    """What a step gave. ``mode`` says how: by its tool, by the tool after its call was mended, or by reasoning."""

    output: JsonValue
    clarity: Clarity = "CLEAR"
    mode: StepMode = "reasoning"
    problem: str = Field("", description="what is missing or went wrong, in words")
    cut: bool = Field(False, description="whether the output was cut at the byte cap")


class RefinementAction(Frozen):
    """One delta. Steps that have run are never edited: REPLACE or MODIFY on one marks it invalid and adds anew.

    ADD puts ``steps`` behind ``target`` (at the end without one). MODIFY and REMOVE take one pending ``target``.
    REPLACE puts ``steps`` in the place of ``target``; without a target it replaces all that has not run.
    """

    type: Literal["ADD", "MODIFY", "REMOVE", "REPLACE"]
    target: str | None = None
    steps: tuple[Step, ...] = ()
    justification: str = ""
