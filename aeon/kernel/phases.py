"""The run, from top to bottom: profile, plan, validate, refine, passes, synthesis.

Nothing here waits, looks at a clock or calls a model. A phase asks by yielding an effect and goes on with the answer;
who answers, and how, is the driver's affair. A run can end at any boundary (``Halt``), and always ends in synthesis.
"""

from __future__ import annotations

from aeon.kernel import effects as ask
from aeon.kernel.budget import bound
from aeon.kernel.effects import Note, Program
from aeon.kernel.history import conclude, end_pass
from aeon.kernel.refine import Attempts, apply
from aeon.kernel.state import Halt, State
from aeon.schema import (
    Answer, Config, ConvergenceAssessment, Decision, Degradation, ExecutionPass, Failure, Outcome, Plan, Preparation,
    Refinement, RefinementRecord, Reply, Result, SemanticValidationReport, Step, StepResult, Task, Trigger, fragment,
)  # fmt: skip

__all__ = ["run"]

_UNCHECKED = SemanticValidationReport(failed=True)
_UNASSESSED = ConvergenceAssessment(converged=False, failed=True, reason_codes=("assessment_failed",))


def run(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The whole run. Every way out leads through synthesis to a result with a typed stop reason."""
    state = State(task, config, bound(config), Attempts(config.limits))
    try:
        yield from _prepare(state)
        while True:
            yield from _one_pass(state)
    except Halt as halt:
        decision = halt.decision
    end_pass(state, decision)
    yield Note.made(pass_number=len(state.passes), decision=decision)
    return (yield from _synthesize(state, decision, execution_id))


def _prepare(state: State) -> Program[None]:
    """Profile the task, draft a plan, have it checked and mended before anything runs."""
    state.profile = yield from state.perform(ask.InferProfile, state.profile)
    state.plan = yield from _draft(state)
    state.preparation = Preparation.made(profile=state.profile, plan=state.plan, timings=tuple(state.timings))
    yield Note.made(pass_number=0, plan=state.plan)
    report = yield from state.perform(ask.ValidatePlan, _UNCHECKED, plan=state.plan)
    unclear = state.profile.triggers(state.config.questions.ambiguity) if state.may_ask else ()
    record = yield from _refine(state, (*_triggers(state, report), *unclear), report)
    state.preparation = state.preparation.changed(report=report, refinement=record, timings=tuple(state.timings))


def _draft(state: State) -> Program[Plan]:
    """A sound plan; where none can be had, the task itself as the only step."""
    most = min(state.config.limits.plan_steps, state.config.limits.total_steps)
    fallback = Plan.made(steps=(Step.made(id="s1", description=state.task.text),))
    plan = yield from state.perform(ask.DraftPlan, fallback, profile=state.profile, most_steps=most)
    if found := plan.draft_problems(most):
        state.degraded.append(Degradation(phase="plan", message="; ".join(found)))
        plan = fallback
    return plan.numbered()


def _one_pass(state: State) -> Program[None]:
    """Execute, validate, assess, decide; where the run goes on, refine and look at the task's profile again."""
    number = len(state.passes) + 1
    state.passes.append(ExecutionPass.made(number=number, profile=state.profile, budget_before=state.usage))
    state.timings.clear()
    executed = yield from _execute(state)
    report = yield from state.perform(ask.ValidateResults, _UNCHECKED, plan=state.plan, executed=executed)
    state.record(report=report)
    judged = {"plan": state.plan, "report": report, "thresholds": state.config.convergence}
    state.assessment = yield from state.perform(ask.AssessConvergence, _UNASSESSED, **judged)
    state.settled, state.complete = state.plan, number
    if state.assessment.evaluation:
        state.evaluations.append(state.assessment.evaluation)
    state.record(assessment=state.assessment, complete=True)
    decision = state.decide()
    state.record(decision=decision)
    if decision.action == "OUTPUT":
        raise Halt(decision)
    yield Note.made(pass_number=number, decision=decision)
    record = yield from _refine(state, _triggers(state, report, executed), report)
    state.record(refinement=record)
    yield from _profile_again(state, report, executed)
    end_pass(state, decision)
    state.boundary(stalled=not state.plan.ready())


def _execute(state: State) -> Program[tuple[str, ...]]:
    """Run every step that can run, each as soon as those that it builds on are complete; the ids of those that ran."""
    while waves := state.plan.waves():
        state.boundary()
        issued, shares = state.config.afford(waves, state.allow("execute", len(state.plan.steps)), state.usage)
        effects = [
            state.request(ask.ExecuteStep, share, step=step, inputs=state.plan.inputs(step))
            for step, share in zip(state.plan.placed(issued), shares, strict=True)
        ]
        outcomes = yield from state.issue(effects)
        steps = [_settle(state, *pair) for pair in zip(effects, outcomes, strict=True)]
        ran = tuple(step for step in steps if step.executed)
        state.plan = state.plan.merge(ran)
        state.record(executed=state.passes[-1].executed + ran)
        for step, outcome in zip(steps, outcomes, strict=True):
            yield from _account_for(state, step, outcome.failure)
    return tuple(step.id for step in state.passes[-1].executed)


def _settle(state: State, effect: ask.ExecuteStep, outcome: Outcome) -> Step:
    """The step after its outcome: complete, invalid if blocked, failed; or still pending if it was abandoned."""
    step = effect.step
    if isinstance(outcome.value, StepResult):
        return step.given(outcome.value)
    if state.abandoned(effect, outcome):
        return step
    return step.changed(status="failed", problem=outcome.message)


def _account_for(state: State, step: Step, failure: Failure | None) -> Program[None]:
    """Where a tool may have changed the world, a person says ``done`` or ``repeat``; else the run stops here."""
    if failure is None or failure.kind != "unknown":
        return
    reply = Reply(text="stop")
    if failure.question and state.config.questions.unknown_outcome == "ask":
        reply = yield from state.ask(failure.question)
    if reply.text == "done":
        done = step.given(StepResult(output="done, its output was lost", mode="tool", clarity="PARTIALLY_CLEAR"))
        state.plan = state.plan.merge((done,))
        state.record(executed=(*state.passes[-1].executed, done))
    elif reply.text != "repeat":
        state.failure = failure
        state.boundary()


def _triggers(state: State, report: SemanticValidationReport, executed: tuple[str, ...] = ()) -> tuple[Trigger, ...]:
    """Reasons to refine, each pointing at something that exists: what points elsewhere is no reason."""
    judged = state.assessment.triggers if executed and state.assessment else ()
    found = (*(issue.trigger for issue in report.issues), *state.plan.triggers(executed), *judged)
    return tuple(filter(state.plan.holds, dict.fromkeys(found)))


def _refine(state: State, found: tuple[Trigger, ...], report: SemanticValidationReport) -> Program[RefinementRecord]:
    """Ask for deltas that resolve the triggers, apply those that keep the plan sound. No trigger, no question."""
    open_triggers = tuple(t for t in found if not state.attempts.spent(fragment(t.location)))
    if not open_triggers:
        return RefinementRecord.made(triggers=found)
    room = state.config.limits.total_steps - len(state.plan.steps)
    strategy = state.config.reasoning_engine.strategy(state.evaluations)
    wanted = {"plan": state.plan, "triggers": open_triggers, "repairs": report.repairs, "most_steps": room}
    wanted |= {"strategy": strategy, "evaluation": state.evaluations[-1] if state.evaluations else None}
    first = refinement = yield from state.perform(ask.RefinePlan, Refinement(), **wanted, may_ask=state.may_ask)
    if first.question and state.may_ask:
        yield from state.ask(first.question)
        refinement = yield from state.perform(ask.RefinePlan, Refinement(), **wanted)
    state.plan, record = apply(state.plan, refinement.actions, state.attempts)
    said = {"advisories": refinement.advisories, "query": refinement.query, "question": first.question}
    record = record.changed(triggers=found, strategy=strategy, **said)
    yield Note.made(pass_number=len(state.passes), plan=state.plan, refinement=record)
    return record


def _profile_again(state: State, report: SemanticValidationReport, executed: tuple[str, ...]) -> Program[None]:
    """Ask for the profile anew where a step was blocked and issues exist; its depth stays within one tier."""
    blocked = any(s.clarity == "BLOCKED" for s in state.plan.steps if s.id in executed)
    if blocked and report.issues:
        issues = tuple(issue.description for issue in report.issues)
        profile = yield from state.perform(ask.InferProfile, state.profile, previous=state.profile, issues=issues)
        if profile is not state.profile:
            state.profile = state.profile.revised(profile, first=state.preparation.profile)


def _synthesize(state: State, decision: Decision, execution_id: str) -> Program[Result]:
    """One answer from the latest complete pass, else from a partial one; without a model, its outputs word for word."""
    plan = state.settled or state.plan
    answer = None
    if decision.reason not in ("failed", "waiting"):
        caveat = "" if decision.reason in ("converged", "confident") else decision.detail
        effect = state.request(ask.Synthesize, state.allow("synthesize", final=True), plan=plan, caveat=caveat)
        (outcome,) = yield from state.issue((effect,))
        answer = state.value(effect, outcome, None)
    answer = answer or Answer(text=plan.results() or f"No step was completed: {decision.detail}.")
    return conclude(state, decision, answer, execution_id)
