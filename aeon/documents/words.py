"""The words of a question that say what it is about."""

from __future__ import annotations

import re
from importlib import resources

__all__ = ["content_words", "stem", "stems"]

_WORD = re.compile(r"\w+")
_LONGEST = 20_000_000
_LEAST = 4  # letters of a word that may lose an ending

# Words of questions and of quantities: they stand in any text and name nothing that a file is about.
_COMMON = frozenset(resources.files("aeon.documents").joinpath("common_words.txt").read_text("utf-8").split())


def stem(word: str) -> str:
    """The word in lower case and without a plain ending, so that ``orders``, ``ordered`` and ``order`` are one."""
    word = word.casefold()
    if word.isdigit() or len(word) <= _LEAST:
        return word.removesuffix("s") if len(word) == _LEAST and not word.endswith("ss") else word
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and not (ending == "s" and word.endswith(("ss", "us", "is"))):
            word = word[: -len(ending)] + kept
            break
    return word.removesuffix("e") if len(word) > _LEAST else word


def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, in lower case; common words and single letters are left out."""
    words = _WORD.findall(text[:_LONGEST].replace("_", " ").casefold())
    return frozenset(word for word in words if len(word) > 1 and word not in _COMMON)


def stems(text: str) -> frozenset[str]:
    """The stems of the `content_words` of a text."""
    return frozenset(map(stem, content_words(text)))
