"""The story of a research run: its queries, what they found, what is still missing, round by round."""

from __future__ import annotations

from aeon.cli.narration import Narrator
from aeon.cli.steps import seconds_words
from aeon.engines.research.effects import Cite, FindProviders, Pause, PlanQueries, Reflect, RoundNote, Search, Summarise
from aeon.engines.research.values import Query, Reflection
from aeon.engines.research.view import VIEW
from aeon.observability.lines import Line, Span, counted, degradation_line, labelled, short
from aeon.runtime.events import EffectEnded, Event, RunStarted
from aeon.schema import Degradation, Found, Outcome
from aeon.schema.effects import AskUser, Effect, Note

__all__ = ["ResearchNarrator"]

_QUERY, _FOUND, _INTENT = 46, 60, 30
_PROBLEM = 400
"""Characters of what went wrong."""


class ResearchNarrator(Narrator):
    """Shows what is searched for and what for, what came of it, and what is missing."""

    _note: RoundNote | None = None
    _calls = 0
    _most_calls = 0
    _elapsed = 0.0
    _most_seconds: float | None = None
    _problems: frozenset[str] = frozenset()

    def doing(self, effect: Effect) -> str:
        """What is being done while this effect is under way."""
        match effect:
            case FindProviders():
                return "looking where to search"
            case PlanQueries():
                return "choosing what to search for"
            case Search():
                return f"searching {effect.provider}: {short(effect.query, _QUERY)}"
            case Pause():
                return f"waiting {effect.seconds:g} s before the next attempt"
            case Summarise():
                return "summarising what is too long to be read at once"
            case Reflect():
                return "reading what was found"
            case Cite():
                return "writing the answer and checking it"
        return super().doing(effect)

    def lines(self, event: Event) -> list[Line]:
        """What is new with this event; keeps count of what the run has spent."""
        match event:
            case RunStarted():
                self._most_calls, self._most_seconds = event.bound.calls, event.config.budget.seconds
            case EffectEnded():
                self._calls += event.outcome.usage.calls
                self._elapsed = max(self._elapsed, event.outcome.ended)
        return super().lines(event)

    def before(self, effect: Effect) -> list[Line]:
        """The heading of a round before its first search: its queries, and what was spent until then."""
        if self._note is None or not isinstance(effect, Search):
            return []
        note, self._note = self._note, None
        seconds = f"{self._elapsed:.0f}" + f" of {self._most_seconds:.0f}" * (self._most_seconds is not None)
        spent = f"  {self._calls} of {counted(self._most_calls, 'call')}, {seconds} s"
        heading = (Span(f"  Round {note.iteration} of {note.most}", "strong"), Span(spent, "dim"))
        return [heading, *labelled("queries", [*map(_query, note.queries)])]

    def ended(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What came of an effect: queries with their intent, hits, and what is missing."""
        took = outcome.ended - outcome.started
        if isinstance(effect, AskUser):
            return super().ended(effect, outcome)
        if outcome.failure is not None:
            return labelled("", [degradation_line(Degradation(phase=effect.phase, message=outcome.message))])
        match outcome.value:
            case Found() as found if isinstance(effect, Search):
                return labelled("", [_hits(effect, found, self._came_of(found, outcome), took)])
            case Reflection() as reflection:
                return [*_reflected(reflection, took)]
        return []

    def _came_of(self, found: Found, outcome: Outcome) -> str:
        """Hits in a few words; a problem whole where it is new, since it says what to do, and later by its kind."""
        if found.problem is None:
            return short(VIEW.words(outcome), _FOUND)
        message, before = found.problem.message, self._problems
        self._problems |= {message}
        return found.problem.kind.replace("_", " ") if message in before else short(VIEW.words(outcome), _PROBLEM)

    def noted(self, note: Note) -> list[Line]:
        """A round is shown with its first search; the end of a run has its own line."""
        if isinstance(note, RoundNote):
            self._note = note
        return []


def _query(query: Query) -> Line:
    return (Span(f"{short(query.text, _QUERY)}"), Span(f"  {short(query.intent, _INTENT)}", "dim"))


def _hits(effect: Search, found: Found, words: str, took: float) -> Line:
    mark, style = ("✗", "bad") if found.problem else ("✓", "good") if found.passages else ("·", "dim")
    again = f" (attempt {effect.attempt})" if effect.attempt > 1 else ""
    query = f"{effect.provider}: {short(effect.query, _QUERY)}{again}"
    return (Span(f"{mark} ", style), Span(query), Span(f"  {words}{seconds_words(took)}", "dim"))


def _reflected(reflection: Reflection, took: float) -> list[Line]:
    """Whether it is enough, else what is missing."""
    if reflection.sufficient:
        sure = f", {reflection.confidence:.0%} sure" if reflection.confidence is not None else ""
        return labelled("enough", [(Span(f"✓{sure}", "good"), Span(seconds_words(took), "dim"))])
    gaps: list[Line] = [(Span(short(gap)),) for gap in reflection.gaps] or [(Span("nobody can say what"),)]
    return labelled("missing", [*gaps[:-1], (*gaps[-1], Span(seconds_words(took), "dim"))])
