"""How a text is read as a value: numbers in any notation, units, dates, clock times. Standard library alone.

The host records how it read a text, and the verifier reads it again by these same lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from aeon.language.data import table
from aeon.patterns import pattern

__all__ = [
    "GERMAN_LARGE", "GERMAN_WORDS", "HAN", "LARGE", "MONTHS", "NUMBER_WORDS", "NUMERAL", "SCALES", "SPELT", "UNITS",
    "Read", "ends", "exact", "factor", "folded", "is_part", "read", "rounded", "spelt", "stands_for", "unit_of",
]  # fmt: skip

_OF_UNITS = table("units.toml")
_ROWS = [row.split(" ") for row in _OF_UNITS["units"].strip().split("\n")]
UNITS = {word.replace("_", " "): row[1] for row in _ROWS for word in row[3:]}
"""How units are written: symbols as they stand, words folded."""
_UNIT_WORDS = {word.casefold(): unit for word, unit in UNITS.items() if len(word) > 2}
_FACTORS = {(row[0], row[1]): Fraction(row[2]) for row in _ROWS} | {("share", ""): Fraction(1)}
SCALES = {word: int(row.split()[0]) for row in _OF_UNITS["scales"].strip().split("\n") for word in row.split()[1:]}
_ENGLISH = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
_TENS = (" seventeen eighteen nineteen twenty", " siebzehn achtzehn neunzehn zwanzig")
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_ZEHNER = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"


def _number_words(small: str, first: str, decades: str, compound: str) -> dict[str, int]:
    """The numbers up to 99 in words; ``compound`` says how one above twenty is written, and ``first`` the one in it."""
    ones = {word: n for n, word in enumerate(small.split()) if word != "-"}
    tens = {word: 10 * n for n, word in enumerate(decades.split(), 2)}
    units = {first: 1} | {word: n for word, n in ones.items() if 1 < n < 10}
    both = {compound.format(one=one, ten=ten): tens[ten] + units[one] for ten in tens for one in units}
    return ones | tens | both


_IN_GERMAN = _number_words(_GERMAN + _TENS[1], "ein", _ZEHNER, "{one}und{ten}")
GERMAN_WORDS = _IN_GERMAN | {word.casefold(): n for word, n in _IN_GERMAN.items()}
"""The numbers up to 99 in German words, also as they are without an ß."""
NUMBER_WORDS = _number_words(_ENGLISH + _TENS[0], "one", _DECADES, "{ten}-{one}") | GERMAN_WORDS
"""The numbers up to 99 in words, but for "one", which is more often none."""
_UNITS = "two|three|four|five|six|seven|eight|nine"
_EINER = "zwei|drei|vier|fünf|sechs|sieben|acht|neun"
_GERMAN_SMALL = f"zehn|elf|zwölf|(?:drei|vier|fünf|sech|sieb|acht|neun)zehn|eins|{_EINER}"
SPELT = (
    rf"(?<![\w\u2010\u2011-])(?:(?:{_DECADES.replace(' ', '|')})(?:-(?:one|{_UNITS}))?|{_UNITS}|"
    rf"(?:(?:ein|{_EINER})und)?(?:{_ZEHNER.replace(' ', '|')}|dreissig)|{_EINER}|"
    r"zero|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|null|eins|zehn|elf|zwölf|(?:drei|vier|fünf|sech|"
    r"sieb|acht|neun)zehn)(?![\w\u2010\u2011-])"
)
"""How a number word up to 99 is written, as a whole."""
_BELOW = (
    rf"(?:(?:{_DECADES.replace(' ', '|')})(?:[-\s](?:one|{_UNITS}))?|ten|eleven|twelve|"
    rf"(?:thir|four|fif|six|seven|eigh|nine)teen|one|{_UNITS})"
)
_HUNDREDS = rf"(?:a|{_BELOW})\shundred(?:\s(?:and\s)?{_BELOW})?"
LARGE = (
    rf"(?<![\w\u2010\u2011-])(?:(?:{_HUNDREDS}|{_BELOW}|a)\sthousand(?:,?\s(?:and\s)?(?:{_HUNDREDS}|{_BELOW}))?|"
    rf"{_HUNDREDS})(?![\w\u2010\u2011-])"
)
"""How a larger number is written in English words, as "a hundred and fifty" or "twelve thousand four hundred"."""
_LARGE = pattern(LARGE, re.IGNORECASE)
_UP_TO_99 = rf"(?:(?:(?:ein|{_EINER})und)?(?:{_ZEHNER.replace(' ', '|')}|dreissig)|{_GERMAN_SMALL}|ein)"
_HUNDERTE = rf"{_UP_TO_99}?hundert(?:und)?{_UP_TO_99}?"
GERMAN_LARGE = (
    rf"(?<![\w\u2010\u2011-])(?!(?:hundert|tausend)(?!\w))"
    rf"(?:(?:{_HUNDERTE}|{_UP_TO_99})?tausend(?:und)?(?:{_HUNDERTE}|{_UP_TO_99})?|{_HUNDERTE})(?![\w\u2010\u2011-])"
)
"""How a larger number is written in German words, as "hundertfünfzig" or "zweitausenddreihundert"."""
_GERMAN_LARGE = pattern(GERMAN_LARGE, re.IGNORECASE)
_SPELT = pattern(f"{LARGE}|{SPELT}|{GERMAN_LARGE}", re.IGNORECASE)
_GOES_BEFORE = pattern(rf"(?:(?:{SPELT}|\bone)[\s-]|\b(?:hundred|thousand)[\s-](?:and\s)?)$", re.IGNORECASE)
_GOES_BEHIND = pattern(rf"[\s-](?:{SPELT}|(?:one|hundred)\b(?!-))", re.IGNORECASE)
_LONGEST_WORD = 30


def spelt(text: str) -> Iterator[tuple[str, int]]:
    """The number words of a text, each with its number; none that is a part of a larger number."""
    for match in _SPELT.finditer(text):
        if not is_part(text, *match.span()):
            yield match[0].casefold(), _spelt_out(match[0])


def _spelt_out(words: str) -> int:
    """The number that these words are.

    Raises:
        KeyError: they are none.
    """
    if _GERMAN_LARGE.fullmatch(words):
        return _in_german(words.casefold().replace("dreissig", "dreißig"))
    if not _LARGE.fullmatch(words):
        return NUMBER_WORDS[words.casefold()]
    thousands = number = 0
    for word in re.findall(r"[a-z]+", words.casefold()):
        if word == "thousand":
            thousands, number = max(number, 1) * 1000, 0
        elif word == "hundred":
            number = max(number, 1) * 100
        elif word not in ("a", "and"):
            number += 1 if word == "one" else NUMBER_WORDS[word]
    return thousands + number


def _in_german(word: str) -> int:
    """The number that a German word is which has hundreds or thousands."""
    for scale, power in (("tausend", 1000), ("hundert", 100)):
        before, found, after = word.partition(scale)
        if found:
            return (_in_german(before) if before else 1) * power + _in_german(after.removeprefix("und"))
    return 1 if word == "ein" else GERMAN_WORDS[word] if word else 0


HAN = "〇零一二两兩三四五六七八九十百千万萬亿億"
"""The signs of Chinese numbers in words; a number has at least two of them."""
_HAN_DIGITS = {sign: n for n, signs in enumerate(("〇零", "一", "二两兩", *"三四五六七八九")) for sign in signs}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN = re.compile(f"[{HAN}]{{2,30}}")


def _of_han(match: re.Match[str]) -> tuple[Fraction, None]:
    """The number that Chinese signs are: 三十五, 二〇二五; 三百五 may be 305 or 350, so it is none."""
    signs = match[0]
    if not _HAN_SCALES.keys() & {*signs}:
        return Fraction("".join(str(_HAN_DIGITS[sign]) for sign in signs)), None
    if signs[-1] in _HAN_DIGITS and signs[-2] not in "零〇十":
        raise ValueError(f"{signs!r} is no number, or two")
    total = section = digit = last = 0
    for sign in signs:
        scale = _HAN_SCALES.get(sign, 0)
        if scale >= 10**4:
            part = section + digit
            total = (total + part) * scale if scale > last else total + part * scale
            section, digit, last = 0, 0, scale
        elif scale:
            section, digit = section + (digit or 1) * scale, 0
        else:
            digit = _HAN_DIGITS[sign]
    return Fraction(total + section + digit), None


def is_part(text: str, start: int, end: int) -> bool:
    """Whether a number word is a part of a larger number, as in "a hundred and fifty" or "seven thirty"."""
    before = _GOES_BEFORE.search(text[max(0, start - _LONGEST_WORD) : start])
    return before is not None or _GOES_BEHIND.match(text, end) is not None


_NAMES = reversed(table("months.toml").values())
MONTHS = {name: n for names in _NAMES for n, own in enumerate(names.split("|"), 1) for name in own.split()}
"""The names of the months in lower case; those of the first languages of the table go before the others."""
_MONTH = pattern(rf"\d+|(?<!\w)(?:{'|'.join(sorted(map(re.escape, MONTHS), key=len, reverse=True))})(?!\w)")
NUMERAL = r"(?:(?<![\w.,])[.,٫])?\d(?:[\d.,'’٬٫_\s]*\d)?(?:[eE][-+]?\d{1,3}(?!\w))?"
"""How a number may be written with digits."""
_NUMERAL, _WORD = re.compile(NUMERAL), re.compile(r"[^\W\d]+(?:-[^\W\d]+)*")
_WORDS = pattern(f"{LARGE}|{_WORD.pattern}", re.IGNORECASE)
_PART = re.compile(r"(?:(\d+)\s+)?(\d+)\s*/\s*(\d+)")
_GROUPED = re.compile(r"\d*|\d{1,3}(?P<mark>[.,'’٬_\s])(?:\d{2,3}(?P=mark))*\d{3}")
_QUOTES, _MINUS = "\"'“”„‟«»‘’‚ ", str.maketrans({"−": "-", "–": "-", "⁄": "/"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CENTURY = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""


class Read(NamedTuple):
    """A text as a value: its canonical text, the exact number if it is one, its unit, and how many places it has."""

    value: str
    number: Fraction | None = None
    unit: str = ""
    places: int | None = None


def read(text: str, form: str) -> Read:
    """A text as the value that it is in this notation.

    ``point`` and ``comma`` are numbers by their decimal sign; ``word``, ``han``, ``fraction`` too; letters of ``ymd``
    the parts of a date in order, with two ``d`` of its first and its last day; ``time``, ``phone``, ``unit`` and
    ``text`` say themselves.

    Raises:
        ValueError: it is none.
    """
    if form in ("point", "comma", "word", "fraction", "han"):
        return _number(text, form)
    if form and set(form) <= set("ymd"):
        return Read(_days(text, form))
    if form == "time":
        return Read(_time(text.casefold()))
    if form == "unit":
        return Read("", unit=unit_of(text))
    if form == "phone":
        return Read("+" * text.startswith("+") + "".join(filter(str.isdecimal, _ascii(text))))
    if form == "text":
        return Read(folded(text))
    raise ValueError(f"{form[:20]!r} is no notation")


def folded(text: str) -> str:
    """A text without differences of case, width, spaces and the quotation marks around it."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().strip(_QUOTES).split())


