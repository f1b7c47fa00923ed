"""Digits of a text that are no values: marks of citations, numbers of items, headings and rows, code."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

__all__ = ["CITATION", "Marks", "cited_in", "code_spans", "no_values"]

CITATION = re.compile(r"[\[【]\^?(?:[a-z]\w*\.)?\d{1,3}(?:\.\d{1,4})?(?:\s*[,;]\s*\d{1,3}(?:\.\d{1,4})?)*[\]】]")
"""A mark that names what a sentence rests on: ``[2]``, ``[2.5]``, ``[2.5, 3]``."""
_FENCE = re.compile(r"^[ \t>]*```[ \t]*+([\w+#.-]*+)[^\n]*+\n(.*?)(?:^[ \t>]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md", "csv", "tsv", "json", "email", "eml"})
"""The formats, as a fence names them, whose content is text or data: values in it are values."""
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_ITEM = re.compile(
    r"^[ \t>]*(?:[-*+•]\s+)?(?:#{1,6}\s+)?[*_]{0,3}[(（]?(\d{1,3})(?:[.)](?=[\s*_])|[、．）])", re.MULTILINE
)
_HEADING = re.compile(r"^[ \t>]*#{1,6}\s+[*_]{0,3}(\d{1,3}(?:\.\d{1,3})*)\.?(?=\s)", re.MULTILINE)
_BLANK = r"\t\v\f\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space that ends no line."""
_LABEL = re.compile(
    rf"^[{_BLANK}>#*_-]*+([^\W\d_][^\d\n|]{{0,30}}?)\s?(\d{{1,3}})(?=[*_]*\s*(?:[:.)：—–]|$))", re.MULTILINE
)
_ROW = re.compile(r"^[ \t>]*\|[ \t*_]*(\d{1,4})\.?[ \t*_]*\|", re.MULTILINE)
_DATED = re.compile(r"\d{1,2}\.\s*\d{1,2}\.\s*\d{2,4}")


class Marks:
    """What the marks of citations of a text may name: the numbers of the uses that there are."""

    def __init__(self, numbers: Collection[int] = ()) -> None:
        self._numbers = frozenset(numbers)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The marks of citations in a text. Where nothing can be cited, a whole number in brackets is one too."""
        for match in CITATION.finditer(text):
            ids = cited_in(match[0])
            known = {int(one.split(".")[0]) for one in ids} <= self._numbers
            if known or match[0][1] == "^" or (not self._numbers and "." not in match[0]):
                yield match.span()


def cited_in(mark: str) -> tuple[str, ...]:
    """The short ids that a mark of a citation names, as ``2.5``."""
    return tuple(re.findall(r"(?<![\w.])(?:[a-z]\w*\.(?=\d+\.\d|\d+\s*[,;\]】]))?(\d+(?:\.\d+)?)", mark))


def code_spans(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int] | None]]:
    """The pieces of code in a text, each with the part of it that may be a value; ``None``: it holds none.

    A fenced piece of text or data is no code, only its fences are.
    """
    fenced = []
    for match in _FENCE.finditer(text):
        fenced.append(match.span())
        if match[1].casefold() in _PLAIN:
            yield (match.start(), match.start(2)), None
            yield (match.end(2), match.end()), None
        else:
            yield match.span(), None
    for match in _INLINE.finditer(text):
        if not any(start <= match.start() < end for start, end in fenced):
            yield match.span(), match.span(1)


def no_values(text: str, marks: Marks) -> Iterator[tuple[int, int]]:
    """The spans whose digits are no values: of citations, and of items, headings, labels and rows that count up."""
    yield from marks.spans(text)
    yield from (match.span(1) for match in _HEADING.finditer(text))
    numbered = [match for match in _ITEM.finditer(text) if not _DATED.match(text, match.start(1))]
    yield from _counting_up(numbered, 1)
    rows = list(_ROW.finditer(text))
    for block in _blocks(text, rows):
        yield from _counting_up(block, 2)
    labels: defaultdict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _LABEL.finditer(text):
        labels[match[1].casefold()].append(match)
    for one in labels.values():
        yield from ((match.start(2), match.end(2)) for match in _run(one, 2, group=2))


def _blocks(text: str, rows: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """The rows of a text by table: a line that is no row of one ends it."""
    block: list[re.Match[str]] = []
    for row in rows:
        between = text[block[-1].end() : row.start()] if block else ""
        if any(line.strip() and "|" not in line for line in between.split("\n")[1:]):
            yield block
            block = []
        block.append(row)
    yield block


def _counting_up(found: list[re.Match[str]], least: int) -> Iterator[tuple[int, int]]:
    yield from (match.span(1) for match in _run(found, least))


def _run(found: list[re.Match[str]], least: int, group: int = 1) -> Iterator[re.Match[str]]:
    """Those that count up, each one more than the one before or 1 again, if there are at least so many of them."""
    run: list[re.Match[str]] = []
    for match in found:
        number = int(match[group])
        if number == 1 or (run and number == int(run[-1][group]) + 1):
            run.append(match)
    if len(run) >= least and any(int(match[group]) == least for match in run):
        yield from run
