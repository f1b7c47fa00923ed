"""A multi-pass run in words: profile, plan, steps, judgments and deltas as lines of styled spans."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from aeon.multipass.effects import ExecuteStep, RunProgram, TakeTurn, UseTool, WeighResult, WritePrograms
from aeon.multipass.sampling import told
from aeon.observability import lines as generic
from aeon.observability.lines import Line, Span, counted, short
from aeon.observability.passes.turns import cites_line, turn_words, use_lines, use_words, uses_words
from aeon.schema import (
    Agreement,
    ConvergenceAssessment,
    Evaluation,
    FinalResult,
    Outcome,
    Plan,
    RefinedQuery,
    Refinement,
    RefinementAction,
    RefinementRecord,
    SemanticValidationReport,
    Step,
    StepResult,
    StepStatus,
    TaskProfile,
    ToolUse,
    Turn,
)
from aeon.schema.effects import Effect
from aeon.schema.programs import Programs, Ran
from aeon.schema.weight import Weight

__all__ = [
    "MARKS",
    "action_words",
    "agreement_lines",
    "assessment_lines",
    "conclusion_lines",
    "effect_title",
    "outcome_words",
    "plan_lines",
    "profile_line",
    "ran_words",
    "refinement_lines",
    "report_lines",
    "step_lines",
    "step_notes",
    "without_issues",
]

_WIDTH = 69
MARKS: dict[StepStatus, tuple[str, str]] = {
    "complete": ("✓", "good"),
    "failed": ("✗", "bad"),
    "invalid": ("!", "warn"),
    "running": ("▸", "now"),
    "pending": ("○", "dim"),
}
_LIKELY = ("converged", "own_knowledge", "confident", "uncertain")
"""The endings of an answer of which it is told how likely it is right."""
_DELTAS = {"ADD": ("+", "good"), "MODIFY": ("~", "warn"), "REMOVE": ("-", "bad"), "REPLACE": ("=>", "now")}


def profile_line(profile: TaskProfile) -> Line:
    """How hard the task looks."""
    if not profile.inferred:
        return (Span("not asked for, or not known: the default one stands in", "dim"),)
    steps = f"{profile.expected_step_count} step{'' if profile.expected_step_count == 1 else 's'}"
    facts = f"depth {profile.reasoning_depth} of 5, ambiguity {profile.ambiguity:.1f}, about {steps}"
    return (Span(f"{facts}, tools {profile.expected_tool_usage}", "dim"),)


def plan_lines(plan: Plan) -> list[Line]:
    """Every step of a plan: its mark, what it is for, how it is done and what it builds on."""
    margin = max([len(step.id) for step in plan.steps], default=2)
    lines: list[Line] = []
    for step in plan.steps:
        mark, style = MARKS[step.status]
        after = f"  after {', '.join(step.dependencies)}" if step.dependencies else ""
        head = Span(f"{step.id:<{margin}}  ", "strong")
        lines.append((Span(f"{mark} ", style), head, Span(short(step.description, _WIDTH - margin - 8))))
        how = short(action_words(step), _WIDTH - margin - 10 - len(after))
        lines.append((Span(" " * (margin + 4)), Span(how + after, "dim")))
    return lines


def _means(step: Step) -> str:
    if step.action.type == "tools" and step.executed:
        return counted(len(step.uses), "call") if step.uses else "no calls"
    return step.action.type


def action_words(step: Step) -> str:
    """How a step is done: by reasoning, as a text, or with tools, with which calls."""
    return uses_words(step.uses) if step.action.type == "tools" and step.executed else step.action.type


def step_lines(step: Step) -> list[Line]:
    """A step that has run: what it was for, how it was done, and what came out or went wrong."""
    mark, style = MARKS[step.status]
    by = "reasoning" if step.action.type == "reasoning" else _means(step)
    tail = f"  {by}"
    head = short(step.description, _WIDTH - len(step.id) - len(tail) - 6)
    first: Line = (Span(f"{mark} ", style), Span(f"{step.id}  ", "strong"), Span(head), Span(tail, "dim"))
    return [first, *((Span(" " * (len(step.id) + 4)), *line) for line in _outcome(step, _WIDTH - len(step.id) - 10))]


def _outcome(step: Step, width: int) -> list[Line]:
    """How a step came out: its calls, its output, whether its tool had to be helped, what is missing or went wrong."""
    output: Line = (Span("= ", "dim"), Span(short(step.output, width), "now"))
    rests = [cites_line(step, width)] if step.cites else []
    done = [output, *rests] if step.status == "complete" else []
    return [*use_lines(step.uses, width), *done, *step_notes(step, width)]


def step_notes(step: Step, width: int = _WIDTH) -> list[Line]:
    """What to know of a step beside its output: what is missing or went wrong."""
    lines: list[Line] = []
    if step.clarity != "CLEAR" or step.problem:
        word = {"BLOCKED": "blocked: ", "PARTIALLY_CLEAR": "partly clear: "}.get(step.clarity, "")
        problem = short(step.problem or "no reason given", width - len(word))
        lines.append((Span(f"{word}{problem}", "bad" if step.status == "failed" else "warn"),))
    return lines


def without_issues(report: SemanticValidationReport) -> Span:
    """What a report without issues says: that none were found only where a model was asked."""
    if report.failed:
        return Span("could not be judged", "warn")
    return Span("no issues", "good") if report.judged else Span("not judged", "dim")


def report_lines(report: SemanticValidationReport) -> list[Line]:
    """What a validator found, most severe first; where nobody was asked, that."""
    lines: list[Line] = [(without_issues(report),)] if not report.issues else []
    for issue in report.issues:
        kind = issue.type.replace("_", " ")
        lines.append((Span(f"{issue.severity} ", "bad"), Span(f"{kind} at {short(issue.location, 30)}", "warn")))
        lines.append((Span("  " + short(issue.description, _WIDTH - 8)),))
        if issue.proposed_repair:
            lines.append((Span("  repair: " + short(issue.proposed_repair, _WIDTH - 16), "dim"),))
    lines += [(Span("evidence: " + short(fact, _WIDTH - 16), "dim"),) for fact in report.evidence]
    return lines


def assessment_lines(assessment: ConvergenceAssessment, measured_only: bool = False) -> list[Line]:
    """The scores and, where criteria are not met, which and why; ``measured_only``: without what was not measured."""
    if assessment.failed:
        return [(Span("could not be judged", "warn"),)]
    scores = {name: getattr(assessment, name) for name in ("completeness", "coherence", "consistency")}
    why = f": {short(', '.join(assessment.reason_codes), _WIDTH - 16)}" if assessment.reason_codes else ""
    verdict = Span("converged", "good") if assessment.converged else Span(f"not converged{why}", "warn")
    words = _scores(scores, measured_only) if any(score is not None for score in scores.values()) else ""
    lines: list[Line] = [(Span(words),) if words else (Span("not judged", "dim"),)]
    lines += _evaluation_lines(assessment.evaluation, measured_only) if assessment.evaluation else []
    lines += [(verdict,), *((Span(short(issue, _WIDTH - 6), "dim"),) for issue in assessment.detected_issues)]
    return lines


def _evaluation_lines(evaluation: Evaluation, measured_only: bool) -> list[Line]:
    """Confidence, coverage and score, what the confidence rests on, and what lacks or contradicts itself."""
    tracked: dict[str, float | None] = {}
    if evaluation.parts is not None:
        tracked["confidence"] = evaluation.confidence
    if evaluation.coverage is not None:
        tracked["coverage"] = evaluation.coverage
    words = _scores(tracked | {"score": evaluation.score}, measured_only)
    lines: list[Line] = [(Span(words),)] if words else []
    parts = _scores(evaluation.parts.fields(), measured_only) if evaluation.parts else ""
    whole = parts.replace(" ", "\u00a0").replace(",\u00a0", ", ")  # a part is never broken over two lines
    lines += [(Span("  " + line.replace("\u00a0", " "), "dim"),) for line in textwrap.wrap(whole, _WIDTH - 4)]
    gaps = evaluation.gaps
    lacks = [f"missing: {name}" for name in gaps.missing_entities]
    lacks += [f"{c.source_a} and {c.source_b} contradict each other: {c.claim}" for c in gaps.contradictions]
    return lines + [(Span(short(text, _WIDTH - 6), "warn"),) for text in (*lacks, *evaluation.warnings)]


def _scores(named: Mapping[str, float | None], measured_only: bool) -> str:
    kept = ((name, value) for name, value in named.items() if value is not None or not measured_only)
    return ", ".join(f"{name.replace('_', ' ')} {_score(value)}" for name, value in kept)


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def refinement_lines(record: RefinementRecord) -> list[Line]:
    """The strategy with the task's new wording; every delta with its reason: applied or refused; overruled repairs."""
    lines: list[Line] = [(Span(f"strategy {record.strategy}", "now"),)] if record.strategy else []
    lines += _query_lines(record.query) if record.query else []
    lines += [line for action in record.applied for line in _delta_lines(action)]
    for refused in record.rejected:
        what = f"{refused.action.type} {refused.action.target or 'plan'}"
        lines.append((Span("refused ", "bad"), Span(f"{short(what, 30)}: {short(refused.reason, _WIDTH - 46)}", "dim")))
    lines += [(Span("overruled: " + short(text, _WIDTH - 16), "dim"),) for text in record.advisories]
    if record.question:
        lines.append((Span("asked: ", "warn"), Span(short(record.question.text, _WIDTH - 12))))
    return lines


