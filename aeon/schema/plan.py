"""Plans: steps as data, and the deltas that change them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.value import Value

__all__ = [
    "Action",
    "Clarity",
    "Plan",
    "Reasoning",
    "RefinementAction",
    "Step",
    "StepInput",
    "StepMode",
    "StepResult",
    "StepStatus",
    "ToolCall",
    "Trigger",
    "fragment",
]

StepStatus = Literal["pending", "running", "complete", "failed", "invalid"]
Clarity = Literal["CLEAR", "PARTIALLY_CLEAR", "BLOCKED"]
StepMode = Literal["tool", "tool_repaired", "reasoning", "reasoning_fallback"]


class ToolCall(Value):
    """A step done by a tool.

    A string in ``arguments`` may hold references such as ``$s1``: the host puts that step's output in their place.
    ``arguments`` is ``None`` where they are written only when the step runs, with its inputs in view.
    """

    type: Literal["tool"] = "tool"
    tool: str
    arguments: JsonObject | None = None


class Reasoning(Value):
    """A step done by the model itself."""

    type: Literal["reasoning"] = "reasoning"


def fragment(step_id: str) -> str:
    """The fragment that a step belongs to: its id without the version, ``s2`` for ``s2_r1``."""
    return re.sub(r"_r\d+$", "", step_id)


Action = Annotated[ToolCall | Reasoning, Field(discriminator="type")]


_BAD_ENDS: dict[str, Literal["blocked", "failed_step"]] = {"invalid": "blocked", "failed": "failed_step"}


class Trigger(Value):
    """Why a refinement is asked for. It points at something that exists: a step id, ``plan`` or ``answer``."""

    kind: Literal["issue", "reason_code", "blocked", "failed_step", "ambiguous"]
    location: str
    detail: str


class Step(Value):
    """One step of a plan and where it stands. ``id``, ``index`` (1-based) and ``total`` are given by the host.

    ``incoming_context`` and ``handoff`` are filled when the step is issued. An executed step (complete, failed or
    invalid) never changes again, save that a complete one may become invalid.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    description: Annotated[str, Field(min_length=1)]
    action: Action = Reasoning()
    dependencies: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    index: Annotated[int, Field(ge=1)] = 1
    total: Annotated[int, Field(ge=1)] = 1
    incoming_context: str = ""
    handoff: str = ""
    status: StepStatus = "pending"
    output: JsonValue = None
    clarity: Clarity = "CLEAR"
    mode: StepMode | None = None
    problem: str = ""
    depth: Annotated[int, Field(ge=0, description="how many subplans it is nested in")] = 0

    @property
    def executed(self) -> bool:
        """Whether the step has run to an end, good or bad."""
        return self.status in ("complete", "failed", "invalid")

    @property
    def work(self) -> tuple[str, Action, tuple[str, ...]]:
        """What the step does, apart from its id and its state."""
        return self.description, self.action, self.dependencies

    @property
    def trigger(self) -> Trigger | None:
        """The reason to refine that this step is, if it ran to a bad end."""
        kind = _BAD_ENDS.get(self.status)
        return Trigger.made(kind=kind, location=self.id, detail=self.problem or kind) if kind else None

    def anew(self, step_id: str) -> Step:
        """The same work under another id, not yet done."""
        lasting = {"description", "action", "dependencies", "provides", "depth"}
        return Step.made(id=step_id, **{name: getattr(self, name) for name in lasting})

    def given(self, result: StepResult) -> Step:
        """The step after it gave this result: complete, or invalid if it was blocked."""
        status = "invalid" if result.clarity == "BLOCKED" else "complete"
        return self.changed(
            status=status, output=result.output, clarity=result.clarity, mode=result.mode, problem=result.problem
        )


class StepInput(Value):
    """The output of a step that another one depends on, under the names it may be referred to by.

    ``awaited``: it comes from a step of the same batch, when that is complete.
    """

    names: tuple[str, ...]
    description: str
    output: JsonValue = None
    awaited: bool = False


