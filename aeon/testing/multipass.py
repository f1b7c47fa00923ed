"""The multi-pass engine's part of the contracts: sample effects, and what no schema can say of their results."""

from __future__ import annotations

from collections.abc import Iterator

from jsonschema import Draft202012Validator

from aeon.multipass import triggers
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    ExecuteStep,
    InferProfile,
    RefinePlan,
    RunProgram,
    Synthesize,
    TakeTurn,
    UseTool,
    ValidatePlan,
    ValidateResults,
    WeighResult,
    WritePrograms,
)
from aeon.multipass.plans import draft_problems, inputs, placed
from aeon.multipass.refine import Attempts, apply
from aeon.schema import (
    Answer,
    Call,
    ConvergenceAssessment,
    ConvergenceThresholds,
    Exchange,
    Issue,
    JsonValue,
    Plan,
    Reasoning,
    Refinement,
    RefinementLimits,
    SemanticValidationReport,
    Step,
    StepMode,
    StepResult,
    StepStatus,
    Task,
    TaskProfile,
    ToolLoop,
    ToolUse,
    Trigger,
    Turn,
    Value,
    Writing,
)
from aeon.schema.effects import Effect
from aeon.schema.programs import Candidate, ProgramText, Ran
from aeon.testing.tasks import ANSWERED, LONG, LONG_TEXT, OBJECT, PLAIN, TASKS, UNICODE

__all__ = ["DONE", "SAMPLES", "contradictions", "unasked"]

_SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
_SCORES = ("completeness", "coherence", "consistency")
_BY_MODEL = ("reasoning", "tools", "program")
"""How a step can be done that the model does itself: as it is, or with tools in the model's form of work."""


async def unasked(effect: Effect) -> Value:
    """The handler of a phase that a run of yours must not reach.

    Raises:
        AssertionError: always.
    """
    raise AssertionError(f"'{effect.phase}' was asked for")


def _step(name: str, what: str, *after: str, status: StepStatus = "pending", output: JsonValue = None) -> Step:
    mode: StepMode | None = "reasoning" if status == "complete" else None
    return Step(id=name, description=what, dependencies=after, status=status, output=output, mode=mode)


def _sum(name: str, expression: str, *after: str, status: StepStatus = "pending", output: JsonValue = None) -> Step:
    mode: StepMode | None = "program" if status == "complete" else None
    use = ToolUse(id=f"{name}.1", tool="calculator", arguments={"expression": expression}, output=output)
    return Step(
        id=name, description=f"Compute {expression}", action=ToolLoop(form="program"), dependencies=after,
        status=status, output=None if output is None else str(output), mode=mode, uses=(use,) if mode else (),
    )  # fmt: skip


PENDING = Plan(steps=(_sum("s1", "240 * 0.45"), _sum("s2", "75 * 3.20", "s1"))).numbered()
DONE = Plan(
    steps=(
        _sum("s1", "240 * 0.45", status="complete", output=108),
        _step("s2", "Add what the loaves bring", "s1", status="complete", output="348"),
    )
).numbered()
_BLOCKED = _step("s2", "Find the price of a roll", "s1", status="invalid", output="It is not given.")
TROUBLED = Plan(
    steps=(
        _sum("s1", "240 * 0.45", status="complete", output=108),
        _BLOCKED.changed(clarity="BLOCKED", mode="reasoning", problem="the price is missing"),
        _sum("s3", "1 / 0", status="failed").changed(problem="division by zero"),
        _step("s4", "Add everything", "s1", "s2"),
    )
).numbered()
STRANGE = Plan(
    steps=(_step("s1", "日本語 🍞 \u202e ${x} {{y}} ```", status="complete", output={"ü": [None, True]}),)
).numbered()
VERBOSE = Plan(
    steps=(_step("s1", "Read it", status="complete", output=LONG_TEXT), _step("s2", "Sum it up", "s1"))
).numbered()
EMPTY = Plan()
PLANS = (PENDING, DONE, TROUBLED, STRANGE, VERBOSE, EMPTY)