def _query_lines(query: RefinedQuery) -> list[Line]:
    areas = {"dwell on": query.focus_areas, "leave out": query.exclude_areas, "prefer": query.source_preferences}
    texts = [f"{word}: {', '.join(names)}" for word, names in areas.items() if names]
    lines: list[Line] = [(Span("  in other words: ", "dim"), Span(short(query.refined_query, _WIDTH - 22)))]
    return lines + [(Span("  " + short(text, _WIDTH - 8), "dim"),) for text in texts]


def _delta_lines(action: RefinementAction) -> list[Line]:
    mark, style = _DELTAS[action.type]
    head = f"{mark} {action.type}"
    target = f" {short(action.target, 30)}" if action.target else ""
    lines: list[Line] = [(Span(head, style), Span(target, "strong"))]
    for step in action.steps:
        how = short(action_words(step), 30)
        what = short(step.description, _WIDTH - len(step.id) - len(how) - 14)
        lines.append((Span("     "), Span(f"{step.id}  ", "strong"), Span(what), Span(f"  {how}", "dim")))
    if action.justification:
        lines.append((Span("     because " + short(action.justification, _WIDTH - 20), "dim"),))
    return lines


def agreement_lines(agreement: Agreement | None) -> list[Line]:
    """Each derivation beside the plan's, with what it gives and whether that is the answer that was taken."""
    lines: list[Line] = []
    for one in agreement.derivations if agreement is not None else ():
        words = "the same" if one.agrees else "another answer"
        words += "" if one.score is None else f", judged {one.score:.2f}"
        style = "good" if one.agrees else "warn"
        lines.append((Span(f"{one.method}  ", "strong"), Span(f"{short(one.answer, 40)}  "), Span(words, style)))
    return lines


