"""The nodes that the graph and the loop have in common: classify, plan, execute, verify; and how both respond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from aeon.engines.graph import effects as ask
from aeon.engines.graph.builder import Graph, Visit, Walk
from aeon.engines.graph.config import WorkConfig
from aeon.engines.graph.record import Worked
from aeon.engines.graph.rules import WorkSignals
from aeon.engines.graph.stepping import carry_out, failure_of, renamed
from aeon.engines.graph.values import Classified, Complexity, Verdict, Work
from aeon.kernel.decide import borne_out
from aeon.kernel.engine import Halt, Run
from aeon.multipass.effects import DraftPlan, Synthesize, ValidateResults
from aeon.multipass.fallbacks import NO_ANSWER, UNCHECKED
from aeon.multipass.plans import answer_steps, draft_problems
from aeon.schema.claims import LACKING
from aeon.schema.conclusion import Decision, Degradation
from aeon.schema.effects import Program
from aeon.schema.experience import Lesson, Lessons, Noted, Pattern
from aeon.schema.judgment import SemanticValidationReport, TaskProfile
from aeon.schema.outcome import Answer
from aeon.schema.plan import LOOKED_UP, Agreement, Plan, Step, Writing
from aeon.schema.turns import ToolUse

__all__ = ["classify", "draft", "execute", "is_no", "plan", "taught", "verify", "walked"]

C = TypeVar("C", bound=WorkConfig)
_KNOWN = ("verified", "partial", "rejected", "not_stated", *LACKING)
"""Reasons to end that say what a run is worth; a budget or an interrupt says nothing of it."""
_LONGEST_LESSON = 400
_STEPS: dict[Complexity, int] = {"BYPASS": 1, "SIMPLE": 1, "MODERATE": 3, "COMPLEX": 6}
"""Steps that a task of this complexity is expected to take."""


def classify(visit: Visit[C, WorkSignals, Work]) -> Program[None]:
    """How complex the task is, and the lessons that there are; a task that needs no tool gets its plan at once."""
    run = visit.run
    request = ask.Classify(task=run.task, threshold=run.config.bypass_threshold)
    classified = yield from run.perform(request, Classified())
    visit.write(complexity=classified.complexity)
    if classified.complexity == "BYPASS":
        step = Step(id="s1", description=run.task.text, action=Writing(task=run.task.text))
        visit.write(plan=Plan(steps=(step,), answer=("s1",)).numbered())
    elif run.config.experience:
        config = run.config
        recall = ask.Recall(
            task=run.task, category=classified.complexity, project=config.project, least=config.similarity,
            most=config.lessons, days=config.lesson_days,
        )  # fmt: skip
        found = yield from run.perform(recall, Lessons())
        visit.write(lessons=found.lessons, patterns=found.patterns)


def plan(visit: Visit[C, WorkSignals, Work]) -> Program[None]:
    """A plan; where an earlier one failed, another one that is told why."""
    yield from draft(visit)


def draft(visit: Visit[C, WorkSignals, Work]) -> Program[None]:
    """Draft a plan for what is left of the steps; where none can be had, the task itself is the only step."""
    run, state = visit.run, visit.state
    most = min(run.config.plan_steps, run.config.total_steps - state.executed)
    if state.plan.steps:
        visit.write(plans=(*state.plans, state.plan))
    if most < 1:
        visit.write(plan=state.plan, fresh=False)
        return
    fallback = Plan(steps=(Step(id="s1", description=run.task.text),), answer=("s1",))
    profile = TaskProfile(expected_step_count=_STEPS[state.complexity], inferred=False)
    lessons = (*map(_told, state.lessons), *map(_pattern_words, state.patterns))
    request = DraftPlan(task=run.task, profile=profile, most_steps=most, problems=state.problems, lessons=lessons)
    drafted = yield from run.perform(request, fallback)
    if faults := draft_problems(drafted, most):
        run.degraded.append(Degradation(phase="plan", message="; ".join(faults)))
        drafted = fallback
    level = drafted.changed(steps=tuple(step.changed(depth=0) for step in drafted.steps))
    visit.write(plan=renamed(level, len(visit.state.plans)))


def _told(lesson: Lesson) -> str:
    return f"{lesson.outcome}: {lesson.task} -> {lesson.text}"


def _pattern_words(pattern: Pattern) -> str:
    whole = pattern.successes + pattern.failures
    return f"of {whole} {pattern.category} tasks done with {', '.join(pattern.tools)}, {pattern.successes} succeeded"


def execute(visit: Visit[C, WorkSignals, Work]) -> Program[None]:
    """Do the steps of the plan; what fails is what the next plan is told."""
    yield from carry_out(visit)
    if failure := failure_of(visit.state.plan):
        visit.write(problems=(*visit.state.problems, failure))


def verify(visit: Visit[C, WorkSignals, Work]) -> Program[None]:
    """Whether the results stand: a failed step, derivations that disagree, a measured judge or the model can say no."""
    if failure := failure_of(visit.state.plan):
        verdict = Verdict(says="no", reason=failure, by="steps")
    else:
        verdict = yield from _checked(visit)
    state = visit.state
    visit.write(verdict=verdict, verdicts=(*state.verdicts, verdict))
    if verdict.says == "no" and verdict.by != "steps":
        visit.write(problems=(*state.problems, verdict.reason))


def _checked(visit: Visit[C, WorkSignals, Work]) -> Program[Verdict]:
    """The verdict on results of which no step failed: the first no counts, else the strongest yes."""
    derived = _agreed(visit.state.plan)
    if derived.says == "no":
        return derived
    judged = yield from _judged(visit)
    if judged.says == "no":
        return judged
    asked = yield from _asked(visit)
    verdicts = (asked, derived, judged) if asked.says == "no" else (derived, judged, asked)
    return next((one for one in verdicts if one.says != "undecided"), Verdict())


def _agreed(done: Plan) -> Verdict:
    """What derivations of the answer say together; without any, whether it is what tools gave."""
    agreement = done.agreement or Agreement()
    if agreement.disagrees:
        others = ", ".join(one.answer for one in agreement.derivations)
        return Verdict(says="no", reason=f"derived in other ways, the answer is {others}", by="derivations")
    if _is_doubted(done):
        return Verdict()
    if agreement.votes > 1:
        return Verdict(says="yes", by="derivations")
    return Verdict(says="yes", by="tools") if _is_by_tools(done) else Verdict()


def _is_doubted(done: Plan) -> bool:
    """Whether a result that the answer is made of is a guess: programs gave it, and nothing settled their vote."""
    return any(step.clarity != "CLEAR" for step in answer_steps(done) or done.steps)


def _is_by_tools(done: Plan) -> bool:
    """Whether tools, or readings of texts, gave every result that the answer is made of: all, if nobody said which."""
    ends = answer_steps(done) or done.steps
    return bool(ends) and all(_has_output(step) and step.mode in LOOKED_UP for step in ends)


def _has_output(step: Step) -> bool:
    return step.status == "complete" and step.output is not None


def _judged(visit: Visit[C, WorkSignals, Work]) -> Program[Verdict]:
    """What judgments that count on the model say; nothing where there is none."""
    run, plan_now = visit.run, visit.state.plan
    executed = tuple(step.id for step in plan_now.steps if step.executed)
    effect = ValidateResults(task=run.task, plan=plan_now, executed=executed)
    report = yield from run.perform(effect, UNCHECKED)
    against = "; ".join(_against(report))
    if against:
        return Verdict(says="no", reason=against, by="judge")
    return Verdict(says="yes", by="judge") if report.judged and report.standing != "bad" else Verdict()


def _against(report: SemanticValidationReport) -> tuple[str, ...]:
    """What a report says against the results: its issues, else why its verdict is that they do not answer the task."""
    said = report.verdict if report.standing != "bad" else None
    issues = tuple(f"{issue.location}: {issue.description}" for issue in report.issues)
    return issues or (said.reason_codes if said is not None else ())


def _asked(visit: Visit[C, WorkSignals, Work]) -> Program[Verdict]:
    """What the model says in the role of a verifier, where that was asked for."""
    run = visit.run
    if run.config.verifier != "model" or not visit.state.plan.results():
        return Verdict()
    return (yield from run.perform(ask.Verify(task=run.task, plan=visit.state.plan), Verdict()))


def is_no(state: Work) -> bool:
    """Whether the verifier said no, and the plan had done something new: else another one would do the same."""
    return state.verdict.says == "no" and state.fresh


def walked(graph: Graph[C, WorkSignals, Work], run: Run[C, WorkSignals]) -> Program[Worked]:
    """Walk through the graph; every way out leads to the response."""
    walk, halted = Walk(graph, run, Work()), None
    try:
        yield from walk.go()
    except Halt as halt:
        halted = halt
    return (yield from _answered(walk, halted))


def _answered(walk: Walk[C, WorkSignals, Work], halt: Halt | None) -> Program[Worked]:
    """The response: why the run ended, the answer with what is missing from it, and what was learnt."""
    run, state = walk.run, walk.state
    if halt is None:
        _conclude(run.signals, state)
    decision = halt.decision if halt is not None else run.decide()
    caveat = "" if decision.sufficient else decision.detail
    effect = Synthesize(task=run.task, plan=state.plan, caveat=caveat)
    answer = yield from run.final(effect, NO_ANSWER, decision)
    if answer.problem:
        run.degraded.append(Degradation(phase=effect.phase, message=answer.problem))
    if not answer.text.strip():
        answer = Answer(text=state.plan.results() or f"No step was completed: {decision.detail}.")
    elif missing := _missing(state, decision):
        answer = answer.changed(text=f"{answer.text}\n\n{missing}")
    yield from _learn(walk, borne_out(decision, answer.claims))
    plain = answer.changed(claims=())  # the host finds them by the effects that they rest on, as for any engine
    return Worked.of(run.conclude(decision, plain), state, walk.path, run.config)


def _conclude(signals: WorkSignals, state: Work) -> None:
    """Show the decision table what the walk came to."""
    done, verdict = state.plan, state.verdict
    complete = bool(done.steps) and all(step.status == "complete" for step in done.steps)
    signals.done = True
    signals.failed = failure_of(done)
    signals.absent = any(step.status == "complete" and step.output is None for step in answer_steps(done))
    signals.rejected = verdict.reason if verdict.says == "no" else ""
    signals.verified = complete and _is_checked(state)
    signals.written = complete and _is_written(done)


def _is_checked(state: Work) -> bool:
    """Whether the verifier said yes; a direct answer, which nobody verifies, rests on tools that did not disagree."""
    verdict = state.verdict if state.verdicts else _agreed(state.plan)
    return verdict.says == "yes"


def _is_written(done: Plan) -> bool:
    return all(isinstance(step.action, Writing) for step in done.steps)


def _missing(state: Work, decision: Decision) -> str:
    """What a partial answer lacks, in the host's words, so that no model can leave it out."""
    if decision.sufficient or decision.reason in ("not_stated", "unverified"):
        return ""
    if decision.reason == "rejected":
        return f"Not verified: {decision.detail}."
    lines = [*_not_done(state)] or [decision.detail]
    return "\n".join(["Partial answer. Not done:", *(f"- {line}" for line in lines)])


