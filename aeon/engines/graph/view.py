"""How graph and loop runs are shown: where they were, what failed, what was looked at, and which lessons were used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from aeon.engines.graph.effects import ChooseLook, Classify, NoteLesson, Recall, Reflect, TakeLook, Verify
from aeon.engines.graph.record import Worked
from aeon.engines.graph.trace import to_trace
from aeon.engines.graph.values import Choice, Classified, Reflection, Verdict
from aeon.multipass.effects import DraftPlan, ExecuteStep, Synthesize, ValidateResults
from aeon.observability.lines import Line, Span, counted, outcome_words, short
from aeon.observability.passes.lines import without_issues
from aeon.observability.view import View, recording
from aeon.schema import Answer, Conclusion, Outcome, Plan, SemanticValidationReport, StepResult
from aeon.schema.effects import Effect
from aeon.schema.experience import Lessons, Noted, Pattern

__all__ = ["VIEW"]

_TITLES: dict[type[Effect], str] = {
    Classify: "complexity",
    Recall: "lessons",
    DraftPlan: "plan",
    ValidateResults: "judge",
    Verify: "verifier",
    ChooseLook: "what to look at",
    Reflect: "reflect",
    Synthesize: "answer",
    NoteLesson: "learn",
}


def _title(effect: Effect) -> str:
    if isinstance(effect, ExecuteStep):
        return f"{effect.step.id} {effect.step.description}"
    return effect.subject if isinstance(effect, TakeLook) else _TITLES.get(type(effect), effect.subject)


def _words(outcome: Outcome) -> str:
    told = _TOLD.get(type(outcome.value))
    return told(outcome.value) if told is not None else outcome_words(outcome)


def _found(it: Lessons) -> str:
    skipped = f", {counted(it.skipped, 'row')} skipped" if it.skipped else ""
    return f"{counted(len(it.lessons), 'lesson')}{skipped}"


def _said(verdict: Verdict) -> str:
    return f"{verdict.says}: {verdict.reason}" if verdict.reason else verdict.says


def _look(choice: Choice) -> str:
    return f"{choice.look.action} {choice.look.argument}".strip() if choice.look else "seen enough"


def _thought(reflection: Reflection) -> str:
    return f"{reflection.cause} {reflection.advice}".strip() or "nobody could say why"


_TOLD: dict[type, Callable[[Any], str]] = {
    Classified: lambda it: str(it.complexity),
    Lessons: _found,
    Plan: lambda it: "; ".join(step.description for step in it.steps),
    SemanticValidationReport: lambda it: "; ".join(issue.description for issue in it.issues) or without_issues(it).text,
    Answer: lambda it: str(it.text),
    Noted: lambda it: f"kept as {it.id}" if it.id else "not kept",
    Verdict: _said,
    Choice: _look,
    Reflection: _thought,
    StepResult: lambda it: short(it.output, 200) if it.output is not None else str(it.problem),
}
"""What came of an effect, in words, by the type of its value."""


def _record(end: Conclusion) -> list[Line]:
    """The nodes that the run was at, its verdicts and reflections, and each lesson that its plans were shown."""
    if not isinstance(end, Worked):
        return []
    way = " → ".join([*(one.node for one in end.path), "respond"])
    return [
        _line("way", f"{way} ({end.complexity})"),
        *_lines("verdict", (f"{one.says}{f' by {one.by}' if one.by else ''} {one.reason}" for one in end.verdicts)),
        *_lines("reflected", _reflections(end)),
        *_lines("pattern", map(_pattern, end.patterns)),
        *_lines("lesson", (f"{one.id} ({one.outcome}, {one.similarity:.2f}) {one.task}" for one in end.lessons)),
    ]


def _pattern(one: Pattern) -> str:
    return f"{one.category} with {', '.join(one.tools)}: {one.successes} succeeded, {one.failures} failed"


def _reflections(end: Worked) -> Iterator[str]:
    for one in end.reflections:
        looks = ", ".join(f"{looked.look.action} {looked.look.argument}".strip() for looked in one.looks)
        yield f"{_thought(one.reflection)}{f' (looked: {looks})' if looks else ''}"


def _lines(label: str, texts: Iterable[str]) -> list[Line]:
    return [_line(label, text) for text in texts]


def _line(label: str, text: str) -> Line:
    return (Span(f"{label} ", "dim"), Span(short(text.strip(), 160)))


VIEW: View = replace(recording(_title, _words, _record), trace=to_trace)
