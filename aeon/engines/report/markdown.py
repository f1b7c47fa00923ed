"""A report as Markdown: each finding with its citations, and under it what they quote. The host writes all marks.

What comes from a source or a model is escaped, so that no text of a page can become a heading, a link or a citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aeon.engines.report.grading import confidence, score
from aeon.engines.report.values import Comparison, Composed, Draft, Finding, Missing, Review, Side, SourceCited
from aeon.engines.research.values import Citation

__all__ = [
    "LIMITED",
    "Page",
    "Span",
    "by_tier",
    "composed",
    "marked",
    "missing_words",
    "note",
    "place",
    "published",
    "quoted",
    "source_words",
]

LIMITED = "Search capabilities were limited; the report is based on partial information."
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_LINE_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")
_LONGEST_QUOTE, _LONGEST_NAME = 400, 200
_MOST_SEARCHED = 6
_NOTHING = "nothing"
_ANSWERLESS = "The sources do not answer this."
_UNKNOWN = 9
"""Where a source of an unknown tier stands among others: behind them."""
_VERDICTS = {
    "supported": "",
    "partial": "supported in part",
    "not_checked": "not checked",
    "not_found": "not supported by what it cites",
    "contradicted": "contradicted by what it cites",
}


@dataclass(slots=True)
class Span:
    """Where a finding stands in the text."""

    start: int
    end: int
    finding: Finding


@dataclass(slots=True)
class Page:
    """A text as it grows, and where the findings stand in it."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)

    def line(self, text: str = "") -> None:
        """Add a line."""
        self.text += f"{text}\n"

    def finding(self, finding: Finding, ending: str) -> None:
        """Add a finding with its citations."""
        start = len(self.text)
        self.text += marked(finding)
        self.spans.append(Span(start, len(self.text), finding))
        self.text += ending


def published(draft: Draft, review: Review | None) -> bool:
    """Whether the draft is published: in strict, not where the critic rejects it."""
    return not (draft.mode == "strict" and review is not None and review.status == "REJECT")


def composed(draft: Draft, review: Review | None, context: Sequence[object]) -> tuple[Composed, tuple[Span, ...]]:
    """The report, and where its findings stand in it. ``context`` are the sources that the query found."""
    page, level, points = Page(), confidence(draft, review), score(draft)
    if not published(draft, review):
        return Composed(final_report=_withheld(draft, review), confidence_level="Low", score=points), ()
    page.line(f"# {_plain(draft.query)}")
    page.line()
    answered = len({one.question for one in draft.findings})
    page.line(
        f"Mode: {draft.mode}. Confidence: {level} ({points} of 100). "
        f"Questions answered: {answered} of {len(draft.questions)}. "
        f"Sources cited: {len(draft.sources)}, found for the query: {len(context)}."
    )
    summary = _summary(page, draft, review is not None)
    _warnings(page, draft, review)
    for number, question in enumerate(draft.questions, 1):
        _section(page, draft, number, question)
    _compared(page, draft)
    _missing(page, draft)
    _sources(page, draft)
    used = tuple(source.source for source in draft.sources)
    whole = Composed(
        final_report=page.text.strip(), sources_used=used, confidence_level=level, score=points, summary=summary
    )
    return whole, tuple(page.spans)


def marked(finding: Finding) -> str:
    """A finding with the numbers of its sources before its full stop."""
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in finding.citations))
    text = _plain(finding.text)
    stop = text[-1] if text[-1:] in (".", "!", "?") else ""
    return f"{text.removesuffix(stop) if stop else text} {marks}{stop or '.'}"


def note(finding: Finding) -> str:
    """What a reader has to know of a finding, "" if nothing."""
    return _VERDICTS[finding.verdict]


def _summary(page: Page, draft: Draft, reviewed: bool) -> str:
    """The findings one after the other; those that do not stand are left out."""
    page.line()
    page.line("## Summary")
    page.line()
    good = [one for one in draft.findings if one.verdict in ("supported", "partial", "not_checked")]
    start = len(page.text)
    for finding in good:
        page.finding(finding, " ")
    if not good:
        page.line(_ANSWERLESS if reviewed else "Nothing was found before the run ended.")
    if draft.limited:
        page.line(LIMITED)
    summary = page.text[start:].strip()
    page.text = f"{page.text.rstrip()}\n"
    return summary


def _warnings(page: Page, draft: Draft, review: Review | None) -> None:
    if review is not None and review.status == "PASS":
        return
    said = ("nobody reviewed this draft: the run ended before",) if review is None else review.reasons
    page.line()
    page.line("## Warnings" if review is None or review.status == "WARN" else "## Why this report was rejected")
    page.line()
    for one in said:
        page.line(f"- {_plain(one)}")


def _section(page: Page, draft: Draft, number: int, question: str) -> None:
    findings = draft.answered(number)
    if not findings:
        return
    page.line()
    page.line(f"## {number}. {_plain(question)}")
    for finding in findings:
        page.line()
        tier = f"Tier {finding.tier}: " if finding.tier is not None else ""
        page.text += tier
        page.finding(finding, f" *({note(finding)})*\n" if note(finding) else "\n")
        page.line()
        page.line("\n>\n".join(f"> {quoted(one)} ({place(one, draft)})" for one in finding.citations))
    for one in draft.disagreements:
        if one.question == number:
            _sides(page, draft, one, "Sources give different values:")


