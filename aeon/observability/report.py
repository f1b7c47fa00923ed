"""A run of any engine as text: a line for each effect, and the report around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aeon.observability.lines import (
    Line,
    Span,
    answer_lines,
    bound_words,
    clarification_line,
    conclusion_lines,
    decision_line,
    degradation_line,
    effect_title,
    expected_words,
    outcome_words,
    short,
    visible,
)
from aeon.observability.trail import Done, Trail
from aeon.schema import Conclusion, Decision, Outcome
from aeon.schema.effects import Effect

__all__ = ["bracket", "effect_lines", "ending_lines", "heading_lines", "report_lines"]

_WIDTH = 39


def effect_lines(
    trail: Trail,
    title: Callable[[Effect], str] = effect_title,
    words: Callable[[Outcome], str] = outcome_words,
) -> list[Line]:
    """One line an effect: its number, what it is, what came of it, its model calls and seconds.

    Those that were issued at once are joined by a bracket.
    """
    head = f"{'N':>3}   {'effect':<21} {'what came of it':<{_WIDTH}} {'calls':>5} {'s':>6}"
    return [(Span(head),), *(line for _, line in _rows(trail, title, words))]


def _rows(trail: Trail, title: Callable[[Effect], str], words: Callable[[Outcome], str]) -> Iterator[tuple[int, Line]]:
    for batch in trail.batches:
        for place, done in enumerate(batch):
            yield done.number, (Span(_row(done, bracket(place, len(batch)), title(done.effect), words)),)


def bracket(place: int, many: int) -> str:
    """The sign that joins the effects of a batch of so ``many``, at this place from 0."""
    if many == 1:
        return " "
    return "┌" if place == 0 else "└" if place == many - 1 else "│"


def _row(done: Done, sign: str, title: str, words: Callable[[Outcome], str]) -> str:
    head = f"{done.number:>3} {sign} {short(title, 21):<21} "
    if done.outcome is None:
        return f"{head}(not done when it was saved)"
    said = short(f"{'altered: ' if done.altered else ''}{words(done.outcome)}", _WIDTH)
    return f"{head}{said:<{_WIDTH}} {done.outcome.usage.calls:>5} {done.outcome.ended - done.outcome.started:>6.1f}"


def report_lines(
    trail: Trail,
    title: Callable[[Effect], str] = effect_title,
    words: Callable[[Outcome], str] = outcome_words,
) -> list[Line]:
    """The whole run in lines of about 80 columns: task, effects with the decisions between them, answer, cost."""
    lines = heading_lines(trail)
    decisions = list(trail.decisions)
    lines.append(effect_lines(trail._replace(batches=()))[0])
    for number, line in _rows(trail, title, words):
        while decisions and decisions[0][0] <= number:
            lines += _decided(decisions.pop(0)[1])
        lines.append(line)
    lines += [line for _, decision in decisions for line in _decided(decision)]
    if trail.result is not None:
        lines += [(), *ending_lines(trail.result, answer_lines(trail.result), conclusion_lines(trail.result))]
    return lines


def _decided(decision: Decision) -> list[Line]:
    return [(Span(" " * 6), Span("decide  ", "dim"), *decision_line(decision))]


def heading_lines(trail: Trail) -> list[Line]:
    """Which run of which engine it is, its task, and what was answered about it."""
    lines: list[Line] = [(Span(f"Run {visible(trail.execution_id)}, engine {visible(trail.engine)}"),)]
    if trail.task is None:
        return [*lines, ()]
    lines += [(Span(f"Task: {visible(trail.task.text)}"),), ()]
    answered = [clarification_line(one) for one in trail.task.clarifications if not one.assumed]
    return [*lines, *answered, *([()] if answered else [])]


def ending_lines(end: Conclusion, answer: list[Line], conclusion: list[Line]) -> list[Line]:
    """The answer, how the run ended, what was degraded, and the most that it could have cost."""
    heading = "Results so far" if end.stop_reason == "waiting" else "Answer"
    lines = [(Span(heading),), *answer, (), *conclusion, *map(degradation_line, end.degraded)]
    lines += [(Span(f"bound: {bound_words(end.bound)}"),)]
    return [*lines, *([(Span(expected_words(end.bound.expected)),)] if end.bound.expected else [])]
