"""Plans whose steps a model does turn by turn with its tools: drafted as goals, and changed by what was found wrong."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.multipass.effects import DraftPlan, RefinePlan
from aeon.multipass.plans import fresh_id, one_step
from aeon.plan.strategy import constraints, query_schema, query_words
from aeon.schema import (
    Frozen,
    Plan,
    Question,
    Refine,
    RefinedQuery,
    Refinement,
    RefinementAction,
    Step,
    ToolLoop,
    Trigger,
    WorkForm,
    fragment,
)
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import Prompt, cut, fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["StepPlanner"]

_TOKENS_PER_STEP = 120
_TOKENS_OF_A_CHANGE = 500
_QUESTION_TOKENS = 200
_QUERY_TOKENS = 250
_LONGEST_OUTPUT = 1_000
_LONGEST_TRIGGERS = 2_000
_LONGEST_MATERIAL = 6_000
_MOST_CHANGES = 3
_LAST: dict[WorkForm, str] = {"tools": "writes the answer", "program": "finds out just what the task asks for"}
"""What the last step of a plan does: a program looks up and calculates, and a sentence is made of what it gives."""
_Goal = Annotated[str, Field(min_length=1, max_length=600)]


class _PlannedStep(Frozen):
    goal: _Goal
    needs: tuple[int, ...] = Field(description="numbers of the earlier steps whose answers it needs")


class _PlannedSteps(Frozen):
    steps: tuple[_PlannedStep, ...] = Field(min_length=1)


class _Change(Frozen):
    replaces: str
    goals: tuple[_Goal, ...] = Field(min_length=1, max_length=_MOST_CHANGES)
    why: str = Field(max_length=300)


class _Changes(Frozen):
    changes: tuple[_Change, ...] = Field(max_length=_MOST_CHANGES)


_Areas = tuple[Annotated[str, Field(min_length=1, max_length=80)], ...]


class _Wording(Frozen):
    refined_query: str = Field(min_length=5, max_length=300)
    focus_areas: _Areas = ()
    exclude_areas: _Areas = ()
    source_preferences: _Areas = ()


class _OpenQuestion(Frozen):
    question: str = Field(min_length=5, max_length=300)
    options: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(max_length=4)
    default: str = Field(min_length=1, max_length=200)


class StepPlanner:
    """Drafts and refines plans of goals; the material of the briefing is what the workers' tools can be used on.

    ``policy`` says how a task is worded anew for a strategy, if at all.
    """

    def __init__(self, supervisor: Supervisor, briefing: Briefing, policy: Refine | None = None) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._policy = policy or Refine()

    async def draft(self, effect: DraftPlan) -> Plan:
        """A plan of at most as many steps as are allowed; one step is the task itself.

        Raises:
            CompletionError: no usable plan came out, repairs included.
        """
        known = fence("problems", "\n".join(effect.problems), _LONGEST_TRIGGERS) if effect.problems else ""
        lessons = fence("lessons", "\n".join(effect.lessons), _LONGEST_TRIGGERS) if effect.lessons else ""
        earlier = "\n" + "\n".join(filter(None, (known, lessons))) if known or lessons else ""
        reply = await self._supervisor.structured(
            self._prompt(
                effect,
                render(load("aeon.plan", "steps.md"), earlier=earlier, last=_LAST[effect.profile.form or "tools"]),
            ),
            _PlannedSteps,
            max_tokens=_TOKENS_PER_STEP * effect.most_steps,
            check=lambda said: _faults(said.steps, effect.most_steps),
        )
        planned, form = reply.value.steps, effect.profile.form or "tools"
        if len(planned) == 1:
            return one_step(effect.task.text, form)
        steps = tuple(
            Step(
                id=f"s{number}", description=one.goal, action=ToolLoop(form=form),
                dependencies=tuple(f"s{need}" for need in dict.fromkeys(one.needs)),
            )
            for number, one in enumerate(planned, 1)
        )  # fmt: skip
        return Plan(steps=steps, answer=(steps[-1].id,))

    async def refine(self, effect: RefinePlan) -> Refinement:
        """The steps at fault done again, with what was found; or the question that must be put first.

        Where the plan is the task alone, nothing but doing it again can be meant, and nobody is asked: whoever does it
        is told what the strategy asks for.

        Raises:
            CompletionError: no usable change came out, repairs included.
        """
        if effect.may_ask and any(one.kind in ("ambiguous", "blocked") for one in effect.triggers):
            return Refinement(question=await self._question(effect))
        if all(one.kind == "ambiguous" for one in effect.triggers) or effect.most_steps < 1:
            return Refinement()
        current = _current(effect.plan)
        if len(current) == 1:
            again = [_again(effect.plan, one, [one.description], effect.triggers) for one in current if one.executed]
            return Refinement(actions=tuple(again), advisories=effect.repairs)
        return await self._changes(effect)

    async def _changes(self, effect: RefinePlan) -> Refinement:
        query = await self._query(effect)
        question = render(
            load("aeon.plan", "changes.md"),
            strategy=constraints(effect.strategy, effect.evaluation, query),
            plan=fence("plan", "\n".join(map(_line, effect.plan.steps)), 6_000),
            triggers=fence("found", "\n".join(f"{t.location}: {t.detail}" for t in effect.triggers), _LONGEST_TRIGGERS),
            advice=fence("advice", "\n".join(effect.repairs), 600) + "\n" if effect.repairs else "",
        )
        reply = await self._supervisor.structured(
            self._prompt(effect, question),
            _Changes,
            max_tokens=_TOKENS_OF_A_CHANGE,
            check=lambda said: _unknown(effect.plan, said.changes),
        )
        return Refinement(actions=_actions(effect, reply.value.changes), advisories=effect.repairs, query=query)

    async def _query(self, effect: RefinePlan) -> RefinedQuery | None:
        """The task in other words for the strategy; ``None`` where that is switched off, or came to nothing usable."""
        if effect.strategy is None or not self._policy.allow_query_rewrite:
            return None
        words = query_words(effect.strategy, effect.evaluation, self._policy)
        prompt = self._prompt(effect, render(load("aeon.plan", "query.md"), **words))
        with contextlib.suppress(CompletionError, AllowanceExhausted):  # the strategy holds without it
            reply = await self._supervisor.structured(
                prompt, _Wording, schema=query_schema(self._policy), max_tokens=_QUERY_TOKENS, repairs=1
            )
            said = reply.value
            preferred = said.source_preferences if self._policy.allow_source_preference else ()
            return RefinedQuery(
                original_query=effect.task.text, refined_query=said.refined_query, strategy_used=effect.strategy,
                focus_areas=said.focus_areas, exclude_areas=said.exclude_areas, source_preferences=preferred,
            )  # fmt: skip
        return None

    async def _question(self, effect: RefinePlan) -> Question:
        problems = fence("problems", "\n".join(one.detail for one in effect.triggers), _LONGEST_TRIGGERS)
        task = cut(effect.task.text, _LONGEST_OUTPUT)
        text = render(load("aeon.plan", "question.md"), problems=problems, task=task)
        reply = await self._supervisor.structured(
            self._prompt(effect, text), _OpenQuestion, max_tokens=_QUESTION_TOKENS, repairs=1
        )
        said = reply.value
        return Question(text=said.question, options=tuple(dict.fromkeys(said.options)), default=said.default)

    def _prompt(self, effect: DraftPlan | RefinePlan, question: str) -> Prompt:
        parts = [fence("material", self._briefing.material, _LONGEST_MATERIAL)] if self._briefing.material else []
        parts += [self._briefing.facts(effect.task), question]
        system = self._briefing.instructed(load("aeon.plan", "steps_system.md").strip())
        return Prompt(system=system, user="\n\n".join(parts))


def _current(plan: Plan) -> list[Step]:
    """The latest version of each step."""
    return [*{fragment(step.id): step for step in plan.steps}.values()]


def _again(plan: Plan, step: Step, goals: Sequence[str], triggers: Sequence[Trigger]) -> RefinementAction:
    """The step replaced by one or several that have these goals."""
    first = Step(id=fresh_id(plan, step.id), description=goals[0], action=_form(step), dependencies=step.dependencies)
    steps = [first]
    for number, goal in enumerate(goals[1:], 1):
        steps.append(
            Step(id=f"{first.id}n{number}", description=goal, action=first.action, dependencies=(steps[-1].id,))
        )
    why = "; ".join(trigger.detail for trigger in triggers)
    return RefinementAction(type="REPLACE", target=step.id, steps=tuple(steps), justification=cut(why, 300))


def _actions(effect: RefinePlan, changes: Sequence[_Change]) -> tuple[RefinementAction, ...]:
    actions = []
    for change in changes:
        step = effect.plan.find(change.replaces)
        about = tuple(one for one in effect.triggers if step is None or one.location in (step.id, "plan", "answer"))
        if step is not None:
            actions.append(_again(effect.plan, step, change.goals, about).changed(justification=change.why))
            continue
        done = tuple(one.id for one in effect.plan.steps if one.status == "complete")
        new = Step(
            id=f"s{len(effect.plan.steps) + 1}",
            description=change.goals[0],
            action=_form(effect.plan.steps[0]),
            dependencies=done,
        )
        actions.append(RefinementAction(type="ADD", steps=(new,), justification=change.why))
    return tuple(actions)


def _form(step: Step) -> ToolLoop:
    """How a step is done again: in its form of work, if it has one."""
    return step.action if isinstance(step.action, ToolLoop) else ToolLoop()


def _faults(steps: Sequence[_PlannedStep], most: int) -> list[str]:
    """What keeps planned steps from being a plan."""
    faults = [f"$.steps: {len(steps)} steps; at most {most} are allowed"] if len(steps) > most else []
    for number, step in enumerate(steps, 1):
        faults += [f"$.steps[{number - 1}].needs: step {n} is not before it" for n in step.needs if not 0 < n < number]
    return faults


def _unknown(plan: Plan, changes: Sequence[_Change]) -> list[str]:
    known = {step.id for step in _current(plan)}
    return [
        f"$.changes[{n}].replaces: there is no step {one.replaces!r}; the steps are {', '.join(sorted(known))}"
        for n, one in enumerate(changes)
        if one.replaces and one.replaces not in known
    ]


def _line(step: Step) -> str:
    gave = f" = {cut(str(step.output), _LONGEST_OUTPUT)}" if step.output is not None else ""
    problem = f" ({step.problem})" if step.problem else ""
    return f"{step.id} [{step.status}] {step.description}{gave}{problem}"
