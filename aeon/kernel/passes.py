"""The multi-pass engine: profile, plan, validate, refine, then passes, then synthesis.

Nothing here waits, looks at a clock or calls a model. A phase asks by yielding an effect and continues with the answer;
who answers, and how, is the driver's affair. A run can end at any boundary (``Halt``), and always ends in synthesis.
The machine beside this file knows nothing of it: any other engine stands on the same floor.
"""

from __future__ import annotations

from dataclasses import dataclass

import aeon.schema as schema
from aeon.kernel import budget
from aeon.kernel.compose import side_by_side
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.table import OF_THE_ANSWER, TABLE, PassSignals
from aeon.multipass import effects as ask
from aeon.multipass import fallbacks, limits, plans, refine, sampling, trends, triggers, turns
from aeon.multipass.record import Record
from aeon.schema.effects import Program

__all__ = ["MULTIPASS", "Progress"]


@dataclass(slots=True, kw_only=True)
class Progress(Record):
    """The record of a run while it is made, with the run that it is of."""

    run: Run[schema.Config, PassSignals]

    def limit(self) -> None:
        """Take the limits on passes (TTL) and on refinement, which follow from profile and configuration."""
        self.run.signals.ttl = limits.pass_limit(self.profile, self.run.config)
        self.attempts.limits = limits.limits_for(self.profile, self.run.config)

    def settle(self) -> None:
        """Count the pass under way as complete, also for the table."""
        Record.settle(self)
        self.run.signals.passes = self.complete
        self.limit()

    def degrade(self, phase: str, message: str) -> None:
        """Note that a fallback stands in for the value of a phase, if there is a ``message`` that says why."""
        if message:
            self.run.degraded.append(schema.Degradation(phase=phase, message=message))

    @property
    def asks(self) -> bool:
        """Whether the run may put a question, and the latest evaluation sees a need."""
        return self.may_ask(len(self.run.asked), self.run.config.questions.most)


def _program(run: Run[schema.Config, PassSignals]) -> Program[schema.Result]:
    """The whole run. Every way out leads through synthesis to a result with a typed stop reason."""
    progress = Progress(run=run)
    try:
        yield from _prepare(progress)
        while True:
            yield from _one_pass(progress)
    except Halt as halt:
        decision = halt.decision
        if progress.executed > progress.complete and not halt.midway:
            progress.settle()
    progress.end_pass(decision, run.timings, run.usage)
    yield ask.PassNote(pass_number=progress.number, decision=decision)
    answer = yield from _synthesize(progress, decision)
    if decision.revisable and run.signals.unfit:
        decision = run.decide()
    return progress.result(run.conclude(decision, answer), answer, (run.task, run.config, run.timings))


def _prepare(progress: Progress) -> Program[None]:
    """Profile the task, draft a plan, have it checked and mended before anything runs."""
    run = progress.run
    progress.limit()
    progress.profile = yield from run.perform(ask.InferProfile(task=run.task), progress.profile)
    progress.degrade("profile", progress.profile.problem)
    progress.limit()
    progress.plan = yield from _draft(progress)
    start = schema.Preparation(profile=progress.profile, plan=progress.plan, timings=tuple(run.timings))
    progress.preparation = start
    yield ask.PassNote(pass_number=0, plan=progress.plan)
    report = yield from run.perform(ask.ValidatePlan(task=run.task, plan=progress.plan), fallbacks.UNCHECKED)
    progress.preparation = start = start.changed(report=report, timings=tuple(run.timings))
    unclear = triggers.ambiguity(progress.profile, run.config.questions.ambiguity) if progress.asks else ()
    record = yield from _refine(progress, (*triggers.issues(report), *unclear), report)
    progress.preparation = start.changed(refinement=record, timings=tuple(run.timings))


