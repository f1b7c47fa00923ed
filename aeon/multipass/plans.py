"""Operations on a plan as data: what can run when, what a change leads to, and what makes a plan unusable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from aeon.schema.frozen import JsonValue
from aeon.schema.outcome import Outcome
from aeon.schema.plan import (
    Plan,
    Reasoning,
    RefinementAction,
    Step,
    StepInput,
    StepResult,
    StepStatus,
    ToolLoop,
    fragment,
)
from aeon.schema.turns import WorkForm

__all__ = [
    "Lacking",
    "accepted",
    "answer_steps",
    "batched",
    "changed_by",
    "current_steps",
    "does_already",
    "draft_problems",
    "fresh_id",
    "inputs",
    "invalidated",
    "is_by_programs",
    "is_by_turns",
    "is_computed",
    "is_finished",
    "is_looped",
    "joined",
    "looped",
    "one_step",
    "outputs_before",
    "placed",
    "problems",
    "ready",
    "rewired",
    "schedule",
    "unfit",
    "waves",
]


def ready(plan: Plan) -> tuple[Step, ...]:
    """Every pending step whose dependencies are complete, in plan order."""
    return next(_waves(plan), ())


def waves(plan: Plan) -> tuple[tuple[Step, ...], ...]:
    """Every pending step that can run, now or after others of them: first those that can now, and so on."""
    return tuple(_waves(plan))


def _waves(plan: Plan) -> Iterator[tuple[Step, ...]]:
    done = {step.id for step in _having(plan.steps, "complete")}
    waiting = _having(plan.steps, "pending")
    while wave := tuple([step for step in waiting if done.issuperset(step.dependencies)]):
        yield wave
        done.update([step.id for step in wave])
        waiting = [step for step in waiting if step.id not in done]


def _having(steps: Sequence[Step], status: StepStatus) -> list[Step]:
    return [step for step in steps if step.status == status]


def is_computed(plan: Plan) -> bool:
    """Whether the planner said which steps give the answer, and all of them have, by tools and without any text.

    What was quoted from texts is not computed.
    """
    settled = answer_steps(plan)
    by_tools = all(_is_by_tools(step) for step in plan.steps if step.executed)
    return by_tools and bool(settled) and all(s.status == "complete" and s.output is not None for s in settled)


def _is_by_tools(step: Step) -> bool:
    by_program = step.mode == "program" and not all(use.lines for use in step.uses)
    return by_program or step.mode == "tool"


def looped(plan: Plan, steps: Sequence[Step]) -> list[Step]:
    """Those of the steps that are found out with tools, running, with what each needs to know of its place."""
    return placed(plan, [step for step in steps if isinstance(step.action, ToolLoop)])


def placed(plan: Plan, steps: Sequence[Step]) -> list[Step]:
    """These steps, running, with what each needs to know of its place: incoming context and handoff."""
    after: dict[str, list[Step]] = {}
    for step in plan.steps:
        for dependency in step.dependencies:
            after.setdefault(dependency, []).append(step)
    return [
        step.changed(
            status="running",
            incoming_context=_listed(_dependencies(plan, step)),
            handoff=_listed(after.get(step.id, ())),
        )
        for step in steps
    ]


def inputs(plan: Plan, step: Step) -> tuple[StepInput, ...]:
    """The outputs that a step builds on, named by step and by fragment."""
    return tuple(
        StepInput(
            names=tuple(dict.fromkeys((one.id, fragment(one.id)))),
            description=one.description,
            output=one.output,
            awaited=one.status != "complete",
        )
        for one in _dependencies(plan, step)
    )


def _dependencies(plan: Plan, step: Step) -> list[Step]:
    """The steps that this one depends on, in plan order."""
    return [one for one in plan.steps if one.id in step.dependencies] if step.dependencies else []


def _listed(steps: Sequence[Step]) -> str:
    return "; ".join([f"{step.id}: {step.description}" for step in steps]) if steps else ""


def invalidated(plan: Plan, step: Step) -> Plan:
    """The plan with that step invalid, if it was complete."""
    return plan.merge((step.changed(status="invalid"),)) if step.status == "complete" else plan


def rewired(plan: Plan, moved: Mapping[str, str]) -> Plan:
    """The plan with pending steps that depend on an old id depending on the new one instead."""
    touched = (s for s in plan.steps if not s.executed and moved.keys() & set(s.dependencies))
    return plan.merge(s.changed(dependencies=tuple(moved.get(d, d) for d in s.dependencies)) for s in touched)


def fresh_id(plan: Plan, step_id: str) -> str:
    """The next free version of that step's fragment: ``s2_r1``, ``s2_r2`` and so on."""
    taken = {step.id for step in plan.steps}
    versions = (f"{fragment(step_id)}_r{n}" for n in range(1, len(taken) + 2))
    return next(version for version in versions if version not in taken)


