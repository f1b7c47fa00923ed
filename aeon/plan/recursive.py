"""The planner: drafts a plan, and replaces the steps that triggers point at."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import Field, JsonValue, RootModel

from aeon.kernel.effects import DraftPlan, RefinePlan
from aeon.plan.deltas import MOST_NEW_STEPS, refinement_faults, refinement_schema, targets, to_action
from aeon.plan.schema import faults, plan_schema, to_step
from aeon.schema import Frozen, JsonObject, Plan, Refinement, Step
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.registry import ToolRegistry

__all__ = ["RecursivePlanner"]

_TOKENS_PER_STEP = 80
_LONGEST_OUTPUT = 300
_LONGEST_TASK = 1_000


class _Object(RootModel[dict[str, JsonValue]]):
    """What the model wrote, already valid against the schema it was asked for."""


class _Question(Frozen):
    question: str = Field(min_length=5, max_length=200)


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
            check=lambda raw: faults(_steps(raw.root), (), self._tools),
        )
        return Plan(steps=tuple(_steps(reply.value.root)))

    async def refine(self, effect: RefinePlan) -> Refinement:
        """Up to three new steps in the place of one that a trigger points at; nothing where no new step fits.

        Where a step was blocked, also the question whose answer would unblock it. The repairs that a validator proposed
        are shown to the model as advice; they are kept as advisories, since the planner's own change goes before them.

        Raises:
            CompletionError: no usable change came out, repairs included.
        """
        if effect.most_steps < 1:
            return Refinement(advisories=("the plan is full: no further step fits",))
        problems = fence("problems", "\n".join(f"{t.location}: {t.detail}" for t in effect.triggers), 1_500)
        question = render(
            load("aeon.plan", "refine.md"),
            plan=fence("plan", _described(effect.plan), 5_000),
            triggers=problems,
            advice=fence("advice", "\n".join(effect.repairs), 600) if effect.repairs else "",
        )
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question),
            _Object,
            schema=refinement_schema(self._tools, targets(effect), min(MOST_NEW_STEPS, effect.most_steps)),
            max_tokens=_TOKENS_PER_STEP * (MOST_NEW_STEPS + 1),
            check=lambda raw: refinement_faults(effect.plan, raw.root, self._tools),
        )
        questions = await self._question(effect, problems) if any(t.kind == "blocked" for t in effect.triggers) else ()
        action = to_action(effect.plan, reply.value.root)
        return Refinement(actions=(action,), advisories=effect.repairs, questions=questions)

    async def _question(self, effect: RefinePlan, problems: str) -> tuple[str, ...]:
        prompt = self._briefing.prompt(effect.task, render(load("aeon.plan", "question.md"), problems=problems))
        reply = await self._supervisor.structured(prompt, _Question, max_tokens=100)
        return (reply.value.question,)


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
