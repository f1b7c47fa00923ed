"""How the runs of an engine are shown; and the view that serves every engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from aeon.observability.flowchart import to_mermaid
from aeon.observability.lines import Line, answer_text, conclusion_lines, effect_title, outcome_words
from aeon.observability.metrics import Measured, measured
from aeon.observability.page import generic_sections
from aeon.observability.report import report_lines
from aeon.observability.trace import to_trace
from aeon.observability.trail import Trail
from aeon.schema import Conclusion, Frozen, Outcome, Task
from aeon.schema.effects import Effect

__all__ = ["GENERIC", "View", "recording"]


@dataclass(frozen=True)
class View:
    """The functions that show what runs of one engine did.

    ``title`` and ``words`` name an effect and what came of it. ``answer`` is what was asked for, "" where there is
    nothing to show; ``conclusion`` is how the run ended and what it cost, and ``ending`` all that stands below an
    answer. ``report`` and ``flowchart`` are of a run that has ended. ``sections`` are the parts
    of a notebook page between answer and effects. ``task`` is the task, if the result holds it. ``document`` is what a
    JSON history is of. ``trace`` is the run as lines of JSON, also of one that has not ended.
    """

    title: Callable[[Effect], str]
    words: Callable[[Outcome], str]
    answer: Callable[[Conclusion], str]
    conclusion: Callable[[Conclusion], list[Line]]
    ending: Callable[[Conclusion], list[Line]]
    report: Callable[[Trail], list[Line]]
    flowchart: Callable[[Trail], str]
    sections: Callable[[Trail], list[Element]]
    task: Callable[[Conclusion], Task | None]
    document: Callable[[Conclusion], Frozen]
    measured: Callable[[Conclusion], Measured]
    trace: Callable[[Trail], str] = to_trace


GENERIC = View(
    title=effect_title,
    words=outcome_words,
    answer=answer_text,
    conclusion=conclusion_lines,
    ending=conclusion_lines,
    report=report_lines,
    flowchart=to_mermaid,
    sections=generic_sections,
    task=lambda end: None,
    document=lambda end: end,
    measured=measured,
)


def recording(
    title: Callable[[Effect], str],
    words: Callable[[Outcome], str],
    below: Callable[[Conclusion], list[Line]],
) -> View:
    """The view of an engine that has something of its own to show ``below`` an answer and a report."""

    def report(trail: Trail) -> list[Line]:
        return [*report_lines(trail, title, words), *(below(trail.result) if trail.result else [])]

    def ending(end: Conclusion) -> list[Line]:
        return [*conclusion_lines(end), *below(end)]

    return replace(GENERIC, title=title, words=words, ending=ending, report=report)
