"""What a text that stands in a program is meant as: a day, a time, or a label."""

from __future__ import annotations

import ast
import re

from aeon.tools.dates import is_day

__all__ = ["is_day_or_time", "is_label"]

_TIME = re.compile(r"\d{1,2}[:.]\d{2}")


def is_day_or_time(value: object) -> bool:
    """Whether a value is a text that names a day, with its year or without, or a time such as 8:30."""
    return is_day(value) or bool(_TIME.fullmatch(str(value)))


def is_label(value: ast.expr) -> bool:
    """Whether a text ends in a colon: it says what is printed behind it."""
    return isinstance(value, ast.Constant) and str(value.value).rstrip().endswith(":")
