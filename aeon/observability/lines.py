"""What happens in a run, in words: each value of a run as lines of styled spans, for the live view and the report.

Text from models, tools and users is shown with its control characters escaped, so that it can do nothing to a terminal.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from aeon.schema import (
    Clarification, Conclusion, ConvergenceAssessment, Decision, Degradation, Evaluation, JsonValue, Plan, Question,
    RefinedQuery, RefinementAction, RefinementRecord, Reply, SemanticValidationReport, Step, StepStatus, TaskProfile,
)  # fmt: skip

__all__ = [
    "Line", "Span", "answer_lines", "assessment_lines", "clarification_line", "conclusion_lines", "decision_line",
    "degradation_line", "labelled", "plain", "plan_lines", "profile_line", "question_lines", "refinement_lines",
    "reply_line", "report_lines", "short", "step_lines", "visible",
]  # fmt: skip

_WIDTH = 69
_LONGEST_MESSAGE = 300
_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MARKS: dict[StepStatus, tuple[str, str]] = {
    "complete": ("✓", "good"),
    "failed": ("✗", "bad"),
    "invalid": ("!", "warn"),
    "running": ("▸", "now"),
    "pending": ("○", "dim"),
}
_DELTAS = {"ADD": ("+", "good"), "MODIFY": ("~", "warn"), "REMOVE": ("-", "bad"), "REPLACE": ("=>", "now")}


class Span(NamedTuple):
    """A piece of a line. ``style`` is a role: good, bad, warn, now, dim, strong, or none."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without styles."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def labelled(label: str, lines: Iterable[Line]) -> list[Line]:
    """The lines beside a label in the margin; all that a line holds starts in the same column."""
    heads = (label if not number else "" for number in range(1_000_000))
    return [(Span(f"  {head:<9}", "dim"), *line) for head, line in zip(heads, lines, strict=False)]


def visible(text: str) -> str:
    """The text with every character that could steer a terminal or turn the reading direction shown as its code."""
    return "".join(c if c in "\n\t" or _harmless(c) else c.encode("unicode_escape").decode() for c in text)


