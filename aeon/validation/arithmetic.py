"""Evidence that needs no model: sums that a text claims, done again exactly."""

from __future__ import annotations

import re

from aeon.errors import AeonError
from aeon.tools.calculator import evaluate

__all__ = ["wrong_sums"]

_NUMBER = r"[$€£]?-?\d[\d,]*(?:\.\d+)?%?"
_CLAIM = re.compile(rf"(?<![\w.$])({_NUMBER}(?:\s*[-+*/\u00d7\u00f7]\s*{_NUMBER})+)\s*=\s*({_NUMBER})(?![\w%])")
_TOLERANCE = 0.005


def wrong_sums(text: str) -> tuple[str, ...]:
    """Each ``a + b = c`` in the text whose exact value is not ``c`` (within 0.5 percent), with that value."""
    found = []
    for claim in _CLAIM.finditer(text):
        expression, said = claim.group(1), claim.group(2)
        try:
            exact, given = evaluate(expression), evaluate(said)
        except AeonError:
            continue
        if abs(float(exact) - float(given)) > _TOLERANCE * max(1.0, abs(float(exact))):
            found.append(f"it says {expression} = {said}; recomputed, {expression} = {float(exact):g}")
    return tuple(dict.fromkeys(found))