class Plan(Value):
    """Steps in order; what may run when follows from their dependencies."""

    steps: tuple[Step, ...] = ()

    def find(self, step_id: str) -> Step | None:
        """The step of that id, or ``None``."""
        return next((step for step in self.steps if step.id == step_id), None)

    def ready(self) -> tuple[Step, ...]:
        """Every pending step whose dependencies are complete, in plan order."""
        return next(self._waves(), ())

    def pending(self) -> tuple[str, ...]:
        """The ids of the steps that have not run."""
        return tuple(step.id for step in self._that_are("pending"))

    def _that_are(self, status: StepStatus) -> list[Step]:
        return [step for step in self.steps if step.status == status]

    def waves(self) -> tuple[tuple[Step, ...], ...]:
        """Every pending step that can run, now or after others of them: first those that can now, and so on."""
        return tuple(self._waves())

    def _waves(self) -> Iterator[tuple[Step, ...]]:
        done = {step.id for step in self._that_are("complete")}
        waiting = self._that_are("pending")
        while wave := tuple([step for step in waiting if done.issuperset(step.dependencies)]):
            yield wave
            done.update([step.id for step in wave])
            waiting = [step for step in waiting if step.id not in done]

    def placed(self, steps: Sequence[Step]) -> list[Step]:
        """These steps with what each needs to know of its place: incoming context and handoff."""
        after: dict[str, list[Step]] = {}
        for step in self.steps:
            for dependency in step.dependencies:
                after.setdefault(dependency, []).append(step)
        return [
            step.changed(incoming_context=_listed(self._dependencies(step)), handoff=_listed(after.get(step.id, ())))
            if step.dependencies or step.id in after
            else step
            for step in steps
        ]

    def inputs(self, step: Step) -> tuple[StepInput, ...]:
        """The outputs that a step builds on, named by step and by fragment."""
        if not step.dependencies:
            return ()
        return tuple(
            StepInput.made(
                names=tuple(dict.fromkeys((s.id, fragment(s.id)))),
                description=s.description,
                output=s.output,
                awaited=s.status != "complete",
            )
            for s in self._dependencies(step)
        )

    def _dependencies(self, step: Step) -> list[Step]:
        """The steps that this one depends on, in plan order."""
        return [s for s in self.steps if s.id in step.dependencies] if step.dependencies else []

    def merge(self, changed: Iterable[Step]) -> Plan:
        """The plan with these steps in the place of those with the same id."""
        by_id = {step.id: step for step in changed}
        return self.changed(steps=tuple(by_id.get(step.id, step) for step in self.steps))

    def invalidated(self, step: Step) -> Plan:
        """The plan with that step invalid, if it was complete."""
        return self.merge((step.changed(status="invalid"),)) if step.status == "complete" else self

    def rewired(self, moved: Mapping[str, str]) -> Plan:
        """The plan with pending steps that depend on an old id depending on the new one instead."""
        touched = (s for s in self.steps if not s.executed and moved.keys() & set(s.dependencies))
        return self.merge(s.changed(dependencies=tuple(moved.get(d, d) for d in s.dependencies)) for s in touched)

    def numbered(self) -> Plan:
        """The plan with the index and the total of each step as they stand."""
        total = len(self.steps)
        return self.changed(steps=tuple(s.changed(index=n, total=total) for n, s in enumerate(self.steps, 1)))

    def fresh_id(self, step_id: str) -> str:
        """The next free version of that step's fragment: ``s2_r1``, ``s2_r2`` and so on."""
        taken = {step.id for step in self.steps}
        return next(i for n in range(1, len(taken) + 2) if (i := f"{fragment(step_id)}_r{n}") not in taken)

    def results(self) -> str:
        """The outputs of the complete steps, word for word, one a line."""
        done = [(s.description, s.output) for s in self.steps if s.status == "complete"]
        return "\n".join(f"{what}: {out if isinstance(out, str) else json.dumps(out)}" for what, out in done)

    def triggers(self, executed: Iterable[str]) -> list[Trigger]:
        """The reasons to refine among the steps of these ids: those that were blocked or failed."""
        ran = frozenset(executed)
        return [found for step in self.steps if step.id in ran and (found := step.trigger)]

    def holds(self, trigger: Trigger) -> bool:
        """Whether the trigger points at something that exists: a step of this plan, the plan or the answer."""
        return trigger.location in ("plan", "answer") or self.find(trigger.location) is not None

    def does_already(self, action: RefinementAction) -> bool:
        """Whether the delta's steps do what its target does; without a target, what all pending steps do."""
        target = self.find(action.target) if action.target else None
        old = (target,) if target else tuple(step for step in self.steps if not step.executed)
        return [step.work for step in action.steps] == [step.work for step in old]

    def with_steps_of(self, action: RefinementAction, target: Step | None) -> Plan:
        """The plan with the delta's steps in their place; of those that it stands in for, the pending ones are gone."""
        pending = [] if action.type == "ADD" else self.pending()
        goes = {step_id for step_id in pending if target is None or target.id == step_id}
        kept = tuple(s for s in self.steps if s.id not in goes)
        at = len(kept)
        if target is not None:
            at = [s.id for s in self.steps].index(target.id) + (target.id not in goes)
        return Plan.made(steps=kept[:at] + action.steps + kept[at:])

    def draft_problems(self, most_steps: int) -> tuple[str, ...]:
        """What makes a plan unusable as a first one: all that makes any plan so, and steps that claim to have run."""
        claims = (f"step '{s.id}' claims to be {s.status}" for s in self.steps if s.status != "pending")
        return (*self.problems(most_steps), *claims)

    def problems(self, most_steps: int, most_depth: int = 0) -> tuple[str, ...]:
        """What makes the plan unusable: no steps, too many or too deep, ids used twice or dangling, or a cycle."""
        found = self._wrong_ids()
        if not self.steps:
            found.append("the plan has no steps")
        if len(self.steps) > most_steps:
            found.append(f"the plan has {len(self.steps)} steps, at most {most_steps} are allowed")
        if any(step.depth > most_depth for step in self.steps):
            found.append(f"subplans are nested deeper than {most_depth}")
        return tuple(found) or self._cycle()

    def _wrong_ids(self) -> list[str]:
        ids = Counter(step.id for step in self.steps)
        twice = [f"step id '{i}' is used {n} times" for i, n in ids.items() if n > 1]
        dangling = ((s.id, d) for s in self.steps for d in s.dependencies if d not in ids)
        return twice + [f"step '{i}' depends on '{d}', which does not exist" for i, d in dangling]

    def _cycle(self) -> tuple[str, ...]:
        before: set[str] = set()
        for step in self.steps:
            if not before.issuperset(step.dependencies):
                break
            before.add(step.id)
        else:
            return ()  # each comes after those that it depends on, as is usual
        waiting = {step.id: set(step.dependencies) for step in self.steps}
        while free := [step_id for step_id, needs in waiting.items() if not needs & waiting.keys()]:
            for step_id in free:
                del waiting[step_id]
        return (f"these steps depend on each other in a circle: {', '.join(sorted(waiting))}",) if waiting else ()


