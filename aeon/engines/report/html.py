"""A report as one HTML page: no script, nothing that is loaded, every text escaped; a citation links to its quote.

The page is built as a tree of elements, so that no text of a model or of a source can become markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.engines.report import parts
from aeon.engines.report.parts import Inline, Part, published
from aeon.engines.report.record import REFUSED, Report
from aeon.observability.lines import visible

__all__ = ["to_html"]

_STYLE = """
body { max-width: 46em; margin: 2em auto; padding: 0 1em; line-height: 1.5; font-family: system-ui, sans-serif; }
blockquote { border-left: 3px solid #5b8def; margin: 0.4em 0; padding: 0.1em 0.9em; overflow-wrap: anywhere; }
blockquote:target { background: rgba(91,141,239,0.15); } .note { opacity: 0.7; } a { text-decoration: none; }
"""
_NO_TEXT = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))


def to_html(result: Report) -> str:
    """The report as a page that needs no other file, with the parts that it has as Markdown."""
    root = Element("html", {"lang": "en"})
    head, body = SubElement(root, "head"), SubElement(root, "body")
    SubElement(head, "meta", {"charset": "utf-8"})
    _add(head, "title", result.query)
    SubElement(head, "style").text = _STYLE
    _add(body, "h1", result.query)
    listed: Element | None = None
    for part in _parts(result):
        listed = (SubElement(body, "ul") if listed is None else listed) if part.kind == "li" else None
        line = SubElement(body if listed is None else listed, part.kind, {"id": part.anchor} if part.anchor else {})
        for one in part.inlines:
            _inline(line, one)
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


def _inline(line: Element, one: Inline) -> None:
    """A text, links to what it cites, and a note. An address is shown, never linked: it comes from outside."""
    _add(line, "strong", one.mark)
    _add(line, "span", f"{one.text} ")
    for citation in one.citations:
        link = SubElement(line, "a", {"href": f"#{parts.anchor(citation)}"})
        link.text = f"[{citation.number}]"
    if one.note:
        _add(line, "span", f" ({one.note})", "note")
    _add(line, "span", " ")


def _add(parent: Element, tag: str, text: str, look: str = "") -> None:
    if text:
        child = SubElement(parent, tag, {"class": look} if look else {})
        child.text = visible(text).translate(_NO_TEXT)
