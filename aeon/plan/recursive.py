"""The planner: drafts a plan, and replaces the steps that triggers point at."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, TypedDict

from pydantic import Field, JsonValue, RootModel

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.multipass.effects import DraftPlan, RefinePlan
from aeon.plan.deltas import MOST_NEW_STEPS, refinement_faults, refinement_schema, targets, to_action
from aeon.plan.earlier import earlier
from aeon.plan.program import leaves_out, numbers, planned
from aeon.plan.programmer import Programmer
from aeon.plan.reader import CALCULATOR
from aeon.plan.schema import faults, plan_schema, to_step
from aeon.plan.strategy import constraints, query_schema, query_words
from aeon.runtime.ledger import current_ledger
from aeon.schema import Frozen, JsonObject, Plan, Question, Refine, RefinedQuery, Refinement, Step, Task, Writing
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
_PROGRAM_TOKENS = 400
_THOUGHT_TOKENS = 500
_LONGEST_THOUGHT = 3_000
_LEAST_CALLS = 2
_CHANGE_CALLS = 3
"""Calls that a change of the plan can take; what is asked before it must leave them."""
_LEFT_OUT = "it leaves out a number of the task"
_SAMPLES = 3
_COMMON = 100
_HUNDRED = re.compile(r"(?<![\d.,])100 ?(?:%|per ?cent\b)", re.IGNORECASE)
"""Whole numbers up to this one may be meant without being written: a dozen, the days of a month, percent."""


class _Object(RootModel[dict[str, JsonValue]]):
    """What the model wrote, already valid against the schema it was asked for."""


class _Example(TypedDict):
    """A worked plan for another task, and the tools that it needs."""

    task: str
    tools: list[str]
    plan: JsonObject


class _Question(Frozen):
    """A question with answers to choose from, and the one that is taken where nobody answers."""

    question: str = Field(min_length=5, max_length=200)
    options: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(max_length=4)
    default: str = Field(min_length=1, max_length=120)


class RecursivePlanner:
    """Drafts and refines plans out of the tools there are.

    Where nothing but files and the calculator is there, a plan is a short program, or a text to be written;
    ``thorough`` plans every task in steps. With more than one of ``derivations`` a query is held against a second one.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        briefing: Briefing,
        tools: ToolRegistry,
        policy: Refine | None = None,
        thorough: bool = False,
        derivations: int = 1,
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools
        self._policy = policy or Refine()
        self._judge = Judge(supervisor, samples=_SAMPLES)
        programmer = Programmer(supervisor, tools, twice=derivations > 1)
        self._programmer = programmer if programmer.able and not thorough else None

    async def draft(self, effect: DraftPlan) -> Plan:
        """A plan for the effect's task, never with more steps than allowed.

        Where the task gives numbers and there is a calculator, it is first asked for as a program; where that gives no
        plan, as steps, about as many as the profile expects.

        Raises:
            CompletionError: no sound plan came out, repairs included.
        """
        return await self._from_program(effect) or await self._as_steps(effect)

    async def _from_program(self, effect: DraftPlan) -> Plan | None:
        """The plan that a program means; None where it means none, or where there is no second call to fall back on.

        A program of formulas that leaves out a number of the task is wrong more often than not: then the task is
        thought through in words, and the program that is made of these, if it is a plan, takes the first one's place.
        """
        figures = _figures(effect.task)
        programs = self._programmer or (figures and CALCULATOR in self._tools.names)
        if not programs or current_ledger().calls_left() < _LEAST_CALLS:
            return None
        plan = await self._program(effect)
        figures -= _whole(effect.task)
        if not leaves_out(plan.steps, figures) or current_ledger().calls_left() < _LEAST_CALLS:
            return plan if plan.steps else None
        second = await self._from_thought(effect)
        best = second if _calculates(second) else plan
        return best.changed(doubts=(*best.doubts, _LEFT_OUT)) if leaves_out(best.steps, figures) else best

    async def _from_thought(self, effect: DraftPlan) -> Plan:
        """The plan of a program that is made of the task's being thought through in words; empty where none can be."""
        thought = await self._once(effect.task, load("aeon.plan", "thought.md"), _THOUGHT_TOKENS)
        second = await self._program(effect, thought) if thought else Plan()
        return second.changed(steps=_mark(second.steps))

    async def _program(self, effect: DraftPlan, thought: str = "") -> Plan:
        """The plan of a program that the model writes for the task, with the help of its thoughts if there are any."""
        before = earlier(effect)
        if self._programmer:
            return await self._programmer.plan(effect.task, effect.most_steps, thought, before)
        thoughts = fence("thoughts", thought, _LONGEST_THOUGHT) if thought else ""
        question = "\n\n".join(filter(None, (thoughts, before, load("aeon.plan", "program.md"))))
        code = await self._once(effect.task, question, _PROGRAM_TOKENS)
        return Plan(steps=planned(code, _figures(effect.task), effect.most_steps, self._tools).steps)

    async def _once(self, task: Task, question: str, most: int) -> str:
        """Ask the model once, without repair, and return its text; empty if it is not usable."""
        try:
            reply = await self._supervisor.text(self._briefing.prompt(task, question), max_tokens=most, repairs=0)
            return reply.value
        except (CompletionError, AllowanceExhausted):
            return ""

    async def _as_steps(self, effect: DraftPlan) -> Plan:
        """The plan as an object of steps, for whatever the tools and reasoning can do."""
        most = min(effect.most_steps, effect.profile.expected_step_count + 3)
        figures, examples = _figures(effect.task), _examples(self._tools.offered)
        prompt_examples = examples if figures else [e for e in examples if e["tools"] != [CALCULATOR]]
        question = render(
            load("aeon.plan", "draft.md"),
            most=str(most),
            examples="\n".join(f"Task: {e['task']}\nPlan: {json.dumps(e['plan'])}" for e in prompt_examples),
            task=cut(effect.task.text, _LONGEST_TASK),
        )
        enforced = (await self._supervisor.capabilities()).json_schema
        before = earlier(effect)
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, f"{before}\n\n{question}" if before else question),
            _Object,
            schema=plan_schema(self._tools, most, enforced),
            max_tokens=_TOKENS_PER_STEP * most,
            check=lambda raw: self._faults(_steps(raw.root, self._tools), figures, examples),
        )
        return Plan(steps=tuple(_steps(reply.value.root, self._tools)))

    def _faults(self, steps: Sequence[Step], figures: frozenset[Decimal], examples: Sequence[_Example]) -> list[str]:
        """The faults that keep the steps from running, and the numbers copied from a worked plan for another task."""
        problems = faults(steps, (), self._tools)
        foreign = numbers(" ".join(str(example["task"]) for example in examples)) - figures
        for step in steps:
            taken = sorted(number for number in numbers(_arguments(step)) & foreign if number > _COMMON or number % 1)
            problems += [f"step {step.id} works with {number}, which is not in the task" for number in taken]
        return problems

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
            if effect.may_ask and await self._must_ask(effect) and _spare(2):
                return Refinement(question=await self._question(effect))
        if {trigger.kind for trigger in effect.triggers} == {"ambiguous"} and not effect.task.clarifications:
            return Refinement()  # it is clear enough after all
        problems = fence("problems", "\n".join(f"{t.location}: {t.detail}" for t in effect.triggers), _LONGEST_PROBLEMS)
        query = await self._query(effect)
        question = render(
            load("aeon.plan", "refine.md"),
            strategy=constraints(effect.strategy, effect.evaluation, query),
            plan=fence("plan", _describe(effect.plan), 5_000),
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
        action = to_action(effect.plan, reply.value.root, self._tools)
        return Refinement(actions=(action,), advisories=effect.repairs, query=query)

    async def _query(self, effect: RefinePlan) -> RefinedQuery | None:
        """The task, worded anew for the strategy; without one, or where that is switched off, nothing."""
        if effect.strategy is None or not self._policy.allow_query_rewrite or not _spare(2):
            return None
        schema = query_schema(self._policy)
        text = render(load("aeon.plan", "query.md"), **query_words(effect.strategy, effect.evaluation, self._policy))
        try:
            reply = await self._supervisor.structured(
                self._briefing.prompt(effect.task, text),
                _Object,
                schema=schema,
                max_tokens=_QUESTION_TOKENS,
                repairs=1,
            )
        except CompletionError:
            return None  # the strategy still holds
        return RefinedQuery.model_validate(
            {"original_query": effect.task.text, "strategy_used": effect.strategy, **reply.value.root}
        )

    async def _must_ask(self, effect: RefinePlan) -> bool:
        """Whether a step is blocked, or the task was judged to be vague.

        The profile's ambiguity is that judgment where it may decide; elsewhere it is a word that puts no question.
        """
        kinds = {trigger.kind for trigger in effect.triggers}
        if "blocked" in kinds or "ambiguous" not in kinds:
            return "blocked" in kinds
        return await self._judge.decides(judgment("task_vague"))

    async def _question(self, effect: RefinePlan) -> Question:
        problems = fence("problems", "\n".join(t.detail for t in effect.triggers), _LONGEST_PROBLEMS)
        text = render(load("aeon.plan", "question.md"), problems=problems, task=cut(effect.task.text, _LONGEST_TASK))
        prompt = self._briefing.prompt(effect.task, text)
        reply = await self._supervisor.structured(prompt, _Question, max_tokens=_QUESTION_TOKENS, repairs=1)
        asked = reply.value
        return Question(text=asked.question, options=tuple(dict.fromkeys(asked.options)), default=asked.default)


def _spare(calls: int) -> bool:
    """Whether so many calls leave enough for the change of the plan itself."""
    return current_ledger().calls_left() >= calls + _CHANGE_CALLS


def _mark(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps of a second program, whose last says that it is one."""
    return (*steps[:-1], *(step.changed(description=f"{step.description} (second derivation)") for step in steps[-1:]))


def _figures(task: Task) -> frozenset[Decimal]:
    """The numbers that the task gives."""
    return numbers(" ".join([task.text, task.background, *(entry.answer for entry in task.clarifications)]))


def _whole(task: Task) -> frozenset[Decimal]:
    """The hundred of 100 %, which no formula needs."""
    return frozenset({Decimal(100)}) if _HUNDRED.search(f"{task.text} {task.background}") else frozenset()


def _calculates(plan: Plan) -> bool:
    """Whether a plan does more than have a text written."""
    return any(not isinstance(step.action, Writing) for step in plan.steps)


def _examples(names: Sequence[str]) -> list[_Example]:
    """Worked plans for other tasks, those that need no tool but the ones there are."""
    every: list[_Example] = json.loads(load("aeon.plan", "examples.json"))
    return [example for example in every if set(example["tools"]) <= set(names)]


def _arguments(step: Step) -> str:
    return str(step.action.arguments or "") if step.action.type == "tool" else ""


def _describe(plan: Plan) -> str:
    """The plan for a prompt: each step with its tool, arguments, status and output."""
    return "\n".join(_line(step) for step in plan.steps)


def _line(step: Step) -> str:
    how = "reasoning"
    if step.action.type == "tool":
        how = f"{step.action.tool} {step.action.arguments or ''}".strip()
    gave = f" = {cut(str(step.output), _LONGEST_OUTPUT)}" if step.output is not None else ""
    problem = f" ({step.problem})" if step.problem else ""
    return f"{step.id} [{step.status}] {step.description} | {how}{gave}{problem}"


def _steps(raw: JsonObject, tools: ToolRegistry) -> list[Step]:
    """The steps in order; from the first that says the same again word for word, what follows says nothing new."""
    steps: list[Step] = []
    for step in raw.values():
        if isinstance(step, dict):
            new = to_step(step, f"s{len(steps) + 1}", [s.id for s in steps], tools)
            if any((new.description, new.action) == (s.description, s.action) for s in steps):
                break
            steps.append(new)
    return steps
