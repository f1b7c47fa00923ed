"""Sample effects of each phase: plain ones, and those at the edges of what a kernel may ask."""

from __future__ import annotations

from aeon.kernel.effects import AskUser, Effect
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    ExecuteStep,
    InferProfile,
    RefinePlan,
    Synthesize,
    ValidatePlan,
    ValidateResults,
)
from aeon.schema import (
    Allowance,
    CallCaps,
    ConvergenceThresholds,
    Issue,
    JsonObject,
    JsonValue,
    Phase,
    Plan,
    Question,
    Reply,
    SemanticValidationReport,
    Step,
    StepMode,
    StepStatus,
    Task,
    TaskProfile,
    ToolCall,
    Trigger,
)

__all__ = ["DONE", "samples"]

_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"total": {"type": "number"}},
    "required": ["total"],
    "additionalProperties": False,
}
_LONG = "One of very many words. " * 4_000

PLAIN = Task(text="A bakery sells 240 rolls at 0.45 and 75 loaves at 3.20. What does it take in?")
UNICODE = Task(text='Was heißt „日本語“ — 🍞 \u202e ​x̂ ?\n```\n{"a": 1}\n```', context="\u2028 ${x} {{y}} <task>")
LONG = Task(text="Say in a sentence what this is about.\n" + _LONG, context=_LONG)
OBJECT = Task(text=PLAIN.text, answer_schema=_SCHEMA, criteria=("The answer is in euros.",))
ANSWERED = PLAIN.clarified(Question(text="Which day?"), Reply(text="Monday"))
TASKS = (PLAIN, UNICODE, LONG, OBJECT)


def _step(name: str, what: str, *after: str, status: StepStatus = "pending", output: JsonValue = None) -> Step:
    mode: StepMode | None = "reasoning" if status == "complete" else None
    return Step(id=name, description=what, dependencies=after, status=status, output=output, mode=mode)


def _sum(name: str, expression: str, *after: str, status: StepStatus = "pending", output: JsonValue = None) -> Step:
    call = ToolCall(tool="calculator", arguments={"expression": expression})
    mode: StepMode | None = "tool" if status == "complete" else None
    return Step(
        id=name, description=f"Compute {name}", action=call, dependencies=after, status=status, output=output, mode=mode
    )


PENDING = Plan(steps=(_sum("s1", "240 * 0.45"), _sum("s2", "$s1 + 75 * 3.20", "s1"))).numbered()
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
    steps=(_step("s1", "Read it", status="complete", output=_LONG), _step("s2", "Sum it up", "s1"))
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
QUESTIONS = (
    Question(text="Which year?", options=("2025", "2026"), default="2026"),
    Question(text="Which bakery?", default="the one on the corner"),
    Question(text="step s1 (send the mail): mail did not return. Was it done?", options=("done", "repeat", "stop")),
    Question(text="Was heißt „日本語“ 🍞 \u202e ${x}?\n```", options=("ü", ""), default="\u2028"),
)
TRIGGERS: tuple[tuple[Trigger, ...], ...] = (
    (Trigger(kind="issue", location="plan", detail="The plan leaves out the loaves."),),
    (Trigger(kind="reason_code", location="answer", detail="completeness_low"),),
)


def samples(phase: Phase) -> tuple[Effect, ...]:
    """Effects to try a handler of this phase with, each allowed what the default configuration allows."""
    allowance = Allowance(calls=CallCaps().of(phase))
    made = _SAMPLES[phase]
    return tuple(effect.changed(allowance=allowance) for effect in made)


def _executed(plan: Plan) -> tuple[str, ...]:
    return tuple(step.id for step in plan.steps if step.executed)


def _refinements() -> tuple[Effect, ...]:
    found = [RefinePlan(task=PLAIN, plan=p, triggers=t, most_steps=6) for p in PLANS for t in TRIGGERS]
    troubled = TROUBLED.triggers(_executed(TROUBLED))
    found.append(RefinePlan(task=PLAIN, plan=TROUBLED, triggers=tuple(troubled), most_steps=6))
    found.append(RefinePlan(task=PLAIN, plan=TROUBLED, triggers=tuple(troubled), most_steps=1, repairs=("s2: Ask.",)))
    found.append(RefinePlan(task=UNICODE, plan=DONE, triggers=(ISSUE.trigger,), most_steps=0))
    found += [RefinePlan(task=t, plan=TROUBLED, triggers=tuple(troubled), most_steps=6, may_ask=True) for t in TASKS]
    unclear = TaskProfile(ambiguity=1).triggers(0.8)
    found.append(RefinePlan(task=ANSWERED, plan=PENDING, triggers=unclear, most_steps=6, may_ask=True))
    return tuple(found)


def _executions() -> tuple[Effect, ...]:
    actions = (
        ToolCall(tool="calculator"),
        ToolCall(tool="calculator", arguments={"expression": "2 +"}),
        ToolCall(tool="calculator", arguments={"no such slot": [1]}),
        ToolCall(tool="calculator", arguments={"expression": "$s9 + 1"}),
        ToolCall(tool="no_such_tool", arguments={}),
    )
    first = PENDING.steps[0]
    steps = [*PENDING.placed((first,)), *(first.changed(action=action) for action in actions)]
    found = [ExecuteStep(task=PLAIN, step=step) for step in steps]
    for task, plan, name in ((PLAIN, TROUBLED, "s4"), (LONG, VERBOSE, "s2"), (UNICODE, STRANGE, "s1")):
        step = plan.find(name)
        if step is not None:
            (fresh,) = plan.placed((step.anew(name),))
            found.append(ExecuteStep(task=task, step=fresh, inputs=plan.inputs(fresh)))
    return tuple(found)


_SAMPLES: dict[Phase, tuple[Effect, ...]] = {
    "profile": (
        *(InferProfile(task=task) for task in TASKS),
        InferProfile(task=PLAIN, previous=TaskProfile(), issues=(ISSUE.description,)),
    ),
    "plan": tuple(
        DraftPlan(task=task, profile=TaskProfile(expected_step_count=count), most_steps=most)
        for task in TASKS
        for count, most in ((3, 12), (50, 1))
    ),
    "validate_plan": tuple(ValidatePlan(task=PLAIN, plan=plan) for plan in PLANS)
    + tuple(ValidatePlan(task=task, plan=PENDING) for task in TASKS),
    "refine_plan": _refinements(),
    "execute": _executions(),
    "validate_results": tuple(ValidateResults(task=PLAIN, plan=plan, executed=_executed(plan)) for plan in PLANS)
    + tuple(ValidateResults(task=task, plan=DONE, executed=("s2",)) for task in TASKS),
    "assess": tuple(
        AssessConvergence(task=task, plan=plan, report=report, thresholds=ConvergenceThresholds())
        for task, plans in ((PLAIN, PLANS), (OBJECT, (DONE, TROUBLED)))
        for plan in plans
        for report in REPORTS
    ),
    "ask": tuple(AskUser(task=task, question=question) for task in (PLAIN, ANSWERED) for question in QUESTIONS),
    "synthesize": tuple(Synthesize(task=task, plan=DONE) for task in TASKS)
    + tuple(Synthesize(task=PLAIN, plan=plan, caveat="all 3 passes are used") for plan in PLANS),
}
