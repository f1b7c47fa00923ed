"""A researched answer as Markdown, or as one HTML page; in both a citation leads to the quoted sentence in its text.

The page is a tree of elements, so that no text of a model or of a source can become markup; it loads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from aeon.engines.research.record import Research, SourceUsed
from aeon.engines.research.values import Citation, Sentence
from aeon.errors import UsageError
from aeon.observability.lines import counted, visible
from aeon.schema import Source, Verdict

__all__ = ["export_of", "to_html", "to_markdown"]

_STYLE = """
body { max-width: 46em; margin: 2em auto; padding: 0 1em; line-height: 1.5; font-family: system-ui, sans-serif; }
blockquote { border-left: 3px solid #5b8def; margin: 0.4em 0; padding: 0.1em 0.9em; overflow-wrap: anywhere; }
blockquote:target { background: rgba(91,141,239,0.15); } mark { background: rgba(255,214,0,0.35); color: inherit; }
.note { opacity: 0.7; } a { text-decoration: none; }
"""
_MARK = re.compile(r"\[(\d+)\]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")
_NO_TEXT = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))  # what no XML may hold, not even escaped
_AROUND = 300
"""Characters of the text before a quote, and of that behind it, at most."""
_NOTES: dict[Verdict, str] = {
    "partial": "supported in part",
    "not_found": "not supported by what it cites",
    "contradicted": "what it cites says otherwise",
}
"""What stands behind a sentence for its verdict; nothing behind one that is supported, or that nobody checked."""


def export_of(path: str) -> Callable[[Research, str], str]:
    """What writes a file of this name, by its ending.

    Raises:
        UsageError: it ends neither in ``.md`` nor in ``.html`` or ``.htm``.
    """
    writers = {".md": to_markdown, ".html": to_html, ".htm": to_html}
    suffix = PurePath(path).suffix.lower()
    if suffix not in writers:
        raise UsageError(f"{path}: an answer is written as .md or .html; name the file so")
    return writers[suffix]


class _Piece(NamedTuple):
    """A piece of the answer as it stands there, and what it is a link to; "" for plain text.

    ``is_note``: it is no text of the answer, but says how far its sentence is supported.
    """

    text: str
    anchor: str = ""
    is_note: bool = False


class _Quote(NamedTuple):
    """A quoted sentence with the text before and behind it, all on one line."""

    before: str
    text: str
    behind: str


def to_markdown(result: Research, question: str) -> str:
    """The question, the answer, and below it the sources that it cites with the quoted sentences in their texts."""
    lines = [f"# {_escaped(question)}", "", *map(_markdown_line, _lines(result)), ""]
    lines += [f"*{_escaped(_status(result))}*", ""]
    if result.citations:
        lines += ["## Sources", ""]
    for source in result.citations:
        lines += [f"**[{source.number}]** {_escaped(_named(source))}", ""]
        for place, one in enumerate(source.cited):
            before, text, behind = map(_escaped, _quote(source, one.source))
            quote = f"> {before}<mark>{text}</mark>{behind}"
            lines += [f'<a id="{_anchor(one)}"></a>', "", quote, "", _escaped(_place(source, place)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_line(pieces: Sequence[_Piece]) -> str:
    return "".join(map(_markdown_piece, pieces))


def _markdown_piece(piece: _Piece) -> str:
    text = _escaped(piece.text)
    return f" *({text})*" if piece.is_note else f"[{text}](#{piece.anchor})" if piece.anchor else text


def to_html(result: Research, question: str) -> str:
    """The same as a page that needs no other file."""
    root = Element("html", {"lang": "en"})
    head, body = SubElement(root, "head"), SubElement(root, "body")
    SubElement(head, "meta", {"charset": "utf-8"})
    _add(head, "title", question)
    _add(head, "style", _STYLE)
    _add(body, "h1", question)
    for pieces in _lines(result):
        line = SubElement(body, "p")
        for piece in pieces:
            _add_piece(line, piece)
    _add(body, "p", _status(result), _NOTE)
    for source in result.citations:
        _add(body, "h2", f"[{source.number}] {_named(source)}", {"id": f"source-{source.number}"})
        for place, one in enumerate(source.cited):
            quote = SubElement(body, "blockquote", {"id": _anchor(one)})
            before, text, behind = _quote(source, one.source)
            for tag, part in (("span", before), ("mark", text), ("span", behind)):
                _add(quote, tag, part)
            _add(body, "p", _place(source, place), _NOTE)
    return f"<!DOCTYPE html>\n{tostring(root, encoding='unicode', short_empty_elements=False, method='html')}\n"


_NOTE = {"class": "note"}


def _lines(result: Research) -> Iterator[list[_Piece]]:
    """The lines of the answer in pieces. A number leads to the first quote that its sentence cites of that source.

    Where the sentence cites more of it, numbers of these quotes follow, as ``[1.2]`` for the second one of source 1.
    """
    start = 0
    for line in result.answer.splitlines(keepends=True):
        yield list(_pieces(result, line.rstrip("\r\n"), start))
        start += len(line)


def _pieces(result: Research, line: str, start: int) -> Iterator[_Piece]:
    done = 0
    for begin, end, pieces in sorted([*_links(result, line, start), *_notes(result, line, start)]):
        yield _Piece(line[done:begin])
        yield from pieces
        done = end
    yield _Piece(line[done:])


def _links(result: Research, line: str, start: int) -> Iterator[tuple[int, int, list[_Piece]]]:
    """What stands in the place of each number: links to the quotes that its sentence cites of this source."""
    for mark in _MARK.finditer(line):
        quotes = _cited_at(result, start + mark.start(), int(mark[1]))
        texts = [f"[{one.number}.{place}]" if number else mark[0] for number, (place, one) in enumerate(quotes)]
        if quotes:
            links = [_Piece(text, _anchor(one)) for text, (_, one) in zip(texts, quotes, strict=True)]
            yield mark.start(), mark.end(), links


def _notes(result: Research, line: str, start: int) -> Iterator[tuple[int, int, list[_Piece]]]:
    """What is put behind each sentence that is supported in part, or not, or has a value that stands nowhere."""
    for sentence in result.sentences:
        place = sentence.end - start
        notes = [note for note in (_NOTES.get(sentence.verdict), *_stray(result, sentence)) if note]
        if 0 < place <= len(line) and notes:
            yield place, place, [_Piece(note, is_note=True) for note in notes]


def _stray(result: Research, sentence: Sentence) -> Iterator[str]:
    """The values of a sentence that stand in nothing that it cites."""
    for one in result.claims:
        if one.kind != "sentence" and one.verdict == "not_found" and sentence.start <= one.start < sentence.end:
            yield f"{one.text} stands in nothing that it cites"


def _cited_at(result: Research, place: int, number: int) -> list[tuple[int, Citation]]:
    """The quotes of a source that the sentence at this place cites, each with its place among those of the source."""
    every = next((source.cited for source in result.citations if source.number == number), ())
    sentence = next((one for one in result.sentences if one.start <= place < one.end), None)
    own = {_anchor(one) for one in sentence.citations} if sentence else set()
    return [(rank, one) for rank, one in enumerate(every, 1) if _anchor(one) in own]


def _anchor(citation: Citation) -> str:
    return f"quote-{citation.number}-{citation.source.start}-{citation.source.end}"


def _quote(source: SourceUsed, span: Source) -> _Quote:
    """The quote in the text around it, as far as that was read."""
    passage = source.around(span)
    if passage is None:
        return _Quote("", _line(span.text), "")
    start = span.start - passage.start
    before, behind = _line(passage.text[:start]), _line(passage.text[start + len(span.text) :])
    before = f"…{before[-_AROUND:]}" if len(before) > _AROUND else before
    behind = f"{behind[:_AROUND]}…" if len(behind) > _AROUND else behind
    return _Quote(before + " " * bool(before), _line(span.text), " " * bool(behind) + behind)


def _line(text: str) -> str:
    return " ".join(text.split())


def _status(result: Research) -> str:
    cited = sum(bool(sentence.citations) for sentence in result.sentences)
    checked = [sentence.verdict for sentence in result.sentences if sentence.verdict != "not_checked"]
    counts = ", ".join(f"{checked.count(one)} {one.replace('_', ' ')}" for one in dict.fromkeys(checked))
    ended = result.stop_reason.replace("_", " ")
    whole = f"{ended}; {cited} of {counted(len(result.sentences), 'sentence')} cited, {len(checked)} checked"
    searched = [query for query in result.searched if query not in result.unsearched]
    failed = f"; could not be searched for: {'; '.join(result.unsearched)}" if result.unsearched else ""
    return f"{whole}{f', {counts}' if counts else ''}; searched for: {'; '.join(searched) or 'nothing'}{failed}"


def _named(source: SourceUsed) -> str:
    return source.title if source.title == source.source else f"{source.title}, {source.source}"


def _place(source: SourceUsed, place: int) -> str:
    """Where a quote stands: page, heading, characters; with its number, where there are several of this source."""
    return ", ".join(_places(source, place))


def _places(source: SourceUsed, place: int) -> Iterator[str]:
    span = source.cited[place].source
    if len(source.cited) > 1:
        yield f"[{source.number}.{place + 1}]"
    if span.page is not None:
        yield f"page {span.page}"
    if span.heading not in ("", source.title):
        yield span.heading
    yield f"characters {span.start} to {span.end}"


def _escaped(text: str) -> str:
    """A line as Markdown shows it word for word."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split("\n"))))


def _clean(text: str) -> str:
    return visible(text).translate(_NO_TEXT)


def _add_piece(line: Element, piece: _Piece) -> None:
    text, attributes = (f" ({piece.text})", _NOTE) if piece.is_note else (piece.text, {})
    _add(line, "a" if piece.anchor else "span", text, {"href": f"#{piece.anchor}"} if piece.anchor else attributes)


def _add(parent: Element, tag: str, text: str, attributes: dict[str, str] | None = None) -> None:
    child = SubElement(parent, tag, attributes or {})
    child.text = _clean(text) if tag != "style" else text
