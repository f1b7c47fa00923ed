"""The planner: drafts a plan, and replaces the steps that triggers point at."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, JsonValue, RootModel

from aeon.errors import CompletionError
from aeon.kernel.effects import DraftPlan, RefinePlan
from aeon.plan.deltas import MOST_NEW_STEPS, refinement_faults, refinement_schema, targets, to_action
from aeon.plan.schema import faults, plan_schema, to_step
from aeon.plan.strategy import constraints, query_schema, query_words
from aeon.schema import Frozen, JsonObject, Plan, Question, Refine, RefinedQuery, Refinement, Step
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.registry import ToolRegistry

__all__ = ["RecursivePlanner"]

_TOKENS_PER_STEP = 80
_LONGEST_OUTPUT = 300
_LONGEST_TASK = 1_000
_LONGEST_PROBLEMS = 1_500
_QUESTION_TOKENS = 200


class _Object(RootModel[dict[str, JsonValue]]):
    """What the model wrote, already valid against the schema it was asked for."""


class _Question(Frozen):
    """A question with answers to choose from, and the one that is taken where nobody answers."""

    question: str = Field(min_length=5, max_length=200)
    options: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(max_length=4)
    default: str = Field(min_length=1, max_length=120)


class RecursivePlanner:
    """Drafts and refines plans out of the tools there are."""

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, tools: ToolRegistry, policy: Refine | None = None
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools
        self._policy = policy or Refine()
        self._judge = Judge(supervisor, unmeasured_decides=True)

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

        Where a step was blocked or the task is ambiguous, and a question may be asked, it is the question whose answer
        would settle what is missing instead. The repairs that a validator proposed are shown to the model as advice;
        they are kept as advisories, since the planner's own change goes before them.

        Raises:
            CompletionError: no usable change came out, repairs included.
        """
        if effect.most_steps < 1:
            return Refinement(advisories=("the plan is full: no further step fits",))
        with contextlib.suppress(CompletionError):  # without a usable question, the plan is changed as it is
            if effect.may_ask and await self._must_ask(effect):
                return Refinement(question=await self._question(effect))
        if {trigger.kind for trigger in effect.triggers} == {"ambiguous"} and not effect.task.clarifications:
            return Refinement()  # it is clear enough after all
        problems = fence("problems", "\n".join(f"{t.location}: {t.detail}" for t in effect.triggers), _LONGEST_PROBLEMS)
        query = await self._query(effect)
        question = render(
            load("aeon.plan", "refine.md"),
            strategy=constraints(effect.strategy, effect.evaluation, query),
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
        action = to_action(effect.plan, reply.value.root)
        return Refinement(actions=(action,), advisories=effect.repairs, query=query)

    async def _query(self, effect: RefinePlan) -> RefinedQuery | None:
        """The task, worded anew for the strategy; without one, or where that is switched off, nothing."""
        if effect.strategy is None or not self._policy.allow_query_rewrite:
            return None
        schema = query_schema(self._policy)
        text = render(load("aeon.plan", "query.md"), **query_words(effect.strategy, effect.evaluation, self._policy))
        try:
            reply = await self._supervisor.structured(
                self._briefing.prompt(effect.task, text), _Object, schema=schema, max_tokens=_QUESTION_TOKENS
            )
        except CompletionError:
            return None  # the strategy still holds
        return RefinedQuery.model_validate(
            {"original_query": effect.task.text, "strategy_used": effect.strategy, **reply.value.root}
        )

    async def _must_ask(self, effect: RefinePlan) -> bool:
        """Whether a step is blocked, or the task is judged to be vague; what a profile says of that is a first hint."""
        kinds = {trigger.kind for trigger in effect.triggers}
        if "blocked" in kinds or "ambiguous" not in kinds:
            return "blocked" in kinds
        vague = await self._judge.says_yes(judgment("task_vague"), {"task": effect.task.text})
        return bool(vague)

    async def _question(self, effect: RefinePlan) -> Question:
        problems = fence("problems", "\n".join(t.detail for t in effect.triggers), _LONGEST_PROBLEMS)
        text = render(load("aeon.plan", "question.md"), problems=problems, task=cut(effect.task.text, _LONGEST_TASK))
        prompt = self._briefing.prompt(effect.task, text)
        reply = await self._supervisor.structured(prompt, _Question, max_tokens=_QUESTION_TOKENS)
        asked = reply.value
        return Question(text=asked.question, options=tuple(dict.fromkeys(asked.options)), default=asked.default)


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
