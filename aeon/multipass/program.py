"""The multi-pass engine: profile, plan, validate, refine, then passes, then synthesis.

Nothing here waits, looks at a clock or calls a model. A phase asks by yielding an effect and continues with the answer;
who answers, and how, is the driver's affair. A run can end at any boundary (``Halt``), and always ends in synthesis.
"""

from __future__ import annotations

from aeon.kernel import budget
from aeon.kernel.effects import Program
from aeon.kernel.engine import Engine, Halt, Run
from aeon.multipass import effects as ask
from aeon.multipass import triggers
from aeon.multipass.effects import PassNote
from aeon.multipass.plans import draft_problems, inputs, is_to_derive, placed, ready, waves
from aeon.multipass.record import Progress
from aeon.multipass.refine import Attempts, apply
from aeon.multipass.rules import OF_THE_ANSWER, TABLE, PassSignals, affordable, limits_for, most_calls, strategy
from aeon.schema.conclusion import Decision, Degradation
from aeon.schema.config import Config
from aeon.schema.history import ExecutionPass, Preparation, RefinementRecord, Rejection, Result
from aeon.schema.judgment import ConvergenceAssessment, Refinement, SemanticValidationReport
from aeon.schema.outcome import Answer, Outcome
from aeon.schema.plan import Agreement, Plan, Step, StepResult, Trigger
from aeon.schema.task import Task

__all__ = ["MULTIPASS"]

_UNCHECKED = SemanticValidationReport(failed=True)
_NO_ANSWER = Answer(text="")
_UNASSESSED = ConvergenceAssessment(converged=False, failed=True, reason_codes=("assessment_failed",))


def _program(run: Run[Config, PassSignals]) -> Program[Result]:
    """The whole run. Every way out leads through synthesis to a result with a typed stop reason."""
    progress = Progress(run, Attempts(run.config.limits))
    try:
        yield from _prepare(progress)
        while True:
            yield from _one_pass(progress)
    except Halt as halt:
        decision = halt.decision
        if progress.executed > progress.complete and not halt.midway:
            progress.settle()
    progress.end_pass(decision)
    yield PassNote(pass_number=progress.number, decision=decision)
    answer = yield from _synthesize(progress, decision)
    if decision.sufficient and run.signals.unfit:
        decision = run.decide()
    return progress.result(decision, answer)


def _prepare(progress: Progress) -> Program[None]:
    """Profile the task, draft a plan, have it checked and mended before anything runs."""
    run = progress.run
    progress.limit_passes()
    default = progress.profile
    progress.profile = yield from run.perform(ask.InferProfile(task=run.task), default)
    progress.unprofiled = progress.profile is not default and not progress.profile.inferred
    progress.limit_passes()
    progress.plan = yield from _draft(progress)
    start = Preparation(profile=progress.profile, plan=progress.plan, timings=tuple(run.timings))
    progress.preparation = start
    yield PassNote(pass_number=0, plan=progress.plan)
    report = yield from run.perform(ask.ValidatePlan(task=run.task, plan=progress.plan), _UNCHECKED)
    progress.preparation = start = start.changed(report=report, timings=tuple(run.timings))
    unclear = triggers.ambiguity(progress.profile, run.config.questions.ambiguity) if _may_ask(progress) else ()
    record = yield from _refine(progress, (*triggers.issues(report), *unclear), report)
    progress.preparation = start.changed(refinement=record, timings=tuple(run.timings))


def _draft(progress: Progress) -> Program[Plan]:
    """A sound plan; where none can be had, the task itself as the only step."""
    run = progress.run
    limits = limits_for(progress.profile, run.config)
    most = min(limits.plan_steps, limits.total_steps)
    fallback = Plan(steps=(Step(id="s1", description=run.task.text),))
    draft = ask.DraftPlan(task=run.task, profile=progress.profile, most_steps=most)
    plan = yield from run.perform(draft, fallback)
    if problems := draft_problems(plan, most):
        run.degraded.append(Degradation(phase="plan", message="; ".join(problems)))
        plan = fallback
    return plan.changed(steps=tuple(step.changed(depth=0) for step in plan.steps)).numbered()


def _one_pass(progress: Progress) -> Program[None]:
    """Execute, validate, assess, decide; where the run continues, refine and look at the task's profile again."""
    run, signals = progress.run, progress.run.signals
    number = progress.number + 1
    progress.passes.append(ExecutionPass(number=number, profile=progress.profile, budget_before=run.usage))
    run.timings.clear()
    executed = yield from _execute(progress)
    progress.executed = number
    yield from _derive(progress, executed)
    validate = ask.ValidateResults(task=run.task, plan=progress.plan, executed=executed)
    report = yield from run.perform(validate, _UNCHECKED)
    progress.this_pass = progress.this_pass.changed(report=report)
    assessment = yield from _assess(progress, report)
    progress.settle()
    signals.assessed(assessment, progress.evaluations, run.config)
    signals.unclear = _needs_clarification(progress)
    decision = run.decide()
    progress.this_pass = progress.this_pass.changed(assessment=assessment, decision=decision)
    if decision.action == "OUTPUT":
        raise Halt(decision)
    signals.diminishing = False  # decided about: where a question goes before it, the answer gets a pass of its own
    yield PassNote(pass_number=number, decision=decision)
    reasons = (*triggers.issues(report), *triggers.bad_ends(progress.plan, executed))
    record = yield from _refine(progress, (*reasons, *triggers.unmet_criteria(assessment)), report)
    progress.this_pass = progress.this_pass.changed(refinement=record)
    yield from _profile_again(progress, report, executed)
    progress.limit_passes()
    progress.end_pass(decision)
    signals.stalled = not ready(progress.plan)
    run.boundary()


