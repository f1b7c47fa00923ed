"""Finds the one JSON value in a model's answer: past thoughts, fences and prose. Pure and linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from aeon.errors import Malformed
from aeon.llm.marks import THOUGHTS, closing_of, final_message

__all__ = ["MAX_DEPTH", "MAX_TEXT", "extract_json"]

MAX_TEXT = 200_000
"""Characters of model text beyond which nothing is parsed."""

MAX_DEPTH = 64
"""Brackets within brackets beyond which nothing is parsed."""

_OPENINGS = tuple(opening.lower() for opening, _ in THOUGHTS)
_THOUGHT = re.compile("|".join(re.escape(mark) for pair in THOUGHTS for mark in pair), re.IGNORECASE)
_START = re.compile(r"""\{\s*(?:["'“}]|\w+\s*:)""")
_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)", re.MULTILINE)
_TOKEN = re.compile(r'["{}\[\]]')
_STRING_REST = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CLOSES = {"}": "{", "]": "["}
_ARRAY_START = re.compile(r"""[\s,]*+\[(?=\s*(?:["'“{\[\]0-9-]|(?:true|false|null)\b))""")
_GOES_ON = re.compile(r"""\s*+(?:[}\]]|,\s*+(?:["'“0-9-]|(?:true|false|null)\b)|["']\w+["']\s*+:)""")
_MEMBER = re.compile(r"""["'”]\s*:\s*\Z""")
_MEMBER_REACH = 64
_MOST_THOUGHTS = 32
_JSON_NAMES = {"json", "json5", "jsonc"}


def extract_json(text: str) -> str:
    """The text of the one JSON object (or, where the answer starts with ``[``, array) in a model's answer.

    An object that appears twice in the same words counts once. The text has balanced brackets and is at most
    ``MAX_DEPTH`` deep; it need not be valid JSON otherwise.

    Raises:
        Malformed: there is none, it is not closed, it is too deep or too long, or there are several different ones.
    """
    if len(text) > MAX_TEXT:
        raise Malformed(f"$: the answer has {len(text)} characters, more than {MAX_TEXT} are not read")
    body = _drop_thoughts(final_message(text.lstrip("\ufeff"))).strip()
    values = list(dict.fromkeys(_values(body)))
    if not values:
        raise Malformed("$: there is no JSON object in the answer")
    if len(values) > 1:
        raise Malformed(f"$: the answer holds {len(values)} different JSON objects where one was asked for")
    return values[0]


def _drop_thoughts(text: str) -> str:
    """What follows the thinking before the JSON value: closed blocks, an unclosed one, and one that only closes.

    Raises:
        Malformed: there are more thoughts than are read.
    """
    position = 0
    opening = _first_value(text, 0)
    for _ in range(_MOST_THOUGHTS + 1):
        tag = _THOUGHT.search(text, position)
        if tag is None or (0 <= opening < tag.start() and not _is_orphan(text, tag, opening)):
            return text[position:]
        position = tag.end()
        if _opens(tag):
            closing = re.compile(re.escape(closing_of(tag[0])), re.IGNORECASE).search(text, position)
            position = closing.end() if closing else len(text)
        if opening < position:
            opening = _first_value(text, position)
    raise Malformed(f"$: more than {_MOST_THOUGHTS} thoughts precede the JSON object")


def _opens(tag: re.Match[str]) -> bool:
    return tag[0].lower() in _OPENINGS


def _is_orphan(text: str, tag: re.Match[str], opening: int) -> bool:
    """Whether ``tag`` ends a thought whose opening tag was never sent and that itself held a JSON start."""
    if _opens(tag):
        return False
    try:
        end = _end(text, opening)
    except Malformed:
        return True
    return end <= tag.start()


def _first_value(text: str, position: int, limit: int = MAX_TEXT) -> int:
    """Where the first thing that looks like a JSON value starts between ``position`` and ``limit``, or -1.

    An array counts only where nothing but space and commas comes before it: prose is full of brackets.
    """
    if array := _ARRAY_START.match(text, position, limit):
        return array.end() - 1
    opening = _START.search(text, position, limit)
    return opening.start() if opening else -1


def _values(body: str) -> Iterator[str]:
    """The balanced values of ``body``, in order; those in fences named JSON only, where such a fence comes first."""
    first = _first_value(body, 0)
    marks = list(_FENCE.finditer(body))
    if not marks or 0 <= first < marks[0].start():
        return _balanced_values(body, 0)
    if any(_is_named(mark) for mark in marks):
        return _values_in_fences(body, marks)
    return _balanced_values(body, marks[0].end())


def _is_named(mark: re.Match[str]) -> bool:
    return mark.group(1).lower() in _JSON_NAMES


def _values_in_fences(body: str, marks: list[re.Match[str]]) -> Iterator[str]:
    """The values in fences named JSON. A mark inside a value is no fence."""
    position = 0
    for mark, following in pairwise([*marks, None]):
        if mark is None or mark.start() < position or not _is_named(mark):
            continue
        position = mark.end()
        limit = following.start() if following else len(body)
        while (start := _first_value(body, position, limit)) >= 0:
            position = _whole(body, start)
            yield body[start:position]
            if position > limit:
                closing = _FENCE.search(body, position)
                limit = closing.start() if closing else len(body)


def _balanced_values(body: str, position: int) -> Iterator[str]:
    while (start := _first_value(body, position)) >= 0:
        position = _whole(body, start)
        yield body[start:position]


def _whole(body: str, start: int) -> int:
    """Where the value that opens at ``start`` ends, if it is not what is left of a larger one.

    Raises:
        Malformed: it is not closed, or text around it says that it was a part of another value.
    """
    end = _end(body, start)
    if _GOES_ON.match(body, end) or _MEMBER.search(body, max(0, start - _MEMBER_REACH), start):
        raise Malformed("$: the JSON object is a part of another one whose brackets do not match")
    return end


def _end(body: str, start: int) -> int:
    """Where the value that opens at ``start`` ends; brackets in double-quoted strings do not count."""
    stack: list[str] = []
    position = start
    while token := _TOKEN.search(body, position):
        mark, position = token.group(), token.end()
        if mark == '"':
            rest = _STRING_REST.match(body, position)
            if rest is None:
                raise Malformed("$: a string in the JSON object is not closed")
            position = rest.end()
        elif mark in _CLOSES:
            if stack.pop() != _CLOSES[mark]:
                raise Malformed(f"$: a bracket of the JSON object is closed by {mark!r}")
            if not stack:
                return position
        else:
            stack.append(mark)
            if len(stack) > MAX_DEPTH:
                raise Malformed(f"$: the JSON object is nested deeper than {MAX_DEPTH} levels")
    raise Malformed("$: the JSON object is not closed")