def _ascii(text: str) -> str:
    """The text with the digits of any script as ASCII ones."""
    return text if text.isascii() else "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _number(text: str, form: str) -> Read:
    """A number with its sign, scale and unit around it."""
    if form == "fraction":
        text = unicodedata.normalize("NFKC", re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text))
    text = _ascii(text).translate(_MINUS)
    match = {"word": _WORDS, "fraction": _PART, "han": _HAN}.get(form, _NUMERAL).search(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} holds no number")
    before, after = text[: match.start()].strip(), text[match.end() :].strip()
    number, places = _WRITTEN[form](match)
    if before[:1] == "-" or before[-1:] == "-":
        number, before = -number, before.strip("- ")
    power, after = _scale(after)
    unit = unit_of(f"{before.strip('+')} {after}".strip()) if before.strip("+") or after else ""
    number *= Fraction(10) ** power if power else 1
    return Read(exact(number), number, unit, None if places is None else places - power)


def _scale(after: str) -> tuple[int, str]:
    """The power of ten that a word such as million behind a number is, and what stands behind it."""
    scale = _WORD.match(after)
    power = SCALES.get(scale[0].casefold(), 0) if scale else 0
    if scale and power:
        return power, after[scale.end() :].lstrip(". ")
    return 0, re.sub(r"^(?:(?:st|nd|rd|th)\b|\.)", "", after)


