"""A report as one HTML page: no script, nothing that is loaded, every text escaped; a citation links to its quote.

The page is built as a tree of elements, so that no text of a model or of a source can become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.engines.report.markdown import by_tier, note
from aeon.engines.report.record import Report
from aeon.engines.report.values import Comparison, Draft, Finding, SourceCited
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
    """The report as a page that needs no other file. One that was not published says why."""
    root = Element("html", {"lang": "en"})
    head = SubElement(root, "head")
    SubElement(head, "meta", {"charset": "utf-8"})
    _add(head, "title", result.query)
    _add(head, "style", _STYLE)
    body = SubElement(root, "body")
    _add(body, "h1", result.query)
    _add(body, "p", f"Mode: {result.mode}. Confidence: {result.confidence} ({result.score} of 100).", "note")
    if result.draft.findings:
        _whole(body, result)
    else:
        for line in result.answer.splitlines()[1:]:
            _add(body, "p", line)
    return f"<!DOCTYPE html>\n{tostring(root, encoding='unicode', short_empty_elements=False, method='html')}\n"


def _whole(body: Element, result: Report) -> None:
    draft = result.draft
    _add(body, "h2", "Summary")
    summary = SubElement(body, "p")
    for finding in draft.findings:
        if finding.verdict not in ("not_found", "contradicted"):
            _cited(summary, finding)
    _listed(body, "Warnings", result.reasons)
    for number, question in enumerate(draft.questions, 1):
        _section(body, draft, number, question)
    missing = [
        f"{draft.questions[one.question - 1]} (searched for: {'; '.join(one.searched)})" for one in draft.missing
    ]
    _listed(body, "What was not found", missing)
    _add(body, "h2", "Sources")
    for tier, sources in by_tier(draft.sources):
        _add(body, "h3", "Unknown" if tier is None else f"Tier {tier}")
        for source in sources:
            _source(body, draft, source)


def _section(body: Element, draft: Draft, number: int, question: str) -> None:
    findings = draft.answered(number)
    if not findings:
        return
    _add(body, "h2", question)
    for finding in findings:
        line = SubElement(body, "p")
        if finding.tier is not None:
            _add(line, "span", f"Tier {finding.tier}: ", "note")
        _cited(line, finding)
        if note(finding):
            _add(line, "span", f"({note(finding)})", "note")
    for comparison in draft.comparisons:
        if comparison.question == number and comparison.differ:
            _sides(body, comparison)


def _cited(line: Element, finding: Finding) -> None:
    """A sentence and the numbers of what it cites, each a link to the quote."""
    _add(line, "span", f"{finding.text} ")
    for citation in finding.citations:
        _link(line, citation)
    _add(line, "span", " ")


def _link(line: Element, citation: Citation) -> None:
    link = SubElement(line, "a", {"href": f"#{_anchor(citation)}"})
    link.text = f"[{citation.number}]"


def _sides(body: Element, comparison: Comparison) -> None:
    _add(body, "p", "Sources give different values:")
    listed = SubElement(body, "ul")
    for side in comparison.sides:
        line = SubElement(listed, "li")
        _add(line, "span", f"{side.answer} ")
        _link(line, side.citation)
        _add(line, "span", f" ({'unknown tier' if side.tier is None else f'tier {side.tier}'})", "note")


def _source(body: Element, draft: Draft, source: SourceCited) -> None:
    """A source and what is quoted of it. An address is shown, never linked: it comes from outside."""
    line = SubElement(body, "p")
    _add(line, "strong", f"[{source.number}] ")
    _add(line, "span", source.title)
    _add(line, "span", f" {source.source}" if source.source != source.title else "", "note")
    for anchor, citation in _quotes(draft, source.number).items():
        quote = SubElement(body, "blockquote", {"id": anchor})
        quote.text = _clean(citation.source.text[:_LONGEST_QUOTE])


def _quotes(draft: Draft, number: int) -> dict[str, Citation]:
    """What is cited of a source, each span once, in the order of the text."""
    cited = [citation for one in draft.findings for citation in one.citations]
    cited += [side.citation for one in draft.comparisons for side in one.sides]
    own = sorted((one for one in cited if one.number == number), key=lambda one: one.source.start)
    return {_anchor(one): one for one in own}


def _anchor(citation: Citation) -> str:
    return f"source-{citation.number}-{citation.source.start}-{citation.source.end}"


def _listed(body: Element, heading: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    _add(body, "h2", heading)
    listed = SubElement(body, "ul")
    for line in lines:
        _add(listed, "li", line)


def _add(parent: Element, tag: str, text: str, look: str = "") -> None:
    child = SubElement(parent, tag, {"class": look} if look else {})
    child.text = _clean(text)


def _clean(text: str) -> str:
    """The text without characters that steer anything; what is left is escaped when the tree is written."""
    return visible(text).translate(_NO_TEXT)
