"""The run, from top to bottom: profile, plan, validate, refine, passes, synthesis.

Nothing here waits, looks at a clock or calls a model. A phase asks by yielding an effect and goes on with the answer;
who answers, and how, is the driver's affair. A run can end at any boundary (``Halt``), and always ends in synthesis.
"""

from __future__ import annotations

from aeon.kernel.budget import split
from aeon.kernel.effects import (
    AssessConvergence, DraftPlan, ExecuteStep, InferProfile, Note, Program, RefinePlan, Synthesize, ValidatePlan,
    ValidateResults,
)  # fmt: skip
from aeon.kernel.history import conclude, end_pass
from aeon.kernel.refine import Attempts, apply
from aeon.kernel.state import Halt, State
from aeon.schema import (
    Answer, Config, ConvergenceAssessment, Decision, Degradation, Outcome, Plan, Preparation, Refinement,
    RefinementRecord, Result, SemanticValidationReport, Step, StepResult, Task, Trigger, fragment,
)  # fmt: skip

__all__ = ["run"]

UNCHECKED = SemanticValidationReport(failed=True)
UNASSESSED = ConvergenceAssessment(converged=False, failed=True, reason_codes=("assessment_failed",))


def run(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The whole run. Every way out leads through synthesis to a result with a typed stop reason."""
    state = State(task, config, Attempts(config.limits))
    try:
        yield from prepare(state)
        while True:
            yield from one_pass(state)
    except Halt as halt:
        decision = halt.decision
    end_pass(state, decision)
    yield Note(pass_number=len(state.passes), decision=decision)
    return (yield from synthesize(state, decision, execution_id))


def prepare(state: State) -> Program[None]:
    """Profile the task, draft a plan, have it checked and mended before anything runs."""
    state.profile = yield from state.perform(
        InferProfile(task=state.task, allowance=state.allow("profile")), state.profile
    )
    state.preparation = Preparation(profile=state.profile)
    state.plan = first = yield from draft(state)
    yield Note(pass_number=0, plan=first)
    checking = ValidatePlan(task=state.task, plan=first, allowance=state.allow("validate_plan"))
    report = yield from state.perform(checking, UNCHECKED)
    record = yield from refine(state, triggers(state, report), report)
    state.preparation = Preparation(
        profile=state.profile, plan=first, report=report, refinement=record, timings=tuple(state.timings)
    )


def draft(state: State) -> Program[Plan]:
    """A sound plan; where none can be had, the task itself as the only step."""
    most = state.config.limits.plan_steps
    fallback = Plan(steps=(Step(id="s1", description=state.task.text),))
    effect = DraftPlan(task=state.task, profile=state.profile, most_steps=most, allowance=state.allow("plan"))
    plan = yield from state.perform(effect, fallback)
    if found := plan.problems(most):
        state.degraded.append(Degradation(phase="plan", message="; ".join(found)))
        plan = fallback
    return plan.numbered()


def one_pass(state: State) -> Program[None]:
    """Execute, validate, assess, decide; where the run goes on, refine and look at the task's profile again."""
    state.begin_pass()
    executed = yield from execute(state)
    checking = ValidateResults(
        task=state.task, plan=state.plan, executed=executed, allowance=state.allow("validate_results")
    )
    report = yield from state.perform(checking, UNCHECKED)
    state.record(report=report)
    yield from assess(state, report)
    decision = state.decide()
    state.record(decision=decision)
    if decision.action == "OUTPUT":
        raise Halt(decision)
    yield Note(pass_number=len(state.passes), decision=decision)
    record = yield from refine(state, triggers(state, report, executed), report)
    state.record(refinement=record)
    yield from profile_again(state, report, executed)
    end_pass(state, decision)
    state.boundary(stalled=not state.plan.ready())


def execute(state: State) -> Program[tuple[str, ...]]:
    """Run every step that can run, wave by wave, each wave at once; the ids of those that ran."""
    executed: list[str] = []
    while ready := state.plan.ready():
        state.boundary()
        shares = split(state.allow("execute", len(ready)), state.config.caps.execute, len(ready))
        effects = [
            ExecuteStep(task=state.task, step=state.plan.placed(s), inputs=state.plan.inputs(s), allowance=share)
            for s, share in zip(ready, shares, strict=True)
        ]
        outcomes = yield from state.issue(effects)
        steps = [settle(state, *pair) for pair in zip(effects, outcomes, strict=True)]
        state.plan = state.plan.merge(steps)
        state.record(executed=state.passes[-1].executed + tuple(s for s in steps if s.executed))
        executed += [step.id for step in steps if step.executed]
    return tuple(executed)


def settle(state: State, effect: ExecuteStep, outcome: Outcome) -> Step:
    """The step after its outcome: complete, invalid if blocked, failed; or still pending if it was abandoned."""
    step = effect.step
    if isinstance(outcome.value, StepResult):
        return step.given(outcome.value)
    if state.failure or state.denial(effect, outcome) or (outcome.failure and outcome.failure.kind == "interrupted"):
        return step
    return step.model_copy(update={"status": "failed", "problem": outcome.message})


def assess(state: State, report: SemanticValidationReport) -> Program[None]:
    """Ask whether the results answer the task; with that, the pass is complete."""
    effect = AssessConvergence(
        task=state.task, plan=state.plan, report=report, thresholds=state.config.thresholds,
        allowance=state.allow("assess"),
    )  # fmt: skip
    state.assessment = yield from state.perform(effect, UNASSESSED)
    state.settled = state.plan
    state.record(assessment=state.assessment, complete=True)


def triggers(state: State, report: SemanticValidationReport, executed: tuple[str, ...] = ()) -> tuple[Trigger, ...]:
    """Reasons to refine, each pointing at something that exists: what points elsewhere is no reason."""
    judged = state.assessment.triggers if executed and state.assessment else ()
    found = (*(issue.trigger for issue in report.issues), *state.plan.triggers(executed), *judged)
    return tuple(filter(state.plan.holds, dict.fromkeys(found)))


def refine(state: State, found: tuple[Trigger, ...], report: SemanticValidationReport) -> Program[RefinementRecord]:
    """Ask for deltas that resolve the triggers, apply those that keep the plan sound. No trigger, no question."""
    open_triggers = tuple(t for t in found if not state.attempts.spent(fragment(t.location)))
    if not open_triggers:
        return RefinementRecord(triggers=found)
    effect = RefinePlan(
        task=state.task, plan=state.plan, triggers=open_triggers, allowance=state.allow("refine_plan"),
        repairs=tuple(f"{i.location}: {i.proposed_repair}" for i in report.issues if i.proposed_repair),
        most_steps=max(0, state.config.limits.total_steps - len(state.plan.steps)),
    )  # fmt: skip
    refinement = yield from state.perform(effect, Refinement())
    state.plan, record = apply(state.plan, refinement.actions, state.attempts)
    record = record.model_copy(update={"triggers": found, "advisories": refinement.advisories})
    yield Note(pass_number=len(state.passes), plan=state.plan, refinement=record)
    return record


def profile_again(state: State, report: SemanticValidationReport, executed: tuple[str, ...]) -> Program[None]:
    """Ask for the profile anew where a step was blocked and issues exist; its depth stays within one tier."""
    blocked = any(s.clarity == "BLOCKED" for s in state.plan.steps if s.id in executed)
    if not (blocked and report.issues):
        return
    effect = InferProfile(
        task=state.task, allowance=state.allow("profile"), previous=state.profile,
        issues=tuple(issue.description for issue in report.issues),
    )  # fmt: skip
    profile = yield from state.perform(effect, state.profile)
    first = state.preparation.profile.reasoning_depth
    depth = min(max(profile.reasoning_depth, first - 1), first + 1)
    state.profile = profile.model_copy(update={"reasoning_depth": depth, "version": state.profile.version + 1})


def synthesize(state: State, decision: Decision, execution_id: str) -> Program[Result]:
    """One answer from what the latest complete pass holds, or from the partial one if there is none.

    Where no model can give it, it is the outputs of the complete steps, word for word.
    """
    plan = state.settled or state.plan
    answer = Answer(text=plan.results() or f"No step was completed: {decision.detail}.")
    if decision.reason == "failed":
        return conclude(state, decision, answer, execution_id)
    caveat = "" if decision.reason == "converged" else decision.detail
    effect = Synthesize(task=state.task, plan=plan, caveat=caveat, allowance=state.allow("synthesize", final=True))
    (outcome,) = yield from state.issue((effect,))
    return conclude(state, decision, state.value(effect, outcome, answer), execution_id)
