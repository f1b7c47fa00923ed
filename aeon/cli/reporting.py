"""The story of a report, round by round: what the analyst asks, what is found, what the critic says."""

from __future__ import annotations

from aeon.cli.narration import Narrator
from aeon.cli.steps import seconds_words
from aeon.engines.report.effects import Analyse, Clarify, Compare, Compose, Critique
from aeon.engines.report.values import Analysis, Comparison, Review
from aeon.engines.research.effects import FindProviders, Pause, Search
from aeon.engines.research.values import Cited
from aeon.observability.lines import Line, Span, counted, degradation_line, labelled, short
from aeon.schema import Degradation, Found, Outcome, SearchProblem
from aeon.schema.effects import AskUser, Effect, Note

__all__ = ["ReportNarrator"]

_QUERY, _LINE = 60, 100
_STYLES = {"PASS": "good", "WARN": "warn", "REJECT": "bad", "UNREVIEWED": "warn"}


class ReportNarrator(Narrator):
    """Shows a line for what each agent says, and one for what each question gives."""

    def doing(self, effect: Effect) -> str:
        """What is being done while this effect is under way."""
        match effect:
            case FindProviders():
                return "looking where to search"
            case Clarify():
                return "looking whether the query is clear"
            case Analyse():
                return f"analyst: round {effect.round}"
            case Search():
                return f"searching {effect.provider}: {short(effect.query, _QUERY)}"
            case Pause():
                return f"waiting {effect.seconds:g} s before the next attempt"
            case Compare():
                return f"comparing sources: {short(effect.question, _QUERY)}"
            case Critique():
                return "critic: holding the draft against its sources"
            case Compose():
                return "writing the report"
        return f"researching: {short(effect.task.text, _QUERY)}" if effect.scope else super().doing(effect)

    def before(self, effect: Effect) -> list[Line]:
        """The heading of a round before the analyst."""
        return [(Span(f"  Round {effect.round}", "strong"),)] if isinstance(effect, Analyse) else []

    def ended(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What came of an effect; of the research into a question, only what it found."""
        if isinstance(effect, AskUser):
            return super().ended(effect, outcome)
        if outcome.failure is not None:
            return labelled("", [degradation_line(Degradation(phase=effect.phase, message=outcome.message))])
        took = seconds_words(outcome.ended - outcome.started)
        match outcome.value:
            case Found(problem=SearchProblem(message=message)):
                return labelled("", [degradation_line(Degradation(phase=effect.phase, message=message))])
            case Analysis() as analysis:
                return _analysed(analysis, took)
            case Cited() as cited:
                return labelled("", [_answered(effect, cited)])
            case Comparison(sides=sides, differ=True):
                said = " / ".join(side.answer for side in sides)
                return labelled("", [(Span("≠ ", "warn"), Span(short(f"sources differ: {said}", _LINE)))])
            case Review() as review:
                verdict = Span(f"{review.status}  ", _STYLES[review.status])
                return labelled("critic", [(verdict, Span(short(review.critique, _LINE)), Span(took, "dim"))])
        return []

    def noted(self, note: Note) -> list[Line]:
        """The end of a run has its own line."""
        return []


def _analysed(analysis: Analysis, took: str) -> list[Line]:
    if analysis.draft is not None and analysis.status == "DRAFT_READY":
        said = f"draft of {counted(len(analysis.draft.findings), 'sentence')}"
        return labelled("analyst", [(Span(said), Span(took, "dim"))])
    lines: list[Line] = [(Span(short(query.text, _LINE)),) for query in analysis.new_queries]
    return labelled("search", [*lines[:-1], (*lines[-1], Span(took, "dim"))] if lines else [])


def _answered(effect: Effect, cited: Cited) -> Line:
    if not any(one.citations for one in cited.sentences):
        return (Span("✗ ", "warn"), Span(short(effect.task.text, _QUERY)), Span("  not found", "dim"))
    return (Span("✓ ", "good"), Span(short(f"{effect.task.text} {cited.text}", _LINE)))