ISSUE = Issue(
    type="consistency", severity="HIGH", description="The sum is wrong.", location="s1", proposed_repair="Redo."
)
REPORTS = (
    SemanticValidationReport(),
    SemanticValidationReport(issues=(ISSUE,), evidence=("240 * 0.45 = 108",), form="verdict"),
    SemanticValidationReport(failed=True),
)
TRIGGERS: tuple[tuple[Trigger, ...], ...] = (
    (Trigger(kind="issue", location="plan", detail="The plan leaves out the loaves."),),
    (Trigger(kind="reason_code", location="answer", detail="completeness_low"),),
)


def _executed(plan: Plan) -> tuple[str, ...]:
    return tuple(step.id for step in plan.steps if step.executed)


def _refinements() -> tuple[RefinePlan, ...]:
    bad_ends = triggers.bad_ends(TROUBLED, _executed(TROUBLED))
    troubled = RefinePlan(task=PLAIN, plan=TROUBLED, triggers=bad_ends, most_steps=6)
    unclear = triggers.ambiguity(TaskProfile(ambiguity=1), 0.8)
    wrong = triggers.issues(REPORTS[1])
    return (
        *(RefinePlan(task=PLAIN, plan=p, triggers=t, most_steps=6) for p in PLANS for t in TRIGGERS),
        troubled,
        troubled.changed(most_steps=1, repairs=("s2: Ask.",)),
        RefinePlan(task=UNICODE, plan=DONE, triggers=wrong, most_steps=0),
        *(troubled.changed(task=task, may_ask=True) for task in TASKS),
        RefinePlan(task=ANSWERED, plan=PENDING, triggers=unclear, most_steps=6, may_ask=True),
    )


def _executions() -> tuple[ExecuteStep, ...]:
    actions = (Reasoning(), Writing(task="Say what the rolls bring."), ToolLoop())
    (first,) = placed(PENDING, PENDING.steps[:1])
    steps = tuple(first.changed(action=action) for action in actions)
    return (
        *(ExecuteStep(task=PLAIN, step=step) for step in steps),
        _execution(PLAIN, TROUBLED, 3),
        _execution(LONG, VERBOSE, 1),
        _execution(UNICODE, STRANGE, 0),
    )


def _execution(task: Task, plan: Plan, place: int) -> ExecuteStep:
    """The step at that place of the plan, as it is issued when it has not run yet."""
    step = plan.steps[place]
    (issued,) = placed(plan, (step.anew(step.id),))
    return ExecuteStep(task=task, step=issued, inputs=inputs(plan, issued))


_LOOPED = Step(id="s1", description="How much do the rolls bring?", action=ToolLoop())
_CALL = Call(id="s1.1", tool="calculator", arguments={"expression": "240 * 0.45"})
_SUM = Exchange(
    turn=Turn(calls=(_CALL,)), uses=(ToolUse(id=_CALL.id, tool=_CALL.tool, arguments=_CALL.arguments, output=108),)
)
_WRONG = Exchange(turn=Turn(text="It is 107.", cites=("s1.1",)), objection="- 107 stands in no result")


_PROGRAMMED = _LOOPED.changed(action=ToolLoop(form="program"))
_PROGRAMS = (
    ProgramText(way="program", text="print(240 * 0.45)"),
    ProgramText(way="program", text="while True: pass"),
    ProgramText(way="query", text="DROP TABLE rolls"),
    ProgramText(way="worked", text="The rolls: 240 * 0.45 = 108\nAnswer: 108"),
    ProgramText(way="reading", text=""),
)
_RAN = (Ran(values=(108,), uses=_SUM.uses, cites=("s1.1",)), Ran(values=("日本語", None)), Ran(values=([],)))