def _of_digits(digits: str, point: str) -> tuple[Fraction, int]:
    """The value of digits with this decimal sign, and how many stand behind it."""
    written, _, power = digits.lower().replace("٫", point).partition("e")
    whole, _, rest = written.partition(point)
    if not _GROUPED.fullmatch(whole) or not (rest.isdecimal() or rest == "") or len(digits) > 400:
        raise ValueError(f"{digits[:40]!r} is no number with {point!r} before its decimals")
    number = Fraction(int(f"{re.sub(r'[^0-9]', '', whole)}{rest}" or 0), 10 ** len(rest))
    return number * Fraction(10) ** int(power) if power else number, len(rest) - int(power or 0)


def _of_word(match: re.Match[str]) -> tuple[Fraction, None]:
    try:
        return Fraction(_spelt_out(match[0])), None
    except KeyError:
        raise ValueError(f"{match[0][:40]!r} is no number") from None


def _of_parts(match: re.Match[str]) -> tuple[Fraction, None]:
    if int(match[3]) == 0:
        raise ValueError(f"{match[0][:40]!r} is no number")
    return Fraction(match[1] or 0) + Fraction(int(match[2]), int(match[3])), None


_WRITTEN: dict[str, Callable[[re.Match[str]], tuple[Fraction, int | None]]] = {
    "point": lambda match: _of_digits(match[0], "."),
    "comma": lambda match: _of_digits(match[0], ","),
    "word": _of_word,
    "fraction": _of_parts,
    "han": _of_han,
}


