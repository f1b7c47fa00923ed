"""A report as Markdown: each finding with its citations, and under it what they quote. The host writes all marks.

What comes from a source or a model is escaped, so that no text of a page can become a heading, a link or a citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from aeon.engines.report import parts
from aeon.engines.report.grading import confidence, score
from aeon.engines.report.parts import Heading, Inline, Line, Mark, Part, Points, Quotes, Said, Sources, Table, Words
from aeon.engines.report.values import Composed, Draft, Finding, Review
from aeon.engines.research.values import Citation

__all__ = ["Span", "composed", "markdown", "note", "published"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_LINE_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")
_LONGEST_QUOTE = 400
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


def published(draft: Draft, review: Review | None) -> bool:
    """Whether the draft is published: in strict, not where the critic rejects it."""
    return not (draft.mode == "strict" and review is not None and review.status == "REJECT")


def composed(draft: Draft, review: Review | None, context: Sequence[object]) -> tuple[Composed, tuple[Span, ...]]:
    """The report, and where its findings stand in it. ``context`` are the sources that the query found."""
    points = score(draft)
    if not published(draft, review):
        text = markdown(draft.query, parts.withheld(draft, review))
        return Composed(final_report=text, confidence_level="Low", score=points), ()
    page = _Page()
    page.add(f"# {_plain(draft.query)}")
    for part in parts.report(draft, review, len(context)):
        page.part(part)
    whole = Composed(
        final_report=page.text,
        sources_used=tuple(source.source for source in draft.sources),
        confidence_level=confidence(draft, review),
        score=points,
        summary=markdown("", [parts.summary(draft, review)]),
    )
    return whole, tuple(page.spans)


def markdown(title: str, blocks: Iterable[Part]) -> str:
    """These parts under a title, if there is one."""
    page = _Page()
    if title:
        page.add(f"# {_plain(title)}")
    for part in blocks:
        page.part(part)
    return page.text


def note(finding: Finding) -> str:
    """What a reader has to know of a finding, "" if nothing."""
    return _VERDICTS[finding.verdict]


@dataclass(slots=True)
class _Page:
    """A text as it grows, and where the findings stand in it."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add a block."""
        self.text += f"\n\n{text}" if self.text else text

    def part(self, part: Part) -> None:
        """Add a part."""
        if isinstance(part, Line):
            self._line(part.inlines)
        else:
            self.add("\n".join(_lines(part)))

    def _line(self, inlines: Sequence[Inline]) -> None:
        self.add("")
        for number, one in enumerate(inlines):
            self.text += " " if number else ""
            start = len(self.text)
            self.text += _inline(one)
            if isinstance(one, Said):
                self.spans.append(Span(start, start + len(_marked(one.finding)), one.finding))


def _lines(part: Heading | Points | Table | Quotes | Sources) -> Iterator[str]:
    match part:
        case Heading(text=text, level=level, number=number):
            yield f"{'#' * level} {number or ''}{'. ' * bool(number)}{_plain(text)}"
        case Points(points=points):
            yield from map("- {}".format, map(_joined, points))
        case Table(head=head, rows=rows):
            yield from _table(head, rows)
        case Quotes(quotes=quotes):
            yield "\n>\n".join(f"> {_quoted(one)} ([{one.number}] {_plain(where)})" for one, where in quotes)
        case Sources(sources=sources):
            yield from map(_listed, sources)


def _inline(one: Inline) -> str:
    match one:
        case Words(text=text):
            return _plain(text)
        case Mark(citation=citation, tier=tier):
            return f"[{citation.number}]{f' ({tier}): {_quoted(citation)}' if tier else ''}"
        case Said(finding=finding, noted=noted):
            return f"{_marked(finding)}{f' *({note(finding)})*' if noted and note(finding) else ''}"


def _joined(inlines: Sequence[Inline]) -> str:
    return " ".join(map(_inline, inlines))


def _listed(source: tuple[int, str]) -> str:
    return f"- [{source[0]}] {_plain(source[1])}"


def _table(head: Sequence[str], rows: Sequence[Sequence[Sequence[Inline]]]) -> Iterator[str]:
    yield _row(head)
    yield f"{'|---' * len(head)}|"
    yield from (_row(list(map(_joined, row))) for row in rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _marked(finding: Finding) -> str:
    """A finding with the numbers of its sources before its full stop."""
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in finding.citations))
    text = finding.text.rstrip()
    stop = text[-1] if text[-1:] in (".", "!", "?") else ""
    return f"{_plain(text.removesuffix(stop))} {marks}{stop or '.'}"  # escaped in parts: "1931." begins a list


def _quoted(citation: Citation) -> str:
    """The sentence that is cited, on one line."""
    text = " ".join(citation.source.text.split())
    cut = text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"
    return f"“{_plain(cut)}”"


def _plain(text: str) -> str:
    """Foreign text on one line in which nothing is a mark of Markdown or HTML."""
    line = " ".join(text.split())
    return _LINE_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", line))
