"""What earlier steps gave as operands of a formula: a number, or a text that as a whole is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from aeon.errors import ToolArgumentError
from aeon.language.readings import factor
from aeon.proof.figures import figures_in
from aeon.proof.numbers import decimal_text
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.references import references

__all__ = ["operands"]

_CODE = re.compile(r"0\d|\d+[eE]\d")
"""How codes begin that could be read as numbers: ``007``, ``1e5``."""
_LONGEST = 40


class _Text(NamedTuple):
    """A text that is a number: how the calculator takes it, and its unit."""

    said: str
    number: str
    unit: str


def operands(arguments: JsonObject, outputs: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The outputs that a formula in the arguments refers to, texts as the numbers that they are: ``12 kg`` as 12.

    Raises ``ToolArgumentError`` for a text that as a whole is no number, or may be two, such as an id, a day, a range
    or a telephone number, and for numbers in two units of which one converts into the other.
    """
    given = {name: outputs[name] for name in references(arguments) if name in outputs}
    texts = {name: _read(name, value) for name, value in given.items() if isinstance(value, str)}
    for one, other in combinations(texts.values(), 2):
        if one.unit != other.unit and factor(one.unit, other.unit) is not None:
            raise ToolArgumentError(f"{one.said!r} and {other.said!r} are in two units: write both in one")
    return given | {name: text.number for name, text in texts.items()}


def _read(name: str, text: str) -> _Text:
    """The number that a text is."""
    plain, said = text.strip(), one_line(text, _LONGEST)
    readings = _readings(plain)
    if not readings or _CODE.match(plain):
        raise ToolArgumentError(f"${name} is {said!r}, which is no number to calculate with")
    if len(readings) > 1:
        raise ToolArgumentError(f"${name} is {said!r}, which may be one of two numbers: take it out as a number")
    ((number, unit),) = readings
    return _Text(said, f"({_written(number)}%)" if unit == "%" else _written(number), unit)


def _readings(text: str) -> set[tuple[Fraction, str]]:
    """The numbers that a text may be as a whole, each with its unit."""
    found = figures_in(text)
    if len(found) != 1 or found[0].text != text:
        return set()
    return {(read.number, read.unit) for form in found[0].forms if (read := form.read).number is not None}


def _written(number: Fraction) -> str:
    return decimal_text(number) or f"{number.numerator}/{number.denominator}"
