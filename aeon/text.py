"""Text that is safe to show: on one line, and without characters that a terminal or a file cannot take."""

from __future__ import annotations

import re

__all__ = ["is_text", "one_line", "printable"]

# Control characters but tab, line feed and carriage return, and surrogates (in a str they are always lone).
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """Return the text with control characters and lone surrogates replaced by U+FFFD, so that it encodes as UTF-8."""
    return _UNSAFE.sub("\ufffd", text)


def is_text(value: object) -> bool:
    """Whether every text in a JSON value can be encoded as UTF-8: none of them holds a lone surrogate."""
    open_values = [value]
    while open_values:
        match open_values.pop():
            case str(text) if _SURROGATE.search(text):
                return False
            case dict(table):
                open_values += [*table, *table.values()]
            case list(items) | tuple(items):
                open_values += items
    return True


def one_line(text: str, limit: int = 300) -> str:
    """Return the text on one line of at most ``limit`` characters, for use in an error."""
    line = " ".join(printable(text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
