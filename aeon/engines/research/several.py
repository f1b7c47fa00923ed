"""Whether a question asks which of two is more of something."""

from __future__ import annotations

import re

__all__ = ["LESS", "MORE", "is_either"]

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_OF_TWO = re.compile(r"\b(?:which|who) of (?:the |these |those )?(?:two|both)\b", re.IGNORECASE)
MORE = re.compile(
    r"\b(?:more|later|last|(?:long|high|old|bigg|larg|great|heavi|fast|tall|wid|deep|dear|furth|strong)er)\b",
    re.IGNORECASE,
)
LESS = re.compile(
    r"\b(?:less|fewer|earlier|first|sooner|(?:short|low|cheap|young|new|small|light|slow|narrow|near|weak)er)\b",
    re.IGNORECASE,
)


def is_either(question: str) -> bool:
    """Whether a question asks which of two is more of something."""
    two = _OR.search(question) or _OF_TWO.search(question)
    return bool(two and (MORE.search(question) or LESS.search(question)))
