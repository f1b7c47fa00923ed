"""How research runs are shown: searches and findings in a line each, the answer with its sources below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aeon.engines.research.effects import Cite, FindProviders, Pause, PlanQueries, Reflect, Search, Summarise
from aeon.engines.research.record import ErrorRecord, Research, SourceUsed
from aeon.engines.research.searching import distinct
from aeon.engines.research.values import Cited, Digest, Digests, Paused, Providers, Queries, Reflection
from aeon.observability.lines import (
    Line,
    Span,
    answer_text,
    conclusion_lines,
    counted,
    outcome_words,
    plain,
    short,
    visible,
)
from aeon.observability.report import report_lines
from aeon.observability.trail import Trail
from aeon.observability.view import GENERIC, View
from aeon.schema import Conclusion, Found, Outcome
from aeon.schema.effects import Effect

__all__ = ["VIEW"]

_QUOTE = 100
_MOST_QUOTES = 3
_MOST_PROBLEMS = 5
_LOST = ("left out", "its result stands in", "given up")


def _title(effect: Effect) -> str:
    match effect:
        case FindProviders():
            return "sources"
        case PlanQueries():
            return "queries"
        case Search():
            return f"{effect.provider}: {effect.query}" + (f" ({effect.attempt})" if effect.attempt > 1 else "")
        case Pause():
            return f"wait {effect.seconds:g} s"
        case Summarise():
            return f"summaries of {counted(len({one.number for one in effect.texts}), 'source')}"
        case Reflect():
            return f"round {effect.round}"
        case Cite():
            return "answer"
    return effect.subject


def _words(outcome: Outcome) -> str:
    match outcome.value:
        case Providers() as there:
            return ", ".join((*there.local, *there.web)) or "none"
        case Queries(queries=queries):
            return "; ".join(query.text for query in distinct(queries))
        case Found() as found:
            return _found(found)
        case Reflection() as reflection:
            return _reflected(reflection)
        case Digests(digests=digests):
            return _summarised(digests)
        case Paused(seconds=seconds):
            return f"{seconds:g} s"
        case Cited(text=text):
            return text
    return outcome_words(outcome)


def _found(found: Found) -> str:
    if found.problem is not None:
        return f"{found.problem.kind.replace('_', ' ')}: {found.problem.message}"
    unread = f", {len(found.problems)} not read" * bool(found.problems)
    return f"{counted(len(found.passages), 'passage')} of {counted(len(found.documents), 'source')}{unread}"


def _summarised(digests: Sequence[Digest]) -> str:
    return f"{counted(sum(len(one.sentences) for one in digests), 'sentence')} kept"


def _reflected(reflection: Reflection) -> str:
    after = ["enough"] if reflection.sufficient else [f"missing: {gap}" for gap in reflection.gaps]
    after += [] if reflection.sufficient else [f"next: {query.text}" for query in reflection.queries]
    return "; ".join(after or ["not enough, and nothing else to search for"])


def _sources(end: Conclusion) -> list[Line]:
    """How much of the answer is cited, and what came of the checks."""
    if not isinstance(end, Research) or not end.citations:
        return []
    cited = sum(bool(sentence.citations) for sentence in end.sentences)
    checked = [sentence.verdict for sentence in end.sentences if sentence.verdict != "not_checked"]
    said = ", ".join(f"{checked.count(one)} {one.replace('_', ' ')}" for one in dict.fromkeys(checked))
    of = f"{cited} of {counted(len(end.sentences), 'sentence')} cited, {len(checked)} checked" + (
        f", {said}" * bool(said)
    )
    return [(Span("sources ", "dim"), Span(of))]


def _listed(end: Conclusion) -> list[Line]:
    """The sources by their numbers, each with the sentences that the answer rests on."""
    lines: list[Line] = []
    for source in end.citations if isinstance(end, Research) else ():
        lines += [(Span(f"  [{source.number}] ", "strong"), Span(_name(source))), *_quotes(source)]
    return lines


def _name(source: SourceUsed) -> str:
    place = next((one.source for one in source.cited), None)
    where = [f"page {place.page}" if place and place.page else "", place.heading if place else ""]
    title = f"{source.title}, {source.source}" if source.title != source.source else source.source
    return short(", ".join(filter(None, [title, *where])), 110)


def _quotes(source: SourceUsed) -> list[Line]:
    quotes = [short(one.source.text, _QUOTE) for one in source.cited[:_MOST_QUOTES]]
    return [(Span(f"      “{visible(quote)}”", "dim"),) for quote in quotes]


def _settings(end: Conclusion) -> list[str]:
    """What providers said of their settings, whole: it says what to change."""
    wrong = [one.problem.message for one in _errors(end) if one.problem.kind == "configuration"]
    return [f"not searched: {visible(message)}" for message in dict.fromkeys(wrong) if message not in end.detail]


def _errors(end: Conclusion) -> tuple[ErrorRecord, ...]:
    return end.error_log if isinstance(end, Research) else ()


def _problems(end: Conclusion) -> list[Line]:
    """What could not be searched or read, each once; what another attempt or provider made good is in the log alone."""
    lost = [f"{one.problem.message}; {one.then}" for one in _errors(end) if _is_lost(one)]
    every = list(dict.fromkeys(lost))
    shown = [*every[:_MOST_PROBLEMS], *([f"and {len(every) - _MOST_PROBLEMS} more"] if every[_MOST_PROBLEMS:] else [])]
    heads = ("not read", *("        " for _ in shown))
    return [(Span(f"{head} {visible(one)}", "dim"),) for head, one in zip(heads, shown, strict=False)]


def _is_lost(error: ErrorRecord) -> bool:
    return error.then in _LOST and error.problem.kind != "configuration"


def _conclusion(end: Conclusion) -> list[Line]:
    return conclusion_lines(end, reservations=_settings(end))


def _answer(end: Conclusion) -> str:
    """The answer with the sources that its numbers stand for."""
    listed = _listed(end)
    return "\n\n".join([answer_text(end), *([plain(listed)] if listed else [])])


def _ending(end: Conclusion) -> list[Line]:
    return [*_conclusion(end), *_sources(end), *_problems(end)]


def _report(trail: Trail) -> list[Line]:
    return [*report_lines(trail, _title, _words), *(_below(trail.result) if trail.result else [])]


def _below(end: Conclusion) -> list[Line]:
    """What stands below a report: the settings that are wrong, the sources, and what could not be read."""
    return [*((Span(text, "warn"),) for text in _settings(end)), *_sources(end), *_listed(end), *_problems(end)]


VIEW: View = replace(
    GENERIC, title=_title, words=_words, answer=_answer, conclusion=_conclusion, ending=_ending, report=_report
)
