"""A multi-pass run as a report for people, pass by pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aeon.observability.lines import Line, Span, answer_lines, counted, decision_line, labelled
from aeon.observability.passes.lines import (
    agreement_lines,
    assessment_lines,
    conclusion_lines,
    plan_lines,
    profile_line,
    refinement_lines,
    report_lines,
    step_lines,
)
from aeon.observability.report import ending_lines, heading_lines
from aeon.observability.snapshot import plan_before
from aeon.observability.trail import Trail
from aeon.schema import ExecutionHistory, ExecutionPass, PhaseTiming, Plan, Step, Usage
from aeon.schema.statistics import Statistics

__all__ = ["history_lines", "pass_lines", "preparation_lines", "statistics_lines"]


def history_lines(history: ExecutionHistory) -> list[Line]:
    """The whole run in lines of about 80 columns: preparation, each pass, the answer and the cost."""
    end = history.conclusion
    lines = heading_lines(Trail(end.engine, history.execution_id, history.task))
    lines += [(Span("Preparation"),), *preparation_lines(history)]
    for record in history.passes:
        lines += [(), *pass_lines(record, plan_before(history, record.number), history.preparation.plan)]
    answer = answer_lines(end) if end.stop_reason != "waiting" or end.passes else [(Span("  none"),)]
    synthesis = [history.synthesis] if history.synthesis else []
    answer += labelled("time", [_times(synthesis)])
    return [*lines, (), *ending_lines(end, answer, conclusion_lines(end)), *statistics_lines(history.statistics)]


def statistics_lines(whole: Statistics) -> list[Line]:
    """The run in figures: what was done, which judgments were made, and what became of the deltas of planners."""
    judged, usage = whole.judgments, whole.usage
    done = (
        counted(sum(whole.effects.values()), "effect"),
        counted(whole.steps, "step"),
        counted(usage.tool_calls, "tool call"),
        f"{counted(usage.mended, 'value')} mended" if usage.mended else "",
    )
    return [
        (Span("in all     ", "dim"), Span(", ".join(filter(None, done)))),
        (Span("judgments  ", "dim"), Span(f"{judged.made} made, {judged.not_made} not made, {judged.failed} failed")),
        (Span("deltas     ", "dim"), Span(f"{whole.applied} applied, {whole.refused} refused")),
    ]


def preparation_lines(history: ExecutionHistory) -> list[Line]:
    """What happened before the first pass."""
    start = history.preparation
    return [
        *labelled("profile", [profile_line(start.profile)]),
        *labelled("plan", plan_lines(start.plan)),
        *labelled("check", report_lines(start.report)),
        *labelled("refine", refinement_lines(start.refinement)),
        *labelled("time", [_times(start.timings)]),
    ]


def pass_lines(record: ExecutionPass, plan: Plan, drafted: Plan) -> list[Line]:
    """A pass that found this ``plan``, from its heading to its time, without the calls of passes before it."""
    executed = [line for step in _executed(record, plan) for line in step_lines(step)]
    assessment = record.assessment
    return [
        (Span(f"Pass {record.number}" + ("" if record.complete else ", cut short")),),
        *labelled("plan", [(Span("as drafted"),)] if plan == drafted else plan_lines(plan)),
        *labelled("done", executed or [(Span("nothing ran"),)]),
        *labelled("again", agreement_lines(record.agreement)),
        *labelled("check", report_lines(record.report) if assessment else []),
        *labelled("scores", assessment_lines(assessment) if assessment else []),
        *labelled("decide", [decision_line(record.decision)] if record.decision else []),
        *labelled("refine", refinement_lines(record.refinement)),
        *labelled("profile", [profile_line(record.revised_profile)] if record.revised_profile else []),
        *labelled("spent", [_spent(record.budget_before, record.budget_after)]),
        *labelled("time", [_times(record.timings)]),
    ]


def _executed(record: ExecutionPass, plan: Plan) -> Iterator[Step]:
    """The steps of a pass, with the calls that were made in it."""
    told = {use.id for step in plan.steps for use in step.uses}
    for step in record.executed:
        yield step.changed(uses=tuple(use for use in step.uses if use.id not in told))


def _spent(before: Usage, after: Usage) -> Line:
    calls, tokens = after.calls - before.calls, after.tokens - before.tokens
    return (Span(f"{calls} model calls, {tokens:,} tokens; so far {after.calls} and {after.tokens:,}"),)


def _times(timings: Iterable[PhaseTiming]) -> Line:
    words = ", ".join(f"{t.phase.replace('_', ' ')} {t.ended - t.started:.1f} s" for t in timings)
    return (Span(words or "none"),)
