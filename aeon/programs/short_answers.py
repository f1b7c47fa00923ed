"""Short answers of a model: what one says, whether it says anything, and which two are the same."""

from __future__ import annotations

import re

from aeon.text import one_line

__all__ = ["NOT_STATED", "bare", "is_absent", "tokens", "unquoted"]

NOT_STATED = "not stated"
"""What prompts ask for where the sentences do not say it."""
_CITED = re.compile(r"[\[(]\s*\d{1,3}(?:\s*[,-]\s*\d{1,3})*\s*[\])]")
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_MARKS = " \"'.\u201c\u201d\u201e\u00ab\u00bb\u3002"


def unquoted(reply: str) -> str:
    """The answer of a reply, without the quotes and the full stop around it."""
    return reply.strip(_MARKS)


def bare(reply: str) -> str:
    """The same without the numbers of sentences in brackets."""
    return unquoted(_CITED.sub("", reply))


def is_absent(answer: str) -> bool:
    """Whether an answer is nothing, or just what prompts ask for where the sentences do not say it."""
    return one_line(answer).strip(_MARKS).casefold() in ("", NOT_STATED)


def tokens(text: str) -> list[str]:
    """The words and the figures of a text, in order, whatever their case."""
    return [token.casefold().lstrip("0") or "0" for token in _TOKEN.findall(text)]
