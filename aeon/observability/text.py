"""A history as a report for people, pass by pass."""

from __future__ import annotations

from collections.abc import Iterable

from aeon.observability.snapshot import plan_before
from aeon.observability.lines import (
    Line, Span, answer_lines, assessment_lines, clarification_line, conclusion_lines, decision_line, degradation_line,
    labelled, plain, plan_lines, profile_line, refinement_lines, report_lines, step_lines, visible,
)  # fmt: skip
from aeon.schema import ExecutionHistory, ExecutionPass, PhaseTiming, Plan, Usage

__all__ = ["to_text"]


def to_text(history: ExecutionHistory) -> str:
    """The whole run in plain text of about 80 columns: preparation, each pass, the answer and the cost."""
    start, end = history.preparation, history.conclusion
    lines: list[Line] = [(Span(f"Run {history.execution_id}"),), (Span(f"Task: {visible(history.task.text)}"),), ()]
    asked = [known for known in history.task.clarifications if not known.assumed]
    lines += [*map(clarification_line, asked), *([()] if asked else [])]
    lines += [
        (Span("Preparation"),),
        *labelled("profile", [profile_line(start.profile)]),
        *labelled("plan", plan_lines(start.plan)),
        *labelled("check", report_lines(start.report)),
        *labelled("refine", refinement_lines(start.refinement)),
        *labelled("time", [_times(start.timings)]),
    ]
    for record in history.passes:
        lines += [(), *_pass(record, plan_before(history, record.number), start.plan)]
    synthesis = [history.synthesis] if history.synthesis else []
    bound = f"bound: at most {end.bound.calls:,} model calls and {end.bound.tokens:,} tokens"
    heading = "Results so far" if end.stop_reason == "waiting" else "Answer"
    told = answer_lines(end) if end.stop_reason != "waiting" or end.passes else [(Span("  none"),)]
    lines += [(), (Span(heading),), *told, *labelled("time", [_times(synthesis)])]
    lines += [(), *conclusion_lines(end), *map(degradation_line, end.degraded), (Span(bound),)]
    return plain(lines)


def _pass(record: ExecutionPass, plan: Plan, drafted: Plan) -> list[Line]:
    executed = [line for step in record.executed for line in step_lines(step)]
    assessment = record.assessment
    return [
        (Span(f"Pass {record.number}" + ("" if record.complete else ", cut short")),),
        *labelled("plan", [(Span("as drafted"),)] if plan == drafted else plan_lines(plan)),
        *labelled("done", executed or [(Span("nothing ran"),)]),
        *labelled("check", report_lines(record.report) if assessment else []),
        *labelled("scores", assessment_lines(assessment) if assessment else []),
        *labelled("decide", [decision_line(record.decision)] if record.decision else []),
        *labelled("refine", refinement_lines(record.refinement)),
        *labelled("spent", [_spent(record.budget_before, record.budget_after)]),
        *labelled("time", [_times(record.timings)]),
    ]


def _spent(before: Usage, after: Usage) -> Line:
    calls, tokens = after.calls - before.calls, after.tokens - before.tokens
    return (Span(f"{calls} model calls, {tokens:,} tokens; so far {after.calls} and {after.tokens:,}"),)


def _times(timings: Iterable[PhaseTiming]) -> Line:
    words = ", ".join(f"{t.phase.replace('_', ' ')} {t.ended - t.started:.1f} s" for t in timings)
    return (Span(words or "none"),)
