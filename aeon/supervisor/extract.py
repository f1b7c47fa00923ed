"""Finds the one JSON value in a model's answer: past thoughts, fences and prose. Pure and linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aeon.errors import Malformed

__all__ = ["MAX_DEPTH", "MAX_TEXT", "extract_json", "without_thoughts"]

MAX_TEXT = 200_000
"""Characters of model text beyond which nothing is parsed."""

MAX_DEPTH = 64
"""Brackets within brackets beyond which nothing is parsed."""

_TAG = r"(?:think|thinking|thought|reasoning)"
_THOUGHT = re.compile(rf"<(/?)({_TAG})>", re.IGNORECASE)
_LEADING_THOUGHT = re.compile(rf"\s*<({_TAG})>(?:.*?</\1>|.*)", re.IGNORECASE | re.DOTALL)
_CLOSING_LINE = re.compile(rf"^[ \t]*</{_TAG}>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_START = re.compile(r"""\{\s*(?:["'“}]|\w+\s*:)""")
_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)", re.MULTILINE)
_TOKEN = re.compile(r'["{}\[\]]')
_STRING_REST = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)
_CLOSES = {"}": "{", "]": "["}
_ARRAY_START = re.compile(r"""\s*+\[(?=\s*(?:["'“{\[\]0-9-]|(?:true|false|null)\b))""")
_MOST_THOUGHTS = 32
_JSON_NAMES = {"json", "json5", "jsonc"}


def without_thoughts(text: str) -> str:
    """Plain text without the thinking that precedes an answer, closed or not; tags that an answer mentions stay."""
    body = text.lstrip("\ufeff")
    while found := _LEADING_THOUGHT.match(body):
        body = body[found.end() :]
    if closing := _CLOSING_LINE.search(body):
        body = body[closing.end() :]
    return body.strip()


def extract_json(text: str) -> str:
    """The text of the one JSON object (or, where the answer starts with ``[``, array) in a model's answer.

    An object that is given twice in the same words counts once. What is returned has balanced brackets and is at most
    ``MAX_DEPTH`` deep; it need not be valid JSON otherwise.

    Raises:
        Malformed: there is none, it is not closed, it is too deep or too long, or there are several different ones.
    """
    if len(text) > MAX_TEXT:
        raise Malformed(f"$: the answer has {len(text)} characters, more than {MAX_TEXT} are not read")
    body = _drop_thoughts(text.lstrip("\ufeff")).strip()
    found = list(dict.fromkeys(_values(body)))
    if not found:
        raise Malformed("$: there is no JSON object in the answer")
    if len(found) > 1:
        raise Malformed(f"$: the answer holds {len(found)} different JSON objects where one was asked for")
    return found[0]


def _drop_thoughts(text: str) -> str:
    """``text`` without thinking before its JSON value: closed blocks, an unclosed one, and one that only closes."""
    kept: list[str] = []
    position = 0
    opening = _first_value(text, 0)
    for _ in range(_MOST_THOUGHTS):
        tag = _THOUGHT.search(text, position)
        if tag is None:
            break
        if 0 <= opening < tag.start() and not _is_orphan(text, tag, opening):
            break
        if tag.group(1):
            kept.clear()
            position = tag.end()
        else:
            kept.append(text[position : tag.start()])
            closing = re.compile(rf"</{tag.group(2)}>", re.IGNORECASE).search(text, tag.end())
            position = closing.end() if closing else len(text)
        if opening < position:
            opening = _first_value(text, position)
    return "".join(kept) + text[position:]


def _is_orphan(text: str, tag: re.Match[str], opening: int) -> bool:
    """Whether ``tag`` ends a thought whose opening tag was never sent and that itself held a JSON start."""
    if not tag.group(1):
        return False
    try:
        end = _end(text, opening)
    except Malformed:
        return True
    return end <= tag.start()


def _first_value(text: str, position: int) -> int:
    """Where the first thing that looks like a JSON value starts at or after ``position``, or -1."""
    if array := _ARRAY_START.match(text, position):
        return array.end() - 1
    found = _START.search(text, position)
    return found.start() if found else -1


def _values(body: str) -> Iterator[str]:
    """The balanced values of ``body``, in order; those in fences named JSON only, where such a fence comes first."""
    first = _first_value(body, 0)
    fence = _FENCE.search(body)
    if fence is None or 0 <= first < fence.start():
        yield from _balanced(body, 0)
        return
    named = [opener for opener in _FENCE.finditer(body) if opener.group(1).lower() in _JSON_NAMES]
    if not named:
        yield from _balanced(body, fence.end())
        return
    end = 0
    for opener in named:
        if opener.start() < end:
            continue  # inside a string of the value before
        start = _first_value(body, opener.end())
        if start < 0:
            continue
        end = _end(body, start)
        yield body[start:end]


def _balanced(body: str, position: int) -> Iterator[str]:
    start = _first_value(body, position)
    while start >= 0:
        end = _end(body, start)
        yield body[start:end]
        found = _START.search(body, end)
        start = found.start() if found else -1


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
