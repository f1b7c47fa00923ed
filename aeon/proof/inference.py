"""Whether the value of a claim follows from its evidence. Standard library alone."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from aeon.language.readings import Read, ends, exact, factor, read, rounded, stands_for
from aeon.proof.again import conversions, evaluate, instant, letters_of
from aeon.proof.marks import CITATION

__all__ = [
    "WORD_FOR_WORD",
    "bare",
    "check_sentence",
    "check_verdict",
    "cuts",
    "follows",
    "gives_unit",
    "is_year",
    "must",
    "read_again",
    "sentence_verdict",
    "stands_whole",
]

WORD_FOR_WORD = "word for word"
"""The note on a sentence that stands as it is in what it cites."""
_ENDS = " \t\n.!\"'“”„»«*_"
_ITEM = re.compile(r"^\s*(?:[-*+•‣◦▪–—]|\(?\d{1,3}[.)])\s+")
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_BEHIND = "\"'“”’»«)]*_"
_LONGEST_MARK = 40
_NOTHING_BEFORE = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z]{2}\.)(?<!\b[A-Z][a-z]{3}\.)(?<=[\n.!?…。！？|])"
    r"[\"'”’»)\]*_]*[ \t]*(?:(?:[-*+•‣◦▪–—]|\(?\d{1,3}[.)]|[a-z]\))[ \t]+)?[\"'“„»«*_]*$"
)
"""The end of another sentence, and perhaps a list mark; "Dr." is none."""
_NOTHING_BEHIND = re.compile(r"[\"'“”’»«)\]*_]*[ \t]*(?:\n|$|\|)")
_JUDGED = frozenset({"supported", "partial", "contradicted", "not_found"})
"""The verdicts that a judge may give."""
_AROUND = 60
_FIGURES = re.compile(r"\d[\d.,'’٬٫]*\d|\d")


def must(condition: bool, problem: str) -> None:
    """Raise ``ValueError`` with the problem unless the condition holds."""
    if not condition:
        raise ValueError(problem)


def read_again(text: str, record: Mapping[str, Any]) -> Read:
    """What a text says in the form that a record names.

    Raises:
        ValueError: it is not what the record says.
    """
    mine = read(text, record["form"])
    must((mine.value, mine.unit) == (record["value"], record["unit"]), f"{text[:40]!r} is not {record['value'][:40]!r}")
    return mine


def check_verdict(claim: Mapping[str, Any], mine: Read, operands: Sequence[Read], steps: Collection[str]) -> None:
    """Check that a claim's support and verdict follow from its evidence, whose values are ``operands``.

    Raises:
        ValueError: they do not.
    """
    right, count = follows(claim, mine, operands, steps)
    rest = operands[count:]
    must(len(rest) <= 1 and all(not one.value and one.unit for one in rest), "it has evidence that nothing uses")
    must(claim["support"] == _support(claim["evidence"], count), "its support is not the kind of its evidence")
    holds = {
        "supported": right and _has_unit(claim, mine, operands[:count], rest),
        "partial": right,
        "contradicted": bool(operands) and not right,
        "not_found": not operands,
        "not_checked": not operands,
    }
    must(holds.get(claim["verdict"], False), f"its evidence does not make it {claim['verdict'][:20]}")


def follows(claim: Mapping[str, Any], mine: Read, operands: Sequence[Read], steps: Collection[str]) -> tuple[bool, int]:
    """Whether a claim's value follows from its operands, and how many it has.

    Raises:
        ValueError: its computation is none that a proof may have.
    """
    record = claim["computation"]
    if record is None:
        return _stands_there(mine, operands)
    operands = [*map(instant, operands)]
    letters = _letters(record["expression"], operands)
    numbers = {letter: one.number for letter, one in zip(letters, operands, strict=False) if one.number is not None}
    must(len(numbers) == len(letters) and mine.number is not None, "its operands are no numbers")
    changes = any(_converts(record["factor"], one, mine) for one in operands[: len(letters)])
    must(changes or record["factor"] == "1", "its units do not convert so")
    if record["expression"] != "a":
        must(record["step"] in ("answer", "judge", *steps), "no step states its computation")
    elif not changes:
        must(record["step"] == "judge", "its units do not convert so")
    value = evaluate(record["expression"], numbers) * Fraction(record["factor"])
    must(exact(value) == record["result"], "done again, its computation gives something else")
    if record["places"] is not None:
        written = _may_have_places(record["places"], mine, claim["text"])
        must(written, "it is rounded to other places than it is written to")
        value = rounded(value, record["places"], record["rounding"])
    return value == mine.number, len(letters)


def _may_have_places(places: int, mine: Read, text: str) -> bool:
    """Whether a value may be rounded so: to how it is written; a whole number also to fewer digits, at least 3.

    Four digits that may be a year are none that leaves digits out: 1870 is not 1869.
    """
    if is_year(text) and not mine.unit:
        return places == mine.places
    digits = mine.value.lstrip("-")
    zeros = len(digits) - len(digits.rstrip("0"))
    return places == mine.places or (mine.places == 0 and 0 < -places <= min(zeros, len(digits) - 3))


def _stands_there(mine: Read, operands: Sequence[Read]) -> tuple[bool, int]:
    """Whether the value stands there, the first and the last of several days each for itself; by how many operands."""
    parts = ends(mine) if len(operands) > 1 else (mine,)
    pairs = list(zip(operands, parts, strict=False))
    return bool(pairs) and all(stands_for(*pair) for pair in pairs), len(pairs)


def _letters(expression: str, operands: Sequence[Read]) -> list[str]:
    """The letters of an expression: a, b, … for operands that are there."""
    letters = letters_of(expression)
    must(letters == list(string.ascii_lowercase[: len(letters)]), "its computation leaves operands out")
    must(0 < len(letters) <= len(operands), "it lacks operands")
    return letters


def _converts(stated: str, operand: Read, mine: Read) -> bool:
    """Whether a factor is that of a change of units; one that is left out on either side changes nothing."""
    change = factor(operand.unit, mine.unit)
    allowed = set() if change is None else {exact(change)}
    return stated in allowed or (stated == "1" and "" in (operand.unit, mine.unit))


def _has_unit(claim: Mapping[str, Any], mine: Read, operands: Sequence[Read], rest: Sequence[Read]) -> bool:
    """Whether a claim's unit is that of its operands, or stands elsewhere; a share needs none."""
    record = claim["computation"] or {"expression": "a", "factor": "1"}
    given = gives_unit(record["expression"], record["factor"], operands, mine.unit)
    return any(factor(one.unit, mine.unit) is not None for one in rest) if given is None else given


