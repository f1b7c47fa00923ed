"""How chains are shown: effects as the engines of the members show them, and what each said below the answer."""

from __future__ import annotations

from collections.abc import Mapping

from aeon.engines.chain.record import Chain, Link
from aeon.engines.ensemble.members import Members
from aeon.engines.ensemble.view import nested_titles, nested_words
from aeon.observability.lines import Line, Span, counted, short
from aeon.observability.view import View, recording
from aeon.schema import Conclusion

__all__ = ["view_of"]

_ANSWER = 60


def _links(end: Conclusion) -> list[Line]:
    """A line for each member."""
    return [_link(place, link) for place, link in enumerate(end.links, 1)] if isinstance(end, Chain) else []


def _link(place: int, link: Link) -> Line:
    mark = "→" if link.handed_on else "·"
    rest = f"  {link.stop_reason.replace('_', ' ')}, {counted(link.calls, 'call')}"
    return (Span(f"{place} {mark} {link.engine} ", "strong"), Span(short(link.answer, _ANSWER)), Span(rest, "dim"))


def view_of(members: Members, views: Mapping[str, View]) -> View:
    """The view of chains of these engines, which have these views."""
    return recording(nested_titles(members, views), nested_words(members, views), _links)
