"""Calls that give back what the model wrote into them, and find and compute nothing."""

from __future__ import annotations

import re

from aeon.schema import JsonObject

__all__ = ["calculation", "is_constant"]

_SELECT = re.compile(r"\s*select\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
_ROWS = re.compile(r"\b(?:where|having)\b", re.IGNORECASE)
_BETWEEN = re.compile(r",(?![^(]*\))")
_CONSTANT = re.compile(
    r"[\s(]*(?:(?:cast|round|abs)[\s(]+)*['\"]?-?\d+(?:\.\d+)?['\"]?"
    r"(?:\s+as\s+\w+(?=\s*\))|\s*,\s*\d+(?=\s*\)))?[\s)]*(?:(?:as\s+)?[\"\w ]+)?;?\s*",
    re.IGNORECASE,
)


def is_constant(arguments: JsonObject) -> bool:
    """Whether a calculation is but a number, or a query selects numbers alone that are written in it.

    A query that says which rows it wants finds out whether there are any.
    """
    texts = [value for value in arguments.values() if isinstance(value, str)]
    return bool(texts) and all(_gives_back(text) for text in texts)


def calculation(arguments: JsonObject) -> str:
    """What a call computes of nothing but the numbers that are written in it; "" where it looks at any table."""
    texts = [value for value in arguments.values() if isinstance(value, str)]
    return "" if any(map(_FROM.search, texts)) else "; ".join(texts)


def _gives_back(text: str) -> bool:
    selected = _BETWEEN.split(_SELECT.sub("", _FROM.split(text)[0]))
    return not _ROWS.search(text) and all(_CONSTANT.fullmatch(part) for part in selected)
