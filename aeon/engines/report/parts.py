"""The parts of a report, whatever form it is written in: what each form shows is decided here, and once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from aeon.engines.report.grading import answered, confidence, score, stands
from aeon.engines.report.tiers import Ranked
from aeon.engines.report.values import Comparison, Draft, Finding, Missing, Review, Side, SourceCited
from aeon.engines.research.values import Citation
from aeon.schema.plan import Passage
from aeon.schema.search import SearchProblem

__all__ = [
    "Heading",
    "Inline",
    "Line",
    "Mark",
    "Part",
    "Points",
    "Quotes",
    "Said",
    "Sources",
    "Table",
    "Words",
    "place",
    "refusal",
    "report",
    "results",
    "summary",
    "withheld",
]

_LIMITED = "Search capabilities were limited; the report is based on partial information."
_LONGEST_NAME = 200
_MOST_SEARCHED = 6
_NOTHING = "nothing"
_ANSWERLESS = "the sources do not answer this."
_UNKNOWN = 9
"""Where a source of an unknown tier stands among others: behind them."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text; what comes from a source or a model in it has no marks of its own."""

    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The number of a source; with a ``tier`` in words, what one side says, which is quoted."""

    citation: Citation
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A finding with the numbers of its sources; ``noted``: with what a reader has to know of it."""

    finding: Finding
    noted: bool = False


