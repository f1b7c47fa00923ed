"""Sentences of a text, as spans of it, each with the heading above it.

A text is cut twice. Its lines give blocks: a heading, a list item, a row of a table, a line of a log, a line
``key: value``, a line of code or a paragraph. A paragraph, an item and what a key stands for, and a block that is too
long, is then cut into sentences.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from aeon.language.sentence_ends import sentence_ends

__all__ = ["Sentence", "heading_of", "label_of", "sentences"]

_LONGEST_UNIT = 300
"""Characters up to which a row, a line of a log and the like stay whole."""
_LONGEST_ITEM = 120
"""Characters up to which a list item or what a key stands for stays whole."""
_LONGEST = 1_000
"""Characters up to which a sentence stays whole."""
_LONGEST_TITLE = 100
_LINES_OF_HEADING = 2
_LEAST_WIDTH = 50
"""Characters of a line from which on two lines may be one that was broken for want of room; of three, any."""

_Kind = Literal["heading", "underline", "rule", "row", "item", "log", "key", "fence", "text"]


class Sentence(NamedTuple):
    """The span ``text[start:end]`` and the text of the heading above it, "" if there is none."""

    start: int
    end: int
    heading: str


class _Line(NamedTuple):
    """A line that is not blank; ``goes_on``: the line above broke for want of room, and this one goes on with it."""

    start: int
    end: int
    text: str
    after_blank: bool
    goes_on: bool = False


@dataclass(frozen=True)
class _Block:
    """Lines that belong together. An open block takes the line below it."""

    kind: _Kind
    start: int
    end: int
    lines: int = 1


_LINES = re.compile(r"[^\n]+")
_LEADER = r"(?=.{1,200}$).*\S(?: ?\.{4,}+|(?: \.){3,}| \.{1,3}+(?= )) *+(?:[€$£] ?|[A-Z]{3} ?)?\d.{0,24}$"
"""Of a price list or a table of contents: what it is, dots, and a number with few words behind it."""
# The order counts: the first that fits says what a line is.
_KINDS: tuple[tuple[_Kind, re.Pattern[str]], ...] = (
    ("fence", re.compile(r"```|~~~")),
    ("heading", re.compile(r"#{1,6}\s+[^#\s]|(\*\*|__)(?!\s)[^*_]{1,100}\1:?$")),
    ("underline", re.compile(r"([=\-~^\"'*+#_])\1{2,}+$")),
    ("rule", re.compile(r"\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?$")),
    ("row", re.compile(rf"\||[^|]*\s\|\s|[^\t]*\t|.*\S {{3,}}\S|{_LEADER}")),
    ("log", re.compile(r"[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[[^\]]{1,40}\]\s|\d\d:\d\d:\d\d\b")),
    ("item", re.compile(r"(?:[-*+•‣◦▪\u2013\u2014]|\(?\d{1,3}[.)]|[a-z]\)|\([A-Za-z]\)|\([ivx]{1,4}\))\s")),
    ("key", re.compile(r"[*_`\"]{0,2}[^\W_][^\s:]{0,30}(?: [^\s:]{1,30}){0,3}\s?:[*_`\"]{0,2}\s+\S")),
)
# A line and the block that it can belong to.
_JOINED: frozenset[tuple[_Kind, _Kind]] = frozenset(
    {("rule", "row"), ("text", "text"), ("text", "item"), ("text", "log")}
)
_WRAPPED = re.compile(r"[\d\u2013\u2014]")
"""Begins an item, or a line of running text that was broken before a number or a dash."""
_BOLD = re.compile(r"(?:\*\*|__)(?!\s)([^*_\n]{1,60})(?:\*\*|__)[:.]?\s")
_NUMBERED_TITLE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_a-z]\w*[^\W\d_A-Z]|§+\s?\d+")
_LEAST_CAPITALS = 5
_RECORD_ENDS = re.compile(r"\n|[}\]]\s?,(?=\s?[{\[])")


def sentences(text: str) -> list[Sentence]:
    """Return the spans of the sentences: in order, disjoint, without blanks at their ends; between them is only blank.

    A row of a table, a line of a log and a heading each count as one sentence; so does a line of a paragraph, unless it
    goes on with the line above: that had no room for its first word or ends in a comma, or it begins with a small
    letter. What is longer than 1,000 characters is cut into its lines or its records, as of a CSV file or a JSON list;
    else at a blank. The first line of what has commas like a CSV file is the heading of the others.
    """
    heading = ""
    spans: list[Sentence] = []
    for block in _blocks(text):
        if block.kind == "heading":
            heading = _title(text[block.start : block.end])
        columns = _columns(text[block.start : block.end])
        label = label_of(text[block.start : block.end]) if block.kind == "text" else ""
        under = label or heading
        spans += (Sentence(start, end, columns or under) for start, end in _pieces(text, block))
    return spans


def label_of(paragraph: str) -> str:
    """The bold words that a paragraph begins with, which say what it is about; "" where it has none."""
    found = _BOLD.match(paragraph)
    return found[1].strip(".: ") if found else ""


def heading_of(sentence: str) -> str:
    """The title that a sentence is which is marked as a heading; "" for any other."""
    lines = _lines(sentence)
    marked = bool(lines) and (_kind(lines[0].text, False) == "heading" or _kind(lines[-1].text, False) == "underline")
    return _title(sentence) if marked and len(lines) <= _LINES_OF_HEADING else ""


def _columns(block: str) -> str:
    """The names of the columns of a block too long for a sentence that is like a CSV file; empty for any other."""
    lines = block.split("\n", 2) if len(block) > _LONGEST else []
    if len(lines) < 2 or len(lines[0]) > 2 * _LONGEST_TITLE or any(map(str.isdigit, lines[0])):
        return ""
    return lines[0].strip() if any(lines[0].count(mark) == lines[1].count(mark) > 0 for mark in ",;") else ""


def _lines(text: str) -> list[_Line]:
    """The lines that are not blank, without the blanks at their ends."""
    lines: list[_Line] = []
    last = 0
    for match in _LINES.finditer(text):
        stripped = match[0].strip()
        if stripped:
            start = match.start() + match[0].index(stripped)
            after_blank = not lines or text.count("\n", last, start) > 1
            last = start + len(stripped)
            lines.append(_Line(start, last, stripped, after_blank))
    return [line for run in _runs(lines) for line in _with_breaks(run)]


def _runs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines between blank ones."""
    run: list[_Line] = []
    for line in lines:
        if line.after_blank and run:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _with_breaks(run: Sequence[_Line]) -> Iterator[_Line]:
    """Each line with whether it goes on with the one above, which then had no room for its first word."""
    width = max(len(line.text) for line in run)
    full = [len(above.text) + 1 + len(line.text.split(None, 1)[0]) > width for above, line in itertools.pairwise(run)]
    is_wide = width >= _LEAST_WIDTH or (len(full) > 1 and all(full))
    yield run[0]
    for (above, line), no_room in zip(itertools.pairwise(run), full, strict=True):
        yield line._replace(goes_on=(no_room and is_wide) or line.text[0].islower() or above.text[-1] in ",-\u2013(")


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    for line, kind in _kinds(_lines(text)):
        joined = None if block is None or line.after_blank else _join(block, line, kind, text)
        if joined is None:
            if block is not None:
                yield block
            joined = _Block(kind, line.start, line.end)
        block = joined
    if block is not None:
        yield block


