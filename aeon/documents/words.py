"""The words of a question that say what it is about."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection
from importlib import resources

from aeon.documents.plain import word_set

__all__ = ["content_words", "is_common", "special_kinds", "stem", "stems", "without_modal"]

_WORD = re.compile(r"\w+")
_LONGEST = 20_000_000
_LEAST = 4  # letters of a word that may lose an ending
_IRREGULAR = {"paid": "pay", "payment": "pay", "payments": "pay", "payed": "pay", "sold": "sell", "bought": "buy"}

# Words of questions and of quantities: they stand in any text and name nothing that a file is about.
_COMMON = frozenset(resources.files("aeon.documents").joinpath("common_words.txt").read_text("utf-8").split())
_OF_MONTHS = ("in", "of", "by", "to", "from", "and", "this", "last", "next", "since", "until")
_MONTH_BEHIND = "".join(rf"(?<!\b{word} )" for word in _OF_MONTHS)
_MAY = re.compile(
    rf"{_MONTH_BEHIND}\bmay\b(?!\s*\d)"
    r"|(?:^|(?<=[.!?:] ))May(?=\s+(?:I|we|you|he|she|it|they|one|my|our|your|his|her|its|their|the|an?|any|some)\b)"
)
_BEFORE_NOUNS = word_set("a an the our your their its his her of for per in on with any is are many much")


def stem(word: str) -> str:
    """The word in lower case and without a plain ending, so that ``orders``, ``ordered`` and ``order`` are one."""
    word = _IRREGULAR.get(word.casefold(), word.casefold())
    if word.isdigit() or len(word) <= _LEAST:
        return word.removesuffix("s") if len(word) == _LEAST and not word.endswith("ss") else word
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and not (ending == "s" and word.endswith(("ss", "us", "is"))):
            word = word[: -len(ending)] + kept
            break
    return word.removesuffix("e") if len(word) > _LEAST else word


def is_common(word: str) -> bool:
    """Whether a word is one of those that stand in any text."""
    return word.casefold() in _COMMON


def without_modal(text: str) -> str:
    """The text without the word "may" where it is no month: "May I", "where may my dog"."""
    return _MAY.sub(" ", text)


def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, in lower case; common words and single letters are left out."""
    words = _WORD.findall(text[:_LONGEST].replace("_", " ").casefold())
    return frozenset(word for word in words if len(word) > 1 and word not in _COMMON)


def special_kinds(question: str, unknown: Collection[str], sentence: str) -> tuple[str, ...]:
    """What a question asks for and a sentence has only in general: ``parental leave``, where it speaks of leave.

    ``unknown`` are the words of the question that stand nowhere; one of them right before a word of the sentence makes
    a special kind of it, where a noun may stand: ``who approves leave`` asks for no kind of leave, and where a tap
    drips, says the sentence, dripping is no kind of thing, though the question puts another word before it.
    """
    words, there = ["", *_WORD.findall(question[:_LONGEST].casefold())], stems(sentence)
    asked = frozenset(map(stem, words)) & stems(question)
    said = [stem(word) for word in _WORD.findall(sentence[:_LONGEST].casefold())]
    there -= {other for one, other in itertools.pairwise(said) if one in asked}
    return tuple(
        f"{one} {other}"
        for before, one, other in zip(words, words[1:], words[2:], strict=False)
        if (not before or before in _BEFORE_NOUNS) and one in unknown and stem(other) in there
    )


def stems(text: str) -> frozenset[str]:
    """The stems of the `content_words` of a text."""
    return frozenset(map(stem, content_words(text)))
