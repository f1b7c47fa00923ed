"""A report as Markdown: each sentence with its citations, and below it what they quote. The host writes all marks.

What comes from a source or a model is escaped, so that no text of a page can become a heading, a link or a citation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aeon.engines.report import parts
from aeon.engines.report.grading import confidence, score
from aeon.engines.report.parts import Inline, Part, published
from aeon.engines.report.values import Composed, Draft, Finding, Review

__all__ = ["Span", "composed", "markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_LINE_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")
_SIGNS = {"h2": "## ", "h3": "### ", "p": "", "li": "- ", "blockquote": "> "}


class Span(NamedTuple):
    """Where a finding stands in the text."""

    start: int
    end: int
    finding: Finding


def composed(draft: Draft, review: Review | None, context: Sequence[object]) -> tuple[Composed, tuple[Span, ...]]:
    """The report, and where its findings stand in it. ``context`` are the sources that the query found."""
    points = score(draft)
    if not published(draft, review):
        text, _ = markdown(draft.query, parts.withheld(draft, review))
        return Composed(final_report=text, confidence_level="Low", score=points), ()
    text, spans = markdown(draft.query, parts.report(draft, review, len(context)))
    used = tuple(source.source for source in draft.cited)
    level = confidence(draft, review)
    return Composed(final_report=text, sources_used=used, confidence_level=level, score=points), spans


def markdown(title: str, blocks: Iterable[Part]) -> tuple[str, tuple[Span, ...]]:
    """These parts under a title, if there is one, and where the findings stand in them."""
    text, spans, before = f"# {_plain(title)}" if title else "", list[Span](), ""
    for part in blocks:
        text += "" if not text else "\n" if part.kind == before == "li" else "\n\n"
        text += _SIGNS[part.kind]
        for number, one in enumerate(part.inlines):
            text += " " if number else ""
            start, marked = len(text) + len(one.mark), _marked(one)
            text += one.mark + marked + (f" *({_plain(one.note)})*" if one.note else "")
            if one.finding is not None:
                spans.append(Span(start, start + len(marked), one.finding))
        before = part.kind
    return text, tuple(spans)


def _marked(one: Inline) -> str:
    """A text with the numbers of its sources; in a sentence, before its full stop."""
    marks = "".join(f"[{number}]" for number in dict.fromkeys(each.number for each in one.citations))
    if one.finding is None:
        return f"{_plain(one.text)} {marks}".rstrip()
    text = one.text.rstrip()
    stop = text[-1] if len(text) > 1 and unicodedata.category(text[-1]) == "Po" else ""
    return f"{_plain(text.removesuffix(stop))} {marks}".rstrip() + stop  # escaped in parts: "1931." begins a list


def _plain(text: str) -> str:
    """Foreign text on one line in which nothing is a mark of Markdown or HTML."""
    return _LINE_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", " ".join(text.split())))
