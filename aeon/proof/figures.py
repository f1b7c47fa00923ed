"""The values of a text in any language: numbers, dates and times, quoted strings, addresses, ids with digits.

Names and words are none: which words are a name, nobody can say by looking at letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice

from aeon.language.dates import days, times
from aeon.language.literals import addresses, is_german, quotations
from aeon.language.mention import Mention, mentioned
from aeon.language.numerals import NUMBER, han_numerals, spelt_numerals
from aeon.language.readings import read
from aeon.language.unspaced import DATE_SIGNS, spaced
from aeon.proof.marks import Marks, code_spans, no_values
from aeon.proof.mentions import json_span, of_json

__all__ = ["figures_in", "figures_of_answer", "halves", "values_of_source"]

_ID = re.compile(r"(?<!\w)(?<!\d[-/])[^\W\d_][^\W_]*(?:[-_/#][^\W_]+|(?<=\d)\.(?=\d)[^\W_]+)*")
_JOINED = re.compile(r"[-_/#]")
_BEHIND_STOP = re.compile(r"(?<=[^\W\d_]\.)\d+(?!\w|[.,]\d)")
_LITERAL = re.compile(r"[\w.,/:-]*\w")
_SUFFIXED = re.compile(r"(\d+(?:[.,]\d+)?)[^\W\d_]{1,4}(?!\w)")
_CLOCKS = (
    re.compile(r"(?<![\w.,:])\d{1,2}\s?h\s?[0-5]\d(?!\w)"),
    re.compile(r"(?<![\w.,:])\d{1,2}\s?[点點时時시](?:\s?\d{1,2}\s?[分분])?(?!\d)"),
)
_ENDING = re.compile(r"\.[a-z][a-z0-9]{1,4}(?!\w)")
_HOUR = re.compile(r"\d{1,2}\s?h")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_SHORT = 400
"""Readings of texts of up to so many characters are kept."""


def figures_of_answer(answer: str, uses: Collection[int] = (), names: Collection[str] = ()) -> tuple[Mention, ...]:
    """The values of an answer in order: of its strings and numbers if it is JSON, else of what is no code in it.

    ``uses`` are the numbers that a mark of a citation may name, ``names`` those of sources, which are no values.
    """
    if (data := json_span(answer)) is not None:
        return tuple(mention.moved(data.start) for mention in of_json(answer[data], figures_in))
    hidden = list(_hidden(answer, uses, names))
    if not hidden:
        return figures_in(answer, cell=False)
    taken = bytearray(len(answer))
    for span in hidden:
        _take(taken, *span)
    found = _figures(answer, taken, cell=False)
    return tuple(sorted((*found, *_of_code(answer)), key=lambda one: one.start))


def figures_in(text: str, cell: bool = True) -> tuple[Mention, ...]:
    """The values of a text that is no answer, such as a cell of a table or a sentence."""
    return _of_short(text, cell) if len(text) <= _SHORT else _figures(text, bytearray(len(text)), cell)


@lru_cache(1024)
def _of_short(text: str, cell: bool) -> tuple[Mention, ...]:
    """The values of a text that is read in pass after pass, such as the result of a step."""
    return _figures(text, bytearray(len(text)), cell)


def values_of_source(text: str, cell: bool = True) -> Iterator[Mention]:
    """What an answer may rest on in a text: its values and the parts of each, and numbers in words."""
    yield from _of_short_source(text, cell) if len(text) <= _SHORT else _of_source(text, cell)


@lru_cache(1024)
def _of_short_source(text: str, cell: bool) -> tuple[Mention, ...]:
    """What a text gives to rest on that is read in pass after pass, such as the task."""
    return tuple(_of_source(text, cell))


def _of_source(text: str, cell: bool) -> Iterator[Mention]:
    for mention in figures_in(text, cell):
        yield mention
        yield from mention.parts if mention.kind != "date" else ()
    yield from spelt_numerals(spaced(text), is_german(text))


def _hidden(answer: str, uses: Collection[int], names: Collection[str]) -> Iterator[tuple[int, int]]:
    yield from (span for span, _ in code_spans(answer))
    yield from no_values(answer, Marks(uses))
    for name in names:
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        yield from (match.span() for match in re.finditer(pattern, answer, re.IGNORECASE))


def _of_code(answer: str) -> Iterator[Mention]:
    """What stands in code signs and is one value."""
    for _, inner in code_spans(answer):
        if inner is not None:
            found = figures_in(answer[slice(*inner)])
            if len(found) == 1 and found[0].text == answer[slice(*inner)].strip():
                yield found[0].moved(inner[0])


def _figures(text: str, taken: bytearray, cell: bool) -> tuple[Mention, ...]:
    """The values that are in nothing that is taken; what is longer, such as a date, is taken as a whole."""
    found: list[Mention] = []
    dated, plain = spaced(text, DATE_SIGNS), spaced(text)
    ids = list(_ids(plain))
    for mention in (
        *addresses(text), *quotations(text), *_days(dated, cell), *_times(plain), *_clocks(text),
        *(one for one in ids if sum(map(str.isdecimal, one.text)) > 1), *_numbers(plain), *ids, *han_numerals(text),
    ):  # fmt: skip
        if 1 not in taken[mention.start : mention.end]:
            _take(taken, mention.start, mention.end)
            found.append(mention)
    return tuple(sorted(found, key=lambda one: one.start))


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)


def _days(text: str, cell: bool) -> Iterator[Mention]:
    """The dates; the parts of one are its figures. A month alone may be another word: it is certain nowhere."""
    for mention in days(text, cell):
        yield mention._replace(certain=mention.forms[0].form != "m", parts=_parts(mention, r"\d+"))


def halves(mention: Mention) -> tuple[Mention, ...]:
    """A date as two values, since a text may state them in two places: without its year, and the year.

    Nothing where it is none, has no year, or is no date without it.
    """
    for year in mention.parts if mention.kind == "date" else ():
        if _YEAR.fullmatch(year.text):
            cut = year.start - mention.start
            for start, piece in ((0, mention.text[:cut]), (cut + 4, mention.text[cut + 4 :])):
                for rest in islice(days(piece, cell=True), 1):
                    return rest.moved(mention.start + start), year
    return ()


def _times(text: str) -> Iterator[Mention]:
    """The times of day; one such as 2:10 may be two numbers."""
    for mention in times(text):
        yield mention._replace(parts=_parts(mention, r"\d+") if mention.text.count(":") == 1 else ())


def _clocks(text: str) -> Iterator[Mention]:
    for pattern in _CLOCKS:
        for match in pattern.finditer(text):
            if mention := mentioned("time", match.start(), match[0], ["time"]):
                yield mention


def _numbers(text: str) -> Iterator[Mention]:
    for match in NUMBER.finditer(text):
        if mention := _number(match, text):
            yield mention
    for match in _BEHIND_STOP.finditer(text):
        if mention := mentioned("number", match.start(), match[0], ["point"]):
            yield mention


def _number(match: re.Match[str], text: str) -> Mention | None:
    start, following = match.start(), text[match.end() : match.end() + 1]
    if following.isalnum() or following == "_":
        suffixed = _SUFFIXED.match(text, match.start("digits"))
        if suffixed is None:
            return _literal(match.start("digits"), text)
        return mentioned("number", start, text[start : suffixed.end(1)], ("point", "comma"))
    forms: tuple[str, ...] = ("fraction",) if match["fraction"] else ("point", "comma")
    for end in (match.end(), match.end("scale"), match.end("digits")):
        if end > 0 and (mention := mentioned("number", start, text[start:end], _also(text[start:end], forms))):
            return mention._replace(parts=_parts(mention, r"\d+") if match["fraction"] else ())
    return _literal(match.start("digits"), text)


def _also(text: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """The forms of a number, and those of a year or of an hour of the day that it may be."""
    if _HOUR.fullmatch(text):
        return (*forms, "time")
    return (*forms, "y") if _YEAR.fullmatch(text) else forms


def _literal(start: int, text: str) -> Mention | None:
    """What begins with digits and is no number, such as ``1,2,3`` or ``3f9a``: a text, with the numbers in it."""
    match = _LITERAL.match(text, start)
    mention = mentioned("name", start, match[0], ["text"]) if match else None
    return mention._replace(parts=_parts(mention, r"\d+(?![\w])")) if mention else None


def _ids(text: str) -> Iterator[Mention]:
    """The tokens of letters and digits.

    One with a single digit may be a word, such as H2O or B2B, and one before an ending the name of a file.
    """
    for match in _ID.finditer(text):
        digits = sum(one.isdecimal() for one in match[0])
        if not digits or NUMBER.match(text, match.start()):
            continue
        if mention := mentioned("name", match.start(), match[0], ["text"]):
            named = _ENDING.match(text, match.end()) is not None
            yield mention._replace(certain=digits > 1 and not named, parts=_pieces(mention))


def _pieces(mention: Mention) -> tuple[Mention, ...]:
    """What a token is if it is no id: ids that are joined, or a number behind small letters (``mid-2025``)."""
    pieces = _JOINED.split(mention.text)
    if len(pieces) < 2:
        return ()
    if pieces[-1].isdecimal() and all(piece.isalpha() and piece.islower() for piece in pieces[:-1]):
        return _parts(mention, r"\d+$")
    if all(any(one.isdecimal() for one in piece) and piece[0].isalpha() for piece in pieces):
        return _parts(mention, r"[^\W_]+", "name", "text")
    return ()


def _parts(mention: Mention, pattern: str, kind: str = "number", form: str = "point") -> tuple[Mention, ...]:
    """The parts of a mention that are values by themselves; none where it is one part."""
    found: list[Mention] = []
    for match in re.finditer(pattern, mention.text):
        forms = ("point", "y") if form == "point" and _YEAR.fullmatch(match[0]) else (form,)
        with suppress(ValueError):
            read(match[0], form)
            part = mentioned("name" if kind == "name" else "number", mention.start + match.start(), match[0], forms)
            found += [part] if part else []
    return tuple(found) if len(found) > 1 or (found and found[0].text != mention.text) else ()