def conclusion_lines(end: FinalResult) -> list[Line]:
    """How the run ended and what it cost; what was left undone, if anything."""
    undone, manual = ", ".join(end.abandoned), ", ".join(end.needs_manual_intervention)
    reservations = (
        f"left undone: {undone}" if undone and end.stop_reason != "waiting" else "",
        f"needs manual intervention: {manual}" if manual else "",
    )
    lines = generic.conclusion_lines(end, f"{counted(end.passes, 'pass', 'passes')}, ", reservations)
    return [*lines, *_probability_line(end)]


def _probability_line(end: FinalResult) -> list[Line]:
    """How likely the answer is right, by recorded runs; nothing where it ended otherwise, or nothing was checked."""
    known, checked = end.assessment, any(claim.verdict != "not_checked" for claim in end.claims)
    if known is None or not checked or end.stop_reason not in _LIKELY:
        return []
    words = "how likely is not known: too few recorded runs of this model"
    if known.probability is not None:
        words = f"with a probability of {known.probability:.2f}, by {known.runs} runs of this model like this"
    return [(Span("right   ", "dim"), Span(words))]


def ran_words(ran: Ran) -> str:
    """What a program gave, or why it gave nothing."""
    if ran.absent:
        return ran.problem or "nothing is stated"
    return f"= {told(ran.values)}" if ran.values else f"a text: {ran.writing}" if ran.writing else ran.problem


