"""How teams are shown: effects as the engines of the members show them, and the parts below the answer."""

from __future__ import annotations

from collections.abc import Mapping

from aeon.engines.contractive.values import Parts
from aeon.engines.ensemble.members import Members
from aeon.engines.ensemble.view import nested_titles, nested_words
from aeon.engines.team.record import Job, Team
from aeon.observability.lines import Line, Span, counted, short
from aeon.observability.view import View, recording
from aeon.schema import Conclusion, Outcome

__all__ = ["view_of"]

_QUESTION, _ANSWER = 44, 40


def _jobs(end: Conclusion) -> list[Line]:
    """A line for each part: its question, who worked on it, and what came of it."""
    if not isinstance(end, Team):
        return []
    head = f"{counted(len(end.jobs), 'part')}, then {end.master}" if end.jobs else f"not split: {end.master} alone"
    return [(Span("team ", "dim"), Span(head)), *map(_job, end.jobs)]


def _job(job: Job) -> Line:
    mark = "→" if job.handed_on else "·"
    by = f"{job.engine} ({job.rule})" if job.rule else job.engine
    rest = f"  {job.stop_reason.replace('_', ' ')}, {counted(job.calls, 'call')}"
    said = Span(f"  {short(job.answer, _ANSWER)}", "strong")
    return (Span(f"  {mark} {by}: {short(job.question, _QUESTION)}"), said, Span(rest, "dim"))


def view_of(members: Members, views: Mapping[str, View]) -> View:
    """The view of teams of these engines, which have these views."""
    title, said = nested_titles(members, views), nested_words(members, views)

    def words(outcome: Outcome) -> str:
        if isinstance(outcome.value, Parts):
            return "; ".join(part.question for part in outcome.value.parts) or "nothing"
        return said(outcome)

    return recording(title, words, _jobs)