def _not_done(state: Work) -> Iterator[str]:
    for step in state.plan.steps:
        if step.status != "complete":
            yield f"{step.description}{f' ({step.problem})' if step.problem else ''}"


def _learn(walk: Walk[C, WorkSignals, Work], ended: Decision) -> Program[None]:
    """Have what this run did kept as a lesson, where lessons are kept and it is known what it is worth."""
    run, state = walk.run, walk.state
    if not run.config.experience or ended.reason not in _KNOWN:
        return
    lesson = Lesson(
        id=run.execution_id,
        task=run.task.text[:_LONGEST_LESSON],
        outcome="success" if ended.sufficient else "failure",
        text=taught(state.plan, state.problems),
        project=run.config.project,
        category=state.complexity,
        tools=_tools(state.plan),
    )
    effect = ask.NoteLesson(task=run.task, lesson=lesson, days=run.config.lesson_days)
    (outcome,) = yield from run.issue((effect.changed(allowance=run.allow(effect.phase, final=True)),))
    run.value(effect, outcome, Noted())


def _tools(done: Plan) -> tuple[str, ...]:
    """The tools that the steps of a plan called, each once, in the order of their first calls."""
    return tuple(dict.fromkeys(use.tool for step in done.steps for use in step.uses))


def taught(done: Plan, problems: Sequence[str]) -> str:
    """What a run teaches, in a few words: what its steps did, with their tools and arguments, and its last problem."""
    return "; ".join(filter(None, (_how(done), *problems[-1:])))[:_LONGEST_LESSON]


def _how(done: Plan) -> str:
    complete = [step for step in done.steps if step.status == "complete"]
    return "; ".join(
        f"{step.description} [{', '.join(map(_call, step.uses)) or step.action.type}]" for step in complete
    )


def _call(use: ToolUse) -> str:
    return f"{use.tool} {' '.join(map(str, use.arguments.values()))}".strip()
