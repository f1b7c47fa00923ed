"""The words of a text: which language they are of, which of them say what it is about, and their stems."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from threading import Lock

from aeon.language.data import table

__all__ = ["COMMON", "WORD", "content_words", "is_common", "language_of", "stem", "stems"]

DEFAULT = "en"
"""The language of a text in which no common word tells one."""
COMMON: Mapping[str, frozenset[str]] = {tag: frozenset(words.split()) for tag, words in table("common.toml").items()}
"""The words that stand in any text, by the tag of their language."""
_ALL = frozenset().union(*COMMON.values())
WORD = re.compile(r"\w+")
_LONGEST = 20_000_000
_ONE_AT_A_TIME = Lock()
_ENOUGH = 5_000
"""Characters that tell the language of a text."""


def language_of(text: str) -> str:
    """The tag of the language whose common words are the most among a text's; English where there are none."""
    return _language(text[:_ENOUGH])


@lru_cache(maxsize=1_024)
def _language(text: str) -> str:
    words = WORD.findall(text.casefold())
    return max(COMMON, key=lambda tag: (sum(word in COMMON[tag] for word in words), tag == DEFAULT))


@lru_cache(maxsize=50_000)
def stem(word: str, tag: str = DEFAULT) -> str:
    """The word in lower case without its ending, so that ``orders``, ``ordered`` and ``order`` are one.

    By the Snowball stemmer of the language.
    """
    with _ONE_AT_A_TIME:  # a stemmer keeps its place in the word
        return _stemmer(tag)(word.casefold())


@lru_cache
def _stemmer(tag: str) -> Callable[[str], str]:
    names = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
    made = importlib.import_module("snowballstemmer")  # the verifier, which needs no stems, is to run without it
    found: Callable[[str], str] = made.stemmer(names[tag]).stemWord
    return found


def is_common(word: str) -> bool:
    """Whether a word is one of those that stand in any text of one of the languages."""
    return word.casefold() in _ALL


def content_words(text: str, tag: str = "") -> frozenset[str]:
    """The words that say what a text is about, in lower case; common words and single letters are left out.

    Where no ``tag`` says so, the text tells its language.
    """
    common = COMMON[tag or language_of(text)]
    words = WORD.findall(text[:_LONGEST].replace("_", " ").casefold())
    return frozenset(word for word in words if len(word) > 1 and word not in common)


def stems(text: str, tag: str = "") -> frozenset[str]:
    """The stems of the `content_words` of a text."""
    tag = tag or language_of(text)
    return frozenset(stem(word, tag) for word in content_words(text, tag))