def _derive(progress: Progress, executed: tuple[str, ...]) -> Program[None]:
    """Where tools alone gave the whole answer, what other ways to it give."""
    run = progress.run
    if executed and progress.number > 1:  # what is derived again is what a later pass gives; a plan may bring its own
        progress.plan = progress.plan.changed(agreement=None, vouched=None)
    if run.config.derivations > 1 and is_to_derive(progress.plan):
        effect = ask.DeriveAgain(task=run.task, plan=progress.plan, most=run.config.derivations - 1)
        agreement = yield from run.perform(effect, Agreement())
        progress.plan = progress.plan.changed(agreement=agreement)
    if progress.plan.agreement is not None:
        progress.this_pass = progress.this_pass.changed(agreement=progress.plan.agreement)


def _assess(progress: Progress, report: SemanticValidationReport) -> Program[ConvergenceAssessment]:
    """Whether the results answer the task."""
    run = progress.run
    effect = ask.AssessConvergence(task=run.task, plan=progress.plan, report=report, thresholds=run.config.convergence)
    assessment = yield from run.perform(effect, _UNASSESSED)
    progress.assessment = assessment
    if assessment.evaluation:
        progress.evaluations.append(assessment.evaluation)
    return assessment


def _execute(progress: Progress) -> Program[tuple[str, ...]]:
    """Run every step that can run, each as soon as those that it builds on are complete; the ids of those that ran."""
    run = progress.run
    while runnable := waves(progress.plan):
        run.boundary(midway=True)
        effects = _step_effects(progress, runnable)
        outcomes = yield from run.issue(effects)
        steps = [_settled(progress, *pair) for pair in zip(effects, outcomes, strict=True)]
        ran = tuple(step for step in steps if step.executed)
        progress.plan = progress.plan.merge(ran)
        progress.this_pass = progress.this_pass.changed(executed=progress.this_pass.executed + ran)
        for step, outcome in zip(steps, outcomes, strict=True):
            if outcome.unknown:
                yield from _account_for(progress, step, outcome)
    return tuple(step.id for step in progress.this_pass.executed)


def _step_effects(progress: Progress, runnable: tuple[tuple[Step, ...], ...]) -> list[ask.ExecuteStep]:
    """The steps to issue together, each with its share of what is left and the places of those that it waits for.

    They are all those of the first wave, and as many of the later ones as are affordable if each step spends all that
    it may: so no step goes without for another that may need less.
    """
    run, plan = progress.run, progress.plan
    cap, whole = run.config.caps.execute, run.allow("execute", len(plan.steps))
    fit = affordable(run.config, whole, cap)
    steps = [step for wave in runnable for step in wave][: max(len(runnable[0]), fit)]
    places = {step.id: place for place, step in enumerate(steps)}
    effects = []
    for step, share in zip(placed(plan, steps), budget.split(whole, len(steps), cap), strict=True):
        sources = inputs(plan, step)
        after = tuple(places[source.names[0]] for source in sources if source.awaited)
        effects.append(ask.ExecuteStep(task=run.task, allowance=share, after=after, step=step, inputs=sources))
    return effects


def _settled(progress: Progress, effect: ask.ExecuteStep, outcome: Outcome) -> Step:
    """The step after its outcome: complete, invalid if blocked, failed; or pending again if it was abandoned."""
    step = effect.step
    if isinstance(outcome.value, StepResult):
        if outcome.value.untutored:
            progress.run.degraded.append(Degradation(phase=effect.phase, message=outcome.value.untutored))
        return step.given(outcome.value)
    if progress.run.abandoned(effect, outcome):
        return step.changed(status="pending")
    return step.changed(status="failed", problem=outcome.message)


def _account_for(progress: Progress, step: Step, outcome: Outcome) -> Program[None]:
    """Where a tool may have changed the world, a person says what to do; what was done has no output."""
    reply = yield from progress.run.resolve(outcome)
    if reply == "done":
        result = StepResult(output=None, mode="tool", clarity="PARTIALLY_CLEAR", problem="done; its output was lost")
        done = step.given(result)
        progress.plan = progress.plan.merge((done,))
        progress.this_pass = progress.this_pass.changed(executed=(*progress.this_pass.executed, done))


