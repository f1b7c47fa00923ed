"""The values of an answer in order: of prose, of JSON (strings and numbers only), none of code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator

from aeon.language.dates import days, times
from aeon.language.literals import addresses, is_german, proper_names, quotations
from aeon.language.mention import Mention, mentioned
from aeon.language.numerals import han_numerals, numerals
from aeon.language.unspaced import DATE_SIGNS, spaced

__all__ = ["CODE", "is_json", "json_span", "mentions", "of_json", "values"]

CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
"""Pieces of code in a text."""
_MARKS = re.compile(r"\[\d+\]|^[^\S\n]*(?:#+\s)?\d+[.)](?=\s)", re.MULTILINE)
"""Marks of citations and numbers of list items, which are no values."""
_FENCED_JSON = re.compile(r"\s*```(?:json)?[^\S\n]*\n(.*?)```\s*", re.DOTALL)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


def values(answer: str) -> tuple[Mention, ...]:
    """The values of an answer: of its strings and numbers if it is JSON, else of what is no code in it."""
    span = json_span(answer)
    if span is None:
        return mentions(answer)
    return tuple(mention.moved(span.start) for mention in of_json(answer[span]))


def json_span(answer: str) -> slice | None:
    """Where an answer that is JSON, in a fence or without one, has it; ``None`` of any other."""
    fenced = _FENCED_JSON.fullmatch(answer)
    span = slice(*fenced.span(1)) if fenced else slice(0, len(answer))
    return span if is_json(answer[span]) else None


def mentions(text: str, cell: bool = False) -> tuple[Mention, ...]:
    """The values of a text, none in another: what is longer, such as a date, is taken as a whole.

    A ``cell`` is a short text that is no sentence, such as one of a table.
    """
    taken = bytearray(len(text))
    for pattern in (CODE, _MARKS):
        for match in pattern.finditer(text):
            _take(taken, *match.span())
    found: list[Mention] = []
    german = is_german(text)
    dated, plain = spaced(text, DATE_SIGNS), spaced(text)
    for mention in (
        *addresses(text), *quotations(text), *days(dated, cell), *times(plain), *numerals(plain, german),
        *han_numerals(text),        *proper_names(plain, cell),
    ):  # fmt: skip
        if 1 not in taken[mention.start : mention.end]:
            _take(taken, mention.start, mention.end)
            found.append(mention)
    return tuple(sorted(found))


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)


def is_json(text: str) -> bool:
    """Whether a text is an object or a list in JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def of_json(text: str, reader: Callable[[str, bool], Iterable[Mention]] = mentions) -> Iterator[Mention]:
    """The values in the strings and numbers of a JSON text; a value next to an escaped character is left out."""
    for match in _TOKEN.finditer(text):
        if match[1] is None:
            mention = mentioned("number", match.start(), match[0], ["point"])
            if mention is not None:
                yield mention
        elif match[2] is None:
            plain = _ESCAPE.sub(lambda escape: "\0" * len(escape[0]), match[1])
            for mention in reader(plain, True):
                beside = plain[max(0, mention.start - 1) : mention.start] + plain[mention.end : mention.end + 1]
                if "\0" not in mention.text + beside:
                    yield mention.moved(match.start(1))
