"""What a question asks for, as far as its words show it, and whether an answer can be that."""

from __future__ import annotations

import re

__all__ = ["asks_yes_no", "is_of_kind"]

_I = re.IGNORECASE
_AUXILIARY = r"(?:is|are|am|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had)(?:n't)?"
_YES_NO = re.compile(
    rf"{_AUXILIARY}\s+"
    r"(?!you (?:tell|know|say|explain|give|show|find|list|write|name)\b)"
    r"(?![^?.!]*\b(?:or|what|who|whom|whose|which|how)\b)[^?.!]+\?\s*",
    _I,
)
_LED_IN = re.compile(
    r"(?!\W*(?:what|who|whom|whose|which|how|when|where|why)\b)[^?]*[.,;:!\u2013-]\s+(?:(?:and|so|then|but)\s+)?"
    rf"(?={_AUXILIARY}\s+(?:I|we|he|she|they|it|you|there|my|our|his|her|their|the|this|that)\b)",
    _I,
)
"""What somebody says before the question: "My son has new boots, may he wear them?"."""
_DIGIT = re.compile(r"\d")
_SO_MUCH = re.compile(
    r"\d|\b(?:free|nothing|none|no one|nobody|half|double|once|twice|no charge|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|"
    r"hundred|thousand)\b",
    _I,
)
_UNIT = re.compile(
    r"\d\s*(euros?\b|€|dollars?\b|\$|pounds?\b|£|per ?cent\b|%|minutes?\b|hours?\b|days?\b|weeks?\b|months?\b|years?\b|"
    r"k[gm]\b|met(?:re|er)s?\b|lit(?:re|er)s?\b|grams?\b)",
    _I,
)
_COUNTED = re.compile(r"\bhow many (?:more |fewer |other |different )?(?!of\b)([^\W\d_]+)", _I)
_MEASURES = frozenset({"kilometre", "kilometer", "kilogram", "kilo", "metre", "meter", "litre", "liter", "gram"})
"""Nouns of measures that a unit may stand for in short."""
_A_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HOW_LONG = re.compile(r"\bhow long\b(?! ago| ha(?:s|ve)\b)", _I)
_CLOCK = re.compile(r"\D*\d{1,2}[:.]\d\d(?:\s*[ap]\.?m\.?)?\W*", _I)
_NO_MONEY = re.compile(r"\W*(?:when|where|who|whose|how (?:old|far|late|early|long|tall|heavy|wide|deep))\b", _I)
_PRICE = re.compile(r"\W*(?:(?:€|\$|£)\s*\d|\d[\d.,]*\s*(?:euros?\b|€|dollars?\b|pounds?\b(?! of)|\$|£))", _I)
_TIME_OF_DAY = re.compile(
    r"(?<![-\d])\d{1,2}[:.]\d\d(?![-\d])|(?<![-\d])\d{1,2}\s*(?:[ap]\.?m\b|h\b|uhr\b|o'clock)|"
    r"\b(?:noon|midnight|closed|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half)\b",
    _I,
)
_KINDS = (
    (re.compile(r"\bhow (?:many|much)\b|\bpercentage\b", _I), _SO_MUCH),
    (
        re.compile(r"^\W*(?:who|whose|whom)\b", _I),
        re.compile(
            r"\bno one\b|\b(?!(?:yes|no|none|true|false|once|twice|times?|one|two|three|four|five|six|seven|eight|nine|"
            r"ten|eleven|twelve)\b)[^\W\d_]",
            _I,
        ),
    ),
    (
        re.compile(r"^\W*(?:where|when|why)\b", _I),
        re.compile(r"\b(?!(?:yes|no|none|true|false)\b)\w", _I),
    ),
    (re.compile(r"\b(?:which|what) year\b", _I), re.compile(r"(?<!\d)\d{3,4}(?!\d)")),
    (
        re.compile(
            r"\bopening (?:hours|times?)\b|\bwhat time\b(?! of (?:the )?(?:year|month|week)\b)|\bat what hour\b|"
            r"\bhow (?:late|early) (?!is)",
            _I,
        ),
        _TIME_OF_DAY,
    ),
    (
        re.compile(r"\b(?:which|what) date\b", _I),
        re.compile(
            r"\b(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|mon|tue|wed|thu|fri|sat|sun)|"
            r"\d[./-]\d|\d(?:st|nd|rd|th)\b|\b(?:today|tomorrow|yesterday|christmas|easter|new year)",
            _I,
        ),
    ),
    (
        re.compile(
            r"\b(?:which|what) (?:[^\W\d_]+ )?(?:city|town|village|country|island)"
            r"(?=\s*[?,]|\s+(?:is|was|are|were|did|does|do|has|had|of|in|that|where|which|the)\b)",
            _I,
        ),
        re.compile(r"\A(?!.*\b(?:university|college|institute|school|museum|hospital|company|street)\W*$)", _I),
    ),
    (re.compile(r"\b(?:phone|telephone|mobile|fax) number\b", _I), re.compile(r"(?:\d[^\w\n]*){3}")),
    (re.compile(r"\b(?:account|customer|order|policy) number\b", _I), _DIGIT),
    (re.compile(r"\be-?mail(?: address)?\b", _I), re.compile(r"\S@\S")),
    (re.compile(r"^\W*(?:what is|what's|what was) the name of\b", _I), re.compile(r"[^\W\d_]{2}")),
    (re.compile(r"\b(?:website|web address|web page|homepage|url)\b", _I), re.compile(r"\w\.\w{2,}")),
)
_SEVERAL = re.compile(r"\band (?:who|whom|whose|what|which|where|when|how)\b", _I)


def is_of_kind(question: str, answer: str) -> bool:
    """Whether an answer can be what a question asks for: a number for a quantity, an address for an address.

    Neither a time of day nor a day says how long something takes, and no euros say how many books there are, or how
    old one is.

    Questions that ask for several things, or for what cannot be told by its look, take any answer.
    """
    if _SEVERAL.search(question):
        return True
    if _HOW_LONG.search(question) and (_CLOCK.fullmatch(answer) or _A_DAY.fullmatch(answer)):
        return False
    if _NO_MONEY.match(question) and _PRICE.match(answer):
        return False
    return _counts(question, answer) and all(look.search(answer) for asked, look in _KINDS if asked.search(question))


def _counts(question: str, answer: str) -> bool:
    """Whether an answer in a unit counts what is asked for: no euros, where it is how many books."""
    wanted, units = _COUNTED.search(question), [unit.casefold() for unit in _UNIT.findall(answer)]
    if wanted is None or not units:
        return True
    noun = wanted[1].casefold().removesuffix("s")
    return any(unit.removesuffix("s") == noun for unit in units) or noun in _MEASURES


def asks_yes_no(question: str) -> bool:
    """Whether a question is one of yes or no: it begins with its verb, and leaves no choice of two things.

    Something may be told before it.
    """
    asked = question.strip()
    led_in = _LED_IN.match(asked)
    return _YES_NO.fullmatch(asked, led_in.end() if led_in else 0) is not None