def _sides(page: Page, draft: Draft, one: Comparison, heading: str) -> None:
    page.line()
    page.line(heading)
    page.line()
    for side in sorted(one.sides, key=lambda side: side.tier or _UNKNOWN):
        page.line(f"- {_plain(side.answer)} [{side.citation.number}] ({_tier(side)}): {quoted(side.citation)}")


def _compared(page: Page, draft: Draft) -> None:
    """What the two tiers say to each question, side by side."""
    if draft.mode != "monitor":
        return
    tiers = _tiers(draft)
    page.line()
    page.line("## Side by side")
    page.line()
    page.line("| question | " + " | ".join(f"tier {tier}" for tier in tiers) + " | |")
    page.line("|---" * (len(tiers) + 2) + "|")
    for number, question in enumerate(draft.questions, 1):
        cells = [_cell(draft, number, tier) for tier in tiers]
        page.line(f"| {_plain(question)} | {' | '.join(cells)} | {_difference(draft, number, cells)} |")


def _tiers(draft: Draft) -> list[int]:
    """The tiers that the questions were put to."""
    every = [*(one.tier for one in draft.findings), *(one.tier for one in draft.missing)]
    return sorted({tier for tier in every if tier is not None})


def _difference(draft: Draft, number: int, cells: Sequence[str]) -> str:
    if any(one.question == number for one in draft.disagreements):
        return "differ"
    return "cannot be compared" if _NOTHING in cells else "no difference found"


def _cell(draft: Draft, number: int, tier: int) -> str:
    there = [one for one in draft.answered(number) if one.tier == tier]
    return f"{_plain(there[0].short)} [{there[0].citations[0].number}]" if there else _NOTHING


def _missing(page: Page, draft: Draft) -> None:
    if not draft.missing:
        return
    page.line()
    page.line("## What was not found")
    page.line()
    for one in draft.missing:
        page.line(f"- {missing_words(one, draft)}")


def missing_words(one: Missing, draft: Draft) -> str:
    """A question without a finding, with what was searched for."""
    more = len(one.searched) - _MOST_SEARCHED
    listed = "; ".join(_plain(query) for query in one.searched[:_MOST_SEARCHED])
    tier = f" in tier {one.tier}" if one.tier is not None else ""
    dropped = "".join(f" Dropped: {_plain(words)}." for words in one.dropped)
    searched = f"searched for: {listed or 'nothing'}{f'; and {more} more' if more > 0 else ''}"
    return f"{_plain(draft.questions[one.question - 1])} Not found{tier} ({searched}).{dropped}"


def _sources(page: Page, draft: Draft) -> None:
    if not draft.sources:
        return
    page.line()
    page.line("## Sources")
    for tier, sources in by_tier(draft.sources):
        page.line()
        page.line(f"### {'Unknown' if tier is None else f'Tier {tier}'}")
        page.line()
        for source in sources:
            page.line(f"- [{source.number}] {source_words(source)}")


def by_tier(sources: Sequence[SourceCited]) -> Iterator[tuple[int | None, list[SourceCited]]]:
    """The sources of each tier, the best tier first, unknown ones last."""
    tiers = sorted({one.tier for one in sources if one.tier is not None})
    for tier in (*tiers, None):
        if there := [one for one in sources if one.tier == tier]:
            yield tier, there


def source_words(source: SourceCited) -> str:
    """A source as a bibliography names it."""
    name = _plain(source.title)[:_LONGEST_NAME]
    where = "" if source.title == source.source else f", {_plain(source.source)}"
    kind = f" ({_plain(source.type)})" if source.type else ""
    return f"{name}{kind}{where}"


def place(citation: Citation, draft: Draft) -> str:
    """Where a quoted sentence stands."""
    source = draft.source(citation.number)
    page = f"page {citation.source.page}" if citation.source.page else ""
    heading = "" if citation.source.heading == source.title else _plain(citation.source.heading)
    parts = [f"[{citation.number}] {_plain(source.title)[:_LONGEST_NAME]}", page, heading]
    return ", ".join(part for part in parts if part)


def quoted(citation: Citation) -> str:
    """The sentence that is cited, on one line."""
    text = " ".join(citation.source.text.split())
    cut = text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"
    return f"“{_plain(cut)}”"


def _withheld(draft: Draft, review: Review | None) -> str:
    """In the place of a report that the critic rejected."""
    reasons = review.reasons if review is not None else ()
    lines = [
        f"# {_plain(draft.query)}",
        "",
        "No report: the critic rejected the draft, and strict publishes no such draft.",
    ]
    return "\n".join([*lines, "", *(f"- {_plain(one)}" for one in reasons)])


def _tier(side: Side) -> str:
    return "unknown tier" if side.tier is None else f"tier {side.tier}"


def _plain(text: str) -> str:
    """Foreign text on one line in which nothing is a mark of Markdown or HTML."""
    line = " ".join(text.split())
    return _LINE_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", line))
