"""What the scorer of the everyday benchmark reads in other languages than English.

Days with the months of other languages or the signs of Chinese ones, number words, and names in a script that puts no
spaces between words. How dates, units and scales are written is asked of the project's own ``aeon.language``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal

from aeon.language.dates import days
from aeon.language.literals import is_german
from aeon.language.mention import Mention
from aeon.language.readings import GERMAN_WORDS, SCALES, ends, spelt
from aeon.language.unspaced import DATE_SIGNS, spaced

__all__ = ["Day", "figured", "in_words", "other_days", "places"]

Day = tuple[int | None, int, int]
"""Year, if it was given, month and day."""

_DIGITS = "零〇一二三四五六七八九两兩"
_LETTERS = _DIGITS + "十百"
_SCALES = "".join(scale for scale in SCALES if len(scale) == 1)
_VALUES = {letter: int(unicodedata.numeric("兩" if letter == "两" else letter)) for letter in _LETTERS} | {
    scale: 10 ** SCALES[scale] for scale in _SCALES
}
"""What each letter that writes a number is worth."""
_FIGURES = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_PART = re.compile(rf"{_FIGURES}|[{_LETTERS}{_SCALES}]")
_RUN = re.compile(
    rf"(?<![\d.,几幾数數{_LETTERS}{_SCALES}])第?(?:{_PART.pattern})+(?:(?<=[{_LETTERS}])[点點](?P<rest>[{_DIGITS}]+)(?![十百千刻]))?"
)
"""A number of letters or figures, with its decimals; behind 第 it is an ordinal, and 几十 is no certain number."""
_MEASURES = (
    "[个個位名人只隻件本张張条條块塊元円角枚瓶杯壶壺盒袋包箱桶碗盘盤斤克吨噸米升次回趟遍天日周週年岁歲点點号號节節场場"
    "间間桌套份把支枝台辆輛棵匹头頭双雙对對层層页頁种種类類项項户戶家组組班艘座]|分[钟鐘]|公[斤里升克]|小[时時]|毫[升米]"
)
"""What stands behind a number of one letter; without it, that letter is mostly a part of another word."""
_LONE = rf"(?<![\d第几幾数數周週期拜之{_LETTERS}{_SCALES}])([{_DIGITS}十])(?![\d{_LETTERS}{_SCALES}])"
_ALONE = rf"(?<!\w)([{_DIGITS}十])(?!\w)|(?<=百分之)([{_DIGITS}十])(?![{_LETTERS}{_SCALES}])"
_COUNTED = re.compile(r"[几幾](\w)")
_AMOUNT = rf"(?:\d+|[{_LETTERS}]+)"
_CALENDAR = re.compile(rf"(?:({_AMOUNT})年\s?)?({_AMOUNT})月(?:\s?({_AMOUNT})[日号號])?")
_FIRST = re.compile(r"(?<=\b1)\.?[º°](?= de )")
"""How Spanish writes the first of a month, which the project reads with a full stop."""
_CERTAIN = re.compile(r"[^\W\d]|\d{4}")
"""A date of figures alone whose year has but two, as 3-4-12, may be no date."""


def other_days(text: str) -> tuple[list[set[Day]], str]:
    """The days of a text as the project reads them, each in all ways, and the text without them.

    Of several (1. bis 4. Mai) they are the first and the last.
    """
    text = text if text.isascii() else _CALENDAR.sub(_signed, _FIRST.sub(".", text))
    found: list[set[Day]] = []
    kept, end = "", 0
    for mention in sorted(days(spaced(text, DATE_SIGNS), cell=True), key=lambda one: (one.start, -one.end)):
        if mention.start >= end and (read := _read(mention)):
            found.extend(read)
            kept, end = f"{kept}{text[end : mention.start]} , ", mention.end
    return found, kept + text[end:]


def _read(mention: Mention) -> list[set[Day]]:
    """The days that a date names; none where it lacks its month or day, or a month before a number may be just that."""
    in_order = "y" in mention.forms[0].form or mention.text[0].isdigit()
    if not (in_order and _CERTAIN.search(mention.text)):
        return []
    read = [[_day(end.value) for end in ends(form.read)] for form in mention.forms]
    return [set(ways) for ways in zip(*read, strict=True)] if all(map(_are_whole, read)) else []


def _are_whole(read: Sequence[Day]) -> bool:
    """Whether each has its month and its day."""
    return all(month and day for _, month, day in read)


def _day(value: str) -> Day:
    year, month, day = map(int, value.split("-"))
    return year or None, month, day


def _signed(match: re.Match[str]) -> str:
    """A date of Chinese letters with figures before its signs: 十月十八号 is 10月18日."""
    year, month, day = (one and _number(_PART.findall(one)) for one in match.groups())
    if None in (month, *(read for one, read in zip(match.groups(), (year, month, day), strict=True) if one)):
        return match[0]
    return (f"{year}年" if year else "") + f"{month}月" + (f"{day}日" if day else "")


def figured(text: str, words: bool = False) -> str:
    """The text with figures in place of such numbers as 3万5千, and with signs for letters that end a number.

    With ``words``, also in place of those of several letters, as 一千二百八十. There are no ordinals in it (第3).
    """

    def read(match: re.Match[str]) -> str:
        parts = _PART.findall(match[0].partition("点")[0].partition("點")[0])
        if match[0][0] == "第":
            return "|"
        single = len(parts) == 1 and not match["rest"]
        number = _number(parts) if not single and (words or match[0][0].isdigit()) else None
        decimals = "." + "".join(str(_VALUES[letter]) for letter in match["rest"]) if match["rest"] else ""
        return match[0] if number is None else f"|{number:f}{decimals}|"

    return text if text.isascii() else spaced(_RUN.sub(read, text))


def _number(parts: Sequence[str]) -> Decimal | None:
    """The number that letters and figures make, digit after digit or by tens, hundreds and so on."""
    if len(parts) > 2 and all(part in _DIGITS for part in parts):
        return Decimal("".join(str(_VALUES[part]) for part in parts))
    return _by_scale(parts)


def _by_scale(parts: Sequence[str]) -> Decimal | None:
    """What stands before the largest scale is multiplied by it; 一千二 is 1200, and 一千零二 is 1002."""
    top = max((value for part in parts if (value := _VALUES.get(part, 0)) >= 10), default=0)
    if not top:
        return _below_ten(parts)
    place = next(i for i, part in enumerate(parts) if _VALUES.get(part) == top)
    count, rest = _how_many(parts[:place], top), _what_is_left(parts[place + 1 :], top)
    return None if count is None or rest is None else count * top + rest


def _how_many(before: Sequence[str], top: int) -> Decimal | None:
    """How many of a scale there are: 十 alone is one ten, 百 alone is no number."""
    if before:
        return _by_scale(before)
    return Decimal(1) if top == 10 else None


def _what_is_left(behind: Sequence[str], top: int) -> Decimal | None:
    """What stands behind a scale; a single digit behind hundreds and more is so many of the next scale."""
    rest = _by_scale(behind) if behind else Decimal(0)
    if rest is None or rest >= top:
        return None
    return rest * top / 10 if len(behind) == 1 and rest < 10 and top >= 100 else rest


def _below_ten(parts: Sequence[str]) -> Decimal | None:
    """One digit, or figures, also behind a zero; 三四, three or four, is no number."""
    last = parts[-1]
    if len(parts) > 1 and any(part not in "零〇" for part in parts[:-1]):
        return None
    return Decimal(_VALUES[last] if last in _VALUES else last.replace(",", ""))


def in_words(text: str, question: str) -> list[Decimal]:
    """The numbers that German words say, where these are German, and single Chinese letters before measure words.

    What the question counts (几位) is a measure word too.
    """
    found: list[Decimal] = []
    if not text.isascii():
        counted = "|".join(map(re.escape, _COUNTED.findall(question)))
        lone = re.compile(f"{_ALONE}|{_LONE}(?={_MEASURES}{'|' * bool(counted)}{counted})")
        found = [Decimal(_VALUES[next(filter(None, match.groups()))]) for match in lone.finditer(text)]
    if is_german(f"{question} {text}"):
        found += [Decimal(number) for word, number in spelt(text) if word in GERMAN_WORDS]
    return found


def places(text: str, name: str, exactly: bool = False) -> Iterator[tuple[int, int]]:
    """Where a text has a name that is no part of a longer word; letters of scripts without spaces end none."""
    letters = spaced(text)
    for match in re.finditer(f"(?=({re.escape(name)}))", text, 0 if exactly else re.IGNORECASE):
        start, end = match.span(1)
        if not re.search(r"\w", letters[max(0, start - 1) : start] + letters[end : end + 1]):
            yield start, end