def does_already(plan: Plan, action: RefinementAction) -> bool:
    """Whether the delta's steps do what its target does; without a target, what all pending steps do.

    A step that a model did turn by turn is done otherwise when it is done again: with what was found in its answer.
    """
    target = plan.find(action.target) if action.target else None
    old = (target,) if target else tuple(step for step in plan.steps if not step.executed)
    return not _is_done_in_turns(target) and [step.work for step in action.steps] == [step.work for step in old]


def _is_done_in_turns(step: Step | None) -> bool:
    return step is not None and step.executed and isinstance(step.action, ToolLoop)


def changed_by(plan: Plan, action: RefinementAction, target: Step | None) -> Plan:
    """The plan with the delta's steps in their place; pending ones that they stand in for are gone.

    Steps in the place of another, more than one, are its subplan: they stand one level deeper. Others stand beside it.
    """
    if target is None:
        kept = tuple(step for step in plan.steps if action.type == "ADD" or step.status != "pending")
        return Plan(steps=kept + _at_depth(action.steps, 0))
    nested = action.type == "REPLACE" and len(action.steps) > 1
    place = plan.steps.index(target)
    stays = target.status != "pending" or action.type == "ADD"
    before, behind = plan.steps[: place + stays], plan.steps[place + 1 :]
    return Plan(steps=before + _at_depth(action.steps, target.depth + nested) + behind)


def _at_depth(steps: Sequence[Step], depth: int) -> tuple[Step, ...]:
    return tuple(step.changed(depth=depth) for step in steps)