def _turns() -> tuple[TakeTurn, ...]:
    """First turns, later ones, the last one, and one after an objection."""
    first = tuple(TakeTurn(task=task, step=_LOOPED) for task in TASKS)
    later = TakeTurn(task=PLAIN, step=_LOOPED, exchanges=(_SUM,))
    return (*first, later, later.changed(exchanges=(_SUM, _WRONG)), later.changed(last=True))


SAMPLES: dict[type[Effect], tuple[Effect, ...]] = {
    InferProfile: (
        *(InferProfile(task=task) for task in TASKS),
        InferProfile(task=PLAIN, previous=TaskProfile(), issues=(ISSUE.description,)),
    ),
    DraftPlan: tuple(
        DraftPlan(task=task, profile=TaskProfile(expected_step_count=count), most_steps=most)
        for task in TASKS
        for count, most in ((3, 12), (50, 1))
    ),
    ValidatePlan: (
        *(ValidatePlan(task=PLAIN, plan=plan) for plan in PLANS),
        *(ValidatePlan(task=task, plan=PENDING) for task in TASKS),
        ValidatePlan(task=PLAIN, plan=TROUBLED, steps=("s4",)),
    ),
    RefinePlan: _refinements(),
    ExecuteStep: _executions(),
    TakeTurn: _turns(),
    UseTool: (
        UseTool(task=PLAIN, step="s1", call=_CALL),
        UseTool(task=UNICODE, step="s1_r1", call=_CALL.changed(id="s1.7")),
    ),
    WritePrograms: (
        *(WritePrograms(task=task, step=_PROGRAMMED) for task in TASKS),
        WritePrograms(task=PLAIN, step=_PROGRAMMED, ways=("program",), problems=("rolls has no value",)),
    ),
    RunProgram: tuple(RunProgram(task=PLAIN, step=_PROGRAMMED, program=program) for program in _PROGRAMS),
    WeighResult: tuple(
        WeighResult(task=PLAIN, step=_PROGRAMMED, candidate=Candidate(program=_PROGRAMS[0], ran=ran)) for ran in _RAN
    ),
    ValidateResults: (
        *(ValidateResults(task=PLAIN, plan=plan, executed=_executed(plan)) for plan in PLANS),
        *(ValidateResults(task=task, plan=DONE, executed=("s2",)) for task in TASKS),
    ),
    AssessConvergence: tuple(
        AssessConvergence(task=task, plan=plan, report=report, thresholds=ConvergenceThresholds())
        for task, plans in ((PLAIN, PLANS), (OBJECT, (DONE, TROUBLED)))
        for plan in plans
        for report in REPORTS
    ),
    Synthesize: (
        *(Synthesize(task=task, plan=DONE) for task in TASKS),
        *(Synthesize(task=PLAIN, plan=plan, caveat="all 3 passes are used") for plan in PLANS),
    ),
}
"""Sample effects of each kind, without an allowance."""


def _of_loop(effect: Effect, value: Value) -> Iterator[str]:
    match effect, value:
        case TakeTurn(), Turn():
            yield from _of_turn(effect, value)
        case UseTool(), ToolUse() if value.id != effect.call.id:
            yield "it is of another call"


def _of_turn(effect: TakeTurn, turn: Turn) -> Iterator[str]:
    if not turn.calls and not turn.text:
        yield "it calls nothing and says nothing"
    known = {use.id for one in effect.exchanges for use in one.uses}
    if again := known & {call.id for call in turn.calls}:
        yield f"it numbers calls as earlier ones: {', '.join(sorted(again))}"


def contradictions(effect: Effect, value: Value) -> Iterator[str]:
    """Why the result, which fits its schema, makes no sense as an answer to this effect; nothing if it does."""
    match effect, value:
        case DraftPlan(), Plan():
            yield from draft_problems(value, effect.most_steps)
        case ValidatePlan() | ValidateResults(), SemanticValidationReport():
            yield from _of_report(effect.plan, value)
        case (TakeTurn(), Turn()) | (UseTool(), ToolUse()):
            yield from _of_loop(effect, value)
        case RefinePlan(), Refinement():
            yield from _of_refinement(effect, value)
        case ExecuteStep(), StepResult():
            yield from _of_step(effect, value)
        case RunProgram(), Ran():
            yield from _of_ran(value)
        case AssessConvergence(), ConvergenceAssessment():
            yield from _of_assessment(effect, value)
        case Synthesize(), Answer():
            yield from _of_answer(effect, value)


