"""How a formula goes on in words."""

from __future__ import annotations

import re

__all__ = ["OPERATORS", "goes_on_before"]

OPERATORS = "-+*/^\u00d7\u00f7\u00b7\u2212\u2013"
"""The signs between two numbers."""
_BEFORE = re.compile(
    rf"(?:[)\]!%\u221a]|\S[ \t]*[{OPERATORS}]|\b(?:x|times|by|plus|minus|mal|durch|fois|par|moins|por|más|menos)|"
    r"(?:%|percent|root|average|mean|half|third|quarter)[ \t]+of)[ \t]*\Z",
    re.IGNORECASE,
)


def goes_on_before(text: str) -> bool:
    """Whether a text ends in what makes a formula behind it a part of a longer one: an operator, also in words."""
    return _BEFORE.search(text) is not None