Inline: TypeAlias = Words | Mark | Said


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; a ``number`` stands before the text of a section."""

    text: str
    level: int = 2
    number: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph."""

    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """A list."""

    points: tuple[tuple[Inline, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    head: tuple[str, ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Quotes:
    """What a finding cites, each quote with its place; a form may show it with the source instead."""

    quotes: tuple[tuple[Citation, str], ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of a tier, each with its number and what a bibliography calls it."""

    sources: tuple[tuple[int, str], ...]


Part: TypeAlias = Heading | Line | Points | Table | Quotes | Sources


def report(draft: Draft, review: Review | None, found: int) -> Iterator[Part]:
    """The parts of a report that is published, without its title; ``found`` counts the sources of the query."""
    yield _line(
        f"Mode: {draft.mode}. Confidence: {confidence(draft, review)} ({score(draft)} of 100). "
        f"Questions answered: {len(answered(draft))} of {len(draft.questions)}. "
        f"Sources cited: {len(draft.sources)}, found for the query: {found}."
    )
    yield Heading("Summary")
    yield summary(draft, review)
    yield from _warnings(draft, review)
    for number, question in enumerate(draft.questions, 1):
        yield from _section(draft, number, question)
    yield from _compared(draft)
    yield from _lacking(draft)
    yield from _sources(draft.sources)
    yield from _dropped(draft)


def summary(draft: Draft, review: Review | None) -> Line:
    """The findings one after the other; those that do not stand are left out."""
    good: list[Inline] = [Said(one) for one in draft.findings if stands(one)]
    if not good:
        good = [Words(_ANSWERLESS.capitalize() if review is not None else "Nothing was found before the run ended.")]
    return Line((*good, Words(_LIMITED)) if draft.limited else tuple(good))


def withheld(draft: Draft, review: Review | None) -> Iterator[Part]:
    """What stands in the place of a report that strict does not publish: the critic rejected it, or it is empty."""
    rejected = "No report: the critic rejected the draft, and strict publishes no such draft."
    yield _line(rejected if draft.findings else f"No report: {_ANSWERLESS}")
    if review is not None and review.reasons:
        yield _points(review.reasons)
    yield from _lacking(draft)
    yield from _dropped(draft)


def refusal(reason: str, detail: str, problems: Sequence[SearchProblem]) -> Iterator[Part]:
    """What stands in the place of a report for which there are no sources."""
    yield _line("Nothing was found." if reason == "nothing_found" else f"No report: {detail}.")
    if reason != "search_failed":  # it says so itself
        yield from _failed(problems)


def results(passages: Sequence[Passage], draft: Draft) -> Iterator[Part]:
    """What a plain search found, best first. Its draft says what went wrong, and what the mode does not take."""
    for one in passages:
        yield _line(f"{one.text} ({one.source})")
    if not passages:
        yield _line("Nothing was found.")
    yield from _failed(draft.problems)
    yield from _dropped(draft)


def _line(text: str) -> Line:
    return Line((Words(text),))


def _points(texts: Iterable[str]) -> Points:
    return Points(tuple((Words(text),) for text in texts))


def _listed(heading: str, texts: Iterable[str]) -> Iterator[Part]:
    if (points := _points(texts)).points:
        yield Heading(heading)
        yield points


def _lacking(draft: Draft) -> Iterator[Part]:
    """What the report lacks, and why: questions without a finding, and searches that failed."""
    yield from _listed("What was not found", (_missing(one, draft) for one in draft.missing))
    yield from _failed(draft.problems)


def _failed(problems: Sequence[SearchProblem]) -> Iterator[Part]:
    yield from _listed("Searches that failed", (one.message for one in problems))


def _warnings(draft: Draft, review: Review | None) -> Iterator[Part]:
    if review is None:
        yield from _listed("Warnings", ["nobody reviewed this draft: the run ended before"])
    elif review.status != "PASS":
        rejected = "Why this report was rejected" if draft.findings else "Why there are no findings"
        yield from _listed("Warnings" if review.status == "WARN" else rejected, review.reasons)


def _section(draft: Draft, number: int, question: str) -> Iterator[Part]:
    findings = draft.answered(number)
    if not findings:
        return
    yield Heading(question, number=number)
    for finding in findings:
        tier = [Words(f"Tier {finding.tier}:")] if finding.tier is not None else []
        yield Line((*tier, Said(finding, noted=True)))
        yield Quotes(tuple((one, place(one, draft)) for one in finding.citations))
    for one in draft.disagreements:
        if one.question == number:
            yield _line("Sources give different values:")
            yield _sides(one)


def _sides(comparison: Comparison) -> Points:
    sides = sorted(comparison.sides, key=lambda side: side.tier or _UNKNOWN)
    return Points(tuple((Words(side.answer), Mark(side.citation, _tier(side))) for side in sides))


def _compared(draft: Draft) -> Iterator[Part]:
    """What the two tiers say to each question, side by side."""
    if draft.mode != "monitor":
        return
    tiers = _tiers(draft)
    yield Heading("Side by side")
    rows = tuple(_row(draft, number, question, tiers) for number, question in enumerate(draft.questions, 1))
    yield Table(("question", *(f"tier {tier}" for tier in tiers), ""), rows)


def _row(draft: Draft, number: int, question: str, tiers: Sequence[int]) -> tuple[tuple[Inline, ...], ...]:
    cells = [_cell(draft, number, tier) for tier in tiers]
    differ = any(one.question == number for one in draft.disagreements)
    none = "cannot be compared" if (Words(_NOTHING),) in cells else "no difference found"
    return ((Words(question),), *cells, (Words("differ" if differ else none),))


def _cell(draft: Draft, number: int, tier: int) -> tuple[Inline, ...]:
    there = [one for one in draft.answered(number) if one.tier == tier]
    return (Words(there[0].short), Mark(there[0].citations[0])) if there else (Words(_NOTHING),)


def _tiers(draft: Draft) -> list[int]:
    """The tiers that the questions were put to."""
    every = [*(one.tier for one in draft.findings), *(one.tier for one in draft.missing)]
    return sorted({tier for tier in every if tier is not None})


def _missing(one: Missing, draft: Draft) -> str:
    """A question without a finding, with what was searched for."""
    more = len(one.searched) - _MOST_SEARCHED
    listed = "; ".join(one.searched[:_MOST_SEARCHED])
    tier = f" in tier {one.tier}" if one.tier is not None else ""
    dropped = "".join(f" Dropped: {words}." for words in one.dropped)
    searched = f"searched for: {listed or 'nothing'}{f'; and {more} more' if more > 0 else ''}"
    return f"{draft.questions[one.question - 1]} Not found{tier} ({searched}).{dropped}"


def _sources(sources: Sequence[SourceCited]) -> Iterator[Part]:
    """The sources of each tier, the best tier first, unknown ones last."""
    if sources:
        yield Heading("Sources")
    tiers = sorted({one.tier for one in sources}, key=lambda tier: tier or _UNKNOWN)
    for tier in tiers:
        yield Heading("Unknown" if tier is None else f"Tier {tier}", level=3)
        yield Sources(tuple((one.number, _source(one)) for one in sources if one.tier == tier))


def _source(source: SourceCited) -> str:
    """A source as a bibliography names it."""
    kind = f" ({source.type})" if source.type else ""
    return f"{source.title[:_LONGEST_NAME]}{kind}{_where(source)}"


def _where(source: SourceCited | Ranked) -> str:
    return "" if source.title in ("", source.source) else f", {source.source}"


def _dropped(draft: Draft) -> Iterator[Part]:
    """The sources that the mode does not take, each with its tier, which is why."""
    names = (f"{(one.title or one.source)[:_LONGEST_NAME]}{_where(one)} ({one.words})" for one in draft.dropped)
    yield from _listed("Sources that were dropped for their tier", names)


def place(citation: Citation, draft: Draft) -> str:
    """Where a quoted sentence stands, behind the number of its source."""
    source = draft.source(citation.number)
    page = f"page {citation.source.page}" if citation.source.page else ""
    heading = "" if citation.source.heading == source.title else citation.source.heading
    return ", ".join(part for part in (source.title[:_LONGEST_NAME], page, heading) if part)


def _tier(side: Side) -> str:
    return "unknown tier" if side.tier is None else f"tier {side.tier}"
