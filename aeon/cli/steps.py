"""A plan and its steps in the live view: a line for the plan, and one for each step with what it gave and rests on."""

from __future__ import annotations

from aeon.observability.lines import Line, Span, short
from aeon.observability.passes.lines import MARKS, action_words, step_notes
from aeon.schema import Plan, Step, Writing

__all__ = ["plan_lines", "seconds_words", "step_lines"]

_WIDTH = 69
_LONGEST_AIM = 32
_SOON = 0.05
"""Seconds that are not worth a word: shorter times would be shown as 0.0."""


def plan_lines(plan: Plan, seconds: float | None = None) -> list[Line]:
    """What the steps are for: in one line where they fit in it, else in a line each."""
    took = seconds_words(seconds)
    names = [f"{step.id} {short(step.description, _WIDTH - len(step.id) - len(took) - 4)}" for step in plan.steps]
    whole = ", ".join(names)
    if len(whole) + len(took) > _WIDTH:
        return [(Span(name), Span("" if number else took, "dim")) for number, name in enumerate(names)]
    return [(Span(whole), Span(took, "dim"))]


def step_lines(step: Step, seconds: float | None = None) -> list[Line]:
    """A step that has run: its aim, what came out, and what that rests on; then what went wrong, if anything did."""
    mark, style = MARKS[step.status]
    head = f"{step.id}  "
    indent = " " * (len(head) + 2)
    written = isinstance(step.action, Writing)
    aim = "written by the model" if written else short(step.description, _LONGEST_AIM)
    took = seconds_words(seconds)
    output = _output(step, _WIDTH - len(indent) - len(aim) - len(took) - 3)
    basis = took if written else f"  {short(action_words(step), _WIDTH - len(indent) - len(took))}{took}"
    first: Line = (Span(f"{mark} ", style), Span(head, "strong"), Span(aim), *output)
    fits = sum(len(span.text) for span in first) + len(basis) <= _WIDTH
    lines = [(*first, Span(basis, "dim"))] if fits else [first, (Span(indent + basis.strip(), "dim"),)]
    return lines + [(Span(indent), *line) for line in step_notes(step, _WIDTH - len(indent))]


def _output(step: Step, width: int) -> Line:
    if step.status != "complete" or (step.output is None and step.problem):
        return ()
    return (Span(" = ", "dim"), Span(short(step.output, width), "now"))


def seconds_words(seconds: float | None) -> str:
    """How long it took, after two blanks; nothing for what took no time."""
    return f"  {seconds:.1f} s" if seconds is not None and seconds >= _SOON else ""