def _draft(progress: Progress) -> Program[schema.Plan]:
    """A sound plan; where none can be had, or none is needed, the task itself as the only step."""
    run, profile, most = progress.run, progress.profile, progress.attempts.limits.first_steps
    form = profile.form if run.config.form == "auto" else run.config.form
    whole = plans.one_step(run.task.text, form)
    if limits.is_one_step(profile, run.config):
        return whole.numbered()
    drafted = yield from run.perform(ask.DraftPlan(task=run.task, profile=profile, most_steps=most), whole)
    problems = "; ".join(plans.draft_problems(drafted, most))
    progress.degrade("plan", problems)
    return plans.accepted(whole if problems else drafted)


def _one_pass(progress: Progress) -> Program[None]:
    """Execute, validate, assess, decide; where the run continues, refine and look at the task's profile again."""
    run, signals, number = progress.run, progress.run.signals, progress.number + 1
    progress.begin_pass(run.usage)
    run.timings.clear()
    executed = yield from _execute(progress)
    progress.executed = number
    progress.note(agreement=progress.plan.agreement)
    report = yield from _assess(progress, executed)
    decision = run.decide()
    progress.note(decision=decision)
    if decision.action == "OUTPUT":
        raise Halt(decision)
    signals.diminishing = False  # decided about: where a question goes before it, the answer gets a pass of its own
    yield ask.PassNote(pass_number=number, decision=decision)
    record = yield from _refine(progress, progress.reasons(report, executed), report)
    progress.note(refinement=record)
    if progress.is_blocked(executed) and report.issues:
        yield from _profile_again(progress, report)
    progress.limit()
    progress.end_pass(decision, run.timings, run.usage)
    signals.stalled = not plans.ready(progress.plan)
    run.boundary()


def _execute(progress: Progress) -> Program[tuple[str, ...]]:
    """Run every step that can run, all at once; the ids of those that ran.

    What steps ask for that a model does turn by turn goes out in common batches with the others. Of these, one begins
    as soon as those that it builds on are complete.
    """
    while runnable := plans.waves(progress.plan):
        progress.run.boundary(midway=True)
        loops, others = plans.looped(progress.plan, runnable[0]), plans.batched(runnable)
        among = len(loops) + bool(others)
        programs = [(_sample if plans.is_by_programs(step) else _work)(progress, step, among) for step in loops]
        programs += [_run_steps(progress, others, among)] if others else []
        yield from side_by_side(*programs, hear=progress.run.hear)
    return tuple(step.id for step in progress.this_pass.executed)