def _join(block: _Block, line: _Line, kind: _Kind, text: str) -> _Block | None:
    """The block with the line below it, ``None`` if the line begins a block of its own."""
    if kind == "underline":
        return replace(block, kind="heading", end=line.end) if _is_underlined(block, line) else None
    if kind == "item" and block.kind == "text" and _WRAPPED.match(line.text) and text[block.end - 1] not in ".!?:;":
        kind = "text"
    if kind == block.kind == "text" and not line.goes_on:
        return None
    return replace(block, end=line.end, lines=block.lines + 1) if (kind, block.kind) in _JOINED else None


def _is_underlined(block: _Block, line: _Line) -> bool:
    """Whether a line of marks makes the block above it a heading; one of dashes can also end a list of keys."""
    return block.lines == 1 and (block.kind == "text" or (block.kind == "key" and line.text[0] == "="))


def _kinds(lines: list[_Line]) -> Iterator[tuple[_Line, _Kind]]:
    """Each line with what it is; within a fence, each line is code and stands alone."""
    alone = [a.after_blank and b.after_blank for a, b in itertools.pairwise(lines)]
    alone += [lines[-1].after_blank] if lines else []
    kinds = [_kind(line.text, is_alone) for line, is_alone in zip(lines, alone, strict=True)]
    fenced = False
    for number, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        fenced ^= kind == "fence"
        if fenced:
            yield line, "fence"
        elif kind == "key" and not alone[number] and not _beside_key(lines, kinds, number):
            yield line, "text"
        else:
            yield line, kind


def _kind(line: str, is_alone: bool) -> _Kind:
    if is_alone and _is_title(line):
        return "heading"
    return next((kind for kind, pattern in _KINDS if pattern.match(line)), "text")


def _beside_key(lines: list[_Line], kinds: list[_Kind], number: int) -> bool:
    """Whether the line above or below is of the form ``key: value`` too; a colon in running text is no key."""
    above = number > 0 and kinds[number - 1] == "key" and not lines[number].after_blank
    below = number + 1 < len(lines) and kinds[number + 1] == "key" and not lines[number + 1].after_blank
    return above or below


def _is_title(line: str) -> bool:
    """Whether a line that stands alone is a heading: it is numbered or in capitals, and no whole sentence."""
    if len(line) > _LONGEST_TITLE or line[-1] in ".!?;,:" or "|" in line or "\t" in line:
        return False
    if _NUMBERED_TITLE.match(line):
        return True
    letters = sum(map(str.isalpha, line))
    return line.isupper() and ": " not in line and letters >= max(_LEAST_CAPITALS, len(line) / 2)


def _title(block: str) -> str:
    line = " ".join(block.split("\n")[0].split())
    return line.strip("#*_`: ")[: 2 * _LONGEST_TITLE]


def _pieces(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    """The spans of one block, trimmed and cut to length."""
    longest = {"text": 0, "item": _LONGEST_ITEM, "key": _LONGEST_ITEM}.get(block.kind, _LONGEST_UNIT)
    is_unit = block.end - block.start <= longest
    start = block.start
    for end in (block.end,) if is_unit else (*sentence_ends(text, block.start, block.end), block.end):
        if end < block.end and _BOLD.fullmatch(f"{text[start:end]} "):
            continue
        yield from _trimmed(text, start, end)
        start = end


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span cut into its records if it is too long and has any, and what is too long of these at blanks."""
    cuts = [match.end() for match in _RECORD_ENDS.finditer(text, start, end)] if end - start > _LONGEST else []
    for first, last in itertools.pairwise((start, *cuts, end)):
        yield from _cut(text, first, last)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        piece = text[start : min(end, start + _LONGEST)]
        if start + len(piece) < end and not text[start + len(piece)].isspace():
            words = piece.rstrip().rsplit(None, 1)
            piece = words[0] if len(words) == 2 and len(words[0].strip()) > _LONGEST // 2 else piece
        stripped = piece.strip()
        if stripped:
            first = start + piece.index(stripped)
            yield first, first + len(stripped)
        start += len(piece)
