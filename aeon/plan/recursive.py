"""The planner: drafts a plan, and replaces the steps that triggers point at."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import JsonValue, RootModel

from aeon.kernel.effects import DraftPlan, RefinePlan
from aeon.plan.schema import faults, plan_schema, step_schema, to_step
from aeon.schema import JsonObject, Plan, Refinement, RefinementAction, Step, fragment
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.registry import ToolRegistry

__all__ = ["RecursivePlanner"]

_TOKENS_PER_STEP = 90
_LONGEST_OUTPUT = 300
_LONGEST_TASK = 1_000


class _Object(RootModel[dict[str, JsonValue]]):
    """What the model wrote, already valid against the schema it was asked for."""


class RecursivePlanner:
    """Drafts and refines plans out of the tools there are."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, tools: ToolRegistry) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools

    async def draft(self, effect: DraftPlan) -> Plan:
        """A plan for the effect's task: about as many steps as its profile expects, never more than allowed.

        Raises:
            CompletionError: no sound plan came out, repairs included.
        """
        most = min(effect.most_steps, effect.profile.expected_step_count + 3)
        question = render(
            load("aeon.plan", "draft.md"),
            most=str(most),
            examples=_examples(self._tools.names),
            task=cut(effect.task.text, _LONGEST_TASK),
        )
        enforced = (await self._supervisor.capabilities()).json_schema
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question),
            _Object,
            schema=plan_schema(self._tools, most, enforced),
            max_tokens=_TOKENS_PER_STEP * most,
            check=lambda raw: self._plan_faults(_steps(raw.root)),
        )
        return Plan(steps=tuple(_steps(reply.value.root)))

    async def refine(self, effect: RefinePlan) -> Refinement:
        """One new step in the place of one that a trigger points at; nothing where no new step fits.

        Raises:
            CompletionError: no usable step came out, repairs included.
        """
        if effect.most_steps < 1:
            return Refinement(advisories=("the plan is full: no further step fits",))
        targets = _targets(effect)
        question = render(
            load("aeon.plan", "refine.md"),
            plan=fence("plan", _described(effect.plan), 5_000),
            triggers=fence("problems", "\n".join(f"{t.location}: {t.detail}" for t in effect.triggers), 1_500),
            advice=fence("advice", "\n".join(effect.repairs), 600) if effect.repairs else "",
        )
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question),
            _Object,
            schema=_refinement_schema(self._tools, targets),
            max_tokens=_TOKENS_PER_STEP * 3,
            check=lambda raw: self._refinement_faults(effect.plan, raw.root),
        )
        return Refinement(actions=(_action(effect.plan, reply.value.root),), advisories=effect.repairs)

    def _plan_faults(self, steps: Sequence[Step]) -> list[str]:
        return faults(steps, (), self._tools)

    def _refinement_faults(self, plan: Plan, raw: JsonObject) -> list[str]:
        action = _action(plan, raw)
        return faults(action.steps, _earlier(plan, action.target), self._tools)


def _examples(names: Sequence[str]) -> str:
    """Worked plans for other tasks, those that need no tool but the ones there are."""
    every: list[dict[str, list[str]]] = json.loads(load("aeon.plan", "examples.json"))
    chosen = [example for example in every if set(example["tools"]) <= set(names)]
    return "\n".join(f"Task: {e['task']}\nPlan: {json.dumps(e['plan'])}" for e in chosen)


def _described(plan: Plan) -> str:
    """The plan for a prompt: each step with its tool, arguments, status and output."""
    return "\n".join(_line(step) for step in plan.steps)


def _line(step: Step) -> str:
    how = "reasoning"
    if step.action.type == "tool":
        how = f"{step.action.tool} {step.action.arguments or ''}".strip()
    gave = f" = {cut(str(step.output), _LONGEST_OUTPUT)}" if step.output is not None else ""
    problem = f" ({step.problem})" if step.problem else ""
    return f"{step.id} [{step.status}] {step.description} | {how}{gave}{problem}"


def _steps(raw: JsonObject) -> list[Step]:
    """The steps in order; from the first that says the same again word for word, what follows says nothing new."""
    steps: list[Step] = []
    for step in raw.values():
        if isinstance(step, dict):
            new = to_step(step, f"s{len(steps) + 1}", [s.id for s in steps])
            if any((new.description, new.action) == (s.description, s.action) for s in steps):
                break
            steps.append(new)
    return steps


def _targets(effect: RefinePlan) -> list[str]:
    """The steps that may be changed: those that triggers name; if none does, every current one."""
    current = [step.id for step in effect.plan.steps if step.status != "invalid"]
    named = [t.location for t in effect.triggers if effect.plan.find(t.location)]
    return list(dict.fromkeys(named)) or [*current, "new"]


def _refinement_schema(tools: ToolRegistry, targets: Sequence[str]) -> JsonObject:
    return {
        "type": "object",
        "properties": {
            "problem": {"type": "string", "maxLength": 200},
            "change": {"enum": list(targets)},
            "step": step_schema(tools),
        },
        "required": ["problem", "change", "step"],
        "additionalProperties": False,
    }


def _action(plan: Plan, raw: JsonObject) -> RefinementAction:
    """The delta that a model's words mean; ids are the host's."""
    target = plan.find(str(raw["change"]))
    step = raw["step"] if isinstance(raw["step"], dict) else {}
    why = str(raw["problem"])
    earlier = _earlier(plan, target.id if target else None)
    if target is None:
        new = to_step(step, plan.fresh_id(f"s{len({fragment(s.id) for s in plan.steps}) + 1}"), earlier)
        return RefinementAction(type="ADD", steps=(new,), justification=why)
    new = to_step(step, plan.fresh_id(target.id) if target.executed else target.id, earlier, target.depth)
    return RefinementAction(
        type="REPLACE" if target.executed else "MODIFY", target=target.id, steps=(new,), justification=why
    )


def _earlier(plan: Plan, target: str | None) -> list[str]:
    """The steps that a new one in the place of ``target`` (at the end without one) may build on."""
    at = plan.find(target) if target else None
    return [s.id for s in plan.steps if s.status not in ("invalid", "failed") and (at is None or s.index < at.index)]
