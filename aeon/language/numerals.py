"""Finds the numbers of a text, in any notation, with their signs, scales and units."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aeon.language.mention import Mention, mentioned
from aeon.language.readings import GERMAN_LARGE, GERMAN_WORDS, HAN, LARGE, SCALES, SPELT, UNITS, is_part
from aeon.patterns import pattern

__all__ = ["NUMBER", "UNIT", "han_numerals", "numerals", "spelt_numerals"]

_SPACE = "[   \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}]"
_SYMBOLS = sorted((re.escape(unit) for unit in UNITS if len(unit) < 3), key=len, reverse=True)
_WORDS = sorted((re.escape(unit).replace("\\ ", r"\s") for unit in UNITS if len(unit) > 2), key=len, reverse=True)
UNIT = rf"(?:(?:{'|'.join(_SYMBOLS)})|(?i:{'|'.join(_WORDS)}))(?!\w)"
"""How a unit is written behind a number."""
_CURRENCY = r"(?:US\$|[€$£¥]|(?:EUR|USD|GBP|CHF|JPY)(?=[\s\d]))"
_SCALE = rf"(?i:{'|'.join(sorted(SCALES, key=len, reverse=True))})\b\.?"
_DIGITS = (
    rf"(?:\d{{1,3}}(?:{_SPACE}\d{{3}})+(?!\d)(?:[.,٫]\d+)?|[.,]?\d+(?:[.,'’٬٫]\d+)*)"
    r"(?:[eE][-+]?\d{1,3}(?!\w))?"
)
_FRACTION = r"(?:(?:\d+\s)?\d+[/⁄]\d+(?![\d/])|(?:\d+\s?)?[¼-¾⅐-⅞])"
_BEGIN = r"(?<![\w.,])(?<![^\W\d_]-)"
_SIGNED = rf"(?:(?:(?<=[\s(:=|\[*])|(?<=^))[-+−–])?(?:{_CURRENCY}{_SPACE}?[-−]?)?"
NUMBER = pattern(
    rf"{_BEGIN}{_SIGNED}(?P<digits>(?P<fraction>{_FRACTION})|{_DIGITS})"
    rf"(?P<ordinal>(?:st|nd|rd|th)\b)?(?P<scale>{_SPACE}?{_SCALE})?(?P<unit>{_SPACE}?{UNIT})?",
    re.MULTILINE,
)
_WORD = pattern(
    rf"(?P<word>(?i:{LARGE}|{SPELT}|{GERMAN_LARGE}))"
    rf"(?P<scale>{_SPACE}{_SCALE})?(?P<unit>{_SPACE}{UNIT})?"
)
_HAN = pattern(rf"(?<![{HAN}\d])[{HAN}]{{2,30}}(?![{HAN}\d])")
_GERMAN = pattern(GERMAN_LARGE, re.IGNORECASE)
_NAME = re.compile(r"\s[A-Z][a-z]")
_MANY = re.compile(r"a (?:hundred|thousand)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")


def numerals(text: str, german: bool = False) -> Iterator[Mention]:
    """The numbers of a text in order: of digits in any script, fractions, and words, English ones above 99 too.

    What looks like a number and is none, such as a version or an address in a network, is a name.
    """
    for match in NUMBER.finditer(text):
        mention = _of_digits(match, text)
        if mention is not None:
            yield mention
    yield from spelt_numerals(text, german)


def spelt_numerals(text: str, german: bool = False) -> Iterator[Mention]:
    """The numbers of a text that are written in words, in German ones too if it is ``german``."""
    for match in _WORD.finditer(text):
        if _is_number(match, text, german) and (mention := mentioned("number", match.start(), match[0], ["word"])):
            yield mention


def han_numerals(text: str) -> Iterator[Mention]:
    """The numbers of a text that are written in Chinese signs; any of them may be a part of an ordinary word."""
    for match in _HAN.finditer(text):
        if mention := mentioned("number", match.start(), match[0], ["han"]):
            yield mention._replace(certain=False)


def _is_number(match: re.Match[str], text: str, german: bool) -> bool:
    """Whether a number word is of the text's language, and no part of a larger number or a name ("Forty Thieves").

    "A hundred" of no unit may be just many.
    """
    if _MANY.fullmatch(match["word"]) and not match["unit"]:
        return False
    if is_part(text, *match.span("word")):
        return False
    if german:
        return True
    named = match["word"][0].isupper() and _NAME.match(text, match.end("word")) is not None
    return not named and match["word"].casefold() not in GERMAN_WORDS and not _GERMAN.fullmatch(match["word"])


def _of_digits(match: re.Match[str], text: str) -> Mention | None:
    if match["digits"] == "24/7":
        return None
    following = text[match.end() : match.end() + 1]
    glued = following.isalnum() or following == "_"
    if not glued:
        forms = ("fraction",) if match["fraction"] else ("point", "comma")
        if _YEAR.fullmatch(match[0]):
            forms = (*forms, "y")
        for end in (match.end(), match.end("scale"), match.end("digits")):
            if end > 0 and (mention := mentioned("number", match.start(), text[match.start() : end], forms)):
                return mention
    literal = re.compile(r"[\w.,/:-]*\w").match(text, match.start("digits"))
    return mentioned("name", match.start("digits"), literal[0], ["text"]) if literal else None