def gives_unit(expression: str, change: str, operands: Sequence[Read], unit: str) -> bool | None:
    """Whether operands give a value in this unit by a computation and a change of unit; ``None``: nothing says so.

    They do in a unit of theirs, and in another one of its kind if something changes to it: the change, or a number of
    the computation. A quotient may be a share, and what lies between two years are years.
    """
    changes = conversions([instant(one).unit for one in operands], unit)
    if not unit or change != "1" or 1 in changes:
        return True
    if changes:
        return any(map(str.isdigit, expression))
    is_share = unit == "%" and "/" in expression
    return True if is_share or _is_of_years(expression, operands, unit) else None


def is_year(text: str) -> bool:
    """Whether a number may be that of a year: four digits, from 1000 to 2199."""
    return len(text) == len("1999") and text.isascii() and text.isdigit() and "1000" <= text < "2200"


def _is_of_years(expression: str, operands: Sequence[Read], unit: str) -> bool:
    """Whether a computation says how many years lie between two."""
    between = expression in ("a - b", "b - a", "-(a - b)") and factor("year", unit) == 1
    return between and all(is_year(one.value) and not one.unit for one in operands)


def cuts(text: str, start: int, end: int) -> bool:
    """Whether a span begins or ends within a longer number, as the ``1`` of ``15`` or of ``1,040`` does."""
    first = max(0, start - _AROUND)
    for match in _FIGURES.finditer(text, first, end + _AROUND):
        if match.start() < end and match.end() > start and not (start <= match.start() and match.end() <= end):
            return any(_is_number(match[0], form) for form in ("point", "comma"))
    return False


def _is_number(text: str, form: str) -> bool:
    try:
        return read(text, form).number is not None
    except ValueError:
        return False


def _support(evidence: Sequence[Mapping[str, Any]], operands: int) -> str:
    if not evidence:
        return "none"
    return "inference" if operands > 1 or evidence[0]["type"] == "claim" else str(evidence[0]["type"])


def bare(text: str) -> str:
    """A sentence whatever its case, its spaces, marks of citations, a list mark before it, and the signs at its ends.

    A question stays one, and a sign before a number stays.
    """
    words = unicodedata.normalize("NFC", CITATION.sub("", _ITEM.sub("", text))).casefold().strip(_ENDS)
    return " ".join(words.split())


def stands_whole(text: str, start: int, end: int) -> bool:
    """Whether a span is a whole sentence of a text, and no part of one that may say the opposite."""
    closed = text[start:end].rstrip(_BEHIND).endswith(_STOPS) or bool(_NOTHING_BEHIND.match(text, end))
    return closed and bool(_NOTHING_BEFORE.search(f"\n{text[:start]}"[-_LONGEST_MARK:]))


def sentence_verdict(
    values: Collection[str],
) -> Literal["contradicted", "not_checked", "partial", "not_found"]:
    """What the verdicts on the values of a sentence say of it."""
    if "contradicted" in values:
        return "contradicted"
    if not {"not_found", "partial"} & {*values}:
        return "not_checked"
    return "partial" if {"supported", "partial"} & {*values} else "not_found"


def check_sentence(claim: Mapping[str, Any], values: Collection[str], whole: bool) -> None:
    """Check that the verdict on a sentence follows from the words that it cites, or from those on its ``values``.

    ``whole``: what it cites is a whole sentence of its source.

    Raises:
        ValueError: it does not.
    """
    _check_place(claim)
    evidence, said, verdict = claim["evidence"], claim["verdict"], sentence_verdict(values)
    match claim["checks"]:
        case ["judge"]:
            must(said in _JUDGED, f"{said[:20]!r} is no verdict of a judge")
        case ["words"]:
            must([bare(claim["text"])] == [bare(one["exact"]) for one in evidence] != [""], "it cites other words")
            must(whole, "what it cites is no whole sentence of its source")
            must((said, verdict) == ("supported", "not_checked"), "a value of it does not stand")
        case ["values"]:
            must(said == verdict != "not_checked" and not evidence, "its values do not make it so")
        case _:
            must(not claim["checks"], "it was checked in no way that is known")
            must(said == "not_checked", "it has a verdict, and nobody judged it")
            must(bool(evidence) or verdict == said, "its values give it a verdict")  # a cited one may wait


def _check_place(claim: Mapping[str, Any]) -> None:
    """Check that a sentence rests on spans of sources, or on nothing."""
    evidence = claim["evidence"]
    must(all(one["type"] == "source" for one in evidence), "a sentence rests on sources alone")
    must(claim["support"] == ("source" if evidence else "none"), "its support is not the kind of its evidence")
    must(claim["computation"] is None, "a sentence is no computation")
