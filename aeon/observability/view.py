"""How the runs of an engine are shown; and the view that serves every engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from aeon.observability.flowchart import to_mermaid
from aeon.observability.lines import Line, Span, answer_lines, conclusion_lines, effect_title, outcome_words
from aeon.observability.metrics import Measured, measured
from aeon.observability.page import generic_sections
from aeon.observability.report import report_lines
from aeon.observability.trace import to_trace
from aeon.observability.trail import Trail
from aeon.schema import Conclusion, Frozen, Outcome, Task
from aeon.schema.effects import Effect

__all__ = ["GENERIC", "View", "ending_lines"]


@dataclass(frozen=True)
class View:
    """The functions that show what runs of one engine did.

    ``title`` and ``words`` name an effect and what came of it. ``ending`` is the answer with the ``conclusion``: how
    the run ended and what it cost. ``report`` and ``flowchart`` are of a run that has ended. ``sections`` are the parts
    of a notebook page between answer and effects. ``task`` is the task, if the result holds it. ``document`` is what a
    JSON history is of. ``trace`` is the run as lines of JSON, also of one that has not ended.
    """

    title: Callable[[Effect], str]
    words: Callable[[Outcome], str]
    conclusion: Callable[[Conclusion], list[Line]]
    ending: Callable[[Conclusion], list[Line]]
    report: Callable[[Trail], list[Line]]
    flowchart: Callable[[Trail], str]
    sections: Callable[[Trail], list[Element]]
    task: Callable[[Conclusion], Task | None]
    document: Callable[[Conclusion], Frozen]
    measured: Callable[[Conclusion], Measured]
    trace: Callable[[Trail], str] = to_trace


def ending_lines(end: Conclusion, conclusion: list[Line], answered: bool = True) -> list[Line]:
    """The answer, if there is one to show, and how the run ended."""
    heading = "Results so far" if end.stop_reason == "waiting" else "Answer"
    answer: list[Line] = [(), (Span(heading, "strong"),), *answer_lines(end)] if answered else []
    return [*answer, (), *conclusion]


GENERIC = View(
    title=effect_title,
    words=outcome_words,
    conclusion=conclusion_lines,
    ending=lambda end: ending_lines(end, conclusion_lines(end)),
    report=report_lines,
    flowchart=to_mermaid,
    sections=generic_sections,
    task=lambda end: None,
    document=lambda end: end,
    measured=measured,
)
