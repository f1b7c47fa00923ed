"""Whether two short answers are the same one, as far as a host can tell: numbers, dates, choices, proper names.

What it cannot tell is for a model to say, never for the words that both share.
"""

from __future__ import annotations

import re

from aeon.documents.plain import word_set
from aeon.proof.alike import alike, numbers_of, without
from aeon.proof.readings import MONTHS, NUMBER_WORDS

__all__ = ["same"]

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_PLAIN = word_set("a an the of about approximately around it is are was were they there in all total answer")
_NOT = word_set("not no never none nobody nothing neither without cannot isn't aren't wasn't weren't don't")
_YES_NO = {"yes": "yes", "true": "yes", "correct": "yes", "no": "no", "false": "no", "incorrect": "no"}
_LETTER = re.compile(r"(?:option|answer|choice)?\s*\(?([A-H])\)?(?:[).:].*)?", re.IGNORECASE | re.DOTALL)
_LETTERED = re.compile(r"(?:^|[\s(])([A-H])[).:]\s", re.MULTILINE)
_COUNTED = re.compile(r"\d\s+([^\W\d_]{3,})")
"""The word behind a number, which says what it counts."""
_SHORT = 8
"""Words of an answer that is no sentence."""
_VALUE = 2
"""Words of one that is a bare value: a number and its unit."""
_NAME = re.compile(r"[^\W\d_a-z][\w'\u2019.-]*(?: (?:(?:of|the|de|van|von|der|di|da|and) )?[^\W\d_a-z][\w'\u2019.-]*)+")


def same(question: str, one: str, other: str) -> bool | None:
    """Whether both say the same; ``None`` where only a model can tell."""
    first, second = _words(one), _words(other)
    if first == second and first and not any(map(str.isdigit, one + other)):  # signs and points are no words
        return True
    short = _as_choice(question, one, other), _as_numbers(one, other), _as_names(one, other)
    for judged in (*short, _as_sentences(question, one, other)):
        if judged is not None:
            return judged
    return None


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _WORD.findall(text.casefold()) if word not in _PLAIN)


def _as_choice(question: str, one: str, other: str) -> bool | None:
    """Whether both choose the same of yes and no, or of what the question names or letters."""
    choices = _yes_or_no(one), _yes_or_no(other)
    if None not in choices:
        return choices[0] == choices[1]
    named = [_named(question, text) for text in (one, other)]
    if all(named):
        return named[0] == named[1]
    if len(set(_LETTERED.findall(question))) < 2:
        return None
    first, second = (_LETTER.fullmatch(text.strip()) for text in (one, other))
    return first[1].upper() == second[1].upper() if first and second else None


def _named(question: str, text: str) -> str:
    """The answer, if it is a capitalised word or more that the question itself names; else ""."""
    name = text.strip().rstrip(".")
    stands = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question) is not None
    return name if name[:1].isupper() and stands and len(name.split()) <= _SHORT else ""


def _yes_or_no(text: str) -> str | None:
    first = _WORD.match(text.strip())
    return _YES_NO.get(first[0].casefold()) if first else None


def _as_numbers(one: str, other: str) -> bool | None:
    """Whether both give the same numbers, if either is a value; ``None`` where units or words make it another one."""
    texts = [_in_digits(text) for text in (one, other)]
    valued = [bool(numbers_of(text)) for text in texts]
    if not any(valued) or not all(0 < len(_words(text)) <= _SHORT for text in texts):
        return None
    if not all(valued):
        value = texts[valued.index(True)]
        return False if len(_words(value)) <= _VALUE else None
    if _negates(one) != _negates(other):
        return None
    return _same_numbers(*texts)


def _same_numbers(one: str, other: str) -> bool | None:
    """Whether texts with numbers give the same ones: 2 hours and 120 minutes, or 5 km and 5 miles, are for a model."""
    first, second = _units(one), _units(other)
    if alike(numbers_of(one), numbers_of(other)) and _months(one) == _months(other):
        return None if len(first) == len(second) == 1 and first != second else True
    return False if first <= second or second <= first or _months(one) or _months(other) else None


def _as_sentences(question: str, one: str, other: str) -> bool | None:
    """That sentences are different which count the same thing, and give other numbers beside those of the question."""
    asked = numbers_of(question)
    first, second = (without(numbers_of(text), asked) for text in (one, other))
    counted = [set(_COUNTED.findall(text.casefold())) for text in (one, other)]
    return False if first and second and counted[0] & counted[1] and not alike(first, second) else None


def _in_digits(text: str) -> str:
    """A value with its number word as digits: twelve, or twelve eggs."""
    if len(_words(text)) > _VALUE:
        return text
    return _WORD.sub(lambda word: str(NUMBER_WORDS.get(word[0].casefold(), word[0])), text)


def _units(text: str) -> set[str]:
    """The words beside the numbers; a percent sign is one."""
    words = (*_words(text), *["percent"] * ("%" in text))
    return {word.removesuffix("s") for word in words if not any(map(str.isdigit, word))}


def _negates(text: str) -> bool:
    return not _NOT.isdisjoint(_WORD.findall(text.casefold().replace("\u2019", "'")))


def _months(text: str) -> set[int]:
    return {MONTHS[word] for word in _WORD.findall(text.casefold()) if word in MONTHS}


def _as_names(one: str, other: str) -> bool | None:
    """Whether both are the same proper name of several words; one of them may leave a part out."""
    names = [_NAME.fullmatch(text.strip()) is not None for text in (one, other)]
    first, second = set(_words(one)), set(_words(other))
    if not any(names) or min(len(first), len(second)) == 0:
        return None
    capital = all(text.strip()[:1].isupper() and len(_words(text)) <= _SHORT for text in (one, other))
    if capital and (first <= second or second <= first):
        return True
    return False if all(names) else None
