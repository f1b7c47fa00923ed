"""Sentences that say that there is nobody or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["denies"]

_NOBODY = re.compile(r"\b(?:no one|nobody|none|nothing)\b", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:no|not|none|nobody|nothing|never|without)\b|^0(?![.,]?\d)", re.IGNORECASE)
"""A result that may be said so."""


def denies(sentence: str, question: str, results: Iterable[str]) -> bool:
    """Whether a sentence says that there is nobody or nothing, where neither a result nor the question does.

    A model that is given a sum and asked for names may say "No one" for these.
    """
    said = _NOBODY.search(sentence) is not None and _NOBODY.search(question) is None
    return said and not any(map(_NOTHING.search, results))
