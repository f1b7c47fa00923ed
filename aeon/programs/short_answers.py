"""Short answers of a model: what one says, whether it says anything, and which two are the same."""

from __future__ import annotations

import re

from aeon.text import one_line

__all__ = ["NOT_STATED", "bare", "is_absent", "tokens", "unquoted"]

NOT_STATED = "not stated"
"""What prompts ask for where the sentences do not say it."""
_CITED = re.compile(r"[\[(]\s*\d{1,3}(?:\s*[,-]\s*\d{1,3})*\s*[\])]")
_TOKEN = re.compile(r"(?:(?<!\S)|(?<=[(:=]))[-\u2212](?=\d)|\d+(?:[.,:]\d+)*|[^\W\d_]+")
_MARKED = re.compile(r"[.,:]")
_MARKS = " \"'.\u201c\u201d\u201e\u00ab\u00bb\u3002"


def unquoted(reply: str) -> str:
    """The answer of a reply, without the quotes and the full stop around it."""
    bare = reply.lstrip(_MARKS)
    point = "." if bare[:1].isdigit() and reply[: len(reply) - len(bare)].endswith(".") else ""
    return point + bare.rstrip(_MARKS)


def bare(reply: str) -> str:
    """The same without the numbers of sentences in brackets."""
    return unquoted(_CITED.sub("", reply)) or unquoted(reply)


def is_absent(answer: str) -> bool:
    """Whether an answer is nothing, or just what prompts ask for where the sentences do not say it."""
    return one_line(answer).strip(_MARKS).casefold() in ("", NOT_STATED)


def tokens(text: str) -> list[str]:
    """The words, the numbers and their signs in a text, in order, whatever their case."""
    return [_plain(token) for token in _TOKEN.findall(text)]


def _plain(token: str) -> str:
    """A word in lower case; a number without leading zeros, and with a point where it has a comma."""
    if not token[0].isdigit():
        return token.casefold().replace("\u2212", "-")
    first, *rest = _MARKED.split(token)
    return ".".join([first.lstrip("0") or "0", *rest])
