"""The story of a research run: its queries, what they found, what is still missing, round by round."""

from __future__ import annotations

from aeon.cli.narration import Narrator
from aeon.cli.steps import seconds_words
from aeon.engines.research.effects import Cite, FindProviders, Pause, PlanQueries, Reflect, Search
from aeon.engines.research.values import Finding, Queries, Query, Reflection
from aeon.engines.research.view import VIEW
from aeon.kernel.effects import AskUser, Effect, Note
from aeon.observability.lines import Line, Span, degradation_line, labelled, short
from aeon.schema import Degradation, Found, Outcome

__all__ = ["ResearchNarrator"]

_QUERY, _FOUND, _INTENT = 46, 60, 30
_PROBLEM = 400
"""Characters of what went wrong."""


class ResearchNarrator(Narrator):
    """Shows what is searched for and what for, what came of it, and what follows."""

    _round = 0
    _within = False
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
            case Reflect():
                return "reading what was found"
            case Cite():
                return "writing the answer and checking it"
        return super().doing(effect)

    def before(self, effect: Effect) -> list[Line]:
        """The heading of a round before its first search."""
        if self._within or not isinstance(effect, Search):
            return []
        self._within = True
        self._round += 1
        return [(Span(f"  Round {self._round}", "strong"),)]

    def ended(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What came of an effect: queries with their intent, hits, findings and what is missing."""
        took = outcome.ended - outcome.started
        if isinstance(effect, AskUser):
            return super().ended(effect, outcome)
        if outcome.failure is not None:
            return labelled("", [degradation_line(Degradation(phase=effect.phase, message=outcome.message))])
        match outcome.value:
            case Queries(queries=queries):
                return labelled("queries", [*map(_query, queries)])
            case Found() as found if isinstance(effect, Search):
                return labelled("", [_hits(effect, found, self._came_of(found, outcome), took)])
            case Reflection() as reflection:
                self._within = False
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
        """The end of a run has its own line."""
        return []


def _query(query: Query) -> Line:
    return (Span(f"{short(query.text, _QUERY)}"), Span(f"  {short(query.intent, _INTENT)}", "dim"))


def _hits(effect: Search, found: Found, words: str, took: float) -> Line:
    mark, style = ("✗", "bad") if found.problem else ("✓", "good") if found.passages else ("·", "dim")
    again = f" (attempt {effect.attempt})" if effect.attempt > 1 else ""
    query = f"{effect.provider}: {short(effect.query, _QUERY)}{again}"
    return (Span(f"{mark} ", style), Span(query), Span(f"  {words}{seconds_words(took)}", "dim"))


def _reflected(reflection: Reflection, took: float) -> list[Line]:
    found = [_finding(finding) for finding in reflection.findings]
    if found:
        found[-1] = (*found[-1], Span(seconds_words(took), "dim"))
    missing: list[Line] = [] if reflection.sufficient else [(Span(short(gap)),) for gap in reflection.gaps]
    return [
        *labelled("found", found),
        *labelled("missing", missing),
        *labelled("next", [*map(_query, reflection.queries)]),
    ]


def _finding(finding: Finding) -> Line:
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in finding.evidence))
    if not finding.answer:
        return (Span("✗ ", "warn"), Span(short(finding.question)), Span("  not stated", "dim"))
    return (Span("✓ ", "good"), Span(short(f"{finding.question} {finding.answer} {marks}")))
