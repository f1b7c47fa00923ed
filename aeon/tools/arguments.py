"""Whether arguments fit a tool's schema, said in short texts and in bounded time for any JSON value."""

from __future__ import annotations

import math

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from aeon.schema.frozen import JsonValue
from aeon.text import one_line
from aeon.tools.output import MAX_DEPTH
from aeon.tools.references import WHOLE

__all__ = ["problems"]

_MAX_BITS = 14_000  # some 4,200 decimal digits, below the 4,300 that Python refuses to print
_MAX_PROBLEMS = 5


def problems(validator: Validator, arguments: JsonValue, *, references: bool = False) -> list[str]:
    """Why the arguments do not fit the validator's schema: at most five texts; each begins with a path.

    With ``references``, a text that is exactly one reference fits any type.
    """
    unfit = _unfit(arguments)
    if unfit:
        return [unfit]
    errors = sorted(validator.iter_errors(arguments), key=lambda error: [str(part) for part in error.absolute_path])
    if references:
        errors = [error for error in errors if not _is_reference(error.instance)]
    return [_describe(error) for error in errors[:_MAX_PROBLEMS]]


def _is_reference(value: object) -> bool:
    return isinstance(value, str) and WHOLE.fullmatch(value) is not None


def _describe(error: ValidationError) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    return f"{one_line(path, 80) or 'arguments'}: {one_line(error.message, 160)}"


def _unfit(value: JsonValue) -> str:
    """Why a schema cannot even be asked about the value, or nothing."""
    stack: list[tuple[JsonValue, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if depth > MAX_DEPTH:
            return f"arguments: nested deeper than {MAX_DEPTH} levels"
        if unfit := _unfit_number(item):
            return unfit
        if isinstance(item, dict):
            stack.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, list):
            stack.extend((inner, depth + 1) for inner in item)
    return ""


def _unfit_number(item: JsonValue) -> str:
    if isinstance(item, float) and not math.isfinite(item):
        return f"arguments: {item} is no JSON number"
    if isinstance(item, int) and item.bit_length() > _MAX_BITS:
        return "arguments: an integer of more than 4,200 digits"
    return ""
