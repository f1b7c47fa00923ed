"""What a prompt says that asks for results in a sentence."""

from __future__ import annotations

import re

__all__ = ["results_of"]

_RESULT = re.compile(r"<data result>\n(.*)\n</data>\nQuestion: ", re.DOTALL)


def results_of(prompt: str) -> str:
    """The results, one a line, that a prompt wants in a sentence; "" of any other prompt."""
    found = _RESULT.search(prompt)
    return found[1] if found else ""
