"""Whether a short answer stands in sentences, and in which."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.relations import compared_with
from aeon.documents.sentences import heading_of
from aeon.documents.telling import nearness
from aeon.documents.words import stem, stems
from aeon.grounding.mention import Mention
from aeon.grounding.mentions import mentions
from aeon.proof.readings import MONTHS, spelt
from aeon.schema import Source
from aeon.supervisor.questions import is_of_kind
from aeon.supervisor.short_answers import in_minutes

__all__ = ["as_written", "is_stated", "measure", "mistaken_unit", "other_heading", "parts_of", "rated", "sentence_of"]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]\w+")
_CLOCK = re.compile(r"(?<![\d:.])(?P<hours>\d{1,2}):(?P<minutes>\d\d)(?![\d:])")
_RATES = re.compile(
    r"(?:\s*(?:euros?|eur|pounds?|dollars?|cents?|pence|[\u20ac\u00a3$p])(?!\w))?"
    r"(?P<rates>(?:\s*,?\s*(?:for (?:each|every)|per|each|every|an?) (?:[a-z]+ )?[a-z]+)+)",
    re.IGNORECASE,
)
_RATE = re.compile(r"\b(?:each|every|per|an?) (?:(?P<kind>[a-z]+) )?(?P<unit>[a-z]+)", re.IGNORECASE)
_THING = re.compile(r" (?!(?:and|or|to|for|in|on|at|of|by|is|are|if|per)\b)[^\W\d_]")
"""What is counted, right behind its number."""
_SIGNS = "\u20ac\u00a3$"
_UNITS = "euros?|eur|pounds?|dollars?|cents?|pence|per ?cent|k?g|kilos?|k?m|metres?|litres?|l"
_UNIT = rf"(?i:\s*(?:[{_SIGNS}%]|(?:{_UNITS})\b))"
_SPANS = frozenset({"day", "week", "month", "quarter", "year", "season", "term"})
"""What rents and wages are paid for, though a question does not say it."""
_IN_ALL = re.compile(r"\b(?:whole|entire|altogether|in all|in total|all together)\b", re.IGNORECASE)


def is_stated(question: str, answer: str, cited: Sequence[Source], sources: Sequence[Source]) -> bool:
    """Whether an answer can be one to the question, and stands in the sentences; how far apart values are is none."""
    if not is_of_kind(question, answer) or not _borne_out(answer, question, sources, cited):
        return False
    return not any(compared_with(question, one.text, answer) for one in cited)


def sentence_of(question: str, answer: str, sources: Sequence[Source]) -> Source:
    """The sentence that has most of an answer, of several the one that is nearest to the question."""
    near = dict(zip(sources, nearness(sources, question), strict=True))
    parts = parts_of(answer)

    def holds(one: Source) -> tuple[bool, int, bool, float]:
        said = as_written(answer, one.text)
        whole = re.search(rf"(?<!\w){re.escape(said)}(?!\w)", one.text, re.IGNORECASE) is not None
        own = parts if said == answer else parts_of(said)
        return whole, len(own & parts_of(one.text)), not heading_of(one.text), near[one]

    return max(sources, key=holds)


def rated(question: str, answer: str, sentence: str) -> str:
    """What a sentence gives the amount of an answer for each of, where a question is for several, or all; else "".

    "4.20 for each child per night" is not what the nights of all children cost.
    """
    number = _NUMBER.search(answer)
    place = re.search(rf"(?<![\d.,]){re.escape(number[0])}(?![.,]?\d)", sentence) if number else None
    found = _RATES.match(sentence, place.end()) if place else None
    rates = _RATE.finditer(found["rates"]) if found else ()
    every = ([word.casefold() for word in (rate["unit"], rate["kind"]) if word] for rate in rates)
    return next((units[0] for units in every if _asks_several(question.casefold(), units)), "")


def mistaken_unit(answer: str, sentence: str) -> str:
    """The unit of an answer whose number the sentence gives of something else, and another one of that unit; else "".

    "300 euros" is what nothing costs where "300 new crates at 3.10 euros each" are bought.
    """
    found = _numbers(sentence)
    said = {measure(one) for one in found}
    things = {measure(one)[0] for one in found if _THING.match(sentence, one.end)}
    given = {measure(one) for one in _numbers(answer)} - said
    units = {unit for _, unit in said} & {unit for value, unit in given if value in things}
    return min(units - {""}, default="")


def _numbers(text: str) -> list[Mention]:
    return [one for one in mentions(text) if one.kind == "number"]


def measure(one: Mention) -> tuple[str, str]:
    """The value of a mention, and its unit."""
    return (one.forms[0].read.value, one.forms[0].read.unit) if one.forms else (one.text, "")


def _asks_several(question: str, units: Sequence[str]) -> bool:
    """Whether a question is for several of these units, or for all of something and not for one of them."""
    if any(re.search(rf"\b{re.escape(unit)}(?:e?s|ren)\b", question) for unit in units):
        return True
    return bool(_IN_ALL.search(question)) and not any(unit in _SPANS or f" {unit}" in question for unit in units)


def other_heading(question: str, source: Source, sources: Sequence[Source]) -> str:
    """The heading that a question names and a sentence does not stand below, where its own is another; else "".

    Forty-five minutes are the rule of the championship, where the question is about the league. The first heading of a
    text is its title, which all of it stands below.
    """
    asked, own = stems(question), stems(source.heading)
    if not own or own & asked:
        return ""
    every = list(dict.fromkeys(one.heading for one in sources if one.heading and one.source == source.source))
    return next((name for name in every[1:] if stems(name) and stems(name) <= asked), "")


def parts_of(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, and its numbers; times of day as minutes."""
    told = in_minutes(text)
    return stems(told) | frozenset(number.replace(",", "") for number in _NUMBER.findall(told))


def _borne_out(answer: str, question: str, sources: Sequence[Source], cited: Sequence[Source]) -> bool:
    """Whether every number of the answer stands in the sentences or the question, and some word of it in these.

    A cited sentence may say it in words. So must some name of the question, if it has any: else the sentences are about
    something else.
    """
    material = _text(sources)
    numbers = set(_NUMBER.findall(as_written(answer, material)))
    said = {*_NUMBER.findall(f"{material} {question}"), *_in_words(_text(cited))}
    if not numbers <= said:
        return False
    names = {stem(name) for name in _NAME.findall(question) if name.casefold() not in MONTHS}
    there = stems(f"{material} {' '.join(source.source for source in sources)}")
    if names and not names & there:
        return False
    words = stems(answer)
    return not words or bool(words & there)


def as_written(answer: str, text: str) -> str:
    """An answer with its times of day as a text writes them."""
    return _CLOCK.sub(lambda time: _as_written(time, text), answer)


def _as_written(time: re.Match[str], material: str) -> str:
    """A time of day with the mark that it has in the sentences: 7:45 is 7.45 there, unless that is an amount."""
    dotted = f"{time['hours']}.{time['minutes']}"
    written = re.search(rf"(?<![\d.{_SIGNS}])(?<![{_SIGNS}] ){re.escape(dotted)}(?![\d.]*\d)(?!{_UNIT})", material)
    return dotted if written and time[0] not in material else time[0]


def _in_words(text: str) -> set[str]:
    """The numbers that a text says in words, in digits: nine months are 9, and twenty-one of them are 21."""
    return {str(number) for _, number in spelt(text)}


def _text(sources: Sequence[Source]) -> str:
    return " ".join(f"{source.heading} {source.text}" for source in sources)
