"""Expressions of a program: what they are, and in which form the calculator takes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from aeon.programs.quotes import UnfitError

__all__ = ["by_name", "formatted", "is_number", "is_reference", "scalar", "short", "truncate"]

_LONGEST_TEXT = 6_000
_PLACES = re.compile(r",?\.(\d)f")
"""The format of a number with so many decimals."""


def by_name(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
    """The arguments of a call by their names, those without a name in the order of the tool's own."""
    arguments = dict(zip(names, call.args, strict=False))
    arguments |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if len(arguments) != len(call.args) + len(call.keywords):
        raise UnfitError
    return arguments


def short(text: str) -> str:
    """The text; refused where it is longer than any argument, as one that is doubled over and over."""
    if len(text) > _LONGEST_TEXT:
        raise UnfitError
    return text


def formatted(value: ast.FormattedValue) -> ast.expr:
    """What an f-string shows, rounded where its format says so. Refuse any other format."""
    match value.format_spec:
        case None:
            return value.value
        case ast.JoinedStr(values=[ast.Constant(value=str() as spec)]) if found := _PLACES.fullmatch(spec):
            return ast.Call(ast.Name("round"), [value.value, ast.Constant(int(found[1]))], [])
    raise UnfitError


def is_number(value: ast.expr) -> bool:
    """Whether a value is a number as it stands."""
    match value:
        case ast.Constant(value=int() | float()) | ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return True
    return False


def is_reference(value: ast.expr) -> bool:
    """Whether a value is what an earlier step gives."""
    return isinstance(value, ast.Name) and value.id.startswith("$")


def scalar(value: ast.expr) -> ast.expr:
    """Return the number or the reference. Refuse a list and a text."""
    if isinstance(value, ast.List) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        raise UnfitError
    return value


def truncate(value: ast.expr) -> ast.expr:
    """The value without its decimals, rounded towards zero as Python's ``int`` does."""
    down, up = (ast.Call(ast.Name(name), [value], []) for name in ("floor", "ceil"))
    above, below = (ast.Call(ast.Name(n), [ast.Constant(0), whole], []) for n, whole in (("max", down), ("min", up)))
    return ast.BinOp(above, ast.Add(), below)
