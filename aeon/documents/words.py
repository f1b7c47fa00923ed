"""The words of a question that say what it is about."""

from __future__ import annotations

import re
from importlib import resources

from aeon.documents.plain import word_set

__all__ = ["content_words", "is_common", "stem", "stems", "without_modal"]

_WORD = re.compile(r"\w+")
_LONGEST = 20_000_000
_LEAST = 4  # letters of a word that may lose an ending
_FORMS = (
    "pay paid payed payment payments|sell sold|buy bought|take took taken|give gave given|bring brought|"
    "come came|go goes went gone|hold held|begin began begun|lend lent|lose lost|win won|meet met|spend spent|"
    "send sent|build built|teach taught|choose chose chosen|break broke broken|steal stole stolen|eat ate eaten|"
    "sleep slept|sing sang sung|swim swam swum|run ran|grow grew grown|know knew known|throw threw thrown|"
    "fly flew flown|draw drew drawn|wear wore worn|tear tore torn|make made|say said|tell told|feed fed|lead led|"
    "hear heard|stand stood|deal dealt|mean meant|keep kept|write wrote written|speak spoke spoken|"
    "drive drove driven|ride rode ridden|catch caught|fall fell fallen|get got gotten|think thought|see saw seen|"
    "sweep swept|hang hung|hide hid hidden|ring rang rung|use used|owe owed owing|age aged|tie tied tying|"
    "die died dying|child children|people person|man men|woman women|knife knives|shelf shelves|loaf loaves|"
    "foot feet|tooth teeth|mouse mice|goose geese"
)
"""Verbs and nouns, each before its forms that no ending tells."""
_IRREGULAR = {form: forms.split()[0] for forms in _FORMS.split("|") for form in forms.split()[1:]}
_VOWELS = frozenset("aeiouy")
_ENDING = re.compile(r"(?:ies|sses|ings|ing|ed|es|(?<![sui])s)$")
_KEPT = {"ies": "y", "sses": "ss", "es": "e"}
_OF_VERBS = frozenset({"ing", "ings", "ed"})

# Words of questions and of quantities: they stand in any text and name nothing that a file is about.
_COMMON = frozenset(resources.files("aeon.documents").joinpath("common_words.txt").read_text("utf-8").split())
_OF_MONTHS = ("in", "of", "by", "to", "from", "and", "this", "last", "next", "since", "until")
_MONTH_BEHIND = "".join(rf"(?<!\b{word} )" for word in _OF_MONTHS)
_MAY = re.compile(
    rf"{_MONTH_BEHIND}\bmay\b(?!\s*\d)"
    r"|(?:^|(?<=[.!?:] ))May(?=\s+(?:I|we|you|he|she|it|they|one|my|our|your|his|her|its|their|the|an?|any|some)\b)"
    r"|^May(?=\s+[^\W\d_]+\s+[^\W\d_][^?]*\?\s*$)"
)
_BEFORE_NOUNS = word_set("a an the our your their its his her of for per in on with any is are many much")


def stem(word: str) -> str:
    """The word in lower case and without a plain ending, so that ``orders``, ``ordered`` and ``order`` are one.

    So are ``take``, ``taking`` and ``took``, or ``plan`` and ``planned``.
    """
    word = _IRREGULAR.get(word.casefold(), word.casefold())
    if word.isdigit() or len(word) <= _LEAST:
        return word.removesuffix("s") if len(word) == _LEAST and not word.endswith("ss") else word
    found = _ENDING.search(word)
    if found is not None:
        ending, rest = found[0], word[: found.start()]
        word = _whole(rest, word) if ending in _OF_VERBS else rest + _KEPT.get(ending, "")
    return word.removesuffix("e") if len(word) > _LEAST else word


def _whole(verb: str, word: str) -> str:
    """A verb that lost its ending with the e or without the second consonant that it had for it: taking, planned.

    What is left without a vowel was none, as of ``string``: then it is the word as it was.
    """
    if _VOWELS.isdisjoint(verb):
        return word.removesuffix("s")
    *_, before, last = "  ", *verb
    if len(verb) > _LEAST - 1:
        return verb[:-1] if last == before and last not in "aeiouylsz" else verb
    is_short = before in _VOWELS and verb[0] not in _VOWELS if len(verb) == _LEAST - 1 else before != " "
    return f"{verb}e" if is_short and last not in "aeiouwxy" else verb


def is_common(word: str) -> bool:
    """Whether a word is one of those that stand in any text."""
    return word.casefold() in _COMMON


def without_modal(text: str) -> str:
    """The text without the word "may" where it is no month: "May I", "where may my dog", "May bands play?"."""
    return _MAY.sub(" ", text)


def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, in lower case; common words and single letters are left out."""
    words = _WORD.findall(text[:_LONGEST].replace("_", " ").casefold())
    return frozenset(word for word in words if len(word) > 1 and word not in _COMMON)


def stems(text: str) -> frozenset[str]:
    """The stems of the `content_words` of a text."""
    return frozenset(map(stem, content_words(text)))