def _of_report(plan: Plan, report: SemanticValidationReport) -> Iterator[str]:
    places = {trigger.location for trigger in triggers.existing(plan, triggers.issues(report))}
    for issue in report.issues:
        if issue.location not in places:
            yield f"an issue points at '{issue.location}', which does not exist"
    ranks = [_SEVERITIES.index(issue.severity) for issue in report.issues]
    if ranks != sorted(ranks):
        yield "the issues do not stand in the order of their severity"
    if report.failed and report.issues:
        yield "the report is marked as failed and has issues all the same"


def _of_refinement(effect: RefinePlan, refinement: Refinement) -> Iterator[str]:
    if refinement.question and not effect.may_ask:
        yield "it has a question, though none may be asked"
    if refinement.question and refinement.actions:
        yield "it has a question and deltas; deltas are asked for again once the question is answered"
    limits = RefinementLimits(total_steps=len(effect.plan.steps) + effect.most_steps)
    _, _, rejected = apply(effect.plan, refinement.actions, Attempts(limits))
    for refused in rejected:
        yield f"{refused.action.type} of '{refused.action.target or 'plan'}' cannot be applied: {refused.reason}"


def _of_step(effect: ExecuteStep, result: StepResult) -> Iterator[str]:
    if isinstance(effect.step.action, Reasoning) and result.mode not in _BY_MODEL:
        yield f"a reasoning step was done in mode '{result.mode}'"
    if result.clarity == "BLOCKED" and not result.problem:
        yield "the step is blocked and its result does not say by what"


def _of_ran(ran: Ran) -> Iterator[str]:
    if not any((ran.values, ran.writing, ran.absent, ran.problem)):
        yield "it gives nothing and does not say why"
    if ran.absent and ran.values:
        yield "it has values, and finds that nothing is stated"
    known = {use.id for use in ran.uses}
    if [cite for cite in ran.cites if known.isdisjoint((cite, cite.rpartition(".")[0]))]:
        yield "it cites what it did not call"


def _of_assessment(effect: AssessConvergence, assessment: ConvergenceAssessment) -> Iterator[str]:
    if assessment.converged:
        yield from _doubts(effect, assessment)
    elif not assessment.reason_codes:
        yield "not converged, and no reason code says why"


def _doubts(effect: AssessConvergence, assessment: ConvergenceAssessment) -> Iterator[str]:
    """What speaks against a run's having converged."""
    scores = {name: getattr(assessment, name) for name in _SCORES}
    low = [name for name, score in scores.items() if score is not None and score < getattr(effect.thresholds, name)]
    if low:
        yield f"converged, though below the threshold in {', '.join(low)}"
    if assessment.reason_codes:
        yield f"converged, though with the reason codes {', '.join(assessment.reason_codes)}"
    unmade = {"the judgment is marked as failed": assessment.failed, "nobody judged it": assessment.standing == "none"}
    yield from (f"converged, though {what}" for what, holds in unmade.items() if holds)
    if not any(step.status == "complete" for step in effect.plan.steps):
        yield "converged, though no step is complete"


def _of_answer(effect: Synthesize, answer: Answer) -> Iterator[str]:
    schema = effect.task.answer_schema
    if not answer.text.strip():
        yield "the answer is empty"
    if schema is None and answer.value is not None:
        yield "the answer has a value, though the task has no schema for one"
    if schema is not None and answer.value is not None:
        yield from (f"value: {error.message}" for error in Draft202012Validator(schema).iter_errors(answer.value))