def unit_of(text: str) -> str:
    """The canonical unit that a text names.

    Raises:
        ValueError: it names none.
    """
    words = " ".join(text.split())
    unit = UNITS.get(words) or _UNIT_WORDS.get(words.casefold())
    if unit is None:
        raise ValueError(f"{words[:40]!r} is no unit")
    return unit


def _days(text: str, form: str) -> str:
    pairs = list(zip(form, _date_numbers(text), strict=True))
    first, last = _day(dict(reversed(pairs))), _day(dict(pairs))  # of two days a dict keeps the one that it meets last
    if form.count("d") < 2:
        return last
    if first >= last:
        raise ValueError(f"{text[:40]!r} ends before it begins")
    return f"{first}/{last}"


def _date_numbers(text: str) -> list[int]:
    """The numbers of a date, and those of its months."""
    parts = _MONTH.findall(_ascii(text).casefold())
    return [MONTHS[part] if part in MONTHS else int(part) for part in parts]


def _day(by_part: Mapping[str, int]) -> str:
    year, month, day = by_part.get("y", 0), by_part.get("m", 0), by_part.get("d", 0)
    year += (1900 if year >= _CENTURY else 2000) if "y" in by_part and year < 100 else 0
    date(year or 2000, max(month, 1), max(day, 1))  # raises for what is in no calendar
    return f"{year:04}-{month:02}-{day:02}"


def _time(text: str) -> str:
    figures = [int(figure) for figure in re.findall(r"\d+", _ascii(text))]
    hour, minute, second = [*figures, 0, 0, 0][:3]
    half = re.search(r"([ap])\.?m\b", text)
    if half:
        hour = hour % 12 + 12 * (half[1] == "p")
    if not figures or hour > 24 or minute > 59 or second > 59:
        raise ValueError(f"{text[:40]!r} is no time of day")
    return f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")


def exact(number: Fraction) -> str:
    """An exact number as a decimal where it has an end, else as a fraction."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{number.numerator}/{number.denominator}"
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if number < 0 else text


def rounded(number: Fraction, places: int, rounding: str = "half_up") -> Fraction:
    """A number to some decimal places; halves go away from zero, or to the even digit."""
    scaled = number * Fraction(10) ** places
    away = int(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)
    whole = round(scaled) if rounding == "half_even" else away
    return whole / Fraction(10) ** places


def factor(unit: str, other: str) -> Fraction | None:
    """What a number in one unit is multiplied by to be in the other; ``None`` where they do not convert."""
    if unit == other:
        return Fraction(1)
    for name, of in _FACTORS:
        if of == unit and (name, other) in _FACTORS:
            return _FACTORS[name, unit] / _FACTORS[name, other]
    return None


def ends(value: Read) -> tuple[Read, ...]:
    """The first and the last day of several (``2026-10-01/2026-10-04``); of any other value that itself."""
    days = value.value.split("/")
    return tuple(map(Read, days)) if value.number is None and all(map(_DAY.fullmatch, days)) else (value,)


def stands_for(value: Read, claim: Read) -> bool:
    """Whether a claim says the value, or a part of it if it is a date, or the first or the last of its days.

    A unit that one of the two leaves out is no difference.
    """
    said, known = ends(claim), ends(value)
    if all(claim.number is None and _DAY.fullmatch(one.value) for one in (*said, *known)):
        if len(said) == 1:
            return any(_is_of(said[0], one) for one in known)
        return len(said) == len(known) and all(map(_is_of, said, known))
    return value.value == claim.value and (value.unit == claim.unit or "" in (value.unit, claim.unit))


def _is_of(part: Read, day: Read) -> bool:
    """Whether a date is the other one, or what is left of it without some of its parts."""
    pairs = zip(part.value.split("-"), day.value.split("-"), strict=True)
    return all(int(mine) == 0 or mine == other for mine, other in pairs)