def _harmless(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") and character not in _BIDI


def short(value: JsonValue, width: int = _WIDTH) -> str:
    """The value on one line of at most ``width`` characters; what was cut is marked."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = visible(" ".join(text[: 8 * width].split()))
    return line if len(line) <= width and len(text) <= 8 * width else line[: max(1, width - 1)].rstrip() + "…"


def profile_line(profile: TaskProfile) -> Line:
    """How hard the task looks."""
    if not profile.inferred:
        return (Span("not known; the default profile stands in", "warn"),)
    steps = f"{profile.expected_step_count} step{'' if profile.expected_step_count == 1 else 's'}"
    facts = f"depth {profile.reasoning_depth} of 5, ambiguity {profile.ambiguity:.1f}, about {steps}"
    return (Span(f"{facts}, tools {profile.expected_tool_usage}", "dim"),)


def plan_lines(plan: Plan, width: int = _WIDTH) -> list[Line]:
    """Every step of a plan: its mark, what it is for, how it is done and what it builds on."""
    margin = max([len(step.id) for step in plan.steps], default=2)
    lines: list[Line] = []
    for step in plan.steps:
        mark, style = _MARKS[step.status]
        after = f"  after {', '.join(step.dependencies)}" if step.dependencies else ""
        head = Span(f"{step.id:<{margin}}  ", "strong")
        lines.append((Span(f"{mark} ", style), head, Span(short(step.description, width - margin - 8))))
        how = short(_how(step), width - margin - 10 - len(after))
        lines.append((Span(" " * (margin + 4)), Span(how + after, "dim")))
    return lines


def _how(step: Step) -> str:
    if step.action.type == "reasoning":
        return "reasoning"
    given = step.action.arguments
    if given is None:
        return f"{step.action.tool}, arguments follow"
    only = next(iter(given.values())) if len(given) == 1 else given
    return f"{step.action.tool}: {only if isinstance(only, str) else json.dumps(only, ensure_ascii=False)}"


_MODES = {
    "tool": "",
    "tool_repaired": "its tool call was mended",
    "reasoning": "",
    "reasoning_fallback": "its tool could not be used, so by reasoning",
}


def step_lines(step: Step, seconds: float | None = None, width: int = _WIDTH) -> list[Line]:
    """A step that has run: what it was for, how it was done, and what came out or went wrong."""
    mark, style = _MARKS[step.status]
    by = step.action.tool if step.action.type == "tool" and step.mode != "reasoning_fallback" else "reasoning"
    took = f", {seconds:.1f} s" if seconds is not None else ""
    tail = f"  {by}{took}"
    head = short(step.description, width - len(step.id) - len(tail) - 6)
    first: Line = (Span(f"{mark} ", style), Span(f"{step.id}  ", "strong"), Span(head), Span(tail, "dim"))
    return [first, *((Span(" " * (len(step.id) + 4)), *line) for line in _outcome(step, width - len(step.id) - 10))]


def _outcome(step: Step, width: int) -> list[Line]:
    """How a step came out: whether its tool had to be helped, its output, what is missing or went wrong."""
    lines: list[Line] = []
    if step.mode and _MODES[step.mode]:
        lines.append((Span(_MODES[step.mode], "warn"),))
    if step.status == "complete":
        lines.append((Span("= ", "dim"), Span(short(step.output, width), "now")))
    if step.clarity != "CLEAR" or step.problem:
        word = {"BLOCKED": "blocked: ", "PARTIALLY_CLEAR": "partly clear: "}.get(step.clarity, "")
        problem = short(step.problem or "no reason given", width - len(word))
        lines.append((Span(f"{word}{problem}", "bad" if step.status == "failed" else "warn"),))
    return lines


def report_lines(report: SemanticValidationReport, width: int = _WIDTH) -> list[Line]:
    """What a validator found, most severe first."""
    if report.failed:
        return [(Span("could not be checked", "warn"),)]
    lines: list[Line] = [(Span("no issues", "good" if report.form != "none" else "dim"),)] if not report.issues else []
    for issue in report.issues:
        kind = issue.type.replace("_", " ")
        lines.append((Span(f"{issue.severity} ", "bad"), Span(f"{kind} at {short(issue.location, 30)}", "warn")))
        lines.append((Span("  " + short(issue.description, width - 8)),))
        if issue.proposed_repair:
            lines.append((Span("  repair: " + short(issue.proposed_repair, width - 16), "dim"),))
    lines += [(Span("evidence: " + short(fact, width - 16), "dim"),) for fact in report.evidence]
    return lines


def assessment_lines(assessment: ConvergenceAssessment, width: int = _WIDTH) -> list[Line]:
    """The scores and, where criteria are not met, which and why."""
    if assessment.failed:
        return [(Span("could not be assessed", "warn"),)]
    scores = [(name, getattr(assessment, name)) for name in ("completeness", "coherence", "consistency")]
    why = f": {short(', '.join(assessment.reason_codes), width - 16)}" if assessment.reason_codes else ""
    verdict = Span("converged", "good") if assessment.converged else Span(f"not converged{why}", "warn")
    lines: list[Line] = [(Span(_scores(scores)),)]
    lines += _evaluation_lines(assessment.evaluation, width) if assessment.evaluation else []
    lines += [(verdict,), *((Span(short(issue, width - 6), "dim"),) for issue in assessment.detected_issues)]
    return lines


def _evaluation_lines(evaluation: Evaluation, width: int) -> list[Line]:
    """Confidence, coverage and score, what the confidence rests on, and what lacks or contradicts itself."""
    tracked: dict[str, float | None] = {}
    if evaluation.parts is not None:
        tracked["confidence"] = evaluation.confidence
    if evaluation.coverage is not None:
        tracked["coverage"] = evaluation.coverage
    lines: list[Line] = [(Span(_scores((tracked | {"score": evaluation.score}).items())),)]
    parts = _scores(evaluation.parts.fields().items()).split(", ") if evaluation.parts else []
    lines += [(Span("  " + ", ".join(some), "dim"),) for some in (parts[:3], parts[3:]) if some]
    gaps = evaluation.gaps
    lacks = [f"missing: {name}" for name in gaps.missing_entities]
    lacks += [f"{c.source_a} and {c.source_b} contradict each other: {c.claim}" for c in gaps.contradictions]
    return lines + [(Span(short(text, width - 6), "warn"),) for text in (*lacks, *evaluation.warnings)]


def _scores(named: Iterable[tuple[str, float | None]]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_score(value)}" for name, value in named)


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def refinement_lines(record: RefinementRecord, width: int = _WIDTH) -> list[Line]:
    """The strategy with the task's new wording; every delta with its reason: applied or refused; overruled repairs."""
    lines: list[Line] = [(Span(f"strategy {record.strategy}", "now"),)] if record.strategy else []
    lines += _query_lines(record.query, width) if record.query else []
    lines += [line for action in record.applied for line in _delta_lines(action, width)]
    for refused in record.rejected:
        what = f"{refused.action.type} {refused.action.target or 'plan'}"
        lines.append((Span("refused ", "bad"), Span(f"{short(what, 30)}: {short(refused.reason, width - 46)}", "dim")))
    lines += [(Span("overruled: " + short(text, width - 16), "dim"),) for text in record.advisories]
    if record.question:
        lines.append((Span("asked: ", "warn"), Span(short(record.question.text, width - 12))))
    return lines


def _query_lines(query: RefinedQuery, width: int) -> list[Line]:
    areas = {"dwell on": query.focus_areas, "leave out": query.exclude_areas, "prefer": query.source_preferences}
    told = [f"{word}: {', '.join(named)}" for word, named in areas.items() if named]
    lines: list[Line] = [(Span("  in other words: ", "dim"), Span(short(query.refined_query, width - 22)))]
    return lines + [(Span("  " + short(text, width - 8), "dim"),) for text in told]


def _delta_lines(action: RefinementAction, width: int) -> list[Line]:
    mark, style = _DELTAS[action.type]
    head = f"{mark} {action.type}"
    target = f" {short(action.target, 30)}" if action.target else ""
    lines: list[Line] = [(Span(head, style), Span(target, "strong"))]
    for step in action.steps:
        how = short(_how(step), 30)
        what = short(step.description, width - len(step.id) - len(how) - 14)
        lines.append((Span("     "), Span(f"{step.id}  ", "strong"), Span(what), Span(f"  {how}", "dim")))
    if action.justification:
        lines.append((Span("     because " + short(action.justification, width - 20), "dim"),))
    return lines


def decision_line(decision: Decision) -> Line:
    """What happens next and why."""
    reason = decision.reason.replace("_", " ")
    style = {"converged": "good", "confident": "good", "failed": "bad"}.get(decision.reason, "warn")
    verb = {"CONTINUE": "go on", "ASK": "ask", "OUTPUT": "stop"}[decision.action]
    words = verb if decision.reason == "continue" else f"{verb}, {reason}"
    said = decision.detail and decision.reason not in ("failed", "waiting")
    return (Span(words, style), Span(f": {visible(decision.detail)}" if said else ""))


def question_lines(question: Question, width: int = _WIDTH) -> list[Line]:
    """A question with its options, numbered, and what is assumed where nobody answers."""
    lines: list[Line] = [(Span(visible(" ".join(question.text.split())), "now"),)]
    lines += [(Span(f"  {n}  ", "strong"), Span(short(o, width - 8))) for n, o in enumerate(question.options, 1)]
    return lines + ([(Span(f"  default: {short(question.default, width - 14)}", "dim"),)] if question.default else [])


def reply_line(reply: Reply) -> Line:
    """What was said to a question."""
    word = "assumed " if reply.assumed else "answered "
    return (Span(word, "warn" if reply.assumed else "dim"), Span(short(reply.text, _WIDTH - 10)))


def degradation_line(degradation: Degradation) -> Line:
    """A judgment that failed, and why."""
    phase = degradation.phase.replace("_", " ")
    return (Span("degraded ", "warn"), Span(f"{phase}: {short(degradation.message, _LONGEST_MESSAGE)}"))


def answer_lines(end: Conclusion) -> list[Line]:
    """The answer, an object laid out over several lines."""
    text = end.answer if end.value is None else json.dumps(end.value, ensure_ascii=False, indent=2)
    return [(Span("  "), Span(line)) for line in visible(text).splitlines()]


def conclusion_lines(end: Conclusion) -> list[Line]:
    """How the run ended and what it cost; what was left undone, if anything."""
    style = {"converged": "good", "confident": "good", "failed": "bad"}.get(end.stop_reason, "warn")
    usage = end.usage
    spent = (
        f"{_count(end.passes, 'pass', 'passes')}, {_count(usage.calls, 'model call')}, "
        f"{_count(usage.tokens, 'token')} ({usage.generated_tokens:,} generated), {end.seconds:.1f} s"
    ) + _dollars(end)
    lines: list[Line] = [(Span(end.stop_reason.replace("_", " "), style), Span(f"  {spent}"))]
    lines += [(Span(text, "warn"),) for text in _reservations(end) if text]
    lines += labelled("question", question_lines(end.question)) if end.question else []
    return lines + [clarification_line(each) for each in end.assumptions]


def _dollars(end: Conclusion) -> str:
    """What the run cost; with a model of unknown price, what the others did; nothing where nothing is known."""
    if not end.usage.cost:
        return ""
    return f", {'' if end.bound.cost is not None else 'at least '}${end.usage.cost:.2g}"


def clarification_line(known: Clarification) -> Line:
    """A question that was asked, and what was answered or assumed."""
    asked, said = short(known.question, 44), short(known.answer or "(nothing)", 40)
    word = Span("assumed: ", "warn") if known.assumed else Span("asked: ")
    return (word, Span(f"{asked} → {said}"))


def _reservations(end: Conclusion) -> list[str]:
    """What a reader of the answer should know; an empty text where there is nothing to say."""
    partial = end.stop_reason not in ("converged", "confident", "failed", "waiting")
    unworded = end.assembled and end.stop_reason not in ("failed", "waiting")
    undone, manual = ", ".join(end.abandoned), ", ".join(end.needs_manual_intervention)
    degraded = _phases(end)
    return [
        visible(end.detail) if partial else "",
        "no model worded this answer: it is the steps' results as they are" if unworded else "",
        f"left undone: {undone}" if undone and end.stop_reason != "waiting" else "",
        manual and f"needs manual intervention: {manual}",
        degraded and f"degraded judgments: {degraded}",
    ]


def _phases(end: Conclusion) -> str:
    """The phases whose judgments failed, but for the failure that ended the run."""
    phases = Counter(each.phase.replace("_", " ") for each in end.degraded if each.message != end.detail)
    return ", ".join(name if number == 1 else f"{name} ({number} times)" for name, number in phases.items())


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
