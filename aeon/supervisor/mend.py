"""Puts the punctuation of JSON text right, and nothing else. Pure and linear in the text.

What it mends: one comma too many before a bracket, a comma that was left out where only one reading is possible, single
and typographic quotes, bare keys, Python's ``True``, ``False`` and ``None``, raw line breaks and tabs in a text. Every
string, number, word and bracket of the text stays, in its order; anything else stays wrong for the strict reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

__all__ = ["mended"]

Kind = Literal["open", "close", "comma", "colon", "text", "word"]

_TEXTS = {'"': r'"[^"\\]*(?:\\.[^"\\]*)*"', "'": r"'[^'\\]*(?:\\.[^'\\]*)*'", "“": r"“[^”\\]*(?:\\.[^”\\]*)*”"}
"""The texts of JSON and of those who write it badly, by their opening quotes."""
_TO_ESCAPE = re.compile(r"""\\.|["\x00-\x1f]""", re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
_PYTHON = {"True": "true", "False": "false", "None": "null"}


class _Lexeme(NamedTuple):
    kind: Kind
    text: str


def mended(literal: str) -> str:
    """``literal`` with its punctuation put right as far as there is one way to do it; it may still not be JSON."""
    written: list[str] = []
    brackets: list[str] = []
    before = _Lexeme("comma", "")
    lexemes = list(_lexemes(literal))
    for at, lexeme in enumerate(lexemes):
        after = lexemes[at + 1] if at + 1 < len(lexemes) else _Lexeme("comma", "")
        if lexeme.kind == "comma" and after.kind == "close" and _ends_value(before):
            continue
        is_key = brackets[-1:] == ["{"] and after.kind == "colon"
        if _lacks_comma(before, lexeme, is_key=is_key, in_array=brackets[-1:] == ["["]):
            written.append(",")
        written.append(_json_text(lexeme, is_key=is_key))
        if lexeme.kind == "open":
            brackets.append(lexeme.text)
        elif lexeme.kind == "close":
            del brackets[-1:]
        before = lexeme
    return " ".join(written)


def _lexemes(literal: str) -> Iterator[_Lexeme]:
    kinds: dict[str, Kind] = {"open": "open", "close": "close", "comma": "comma", "colon": "colon", "text": "text"}
    unclosed: frozenset[str] = frozenset()
    position = 0
    while match := _lexeme(unclosed).search(literal, position):
        position = match.end()
        if match.group() in _TEXTS:  # a quote alone: to the end nothing closes it, and so nothing closes a later one
            unclosed |= {match.group()}
        yield _Lexeme(kinds.get(match.lastgroup or "", "word"), match.group())


@cache
def _lexeme(unclosed: frozenset[str]) -> re.Pattern[str]:
    """What finds the next lexeme; a text does not begin with a quote that is known to be ``unclosed``."""
    texts = [text for quote, text in _TEXTS.items() if quote not in unclosed] or ["(?!)"]
    return re.compile(
        rf"""
        (?P<open>[{{\[]) | (?P<close>[}}\]]) | (?P<comma>,) | (?P<colon>:)
        | (?P<text> {" | ".join(texts)} )
        | (?P<word> [^\s{{}}\[\],:"'“”]++ | ["'“”] )
        """,
        re.VERBOSE | re.DOTALL,
    )


def _ends_value(lexeme: _Lexeme) -> bool:
    return lexeme.kind in {"close", "text", "word"}


def _lacks_comma(before: _Lexeme, lexeme: _Lexeme, *, is_key: bool, in_array: bool) -> bool:
    """Whether a comma was left out here: before a quoted key, or in an array beside a bracket."""
    if not _ends_value(before):
        return False
    if is_key:
        return lexeme.kind == "text"
    return in_array and (lexeme.kind == "open" or (before.kind == "close" and lexeme.kind in {"text", "word"}))


def _json_text(lexeme: _Lexeme, *, is_key: bool) -> str:
    """How JSON writes the lexeme."""
    if lexeme.kind == "text":
        return f'"{_TO_ESCAPE.sub(_escape, lexeme.text[1:-1])}"'
    if lexeme.kind != "word":
        return lexeme.text
    if is_key:
        return json.dumps(lexeme.text) if _NAME.fullmatch(lexeme.text) else lexeme.text
    return _PYTHON.get(lexeme.text, lexeme.text)


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    if text == "\\'":
        return "'"
    return text if text.startswith("\\") else json.dumps(text)[1:-1]
