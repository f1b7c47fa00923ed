"""The words of a text that research compares: without those that stand in any text, in any question or any sum."""

from __future__ import annotations

from importlib import resources

from aeon.language import words
from aeon.language.words import language_of, stem

__all__ = ["content_words", "is_common", "stems"]

_COMMON = frozenset(resources.files(__package__).joinpath("common_words.txt").read_text("utf-8").split())


def is_common(word: str) -> bool:
    """Whether a word is one of those that stand in any text."""
    return word.casefold() in _COMMON or words.is_common(word)


def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, in lower case."""
    return words.content_words(text) - _COMMON


def stems(text: str) -> frozenset[str]:
    """The stems of the `content_words` of a text."""
    tag = language_of(text)
    return frozenset(stem(word, tag) for word in content_words(text))
