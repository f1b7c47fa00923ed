"""Whether a question is one of several facts: how much more one thing is than another, what two cost together."""

from __future__ import annotations

import re

__all__ = ["LESS", "MORE", "is_compared", "is_either", "is_of_several"]

_SEVERAL = re.compile(
    r"\bhow (?:much|many)\b[^.?!]*\b(?:more|less|fewer|[a-z]{2,}er)\b[^.?!]*\bthan\b|\bexceeds?\b|\bplus\b|"
    r"\bdifference (?:in \w+ )?between\b|\bby how (?:much|many)\b|"
    r"\badd(?:ed|ing)? (?:up|together) (?:the|my|our)\b[^.?!]*\band\b|"
    r"\b(?:costs?|comes?|pays?|have|weigh)\b[^.?!]*\btogether\b|\bin (?:all|total)\b[^.?!]*\bboth\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_OF_TWO = re.compile(r"\b(?:which|who) of (?:the |these |those )?(?:two|both)\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\bhow (?:many|much|long|far)\b[^.?!]*\b(?:between|apart)\b|"
    r"\bhow many (?:days|weeks)\b(?: (?:after|before)\b|[^.?!]*\bfrom\b[^.?!]*\bto\b)",
    re.IGNORECASE,
)
MORE = re.compile(
    r"\b(?:more|later|last|(?:long|high|old|bigg|larg|great|heavi|fast|tall|wid|deep|dear|furth|strong)er)\b",
    re.IGNORECASE,
)
LESS = re.compile(
    r"\b(?:less|fewer|earlier|first|sooner|(?:short|low|cheap|young|new|small|light|slow|narrow|near|weak)er)\b",
    re.IGNORECASE,
)


def is_of_several(question: str) -> bool:
    """Whether a question says that its answer follows from several facts: how much more one is than another, a sum."""
    return bool(_SEVERAL.search(question))


def is_either(question: str) -> bool:
    """Whether a question asks which of two is more of something."""
    two = _OR.search(question) or _OF_TWO.search(question)
    return bool(two and (MORE.search(question) or LESS.search(question)))


def is_compared(question: str) -> bool:
    """Whether a question asks which of two is more of something, or how much lies between them."""
    return is_either(question) or bool(_BETWEEN.search(question))
