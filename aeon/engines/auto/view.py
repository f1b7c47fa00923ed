"""How routed runs are shown: as the engines do, and below the answer the rule that chose one."""

from __future__ import annotations

from collections.abc import Mapping

from aeon.engines.auto.record import Auto
from aeon.engines.auto.values import Surroundings
from aeon.engines.ensemble.members import Members
from aeon.engines.ensemble.view import nested_titles, nested_words
from aeon.observability.lines import Line, Span, counted
from aeon.observability.view import View, recording
from aeon.schema import Conclusion, Outcome
from aeon.schema.effects import Effect

__all__ = ["view_of"]


def _route(end: Conclusion) -> list[Line]:
    """The rule with its engine and its reason."""
    if not isinstance(end, Auto) or not end.rule:
        return []
    rule = f"{end.rule}: {end.chosen} ({end.basis})"
    return [(Span("route ", "dim"), Span(rule)), (Span(f"  {end.reason}", "dim"),)]


def _there(there: Surroundings) -> str:
    parts = [counted(there.tables, "table")] if there.tables else []
    parts += ["texts"] if there.texts else []
    parts += [f"searches {', '.join(there.searches)}"] if there.searches else []
    parts += [f"{counted(there.numbers, 'number')} in the task"] if there.numbers else []
    return ", ".join(parts) or "nothing but the task"


def view_of(members: Members, views: Mapping[str, View]) -> View:
    """The view of runs that are routed to these engines, which have these views."""
    titles, said = nested_titles(members, views), nested_words(members, views)

    def title(effect: Effect) -> str:
        return titles(effect).lstrip("0123456789/ ") if effect.scope else effect.subject

    def words(outcome: Outcome) -> str:
        return _there(outcome.value) if isinstance(outcome.value, Surroundings) else said(outcome)

    return recording(title, words, _route)