def effect_title(effect: Effect) -> str:
    """What an effect is, in a few words: a step with its id."""
    phase = effect.phase.replace("_", " ")
    if isinstance(effect, UseTool):
        return f"call {effect.call.id} {effect.call.tool}"
    if isinstance(effect, RunProgram | WeighResult):
        return f"{phase} {effect.subject}"
    return f"{phase} {effect.step.id}" if isinstance(effect, ExecuteStep | TakeTurn | WritePrograms) else phase


def outcome_words(outcome: Outcome) -> str:
    """What came of an effect, in a few words."""
    if outcome.failure is not None:
        return generic.outcome_words(outcome)
    match outcome.value:
        case TaskProfile() as profile:
            return f"depth {profile.reasoning_depth} of 5, ambiguity {profile.ambiguity:.1f}"
        case Plan() as plan:
            return f"{counted(len(plan.steps), 'step')}: {'; '.join(step.description for step in plan.steps)}"
        case StepResult() as result:
            return f"= {short(result.output)}"
        case Turn() as turn:
            return turn_words(turn)
        case ToolUse() as use:
            return short(use_words(use))
        case Ran() | Programs() | Weight() as value:
            return _program_words(value)
    return _judgment_words(outcome)


def _program_words(value: Ran | Programs | Weight) -> str:
    """What came of programs."""
    match value:
        case Ran():
            return short(ran_words(value))
        case Programs(programs=programs):
            return counted(len(programs), "program")
        case Weight(score=score):
            return "not judged" if score is None else f"judged {score:.2f}"


def _judgment_words(outcome: Outcome) -> str:
    """What a judgment says of the plan or of its results."""
    match outcome.value:
        case SemanticValidationReport() as report:
            issues = "; ".join(issue.description for issue in report.issues)
            return f"{counted(len(report.issues), 'issue')}: {issues}" if report.issues else without_issues(report).text
        case Refinement() as refinement:
            return _refined(refinement)
        case ConvergenceAssessment() as judged:
            return f"{'converged' if judged.converged else 'not converged'} {_figures(judged)}"
    return generic.outcome_words(outcome)


def _figures(assessment: ConvergenceAssessment) -> str:
    """The three scores in a few characters; where there is none, that nobody judged."""
    scores = (assessment.completeness, assessment.coherence, assessment.consistency)
    if assessment.failed or scores == (None, None, None):
        return f"({'could not be' if assessment.failed else 'not'} judged)"
    return " ".join("-" if score is None else f"{score:.2f}" for score in scores)


def _refined(refinement: Refinement) -> str:
    if refinement.question is not None:
        return f"asks: {refinement.question.text}"
    deltas = ", ".join(f"{action.type} {action.target or 'plan'}" for action in refinement.actions)
    return deltas or "nothing is changed"
