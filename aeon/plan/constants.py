"""What a text that stands in a program is meant as: a day, a time, a sum, a label, or words."""

from __future__ import annotations

import ast
import re

from aeon.tools.dates import names_day

__all__ = ["is_day_or_time", "is_label", "spaced", "sum_of"]

_SUM = re.compile(r"\s*(\d+(?:\.\d+)?(?: [-+*/] \d+(?:\.\d+)?)+)\s*(?:=\s*-?\d+(?:\.\d+)?\s*)?")
_TIME = re.compile(r"\d{1,2}[:.]\d{2}")


def is_day_or_time(value: object) -> bool:
    """Whether a value is a text that names a day, with its year or without, or a time such as 8:30."""
    return names_day(value) or bool(_TIME.fullmatch(str(value)))


def spaced(text: str) -> str:
    """A text that is written like a variable, such as ``coffee_machine``, in words."""
    return text.replace("_", " ") if re.fullmatch(r"[A-Za-z]+(?:_[A-Za-z]+)+", text) else text


def sum_of(value: ast.expr) -> ast.expr:
    """The sum that a text spells, such as "200 * 38", in its place; what it is said to make does not count."""
    spelt = _SUM.fullmatch(value.value) if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    return ast.copy_location(ast.parse(spelt[1], mode="eval").body, value) if spelt else value


def is_label(value: ast.expr) -> bool:
    """Whether a text ends in a colon: it says what is printed behind it."""
    return isinstance(value, ast.Constant) and str(value.value).rstrip().endswith(":")
