"""Doing the steps of a plan: what was executed before, by whatever plan, is not executed again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TypeVar

from aeon.engines.graph.builder import Visit
from aeon.engines.graph.config import WorkConfig
from aeon.engines.graph.rules import WorkSignals
from aeon.engines.graph.values import Done, Work
from aeon.kernel import budget
from aeon.multipass.effects import ExecuteStep
from aeon.multipass.fallbacks import LOST
from aeon.multipass.plans import inputs, placed, ready, waves
from aeon.schema.effects import Program
from aeon.schema.frozen import JsonValue
from aeon.schema.outcome import Outcome
from aeon.schema.plan import Plan, Step, StepResult, fragment

__all__ = ["carry_out", "failure_of", "key_of", "renamed", "return_code"]

C = TypeVar("C", bound=WorkConfig)
_CODES = ("returncode", "return_code", "exit_code", "exitcode", "exit_status")
"""Names under which the output of a tool that ran a program gives its return code."""


def carry_out(visit: Visit[C, WorkSignals, Work]) -> Program[None]:
    """Do every step of the plan that can be done, each as soon as those that it builds on are complete.

    The node writes ``plan``, ``done``, ``executed``, and ``fresh``: whether any step was new.
    """
    run, fresh = visit.run, False
    while True:
        _recall(visit)
        state = visit.state
        if not (steps := _next(state)):
            break
        if (left := run.config.total_steps - state.executed) < 1:
            break
        run.boundary(midway=True)
        effects = _effects(visit, steps[:left])
        outcomes = yield from run.issue(effects)
        fresh = True
        pairs = [(_settled(visit, *pair), pair[1]) for pair in zip(effects, outcomes, strict=True)]
        _keep(visit, pairs)
        for step, outcome in pairs:
            if outcome.unknown:
                yield from _account_for(visit, step, outcome)
    visit.write(fresh=fresh)


def _next(state: Work) -> list[Step]:
    """The steps to issue together. Where something was executed before, only those whose inputs are all there.

    A step that waits for another of its batch cannot be told from one that was executed before.
    """
    runnable = (ready(state.plan),) if state.done else waves(state.plan)
    return [step for wave in runnable for step in wave]


def _effects(visit: Visit[C, WorkSignals, Work], steps: Sequence[Step]) -> list[ExecuteStep]:
    """The effects of these steps, each with its share of what is left and the places of those that it waits for."""
    run, plan = visit.run, visit.state.plan
    cap, whole = run.config.caps.execute, run.allow("execute", len(steps))
    places = {step.id: place for place, step in enumerate(steps)}
    effects = []
    for step, share in zip(placed(plan, steps), budget.split(whole, len(steps), cap), strict=True):
        sources = inputs(plan, step)
        after = tuple(places[source.names[0]] for source in sources if source.awaited)
        effects.append(ExecuteStep(task=run.task, allowance=share, after=after, step=step, inputs=sources))
    return effects


def _settled(visit: Visit[C, WorkSignals, Work], effect: ExecuteStep, outcome: Outcome) -> Step:
    """The step after its outcome. A tool that says that its program failed has failed."""
    step = effect.step
    if isinstance(outcome.value, StepResult):
        given = step.given(outcome.value)
        code = return_code(outcome.value.output)
        return given.changed(status="failed", problem=f"return code {code}: {_said(given)}") if code else given
    if visit.run.abandoned(effect, outcome):
        return step.changed(status="pending")
    return step.changed(status="failed", problem=outcome.message)


def return_code(output: JsonValue) -> int:
    """The return code that a tool's output states, 0 where it states none."""
    codes = (output.get(name) for name in _CODES) if isinstance(output, dict) else iter(())
    return next((code for code in codes if isinstance(code, int) and not isinstance(code, bool)), 0)


def _said(step: Step) -> str:
    return json.dumps(step.output, ensure_ascii=False)[:300]


def _keep(visit: Visit[C, WorkSignals, Work], pairs: Sequence[tuple[Step, Outcome]]) -> None:
    """Put what was executed into the plan, and on record: results, and calls that failed.

    What failed without a call to a tool, such as a model that gave no answer, may be tried again.
    """
    state = visit.state
    ran = [(step, outcome) for step, outcome in pairs if step.executed]
    plan = state.plan.merge(step for step, _ in ran)
    done = (_on_record(plan, step) for step, outcome in ran if step.status != "failed" or outcome.usage.tool_calls)
    visit.write(plan=plan, done=(*state.done, *done), executed=state.executed + len(ran))


def _on_record(plan: Plan, step: Step) -> Done:
    """The step's work with its result as it was given; without one where it failed."""
    if step.status == "failed" or step.mode is None:
        return Done(key=key_of(plan, step), problem=step.problem)
    result = StepResult(
        output=step.output, clarity=step.clarity, mode=step.mode, problem=step.problem,
        uses=step.uses, cites=step.cites, likelihood=step.likelihood, weight=step.weight, agreement=step.agreement,
    )  # fmt: skip
    return Done(key=key_of(plan, step), result=result)


def _recall(visit: Visit[C, WorkSignals, Work]) -> None:
    """Give steps that were executed before, by an earlier plan, what they gave or why they failed."""
    state = visit.state
    while True:
        known = {one.key: one for one in state.done}
        again = [(step, known.get(key_of(state.plan, step))) for step in ready(state.plan)]
        steps = [_recalled(step, one) for step, one in again if one is not None]
        if not steps:
            return
        visit.write(plan=state.plan.merge(steps))
        state = visit.state


def _recalled(step: Step, done: Done) -> Step:
    if done.result is None:
        return step.changed(status="failed", problem=done.problem)
    return step.given(done.result)


def key_of(plan: Plan, step: Step) -> str:
    """What tells the step's work from any other: what is to be done, how, and what it builds on."""
    before = [source.output for source in inputs(plan, step)]
    work = [step.action.model_dump(mode="json"), step.description, before]
    return json.dumps(work, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _account_for(visit: Visit[C, WorkSignals, Work], step: Step, outcome: Outcome) -> Program[None]:
    """Where a tool may have changed the world, a person says what to do; what was done has no output."""
    reply = yield from visit.run.resolve(outcome)
    if reply == "done":
        _keep(visit, [(step.given(LOST), outcome)])


def renamed(plan: Plan, attempt: int) -> Plan:
    """The plan of a later attempt, its steps named apart from those of earlier ones: ``s1_r1`` and so on.

    Tools that change the world tell calls apart by the step's id, and arguments refer to it by its fragment.
    """
    if not attempt:
        return plan.numbered()
    ids = {step.id: f"{fragment(step.id)}_r{attempt}" for step in plan.steps}
    steps = [
        step.changed(id=ids[step.id], dependencies=tuple(ids.get(one, one) for one in step.dependencies))
        for step in plan.steps
    ]
    return plan.changed(steps=tuple(steps)).numbered()


def failure_of(plan: Plan) -> str:
    """What was observed to go wrong with the steps of a plan, "" if nothing did."""
    return "; ".join(_failures(plan))


def _failures(plan: Plan) -> Iterator[str]:
    for step in plan.steps:
        if step.status in ("failed", "invalid"):
            yield f"{step.description}: {step.problem or 'it gave nothing usable'}"