def _listed(steps: Iterable[Step]) -> str:
    return "; ".join(f"{step.id}: {step.description}" for step in steps)


class StepResult(Value):
    """What a step gave. ``mode`` says how: by its tool, by the tool after its call was mended, or by reasoning."""

    output: JsonValue
    clarity: Clarity = "CLEAR"
    mode: StepMode = "reasoning"
    problem: Annotated[str, Field(description="what is missing or went wrong, in words")] = ""
    cut: Annotated[bool, Field(description="whether the output was cut at the byte cap")] = False


class RefinementAction(Value):
    """One delta. Steps that have run are never edited: REPLACE or MODIFY on one marks it invalid and adds anew.

    ADD puts ``steps`` behind ``target`` (at the end without one). MODIFY and REMOVE take one pending ``target``.
    REPLACE puts ``steps`` in the place of ``target``; without a target it replaces all that has not run.
    """

    type: Literal["ADD", "MODIFY", "REMOVE", "REPLACE"]
    target: str | None = None
    steps: tuple[Step, ...] = ()
    justification: str = ""

    @property
    def fragment(self) -> str:
        """The fragment that its attempts count for: its target's, or ``plan`` without one."""
        return fragment(self.target or "plan")

    def unfit(self, target: Step | None) -> str:
        """Why this delta cannot be tried on its target at all, or nothing."""
        return next((reason for unfit, reason in _UNFIT if unfit(self, target)), "")


_UNFIT: tuple[tuple[Callable[[RefinementAction, Step | None], bool], str], ...] = (
    (lambda a, target: a.target is not None and target is None, "there is no such step"),
    (lambda a, target: a.type in ("MODIFY", "REMOVE") and (not target or target.executed), "that step has run"),
    (lambda a, target: (a.type == "REMOVE") == bool(a.steps), "only REMOVE, and always REMOVE, comes without steps"),
    (lambda a, target: a.type == "MODIFY" and [s.id for s in a.steps] != [a.target], "MODIFY keeps the step's id"),
    (lambda a, target: any(s.status != "pending" for s in a.steps), "a new step cannot have run"),
)
