"""Whether an answer to a question of the everyday benchmark is right, and why not.

Every expected value must be in the answer, in any common form. A number or date that is neither expected, nor among
what may stand beside it, nor in the question makes it wrong, unless it rounds one of these or numbers a step.
``everyday_languages.py`` reads what is written in other languages than English.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from everyday_forms import broken
from everyday_items import MONTHS, Date, Item, Name, Number, Value, shown
from everyday_languages import Day, figured, in_words, other_days, places

__all__ = ["Given", "Score", "dates", "numbers", "score"]


class Score(NamedTuple):
    """The verdict on an answer."""

    right: bool
    why: str


class Given(NamedTuple):
    """A number as it was given: its value and how many decimals it was given with."""

    value: Decimal
    decimals: int


RIGHT = Score(True, "")
FILES = re.compile(r"[\w./-]+\.(?:csv|md|txt)\b(?: and \d+ more\b)?")
_VERB = (
    r"(?:stat|mention|list|provid|specif|record|contain|includ|cover|present|answer|show|determin|indicat|giv|given|tell"
    r"|told|said|say|know|known|found|find|have|sell|sold|exist|appear|possible|available|there|applicable|part of"
    r"|in (?:the|any|these|those|my|your))"
)
UNSAID = re.compile(
    rf"\b(?:not|never|cannot) (?:\w+ ){{0,4}}?{_VERB}|n't (?:\w+ ){{0,2}}?{_VERB}|\bunable to (?:\w+ )?{_VERB}"
    rf"|\bno (?:[\w-]+ ){{1,4}}(?:is|are|was|were|be) {_VERB}"
    r"|\bno (?:\w+ ){0,3}?(?:information|data|records?|mention|entry|entries|sales|orders?|details?|column|answer|such"
    r"|file|shop|product|passage|rows?|figures?|units)\b|\bthere (?:is|are|was|were) no\b|\bnone of the\b|\bunknown\b"
    r"|\b(?:is|are) missing\b|\bnothing (?:about|in|on)\b|\bn/a\b",
    re.IGNORECASE,
)
REFUSED = re.compile(r"(?:the files do not say|not stated)\b", re.IGNORECASE)
SEARCHED = re.compile(r" \(searched: .*\)")
"""The files that a refusal names: "minutes 12 March.txt" gives no number."""
NEAREST = re.compile(r"; the nearest sentence: .*", re.DOTALL)
"""A sentence that a refusal quotes for the reader, and says that it does not answer."""
GUESSED = re.compile(r"(Perhaps: .+?)\. \".*\"", re.DOTALL)
"""A guess, and the sentence that it quotes for the reader, which neither makes it right nor wrong."""
NUMBER = re.compile(
    r"(?P<sign>(?:(?<=\s)|(?<=^)|(?<=\())-)?(?<![\w.,])[€$£]?\s?"
    r"(?P<digits>\d{1,3}(?P<mark>[ ,.'])\d{3}(?:(?P=mark)\d{3})*(?:[.,]\d+)?(?!\d)"
    r"|\d+(?:[.,]\d+)?)(?P<end>st|nd|rd|th)?(?!\d)"
)
STEPS = re.compile(
    r"^\s*(?:[-#]+\s*)?\d{1,2}[.)]\s+(?=\S)|\b(?:step|part|question|option|quarter|Q)\s?\d+\b", re.I | re.M
)
UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "May" else name for name in MONTHS)
ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d\d:\d\d(?::\d\d)?)?(?!\d)")
DOTTED = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
THINGS = r"(?! (?!(?:across|as|does|has|is|plus|this|thus|unless|was)\b)[a-z]{2,}s\b)"
"""Not before things of a month: 5 March tickets."""
DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})\.?,?(?: (\d{{4}}))?\b{THINGS}", re.I)
MONTH_FIRST = re.compile(rf"\b({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b(?![.,]\d)", re.I)
YEAR_MONTH = re.compile(
    r"\b\d{4}-\d{2}\b(?!-)|\b\d{1,2}/\d{4}\b|(?<!\d)(?:\d{4}[年년]\s?)?(?:1[0-2]|0?[1-9])[月월](?!\s?\d)"
)
SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。\uff01\uff1f])|\n+")


def score(item: Item, answer: str) -> Score:
    """The verdict on an answer to this question."""
    text = GUESSED.sub(r"\1.", plain(answer)) if item.kind != "open" else plain(answer)
    if not re.search(r"\w", text):
        return Score(False, "empty")
    if item.kind == "open":
        found = [told for told in (broken(constraint, answer) for constraint in item.constraints) if told]
        return Score(not found, "; ".join(found))
    if item.kind == "absent":
        return _absent(item, text)
    return Score(False, "refuses") if REFUSED.match(text) else _exact(item, text)


def plain(text: str) -> str:
    """The text without marks of its setting."""
    text = re.sub(r"[\u00a0\u2009\u202f]", " ", text).replace("\u2212", "-").replace("\u2019", "'")
    text = re.sub(r"\\text\{([^}]*)\}", r"\1", text)
    text = re.sub(r"\b(EUR|USD|GBP)(?=\d)", r"\1 ", text)
    return re.sub(r"[*`]|\\[()\[\]]|\\boxed|[{}]|\\(?=[%$ ,])", "", text).strip()


def numbers(text: str, words: bool = False) -> list[Given]:
    """The numbers in a text from which dates have been taken; ordinals and the numbers of steps are none.

    With ``words``, also those of several Chinese letters.
    """
    found = NUMBER.finditer(figured(STEPS.sub(" ", text), words))
    return [_given(match["sign"] or "", match["digits"]) for match in found if not match["end"]]


def _given(sign: str, digits: str) -> Given:
    digits = re.sub(r"[ ']", "", digits)
    marks = re.findall(r"[.,]", digits)
    last = marks[-1] if marks else ""
    groups = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits) is not None
    if len(set(marks)) == 1 and (len(marks) > 1 or (last == "," and groups)):
        last = ""  # they only part the thousands
    whole, _, rest = digits.rpartition(last) if last else (digits, "", "")
    value = Decimal(sign + re.sub(r"[.,]", "", whole) + ("." + rest if rest else ""))
    return Given(value, len(rest))


def dates(text: str) -> tuple[list[set[Day]], str]:
    """The days in a text, each in all ways in which it can be read, and the text without them."""
    found: list[set[Day]] = []

    def taken(match: re.Match[str], *days: tuple[str | None, str | int, str]) -> str:
        ways = {(int(y) if y else None, int(m), int(d)) for y, m, d in days if int(m) <= 12}
        found.extend(filter(None, [ways]))
        return " , " if ways else match[0]

    text = ISO.sub(lambda m: taken(m, (m[1], m[2], m[3])), text)
    text = DOTTED.sub(lambda m: taken(m, (m[3], m[2], m[1]), (m[3], m[1], m[2])), text)
    text = DAY_FIRST.sub(lambda m: taken(m, (m[3], _month(m[2]), m[1])), text)
    text = MONTH_FIRST.sub(lambda m: taken(m, (m[3], _month(m[1]), m[2])), text)
    others, text = other_days(text)
    return found + others, text


def _month(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month[:3].casefold() == name[:3].casefold())


def _same(day: Day, value: datetime.date) -> bool:
    return (day[0] or value.year, *day[1:]) == (value.year, value.month, value.day)


def _has(text: str, name: str, exactly: bool = False) -> bool:
    return any(places(text, name, exactly))


def _without(text: str, names: Iterable[str]) -> str:
    for name in names:
        kept, last = "", 0
        for start, end in places(text, name):
            if start >= last:
                kept, last = f"{kept}{text[last:start]}…", end
        text = kept + text[last:]
    return text


def _absent(item: Item, text: str) -> Score:
    if not UNSAID.search(text):
        return Score(False, "does not say that it is not stated")
    text = SEARCHED.sub("", NEAREST.sub("", text))
    allowed = {given.value for given in numbers(dates(item.question)[1], words=True)} | {Decimal(0)}
    given = {given.value for given in numbers(dates(FILES.sub(" ", text))[1], words=True)}
    named = [name for name in item.rivals if _has(text, name) and not _has(item.question, name)]
    told = [str(value) for value in sorted(given - allowed)] + named
    return Score(False, f"gives {', '.join(told)}") if told else RIGHT


def _exact(item: Item, text: str) -> Score:
    text = FILES.sub(" ", text)
    days, rest = dates(text)
    whys = [_wrong_days(item, days), _wrong_names(item, text)]
    names = [name for value in item.expected if isinstance(value, Name) for name in (value.text, *value.others)]
    rest = YEAR_MONTH.sub(" ", _without(rest, names))
    whys.append(_wrong_numbers(item, rest))
    why = "; ".join(filter(None, whys))
    return Score(not why, why)


def _wrong_days(item: Item, days: list[set[Day]]) -> str:
    expected, also = _days(item.expected), _days(item.also)
    missing = [value for value in expected if not any(_among(ways, [value]) for ways in days)]
    if missing:
        return f"without {missing[0]}"
    asked = set[Day]().union(*dates(item.question)[0])
    stray = [ways for ways in days if not (_among(ways, expected + also) or _asked(ways, asked))]
    return f"with the date {sorted(stray[0], key=str)[0]}" if stray else ""


def _asked(ways: set[Day], asked: set[Day]) -> bool:
    return any(way[1:] == one[1:] for way in ways for one in asked)


def _days(values: Iterable[Value]) -> list[datetime.date]:
    return [value.value for value in values if isinstance(value, Date)]


def _among(ways: set[Day], values: list[datetime.date]) -> bool:
    return any(_same(day, value) for day in ways for value in values)


def _wrong_names(item: Item, text: str) -> str:
    expected = _names(item.expected)
    known = {one.text for one in expected + _names(item.also)}
    longer = _longer(expected, {*item.rivals} - known)
    said = _without(text, longer)
    for one in expected:
        if not any(_has(said, name) for name in (one.text, *one.others)):
            return f"without {one.text}"
    choices = [name for name in item.rivals if name not in known and _has(item.question, name)]
    others = {*item.rivals} - known - {*choices}
    wrong = _other_name(others & longer, text) or _other_name(others, _without(said, known))
    return wrong or _wrong_choice(expected, choices, text)


def _longer(expected: list[Name], rivals: set[str]) -> set[str]:
    """The rivals that hold an expected name: what says them does not say it."""
    names = [name.casefold() for one in expected for name in (one.text, *one.others)]
    return {rival for rival in rivals if any(name in rival.casefold() and name != rival.casefold() for name in names)}


def _other_name(names: set[str], text: str) -> str:
    named = sorted(name for name in names if _has(text, name, exactly=True))
    return f"with the name {named[0]}" if named else ""


def _names(values: Iterable[Value]) -> list[Name]:
    return [value for value in values if isinstance(value, Name)]


def _wrong_choice(expected: list[Name], others: list[str], text: str) -> str:
    """Of two names in the question, the last sentence that has any names the right one first."""
    if not (expected and others):
        return ""
    right = expected[0].text
    names = [right, *others]
    told = [sentence for sentence in SENTENCES.split(text) if any(_has(sentence, name) for name in names)]
    if not told:
        return ""  # it says the right one in other words
    first = _first(names, _without_compared(others, told[-1]))
    return "" if first == right else f"chooses {first}"


def _without_compared(others: list[str], sentence: str) -> str:
    """A sentence without the names that it only compares with."""
    listed = "|".join(map(re.escape, others))
    beside = rf"\b(?:than|to|with|versus|vs\.?|against|over)\s+(?:that of\s+)?(?:the\s+)?(?:{listed})"
    return re.sub(beside, "", sentence, flags=re.IGNORECASE)


def _first(names: list[str], sentence: str) -> str:
    """The name that stands first in a sentence, "" where none does."""
    places = {name: sentence.casefold().find(name.casefold()) for name in names}
    return min((name for name in names if places[name] >= 0), key=lambda name: places[name], default="")


def _wrong_numbers(item: Item, text: str) -> str:
    expected = _numbers(item.expected)
    given = _said_numbers(item, expected, text)
    unsaid = [one for one in expected if _unsaid(one, given, text)]
    if unsaid:
        return f"without {shown(unsaid[0])}"
    fine = [*_beside(item), *(one.value for one in expected)]
    stray = [found for found in given if not _among_numbers(found, fine, expected)]
    return f"with {stray[0].value}" if stray else ""


def _said_numbers(item: Item, expected: list[Number], text: str) -> list[Given]:
    """The numbers of a text; those of words in other languages too, where one that is expected is not in figures."""
    given = numbers(text, words=bool(expected))
    if any(_unsaid(one, given, text) for one in expected):
        ones = any(one.value == 1 for one in expected)
        given += [Given(value, 0) for value in in_words(text, item.question) if value != 1 or ones]
    return given


def _unsaid(value: Number, given: list[Given], text: str) -> bool:
    return not any(_fits(found, value) for found in given) and not _in_words(value, text)


def _beside(item: Item) -> list[Decimal]:
    """What may stand in an answer besides what is expected."""
    years = [Decimal(value.year) for value in _days((*item.expected, *item.also))]
    words = dates(item.question)[1]
    asked = [*(given.value for given in numbers(words, words=True)), *in_words(words, item.question)]
    return [*(one.value for one in _numbers(item.also)), *asked, *years, Decimal(100)]


def _numbers(values: Iterable[Value]) -> list[Number]:
    return [value for value in values if isinstance(value, Number)]


def _among_numbers(given: Given, fine: list[Decimal], expected: list[Number]) -> bool:
    return any(_rounds(given, value) for value in fine) or any(_fits(given, value) for value in expected)


def _fits(given: Given, value: Number) -> bool:
    gap = abs(given.value - value.value)
    if gap <= abs(value.value) * Decimal("1e-7"):
        return True
    if value.decimals is not None:
        return gap <= Decimal("0.5000001").scaleb(-value.decimals)
    own = -int(value.value.normalize().as_tuple().exponent)
    return given.decimals < own and _rounds(given, value.value) and gap <= abs(value.value) / 200


def _rounds(given: Given, value: Decimal) -> bool:
    return (
        abs(abs(given.value) - abs(value)) <= Decimal("0.5").scaleb(-given.decimals) if given.value != value else True
    )


def _in_words(value: Number, text: str) -> bool:
    if value.value != int(value.value) or not 0 <= value.value < 100:
        return False
    ten, one = divmod(int(value.value), 10)
    word = UNITS[int(value.value)] if value.value <= 20 else TENS[ten - 2] + (f"-{UNITS[one]}" if one else "")
    return _has(text, word)
