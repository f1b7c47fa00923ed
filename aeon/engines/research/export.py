"""A researched answer as Markdown, or as one HTML page where a citation leads to the quoted sentence.

The page is a tree of elements, so that no text of a model or of a source can become markup; it loads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.engines.research.record import Research, SourceUsed
from aeon.errors import UsageError
from aeon.observability.lines import counted, visible
from aeon.schema import Source

__all__ = ["export_of", "to_html", "to_markdown"]

_STYLE = """
body { max-width: 46em; margin: 2em auto; padding: 0 1em; line-height: 1.5; font-family: system-ui, sans-serif; }
blockquote { border-left: 3px solid #5b8def; margin: 0.4em 0; padding: 0.1em 0.9em; overflow-wrap: anywhere; }
blockquote:target { background: rgba(91,141,239,0.15); }
.note { opacity: 0.7; } a { text-decoration: none; }
"""
_MARK = re.compile(r"\[(\d+)\]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")
_NO_TEXT = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))  # what no XML may hold, not even escaped


def export_of(path: str) -> Callable[[Research, str], str]:
    """What writes a file of this name, by its ending.

    Raises:
        UsageError: it ends neither in ``.md`` nor in ``.html``.
    """
    writers = {".md": to_markdown, ".html": to_html}
    suffix = PurePath(path).suffix.lower()
    if suffix not in writers:
        raise UsageError(f"{path}: name a file that ends in {' or '.join(writers)}")
    return writers[suffix]


def to_markdown(result: Research, question: str) -> str:
    """The question, the answer, and below it the sources that it cites with the quoted sentences."""
    lines = [f"# {_plain(question)}", "", *(_escaped(line) for line in result.answer.splitlines()), ""]
    lines += [f"*{_status(result)}*", ""]
    if result.citations:
        lines += ["## Sources", ""]
    for source in result.citations:
        lines += [f"**[{source.number}]** {_escaped(_named(source))}", ""]
        for one in source.cited:
            lines += [
                *(f"> {_escaped(line)}" for line in visible(one.source.text).splitlines()),
                "",
                _place(one.source),
                "",
            ]
    return "\n".join(lines).rstrip() + "\n"


def to_html(result: Research, question: str) -> str:
    """The same as a page that needs no other file."""
    root = Element("html", {"lang": "en"})
    head, body = SubElement(root, "head"), SubElement(root, "body")
    SubElement(head, "meta", {"charset": "utf-8"})
    _add(head, "title", question)
    _add(head, "style", _STYLE)
    _add(body, "h1", question)
    for line in result.answer.splitlines():
        _linked(SubElement(body, "p"), line, {source.number for source in result.citations})
    _add(body, "p", _status(result), "note")
    for source in result.citations:
        heading = SubElement(body, "h2", {"id": f"source-{source.number}"})
        heading.text = _clean(f"[{source.number}] {_named(source)}")
        for place, one in enumerate(source.cited):
            quote = SubElement(body, "blockquote", {} if place else {"id": f"quote-{source.number}"})
            quote.text = _clean(one.source.text)
            _add(body, "p", _place(one.source), "note")
    return f"<!DOCTYPE html>\n{tostring(root, encoding='unicode', short_empty_elements=False, method='html')}\n"


def _linked(line: Element, text: str, numbers: set[int]) -> None:
    """A line of the answer, each citation a link to the quote."""
    last = SubElement(line, "span")
    last.text = ""
    for place, part in enumerate(_MARK.split(text)):
        if place % 2 and int(part) in numbers:
            link = SubElement(line, "a", {"href": f"#quote-{part}"})
            link.text, link.tail = f"[{part}]", ""
            last = link
        elif last.tag == "a":
            last.tail = f"{last.tail or ''}{_clean(f'[{part}]' if place % 2 else part)}"
        else:
            last.text = f"{last.text or ''}{_clean(f'[{part}]' if place % 2 else part)}"


def _status(result: Research) -> str:
    cited = sum(bool(sentence.citations) for sentence in result.sentences)
    checked = [sentence.verdict for sentence in result.sentences if sentence.verdict != "not_checked"]
    counts = ", ".join(f"{checked.count(one)} {one.replace('_', ' ')}" for one in dict.fromkeys(checked))
    ended = result.stop_reason.replace("_", " ")
    whole = f"{ended}; {cited} of {counted(len(result.sentences), 'sentence')} cited, {len(checked)} checked"
    return f"{whole}{f', {counts}' if counts else ''}; searched for: {'; '.join(result.searched) or 'nothing'}"


def _named(source: SourceUsed) -> str:
    return source.title if source.title == source.source else f"{source.title}, {source.source}"


def _place(source: Source) -> str:
    return ", ".join(_places(source))


def _places(source: Source) -> Iterator[str]:
    if source.page is not None:
        yield f"page {source.page}"
    yield f"characters {source.start} to {source.end}"


def _plain(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _escaped(text: str) -> str:
    """A line as Markdown shows it word for word; citations stay as they are."""
    parts = _MARK.split(visible(text))
    return "".join(f"[{part}]" if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(parts))


def _clean(text: str) -> str:
    return visible(text).translate(_NO_TEXT)


def _add(parent: Element, tag: str, text: str, kind: str = "") -> None:
    child = SubElement(parent, tag, {"class": kind} if kind else {})
    child.text = _clean(text) if tag != "style" else text