def _refine(
    progress: Progress, reasons: tuple[Trigger, ...], report: SemanticValidationReport
) -> Program[RefinementRecord]:
    """Ask for deltas that resolve the triggers; accept those that keep the plan sound, once they are checked."""
    run = progress.run
    reasons = triggers.existing(progress.plan, reasons)
    progress.attempts.limits = limits_for(progress.profile, run.config)
    open_reasons = progress.attempts.open(reasons)
    if not open_reasons:
        run.signals.unclear = False
        return RefinementRecord(triggers=reasons)
    request = ask.RefinePlan(
        task=run.task,
        plan=progress.plan,
        triggers=open_reasons,
        repairs=report.repairs,
        most_steps=run.config.limits.total_steps - len(progress.plan.steps),
        may_ask=_may_ask(progress),
        strategy=strategy(run.config.reasoning_engine, progress.evaluations),
        evaluation=progress.evaluations[-1] if progress.evaluations else None,
    )
    first = proposal = yield from run.perform(request, Refinement())
    if first.question and request.may_ask:
        yield from run.ask(first.question)
        proposal = yield from run.perform(request.changed(task=run.task, may_ask=False), Refinement())
    run.signals.unclear = False
    record = yield from _accept(progress, proposal)
    said = record.changed(triggers=reasons, strategy=request.strategy, question=first.question)
    yield PassNote(pass_number=progress.number, plan=progress.plan, refinement=said)
    return said


def _accept(progress: Progress, proposal: Refinement) -> Program[RefinementRecord]:
    """Apply what keeps the plan sound, unless a check of the new steps finds something grave: then the plan stays."""
    run = progress.run
    plan, applied, rejected = apply(progress.plan, proposal.actions, progress.attempts)
    record = RefinementRecord(applied=applied, rejected=rejected, advisories=proposal.advisories, query=proposal.query)
    new = tuple(step.id for action in applied for step in action.steps)
    if not new:
        progress.plan = plan
        return record
    report = yield from run.perform(ask.ValidatePlan(task=run.task, plan=plan, steps=new), _UNCHECKED)
    why = triggers.grave(report, new)
    if not why:
        progress.plan = plan
        return record.changed(report=report)
    refused = tuple(Rejection(action=action, reason=why) for action in applied)
    return record.changed(applied=(), rejected=rejected + refused, report=report)


def _profile_again(progress: Progress, report: SemanticValidationReport, executed: tuple[str, ...]) -> Program[None]:
    """Ask for the profile that was put off; or for a new one, where a step was blocked and issues exist."""
    blocked = any(step.clarity == "BLOCKED" for step in progress.plan.steps if step.id in executed)
    if not progress.unprofiled and not (blocked and report.issues):
        return
    issues = tuple(issue.description for issue in report.issues)
    effect = ask.InferProfile(task=progress.run.task, previous=progress.profile, issues=issues)
    profile = yield from progress.run.perform(effect, progress.profile)
    if profile is not progress.profile:
        progress.profile_again(profile)


def _may_ask(progress: Progress) -> bool:
    """Whether a question is left of those that the run may ask, and the latest evaluation sees a need."""
    needed = not progress.evaluations or progress.evaluations[-1].needs_clarification
    return needed and len(progress.run.asked) < progress.run.config.questions.most


def _needs_clarification(progress: Progress) -> bool:
    """Whether the latest evaluation asks for a question, and one is left."""
    return bool(progress.evaluations) and _may_ask(progress)


def _is_unfit(task: Task, answer: Answer) -> bool:
    """Whether a value of the task's schema was asked for and is not there; null may be one."""
    return task.answer_schema is not None and answer.value is None and answer.text.strip() != "null"


def _synthesize(progress: Progress, decision: Decision) -> Program[Answer]:
    """One answer from the latest complete pass, else from a partial one; without a model, its outputs word for word."""
    run, plan = progress.run, progress.settled or progress.plan
    caveat = "" if decision.sufficient else decision.detail
    answer = yield from run.final(ask.Synthesize(task=run.task, plan=plan, caveat=caveat), _NO_ANSWER, decision)
    run.signals.unfit = _is_unfit(run.task, answer)
    if answer.text.strip():
        if answer.problem:
            run.degraded.append(Degradation(phase="synthesize", message=answer.problem))
        return answer
    if answer is not _NO_ANSWER:
        run.degraded.append(Degradation(phase="synthesize", message="the answer was empty"))
    return Answer(text=plan.results() or f"No step was completed: {decision.detail}.")


MULTIPASS: Engine[Config, PassSignals, Result] = Engine(
    name="multi-pass/2",
    config=Config,
    result=Result,
    signals=PassSignals,
    effects=(
        ask.InferProfile,
        ask.DraftPlan,
        ask.ValidatePlan,
        ask.RefinePlan,
        ask.ExecuteStep,
        ask.DeriveAgain,
        ask.ValidateResults,
        ask.AssessConvergence,
        ask.Synthesize,
    ),
    table=TABLE,
    calls=most_calls,
    program=_program,
    final=ask.Synthesize,
    order=lambda config: (*(rule.reason for rule in OF_THE_ANSWER), *config.reasoning_engine.decide.order),
)
