"""How report runs are shown: the agents and their searches in a line each, then the report."""

from __future__ import annotations

from dataclasses import replace

from aeon.engines.report.effects import Analyse, Clarify, Compare, Compose, Critique
from aeon.engines.report.record import Report
from aeon.engines.report.values import Analysis, Comparison, Composed, Readings, Review
from aeon.engines.research.view import VIEW as RESEARCH
from aeon.observability.lines import Line, Span, counted, visible
from aeon.observability.view import View, recording
from aeon.schema import Conclusion, Outcome
from aeon.schema.effects import Effect

__all__ = ["VIEW"]

_LISTED = 5


def _title(effect: Effect) -> str:
    match effect:
        case Clarify():
            return "clarify"
        case Analyse():
            return f"analyst {effect.round}"
        case Compare():
            return f"compare: {effect.question}"
        case Critique():
            return f"critic {effect.round}"
        case Compose():
            return "writer"
    return RESEARCH.title(effect)


def _words(outcome: Outcome) -> str:
    match outcome.value:
        case Readings(options=options):
            return "; ".join(options) or "clear"
        case Analysis() as analysis:
            return _analysed(analysis)
        case Comparison(sides=sides, differ=differ):
            return f"{counted(len(sides), 'source')}, {'different values' if differ else 'no difference'}"
        case Review(status=status, critique=critique):
            return f"{status}: {critique}"
        case Composed(confidence_level=level, score=score, sources_used=used):
            return f"{level} ({score}), {counted(len(used), 'source')}"
    return RESEARCH.words(outcome)


def _analysed(analysis: Analysis) -> str:
    if analysis.status == "SEARCH_REQUIRED":
        return "search: " + "; ".join(query.text for query in analysis.new_queries)
    count = len(analysis.draft.findings) if analysis.draft is not None else 0
    return f"draft of {counted(count, 'sentence')}"


def _graded(end: Conclusion) -> list[Line]:
    """The confidence; and a warning of tiers that count for nothing that was found: a key may be misspelt."""
    lines: list[Line] = []
    if isinstance(end, Report) and end.rounds:
        dropped = f", {counted(len(end.dropped), 'source')} dropped by the mode {end.mode}" if end.dropped else ""
        said = f"{end.confidence} ({end.score} of 100), {counted(len(end.rounds), 'round')}{dropped}"
        lines.append((Span("confidence ", "dim"), Span(said)))
    if isinstance(end, Report) and (keys := end.unmatched):
        more = f" and {len(keys) - _LISTED} more" if len(keys) > _LISTED else ""
        said = f"no source that was found has its tier by {', '.join(visible(key) for key in keys[:_LISTED])}{more}"
        lines.append((Span("tiers   ", "dim"), Span(said, "warn")))
    return lines


VIEW: View = replace(recording(_title, _words, _graded), answer=lambda end: visible(end.answer))
