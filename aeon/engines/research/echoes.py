"""Whether an answer only says again what its question says."""

from __future__ import annotations

import re

from aeon.engines.research.common import stems
from aeon.language.readings import NUMBER_WORDS

__all__ = ["is_echo"]

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+")
_OPEN = re.compile(r"(?!.*\bor\b)\s*(?:who|whose|whom|where|when|how|what|why)\b", re.IGNORECASE | re.DOTALL)


def is_echo(question: str, answer: str) -> bool:
    """Whether a question for who, where, when or how, and not for one of two, says its answer itself."""
    numbers = {word for word in _WORD.findall(answer.casefold()) if word in NUMBER_WORDS}
    known = not _DIGIT.search(answer) and numbers <= set(_WORD.findall(question.casefold()))
    return bool(_OPEN.match(question)) and known and stems(answer) <= stems(question)
