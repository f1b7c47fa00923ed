"""The view of the multi-pass engine's runs."""

from __future__ import annotations

from aeon.observability.lines import Line, answer_text
from aeon.observability.passes.flowchart import to_mermaid
from aeon.observability.passes.lines import conclusion_lines, effect_title, outcome_words
from aeon.observability.passes.measures import measured
from aeon.observability.passes.page import sections
from aeon.observability.passes.report import history_lines
from aeon.observability.trail import Trail
from aeon.observability.view import View
from aeon.schema import Conclusion, ExecutionHistory, Result

__all__ = ["VIEW"]


def _history(end: Conclusion | None) -> ExecutionHistory:
    assert isinstance(end, Result)
    return end.history


def _conclusion(end: Conclusion) -> list[Line]:
    return conclusion_lines(_history(end).conclusion)


def _answer(end: Conclusion) -> str:
    """A run that failed, or waits, before any step was complete has no answer to show."""
    done = any(step.status == "complete" for record in _history(end).passes for step in record.executed)
    return answer_text(end) if done or end.stop_reason not in ("failed", "waiting") else ""


def _report(trail: Trail) -> list[Line]:
    return history_lines(_history(trail.result))


def _flowchart(trail: Trail) -> str:
    return to_mermaid(_history(trail.result))


VIEW = View(
    title=effect_title,
    words=outcome_words,
    answer=_answer,
    conclusion=_conclusion,
    ending=_conclusion,
    report=_report,
    flowchart=_flowchart,
    sections=lambda trail: sections(_history(trail.result)),
    task=lambda end: _history(end).task,
    document=_history,
    measured=lambda end: measured(_history(end)),
)