def _work(progress: Progress, step: schema.Step, among: int) -> Program[None]:
    """Do a step turn by turn, as one of so many at once, until the model answers or no turn is left.

    It shares the turns and all else ``among`` as many programs. The last turn that it may take offers no tools, so that
    it can only answer.
    """
    run, most = progress.run, progress.run.config.limits
    known, exchanges, turn = plans.inputs(progress.plan, step), progress.exchanges(step), schema.Turn()
    for taken in range(1, most.turns_per_step + 1):
        left = min(most.turns_per_step - taken, (most.turns - progress.turns - 1) // among)
        if left < 0:
            break
        progress.turns += 1
        effect = ask.TakeTurn(task=run.task, step=step, inputs=known, exchanges=exchanges, last=left == 0)
        turn = yield from run.perform(effect, schema.Turn(), among)
        if not turn.calls or effect.last:
            break
        exchanges = yield from _use_tools(progress, effect, turn)
    progress.ran([progress.looped(step, turn)])


def _sample(progress: Progress, step: schema.Step, among: int) -> Program[None]:
    """Do a step by programs whose results vote, as one of so many at once."""
    run, known = progress.run, plans.inputs(progress.plan, step)
    rounds = (run.config.limits.rounds - progress.rounds) // among
    asking = sampling.sample(run.task, step, known, progress.voted(step), rounds)
    try:
        effect, instead = next(asking)
        while True:
            progress.rounds += isinstance(effect, ask.WritePrograms)
            effect, instead = asking.send((yield from run.perform(effect, instead, among)))
    except StopIteration as end:
        progress.sampled(*end.value)


def _use_tools(progress: Progress, asked: ask.TakeTurn, turn: schema.Turn) -> Program[tuple[schema.Exchange, ...]]:
    """The turns of a step, with what came of the calls of this one: those that can be made are, all at once.

    Of a call that may have changed the world a person is asked; what the others gave is kept before that.
    """
    run, step = progress.run, asked.step

    def to_use(call: schema.Call) -> ask.UseTool:
        allowed = budget.allowance(run.boundary(midway=True), 0)
        return ask.UseTool(task=run.task, allowance=allowed, step=step.id, call=call)

    calls = turns.to_make(turn, run.config.limits.calls_per_turn)
    effects = [to_use(call) for call in calls]
    outcomes = (yield from run.issue(effects)) if effects else ()
    uses = dict(map(turns.used, calls, outcomes))
    progress.keep(step, exchanges := turns.exchanged(asked.exchanges, turn, uses))
    for effect, outcome in zip(effects, outcomes, strict=True):
        while outcome.unknown:
            if (yield from run.resolve(outcome)) == "done":
                uses[effect.call.id] = turns.answered(effect.call, fallbacks.LOST.problem)
                break
            (outcome,) = yield from run.issue((to_use(effect.call),))
            uses.update((turns.used(effect.call, outcome),))
        progress.keep(step, exchanges := turns.exchanged(asked.exchanges, turn, uses))
    return exchanges


def _run_steps(progress: Progress, runnable: tuple[tuple[schema.Step, ...], ...], among: int) -> Program[None]:
    """Run the steps of the first wave, and in the same batch as many later ones as can be afforded for certain.

    They may spend together what one of so many programs may ``among`` them.
    """
    run, plan, cap = progress.run, progress.plan, progress.run.config.caps.execute
    most = len(plan.steps)
    whole = budget.split(run.allow("execute", among * most), among, most * cap)[-1]
    order = plans.schedule(plan, runnable, budget.affordable(run.config, whole, cap))
    effects = [
        ask.ExecuteStep(task=run.task, allowance=share, after=after, step=step, inputs=known)
        for (step, known, after), share in zip(order, budget.split(whole, len(order), cap), strict=True)
    ]
    outcomes = yield from run.issue(effects)
    steps = [_settled(progress, *pair) for pair in zip(effects, outcomes, strict=True)]
    progress.ran(steps)
    for step, outcome in zip(steps, outcomes, strict=True):
        if outcome.unknown and (yield from run.resolve(outcome)) == "done":
            progress.ran([step.given(fallbacks.LOST)])


def _settled(progress: Progress, effect: ask.ExecuteStep, outcome: schema.Outcome) -> schema.Step:
    """The step after its outcome: complete, invalid if blocked, failed; or pending again if it was abandoned."""
    if isinstance(outcome.value, schema.StepResult):
        return effect.step.given(outcome.value)
    if progress.run.abandoned(effect, outcome):
        return effect.step.changed(status="pending")
    return effect.step.changed(status="failed", problem=outcome.message)


def _assess(progress: Progress, executed: tuple[str, ...]) -> Program[schema.SemanticValidationReport]:
    """What is wrong with the results, and whether they answer the task: one reply may say both. The pass is settled."""
    run, signals, plan = progress.run, progress.run.signals, progress.plan
    validate = ask.ValidateResults(task=run.task, plan=plan, executed=executed)
    report = yield from run.perform(validate, fallbacks.UNCHECKED)
    progress.note(report=report)
    effect = ask.AssessConvergence(task=run.task, plan=plan, report=report, thresholds=run.config.convergence)
    said = yield from run.perform(effect, report.verdict or fallbacks.UNASSESSED)
    progress.assess(said)
    progress.settle()
    signals.codes, signals.converged = said.reason_codes, said.converged
    signals.unjudged = said.standing in ("none", "bad") and plans.is_finished(plan)
    signals.grounded = progress.is_grounded(run.task)
    undisputed = said.reply is None or not said.reason_codes  # no confidence goes over what a judge has against it
    signals.confident = undisputed and trends.confident(run.config.reasoning_engine, progress.evaluations)
    signals.diminishing = trends.diminishing(run.config.reasoning_engine, progress.evaluations, progress.has_pivoted)
    signals.unclear = bool(progress.evaluations) and progress.asks
    return report


def _refine(
    progress: Progress, reasons: tuple[schema.Trigger, ...], report: schema.SemanticValidationReport
) -> Program[schema.RefinementRecord]:
    """Ask for deltas that resolve the triggers; accept those that keep the plan sound, once they are checked."""
    run = progress.run
    reasons = triggers.existing(progress.plan, reasons)
    progress.limit()
    open_reasons = progress.attempts.open(reasons)
    if not open_reasons:
        run.signals.unclear = False
        return schema.RefinementRecord(triggers=reasons)
    request = ask.RefinePlan(
        task=run.task,
        plan=progress.plan,
        triggers=open_reasons,
        repairs=report.repairs,
        most_steps=run.config.limits.total_steps - len(progress.plan.steps),
        may_ask=progress.asks,
        strategy=trends.strategy(run.config.reasoning_engine, progress.evaluations, progress.has_pivoted),
        evaluation=progress.evaluations[-1] if progress.evaluations else None,
    )
    first = proposal = yield from run.perform(request, schema.Refinement())
    if first.question and request.may_ask:
        yield from run.ask(first.question)
        proposal = yield from run.perform(request.changed(task=run.task, may_ask=False), schema.Refinement())
    run.signals.unclear = False
    record = yield from _accept(progress, proposal)
    said = record.changed(triggers=reasons, strategy=request.strategy, question=first.question)
    yield ask.PassNote(pass_number=progress.number, plan=progress.plan, refinement=said)
    return said


def _accept(progress: Progress, proposal: schema.Refinement) -> Program[schema.RefinementRecord]:
    """Apply what keeps the plan sound, unless a check of the new steps finds something grave: then the plan stays."""
    run = progress.run
    plan, record = refine.proposed(progress.plan, proposal, progress.attempts)
    if new := record.new_steps:
        check = ask.ValidatePlan(task=run.task, plan=plan, steps=new)
        record = refine.checked(record, (yield from run.perform(check, fallbacks.UNCHECKED)))
    if record.applied:
        progress.plan = plan
    return record


def _profile_again(progress: Progress, report: schema.SemanticValidationReport) -> Program[None]:
    """Ask for a new profile, since a step was blocked and issues exist."""
    issues = tuple(issue.description for issue in report.issues)
    effect = ask.InferProfile(task=progress.run.task, previous=progress.profile, issues=issues)
    profile = yield from progress.run.perform(effect, progress.profile)
    if profile is not progress.profile:
        progress.profile_again(profile)


def _synthesize(progress: Progress, decision: schema.Decision) -> Program[schema.Answer]:
    """One answer from the latest complete pass, else from a partial one; without a model, its outputs word for word."""
    run, plan = progress.run, progress.answering()
    caveat = "" if decision.sufficient else decision.detail
    effect = ask.Synthesize(task=run.task, plan=plan, caveat=caveat, calculations=progress.calculations)
    answer = yield from run.final(effect, fallbacks.NO_ANSWER, decision)
    run.signals.unfit = answer.lacks_value(run.task)
    if answer.text.strip():
        progress.degrade("synthesize", answer.problem)
        return answer
    progress.degrade("synthesize", "" if answer is fallbacks.NO_ANSWER else "the answer was empty")
    return schema.Answer(text=plan.results() or f"No step was completed: {decision.detail}.")


MULTIPASS: Engine[schema.Config, PassSignals, schema.Result] = Engine(
    name="multi-pass/6",
    config=schema.Config,
    result=schema.Result,
    signals=PassSignals,
    effects=ask.EFFECTS,
    table=TABLE,
    calls=limits.most_calls,
    program=_program,
    final=ask.Synthesize,
    order=lambda config: (*(rule.reason for rule in OF_THE_ANSWER), *config.reasoning_engine.decide.order),
)
