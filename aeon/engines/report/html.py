"""A report as one HTML page: no script, nothing that is loaded, every text escaped; a citation links to its quote.

The page is built as a tree of elements, so that no text of a model or of a source can become markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.engines.report import parts
from aeon.engines.report.markdown import note, published
from aeon.engines.report.parts import Heading, Inline, Line, Mark, Part, Points, Said, Sources, Table, Words
from aeon.engines.report.record import REFUSED, Report
from aeon.engines.report.values import Draft, Finding
from aeon.engines.research.values import Citation
from aeon.observability.lines import visible

__all__ = ["to_html"]

_STYLE = """
body { max-width: 46em; margin: 2em auto; padding: 0 1em; line-height: 1.5; font-family: system-ui, sans-serif; }
blockquote { border-left: 3px solid #5b8def; margin: 0.4em 0; padding: 0.1em 0.9em; overflow-wrap: anywhere; }
blockquote:target { background: rgba(91,141,239,0.15); }
.note { opacity: 0.7; } table { border-collapse: collapse; } td, th { text-align: left; padding: 0.2em 1em 0.2em 0; }
a { text-decoration: none; }
"""
_NO_TEXT = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))
_LONGEST_QUOTE = 2_000


def to_html(result: Report) -> str:
    """The report as a page that needs no other file, with the parts that it has as Markdown."""
    root = Element("html", {"lang": "en"})
    head = SubElement(root, "head")
    SubElement(head, "meta", {"charset": "utf-8"})
    _add(head, "title", result.query)
    _add(head, "style", _STYLE)
    body = SubElement(root, "body")
    _add(body, "h1", result.query)
    for part in _parts(result):
        _part(body, part, result.draft)
    return f"<!DOCTYPE html>\n{tostring(root, encoding='unicode', short_empty_elements=False, method='html')}\n"


def _parts(result: Report) -> Iterator[Part]:
    if result.stop_reason in REFUSED:
        return parts.refusal(result.stop_reason, result.detail, result.search_problems)
    if result.results is not None:
        return parts.results(result.results, result.draft)
    if not published(result.draft, result.review):
        reviewed = next(done.draft for done in reversed(result.rounds) if done.draft is not None)
        return parts.withheld(reviewed, result.review)  # the result itself has no finding that is withheld
    return parts.report(result.draft, result.review, result.found)


def _part(body: Element, part: Part, draft: Draft) -> None:
    """Add a part. What a finding cites is quoted under its source, where its numbers lead."""
    match part:
        case Heading(text=text, level=level, number=number):
            _add(body, f"h{level}", f"{number}. {text}" if number else text)
        case Line(inlines=inlines):
            _inlines(SubElement(body, "p"), inlines)
        case Points(points=points):
            listed = SubElement(body, "ul")
            for point in points:
                _inlines(SubElement(listed, "li"), point)
        case Table(head=head, rows=rows):
            _table(body, head, rows)
        case Sources(sources=sources):
            for number, text in sources:
                _source(body, draft, number, text)


def _table(body: Element, head: Sequence[str], rows: Sequence[Sequence[Sequence[Inline]]]) -> None:
    table = SubElement(body, "table")
    line = SubElement(table, "tr")
    for text in head:
        SubElement(line, "th").text = _clean(text)
    for row in rows:
        line = SubElement(table, "tr")
        for cell in row:
            _inlines(SubElement(line, "td"), cell)


def _inlines(line: Element, inlines: Sequence[Inline]) -> None:
    for one in inlines:
        match one:
            case Words(text=text):
                _add(line, "span", f"{text} ")
            case Mark(citation=citation, tier=tier):
                _link(line, citation)
                _add(line, "span", f" ({tier})" if tier else "", "note")
            case Said(finding=finding, noted=noted):
                _cited(line, finding)
                _add(line, "span", f"({note(finding)}) " if noted and note(finding) else "", "note")


def _cited(line: Element, finding: Finding) -> None:
    """A sentence and the numbers of what it cites, each a link to the quote."""
    _add(line, "span", f"{finding.text} ")
    for citation in finding.citations:
        _link(line, citation)
    _add(line, "span", " ")


def _link(line: Element, citation: Citation) -> None:
    link = SubElement(line, "a", {"href": f"#{_anchor(citation)}"})
    link.text = f"[{citation.number}]"


def _source(body: Element, draft: Draft, number: int, text: str) -> None:
    """A source and what is quoted of it. An address is shown, never linked: it comes from outside."""
    line = SubElement(body, "p")
    _add(line, "strong", f"[{number}] ")
    _add(line, "span", text)
    for anchor, citation in _quotes(draft, number).items():
        quote = SubElement(body, "blockquote", {"id": anchor})
        quote.text = _clean(citation.source.text[:_LONGEST_QUOTE])
        _add(quote, "span", f" ({parts.place(citation, draft)})", "note")


def _quotes(draft: Draft, number: int) -> dict[str, Citation]:
    """What is cited of a source, each span once, in the order of the text."""
    cited = [citation for one in draft.findings for citation in one.citations]
    cited += [side.citation for one in draft.comparisons for side in one.sides]
    own = sorted((one for one in cited if one.number == number), key=lambda one: one.source.start)
    by_anchor: dict[str, Citation] = {}
    for one in own:
        by_anchor.setdefault(_anchor(one), one)
    return by_anchor


def _anchor(citation: Citation) -> str:
    return f"source-{citation.number}-{citation.source.start}-{citation.source.end}"


def _add(parent: Element, tag: str, text: str, look: str = "") -> None:
    if text:
        child = SubElement(parent, tag, {"class": look} if look else {})
        child.text = _clean(text)


def _clean(text: str) -> str:
    """The text without characters that steer anything; what is left is escaped when the tree is written."""
    return visible(text).translate(_NO_TEXT)