def unfit(action: RefinementAction, target: Step | None) -> str:
    """Why this delta cannot be tried on its target at all, or nothing."""
    edits = action.type in ("MODIFY", "REMOVE")
    reasons = {
        "there is no such step": action.target is not None and target is None,
        "that step has run": edits and (target is None or target.executed),
        "only REMOVE, and always REMOVE, comes without steps": (action.type == "REMOVE") == bool(action.steps),
        "MODIFY keeps the step's id": action.type == "MODIFY" and [s.id for s in action.steps] != [action.target],
        "a new step cannot have run": len(_having(action.steps, "pending")) < len(action.steps),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def draft_problems(plan: Plan, most_steps: int) -> tuple[str, ...]:
    """What makes a plan unusable as a first one: all that makes any plan so, and steps that claim to have run."""
    claims = (f"step '{step.id}' claims to be {step.status}" for step in plan.steps if step.status != "pending")
    return (*problems(plan, most_steps), *claims)


def problems(plan: Plan, most_steps: int, most_depth: int = 0) -> tuple[str, ...]:
    """What makes the plan unusable: no steps, too many or too deep, ids used twice or dangling, or a cycle."""
    reasons = _wrong_ids(plan)
    if not plan.steps:
        reasons.append("the plan has no steps")
    if len(plan.steps) > most_steps:
        reasons.append(f"the plan has {len(plan.steps)} steps, at most {most_steps} are allowed")
    if any(step.depth > most_depth for step in plan.steps):
        reasons.append(f"subplans are nested deeper than {most_depth}")
    return tuple(reasons) or _cycle(plan)


def _wrong_ids(plan: Plan) -> list[str]:
    ids = Counter(step.id for step in plan.steps)
    twice = [f"step id '{i}' is used {n} times" for i, n in ids.items() if n > 1]
    dangling = ((s.id, d) for s in plan.steps for d in s.dependencies if d not in ids)
    return twice + [f"step '{i}' depends on '{d}', which does not exist" for i, d in dangling]


def _in_order(plan: Plan) -> bool:
    """Whether each step comes after those that it depends on, as is usual: then there is no cycle."""
    before: set[str] = set()
    for step in plan.steps:
        if not before.issuperset(step.dependencies):
            return False
        before.add(step.id)
    return True


def _cycle(plan: Plan) -> tuple[str, ...]:
    if _in_order(plan):
        return ()
    waiting = {step.id: set(step.dependencies) for step in plan.steps}
    while free := [step_id for step_id, needs in waiting.items() if not needs & waiting.keys()]:
        for step_id in free:
            del waiting[step_id]
    return (f"these steps depend on each other in a circle: {', '.join(sorted(waiting))}",) if waiting else ()


def answer_steps(plan: Plan) -> tuple[Step, ...]:
    """The latest versions of the steps whose outputs are the answer; none where the planner did not say which."""
    latest = {fragment(step.id): step for step in plan.steps}
    return tuple(latest[name] for name in map(fragment, plan.answer) if name in latest)


def is_finished(plan: Plan) -> bool:
    """Whether the latest version of every step has come to a good end."""
    latest = {fragment(step.id): step for step in plan.steps}
    return bool(latest) and all(step.status == "complete" for step in latest.values())


def is_looped(plan: Plan) -> bool:
    """Whether its steps are found out with tools, turn by turn or by programs."""
    return any(isinstance(step.action, ToolLoop) for step in plan.steps)


def is_by_turns(plan: Plan) -> bool:
    """Whether a model does its steps turn by turn."""
    return any(isinstance(step.action, ToolLoop) and not is_by_programs(step) for step in plan.steps)


def is_by_programs(step: Step) -> bool:
    """Whether a step is done by programs whose results vote."""
    return isinstance(step.action, ToolLoop) and step.action.form == "program"


def outputs_before(plan: Plan, step: Step) -> tuple[JsonValue, ...]:
    """What the earlier versions of a step came to."""
    versions = (one for one in plan.steps if one.executed and fragment(one.id) == fragment(step.id))
    return tuple(one.output for one in versions if one.version < step.version)


def one_step(task: str, form: WorkForm | None) -> Plan:
    """The task as the only step, to be found out in this ``form`` of work; of the model's own where there is none."""
    step = Step(id="s1", description=task, action=ToolLoop(form=form) if form else Reasoning())
    return Plan(steps=(step,), answer=(step.id,) if form else ())


def accepted(plan: Plan) -> Plan:
    """A drafted plan, numbered, with all its steps on the first level."""
    return plan.changed(steps=tuple(step.changed(depth=0) for step in plan.steps)).numbered()


def batched(runnable: Sequence[Sequence[Step]]) -> tuple[tuple[Step, ...], ...]:
    """The steps of these waves that are issued as they are, up to the first wave with some that a model does in turns.

    Of that wave they are taken only where it is the first one; later steps may build on what its turns give.
    """
    plain = [tuple(step for step in wave if not isinstance(step.action, ToolLoop)) for wave in runnable]
    whole = tuple(wave for wave, _ in takewhile(lambda pair: pair[0] == pair[1], zip(plain, runnable, strict=True)))
    return whole or tuple(filter(None, plain[:1]))


def schedule(
    plan: Plan, runnable: Sequence[Sequence[Step]], most: int
) -> list[tuple[Step, tuple[StepInput, ...], tuple[int, ...]]]:
    """The steps to issue in one batch, each with what it builds on and the places of those that it waits for.

    They are all those of the first wave, and ``most`` in all with some of the later ones where that is more.
    """
    steps = [step for wave in runnable for step in wave][: max(len(runnable[0]), most)]
    places = {step.id: place for place, step in enumerate(steps)}
    placed_steps = ((step, inputs(plan, step)) for step in placed(plan, steps))
    return [(step, known, tuple(places[one.names[0]] for one in known if one.awaited)) for step, known in placed_steps]


class Lacking(NamedTuple):
    """A step that gave no output, and the outcome that says why."""

    step: str
    outcome: Outcome


def joined(known: Sequence[StepInput], outcomes: Sequence[Outcome]) -> tuple[StepInput, ...] | Lacking:
    """What a step builds on with the outputs that it waited for; or the first of those that gave none."""
    complete = {}
    for source, outcome in zip([one for one in known if one.awaited], outcomes, strict=True):
        if not isinstance(outcome.value, StepResult) or outcome.value.clarity == "BLOCKED":
            return Lacking(source.names[0], outcome)
        complete[source.names] = source.changed(output=outcome.value.output)
    return tuple(complete.get(source.names, source) for source in known)


def current_steps(plan: Plan) -> tuple[Step, ...]:
    """The steps that count: all but those that ended badly and have a later version."""
    latest: dict[str, Step] = {}
    for step in plan.steps:
        newest = latest.setdefault(fragment(step.id), step)
        if newest is not step and step.version > newest.version:
            latest[fragment(step.id)] = step
    return tuple(s for s in plan.steps if s.status not in ("failed", "invalid") or latest[fragment(s.id)] is s)
