"""Finds the dates and the times of day of a text, written in any of the usual ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from aeon.language.mention import Mention, mentioned
from aeon.language.readings import MONTHS, Read, stands_for
from aeon.patterns import pattern

__all__ = ["days", "read_days", "same_day", "times"]

_SIGN, _NAME = "\ue000", "\ue000++"
"""Stands for the name of a month: a text is looked through for those once, and not by each pattern."""
_MONTH = pattern(rf"(?<!\w)(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
_ALONE = {"May", "Mai"} | {one for m in MONTHS for one in (m.capitalize(), m) if len(one) > 3 + one.islower()}
"""Names as they may stand alone; in small letters shorter ones are often other words."""
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
_TO = r"(?:\s?[-–—]\s?|\s(?:to|till|until|through|bis(?: zum| einschließlich| einschl\.)?|hasta el|jusqu['’]au)\s)"
"""Between the first and the last day of several."""
_FIRST = rf"(?:\d{{1,2}}{_ORDINAL}{_TO}(?:the )?|(?<=du )\d{{1,2}}(?:er)?\sau\s|(?<=del )\d{{1,2}}\sal\s)"
_ENDING = r"(?:st|nd|rd|th)?"
_LAST = rf"{_ENDING}{_TO}\d{{1,2}}{_ENDING}(?!\.?\s?(?:of\s)?{_NAME}(?!\w))"
_WRITTEN = (
    (rf"{_FIRST}\d{{1,2}}{_ORDINAL}\s(?:of\s|de\s)?{_NAME}(?!\w)\.?,?\s(?:de\s)?\d{{4}}(?!\d)", ("ddmy",)),
    (rf"{_NAME}(?!\w)\.?\s\d{{1,2}}{_LAST},?\s\d{{4}}(?!\d)", ("mddy",)),
    (rf"\d{{1,2}}\.?{_TO}\d{{1,2}}\.\s?\d{{1,2}}\.\s?\d{{4}}(?!\d|\.\d)", ("ddmy",)),
    (rf"{_FIRST}\d{{1,2}}{_ORDINAL}\s(?:of\s|de\s)?{_NAME}(?!\w)", ("ddm",)),
    (rf"{_NAME}(?!\w)\.?\s\d{{1,2}}{_LAST}(?![\d.,:]\d|\d)(?!\s?(?:%|€|euro|[ap]\.?m\b))", ("mdd",)),
    (r"\d{4}([-/])\d{1,2}\1\d{1,2}(?![-\d])", ("ymd",)),
    (r"\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?!\d|\.\d)", ("dmy",)),
    (r"\d{1,2}([-/])\d{1,2}\1(?:\d{4}|\d{2})(?![-/\d])", ("dmy", "mdy")),
    (rf"\d{{1,2}}{_ORDINAL}\s(?:of\s|de\s)?{_NAME}(?!\w)\.?,?\s(?:de\s)?\d{{4}}(?!\d)", ("dmy",)),
    (rf"{_NAME}(?!\w)\.?\s\d{{1,2}}{_ORDINAL},?\s\d{{4}}(?!\d)", ("mdy",)),
    (rf"\d{{1,2}}{_ORDINAL}\s(?:of\s|de\s)?{_NAME}(?!\w)", ("dm",)),
    (rf"{_NAME}(?!\w)\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?![\d.,]\d|\d)(?!\s?(?:%|€|euro))", ("md",)),
    (rf"{_NAME}(?!\w)\.?,?\s\d{{4}}(?!\d)", ("my",)),
    (r"\d{4}-\d{2}(?![-\d])", ("ym",)),
    (rf"{_NAME}(?!\w)", ("m",)),
    (r"\d{4}[年년]\s?\d{1,2}[月월]\s?\d{1,2}[日일]", ("ymd",)),
    (r"\d{4}[年년]\s?\d{1,2}[月월](?!\s?\d{1,2}[日일])", ("ym",)),
    (r"\d{1,2}[月월]\s?\d{1,2}[日일]", ("md",)),
    (r"\d{1,2}[月월](?!\s?\d)", ("m",)),
    (r"(?:19|20)\d{2}[年년](?!\s?\d{1,2}[月월])", ("y",)),
)
_DATES = tuple((pattern(rf"(?<![\w.,/-]){text}"), forms) for text, forms in _WRITTEN)
_TIME = re.compile(
    r"(?<![\w.,:])(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?(?![:\d])|\d{1,2}\s?[ap]\.?m\b\.?"
    r"|\d{1,2}(?:[.:]\d{2})?\sUhr\b(?:\s\d{2}(?!\d))?)",
    re.IGNORECASE,
)
_ALSO_WORDS = re.compile(r"\b(?:may|mar|march)\b")
"""Month names that are also ordinary words where they are not capitalised."""
_THINGS = re.compile(r"\s(?!(?:across|as|does|has|is|plus|this|thus|unless|was)\b)[a-z]{2,}s\b")
_MONTH_BEFORE, _IS_DAY = re.compile(rf"{_SIGN}\.?\s$"), re.compile(r"(?!0000)\d{4}-(?!00)\d\d-(?!00)\d\d")
_AT = re.compile(r"\b(?:after|before|between|by|for|from|of|on|since|the|till|to|until)\s$", re.IGNORECASE)


def days(text: str, cell: bool = False) -> Iterator[Mention]:
    """The dates of a text; of two that overlap, the fuller one is first. A numeric one may have two readings.

    A month that begins a sentence may be another word; a ``cell`` begins none. Alone without a capital it is uncertain.
    """
    pieces = re.findall(r"(?s).{1,20000}\S*", text)  # while a pattern is at work no other thread gets on
    masked = "".join(_MONTH.sub(lambda name: _SIGN * len(name[0]), piece) for piece in pieces)
    for written, forms in _DATES if re.search(rf"{_SIGN}|\d[-./年년月월]", masked) else ():  # all have one of these
        for match in written.finditer(masked):
            said = text[match.start() : match.end()]
            if _is_other(text, match, said, forms, cell):
                continue
            if (mention := mentioned("date", match.start(), said, forms)) is not None:
                yield mention._replace(certain=forms != ("m",) or not said[0].isalpha() or said[0].isupper())


def read_days(value: str, year: int | None = None) -> frozenset[str]:
    """Each day, as ``2024-02-29``, that a value may be; a date without a year is of ``year``.

    There is none where the value is anything else than one date.
    """
    said = value.strip()
    if _IS_DAY.fullmatch(said):
        return frozenset(filter(_exists, [said]))
    read = {form.read.value for one in days(said, cell=True) if one.text == said for form in one.forms}
    placed = {f"{year:04}{one[4:]}" if year and one.startswith("0000-") else one for one in read}
    return frozenset(filter(_exists, placed))


def same_day(day: str, text: str) -> bool:
    """Whether a text names a day that is written as ``2024-02-29``, also without its year."""
    if not _IS_DAY.fullmatch(day):
        return False
    parts = _whole(text, lambda _, month, number: bool(month and number))
    return any(stands_for(Read(day), Read(part)) for part in parts)


def _whole(text: str, takes: Callable[[int, int, int], bool]) -> Iterator[str]:
    """The readings of the single dates of a text whose year, month and day (0 where it has none) are such."""
    end = 0
    for mention in sorted(days(text, cell=True), key=lambda one: (one.start, -one.end)):
        if mention.start < end:
            continue  # a part of a fuller one
        end = mention.end
        for form in mention.forms:
            if "/" not in form.read.value and takes(*map(int, form.read.value.split("-"))):
                yield form.read.value


def _exists(day: str) -> bool:
    """Whether a text is a day of the calendar."""
    if not _IS_DAY.fullmatch(day):
        return False
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True


def _is_other(text: str, match: re.Match[str], said: str, forms: tuple[str, ...], cell: bool) -> bool:
    """Whether what looks like a date is another word, or so many things."""
    if forms == ("m",) and said[:1].isalpha():
        begins = not cell and text[: match.start()].rstrip()[-1:] in ("", ".", "!", "?", ":")
        return begins or said not in _ALONE
    if forms[0].startswith("dd") and _MONTH_BEFORE.search(match.string, 0, match.start()):
        return True  # October 1 to 4 November
    without_year = "d" in forms[0] and "y" not in forms[0]
    return (without_year and bool(_ALSO_WORDS.search(said))) or _counts(text, match, said)


def _counts(text: str, day: re.Match[str], said: str) -> bool:
    """Whether what looks like a day is so many things of a month: 5 March tickets."""
    if re.fullmatch(r"\d+\s[A-Z]\w+", said) is None or not _THINGS.match(text, day.end()):
        return False
    return not _AT.search(text[max(0, day.start() - 9) : day.start()])


def times(text: str) -> Iterator[Mention]:
    """The times of day of a text."""
    for match in _TIME.finditer(text):
        mention = mentioned("time", match.start(), match[0].rstrip("."), ["time"])
        if mention is not None:
            yield mention
