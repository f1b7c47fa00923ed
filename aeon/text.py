"""Text that is safe to show: on one line, and without characters that a terminal or a file cannot take."""

from __future__ import annotations

import re

__all__ = ["one_line", "printable"]

# Control characters but tab, line feed and carriage return, and surrogates (in a str they are always lone).
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """Return the text with control characters and lone surrogates replaced by U+FFFD, so that it encodes as UTF-8."""
    return _UNSAFE.sub("\ufffd", text)


def one_line(text: str, limit: int = 300) -> str:
    """Return the text on one line of at most ``limit`` characters, for use in an error."""
    line = " ".join(printable(text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
