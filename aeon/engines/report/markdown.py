"""A report as Markdown: each sentence with its citations, and below it what they quote. The host writes all marks.

What comes from a source or a model is escaped, so that no text of a page can become a heading, a link or a citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from aeon.engines.report.grading import answered, confidence, score
from aeon.engines.report.tiers import Ranked
from aeon.engines.report.values import Comparison, Composed, Draft, Finding, Missing, Review, SourceCited
from aeon.engines.research.values import Citation
from aeon.schema.claims import Verdict
from aeon.schema.plan import Passage
from aeon.schema.search import SearchProblem

__all__ = ["Span", "composed", "published", "refusal", "results"]

_LONGEST_NAME, _LONGEST_QUOTE, _MOST_SEARCHED = 200, 2_000, 6
_ANSWERLESS = "the sources do not answer this."
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_LINE_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")
_STOPS = frozenset(".!?…。\uff01\uff1f؟।")
_UNKNOWN = 9
"""Where a source of an unknown tier stands among others: behind them."""
_NOTES: dict[Verdict, str] = {
    "supported": "", "partial": " *(supported in part)*", "not_checked": " *(not checked)*",
    "not_found": " *(not supported by what it cites)*", "contradicted": " *(contradicted by what it cites)*",
}  # fmt: skip


class Span(NamedTuple):
    """Where a finding stands in the text."""

    start: int
    end: int
    finding: Finding


def published(draft: Draft, review: Review | None) -> bool:
    """Whether the draft is published: in strict, not where the critic rejects it."""
    return not (draft.mode == "strict" and review is not None and review.status == "REJECT")


def composed(draft: Draft, review: Review | None, context: Sequence[object]) -> tuple[Composed, tuple[Span, ...]]:
    """The report, and where its findings stand in it. ``context`` are the sources that the query found."""
    title, points = f"# {_plain(draft.query)}", score(draft)
    if not published(draft, review):
        text = "\n\n".join([title, *_withheld(draft, review)])
        return Composed(final_report=text, confidence_level="Low", score=points), ()
    text, spans = _prose(draft, "\n\n".join([title, *_opening(draft, review, len(context))]))
    closing = (_compared(draft), _reviewed(draft, review), _lacking(draft), _sources(draft), _dropped(draft))
    text = "\n\n".join([text, *(block for part in closing for block in part)])
    used, level = tuple(source.source for source in draft.cited), confidence(draft, review)
    return Composed(final_report=text, sources_used=used, confidence_level=level, score=points), tuple(spans)


def _prose(draft: Draft, text: str) -> tuple[str, list[Span]]:
    """The text with a section behind it for each question that has findings, and where these stand."""
    spans = list[Span]()
    noted = _NOTES if {one.verdict for one in draft.findings} != {"not_checked"} else {}  # else the review says it
    for number, question in enumerate(draft.questions, 1):
        for place, one in enumerate(draft.answered(number)):
            text += " " if place else f"\n\n## {_plain(question)}\n\n"
            said = _marked(one.text.rstrip(), one.citations)
            spans.append(Span(len(text), len(text) + len(said), one))
            text += said + (noted.get(one.verdict, "") if one.citations else " *(cites nothing)*")
        text = "\n\n".join([text, *_differing(draft, number)])
    return text, spans


def refusal(reason: str, detail: str, problems: Sequence[SearchProblem]) -> str:
    """What stands in the place of a report for which there are no sources."""
    said = "Nothing was found." if reason == "nothing_found" else _plain(f"No report: {detail}.")
    failed = _failed(problems) if reason != "search_failed" else ()  # it says so itself
    return "\n\n".join([said, *failed])


def results(passages: Sequence[Passage], draft: Draft) -> str:
    """What a plain search found, best first. Its draft says what went wrong, and what the mode does not take."""
    found = [_plain(f"{one.text} ({one.source})") for one in passages] or ["Nothing was found."]
    return "\n\n".join([*found, *_failed(draft.problems), *_dropped(draft)])


def _opening(draft: Draft, review: Review | None, found: int) -> Iterator[str]:
    yield (
        f"Mode: {draft.mode}. Confidence: {confidence(draft, review)} ({score(draft)} of 100). "
        f"Questions answered: {len(answered(draft))} of {len(draft.questions)}. "
        f"Sources cited: {len(draft.cited)}, found for the query: {found}."
    )
    if not draft.findings:
        yield _ANSWERLESS.capitalize() if review is not None else "Nothing was found before the run ended."
    if draft.limited:
        yield "Search capabilities were limited; the report is based on partial information."


def _withheld(draft: Draft, review: Review | None) -> Iterator[str]:
    """What stands in the place of a report that strict does not publish: the critic rejected it, or it is empty."""
    rejected = "No report: the critic rejected the draft, and strict publishes no such draft."
    yield rejected if draft.findings else f"No report: {_ANSWERLESS}"
    yield from _listed("", review.reasons if review is not None else ())
    yield from _lacking(draft)
    yield from _dropped(draft)


def _listed(heading: str, texts: Iterable[str]) -> Iterator[str]:
    """A list of texts below its heading, if there are any."""
    if points := "\n".join(f"- {_plain(text)}" for text in texts):
        yield from ([f"## {heading}", points] if heading else [points])


def _differing(draft: Draft, number: int) -> Iterator[str]:
    """What sources say differently to a question."""
    for one in draft.disagreements if draft.mode != "monitor" else ():
        if one.question == number:
            yield "Sources give different values:"
            yield "\n".join(_sides(one))


def _sides(comparison: Comparison) -> Iterator[str]:
    for side in sorted(comparison.sides, key=lambda side: side.tier or _UNKNOWN):
        tier = f"tier {side.tier}" if side.tier is not None else "unknown tier"
        yield f"- {_plain(side.answer)} [{side.citation.number}] *({tier})*"


def _compared(draft: Draft) -> Iterator[str]:
    """What the two tiers of monitor say to each question, side by side."""
    every = [one.tier for group in (draft.findings, draft.missing) for one in group]
    tiers = sorted({tier for tier in every if tier is not None}) if draft.mode == "monitor" else []
    if tiers:
        yield "## Side by side"
        for number, question in enumerate(draft.questions, 1):
            yield f"### {_plain(question)}"
            yield "\n".join(_beside(draft, number, tiers))


def _beside(draft: Draft, number: int, tiers: Sequence[int]) -> Iterator[str]:
    said = {tier: _said(draft, number, tier) for tier in tiers}
    yield from (f"- Tier {tier}: {words or 'nothing'}" for tier, words in said.items())
    if any(one.question == number for one in draft.disagreements):
        yield "- differ"
    else:
        yield "- no difference found" if all(said.values()) else "- cannot be compared"


def _said(draft: Draft, number: int, tier: int) -> str:
    """What sources of a tier say to a question, "" for nothing."""
    for compared in draft.comparisons:
        for side in compared.sides:
            if (compared.question, side.tier) == (number, tier):
                return f"{_plain(side.answer)} [{side.citation.number}]"
    there = next((one for one in draft.answered(number) if one.tier == tier), None)
    return _marked(there.text.rstrip(), there.citations) if there is not None else ""


def _reviewed(draft: Draft, review: Review | None) -> Iterator[str]:
    """What the critic says, where it is not just that the report is good."""
    if review is None:
        yield from _listed("Warnings", ["unreviewed: the run ended before anybody could review this draft"])
    elif review.status != "PASS":
        rejected = "Why this report was rejected" if draft.findings else "Why there are no findings"
        headings = {"REJECT": rejected, "UNREVIEWED": "Unreviewed", "WARN": "Warnings"}
        yield from _listed(headings[review.status], review.reasons)


def _lacking(draft: Draft) -> Iterator[str]:
    """What the report lacks, and why: what the sources do not say, questions without a finding, failed searches."""
    yield from _listed("What was not found", (*draft.gaps, *(_missing(one, draft) for one in draft.missing)))
    yield from _failed(draft.problems)


def _missing(one: Missing, draft: Draft) -> str:
    """A question without a finding, with what was searched for."""
    more = len(one.searched) - _MOST_SEARCHED
    listed = "; ".join(one.searched[:_MOST_SEARCHED]) or "nothing"
    tier = f" in tier {one.tier}" if one.tier is not None else ""
    dropped = "".join(f" Dropped: {words}." for words in one.dropped)
    searched = f"searched for: {listed}{f'; and {more} more' if more > 0 else ''}"
    return f"{draft.questions[one.question - 1]} Not found{tier} ({searched}).{dropped}"


def _failed(problems: Sequence[SearchProblem]) -> Iterator[str]:
    return _listed("Searches that failed", (one.message for one in problems))


def _sources(draft: Draft) -> Iterator[str]:
    """The sources of each tier with what is quoted of them, the best tier first, unknown ones last."""
    quotes = _quotes(draft)
    ranked = sorted(draft.cited, key=lambda source: source.tier or _UNKNOWN)
    for place, source in enumerate(ranked):
        yield from () if place else ("## Sources",)
        if not place or ranked[place - 1].tier != source.tier:
            yield f"### {'Unknown' if source.tier is None else f'Tier {source.tier}'}"
        yield f"[{source.number}] {_plain(_named(source, source.type))}"
        yield from (_quoted(one, source) for _, one in sorted(quotes[source.number].items()))


def _quotes(draft: Draft) -> dict[int, dict[int, Citation]]:
    """What is quoted of each source, by its number: each place once, by where it begins."""
    quotes: dict[int, dict[int, Citation]] = {}
    for _, one in draft.citations():
        quotes.setdefault(one.number, {}).setdefault(one.source.start, one)
    return quotes


def _quoted(citation: Citation, source: SourceCited) -> str:
    span = citation.source
    places = (f"page {span.page}" * bool(span.page), span.heading * (span.heading != source.title))
    place = _plain(", ".join(filter(None, places)))
    return f"> “{_plain(span.text[:_LONGEST_QUOTE])}”{f' *({place})*' if place else ''}"


def _named(source: SourceCited | Ranked, more: str) -> str:
    """What a bibliography calls a source: its title, what there is to say of it, and its name."""
    where = f", {source.source}" if source.title not in ("", source.source) else ""
    return f"{(source.title or source.source)[:_LONGEST_NAME]}{f' ({more})' if more else ''}{where}"


def _dropped(draft: Draft) -> Iterator[str]:
    """The sources that the mode does not take, each with its tier, which is why."""
    names = (f"{_named(one, '')} ({one.words})" for one in draft.dropped)
    return _listed("Sources that were dropped for their tier", names)


def _marked(text: str, citations: Sequence[Citation]) -> str:
    """A sentence with the numbers of its sources before its full stop."""
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in citations))
    stop = text[-1:] if text[-1:] in _STOPS and len(text) > 1 else ""
    return f"{_plain(text.removesuffix(stop))} {marks}".rstrip() + stop  # escaped in parts: "1931." begins a list


def _plain(text: str) -> str:
    """Foreign text on one line in which nothing is a mark of Markdown or HTML."""
    return _LINE_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", " ".join(text.split())))
