"""The shapes in which a report is written to a file: Markdown, a page of HTML, Items, the whole result.

The page has what the Markdown has, whose marks are all the host's; it is built as a tree of elements, so that no text
of a model or of a source can become markup. It has no script, loads nothing, and a number leads to what it cites.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.engines.report.record import Report
from aeon.errors import UsageError
from aeon.observability.lines import visible
from aeon.text import printable

__all__ = ["export_of", "to_html"]

_STYLE = """
body { max-width: 46em; margin: 2em auto; padding: 0 1em; line-height: 1.5; font-family: system-ui, sans-serif; }
blockquote { border-left: 3px solid #5b8def; margin: 0.4em 0; padding: 0.1em 0.9em; overflow-wrap: anywhere; }
p:target { background: rgba(91,141,239,0.15); } .note { opacity: 0.7; } a { text-decoration: none; }
"""
_NO_TEXT = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))
_TAGS = {"# ": "h1", "## ": "h2", "### ": "h3", "- ": "li", "> ": "blockquote", "": "p"}
_BLOCK = re.compile(r"(#{1,3} |- |> |)(?:\[(\d+)\])?(.*)", re.DOTALL)
_INLINE = re.compile(r"(?<!\\)((?:\\\\)*)(?:\[(\d+)\]|\*(\(.*?\))\*)")
_ESCAPED = re.compile(r"\\(.)")


def to_html(result: Report) -> str:
    """The report as a page that needs no other file."""
    root = Element("html", {"lang": "en"})
    head, body = SubElement(root, "head"), SubElement(root, "body")
    SubElement(head, "meta", {"charset": "utf-8"})
    _add(head, "title", result.query)
    SubElement(head, "style").text = _STYLE
    listed: Element | None = None
    for block in filter(None, result.answer.split("\n")):
        sign, number, text = _BLOCK.fullmatch(block).groups()  # type: ignore[union-attr]
        listed = (SubElement(body, "ul") if listed is None else listed) if sign == "- " else None
        line = SubElement(body if listed is None else listed, _TAGS[sign], {"id": f"source-{number}"} if number else {})
        _add(line, "strong", f"[{number}]" if number else "")
        _inlines(line, text)
    return f"<!DOCTYPE html>\n{tostring(root, encoding='unicode', short_empty_elements=False, method='html')}\n"


def _inlines(line: Element, text: str) -> None:
    """The text with its numbers as links, and its notes. An address is shown, never linked: it comes from outside."""
    done = 0
    for mark in _INLINE.finditer(text):
        _add(line, "span", _ESCAPED.sub(r"\1", text[done : mark.end(1)]))
        if mark[2]:
            SubElement(line, "a", {"href": f"#source-{mark[2]}"}).text = f"[{mark[2]}]"
        else:
            _add(line, "span", _ESCAPED.sub(r"\1", mark[3]), "note")
        done = mark.end()
    _add(line, "span", _ESCAPED.sub(r"\1", text[done:]))


def _add(parent: Element, tag: str, text: str, look: str = "") -> None:
    if text:
        child = SubElement(parent, tag, {"class": look} if look else {})
        child.text = visible(text).translate(_NO_TEXT)


_SHAPES: dict[str, Callable[[Report], str]] = {
    ".items.json": lambda result: json.dumps(list(result.items), ensure_ascii=False, indent=2) + "\n",
    ".json": lambda result: result.model_dump_json(indent=2) + "\n",
    ".html": to_html, ".htm": to_html, ".md": lambda result: f"{result.answer}\n",
}  # fmt: skip


def export_of(path: str) -> Callable[[Report], str]:
    """The function that writes a report in the shape that the end of a file's name says.

    Raises:
        UsageError: it says none.
    """
    writes = next((shape for suffix, shape in _SHAPES.items() if path.lower().endswith(suffix)), None)
    if writes is None:
        raise UsageError(f"{path}: a report is written as .md, .html, .items.json or .json; name the file so")
    return lambda result: printable(writes(result))
