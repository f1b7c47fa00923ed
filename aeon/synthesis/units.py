"""The unit of a value that was computed: that of the quoted values, or of the column, that it was computed from."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from aeon.grounding.numerals import numerals
from aeon.proof.readings import NUMBER_WORDS
from aeon.schema import JsonValue, Step, ToolCall
from aeon.text import one_line

__all__ = ["is_money", "quoted_with_unit", "unit_of"]

_NONE = ""
_UNKNOWN = "?"
"""What a value has whose unit nobody can tell; two of these are never the same."""
_OF_TOOLS = {"hours_between": "hours", "days_between": "days"}
_REFERENCE = re.compile(r"\$(\w+)")
_UNIT_WORD = re.compile(rf"(?:[\d.,\s]+|(?:{'|'.join(NUMBER_WORDS)})\s+)([^\W\d_]+(?: [^\W\d_]+)?)\s*", re.IGNORECASE)
_SHARE = re.compile(r"%|per ?cent\b", re.IGNORECASE)
_KEEPS = frozenset({"abs", "round", "floor", "ceil", "min", "max", "sum"})
_COLUMN = re.compile(
    r"\s*SELECT\s+(?:ROUND\s*\(\s*)?(?:(?:SUM|AVG|MIN|MAX|MEDIAN)\s*\(\s*)?(?:\w+\.)?(?:(\w+)|\"([^\"]+)\")\s*\)?\s*(?:,\s*\d+\s*\))?"
    r"(?:\s+AS\s+\w+)?\s+FROM\b",
    re.IGNORECASE,
)
_SUFFIXES = {
    "eur": "euros", "euro": "euros", "euros": "euros", "usd": "dollars", "gbp": "pounds", "mins": "minutes",
    "minutes": "minutes", "hours": "hours", "days": "days", "sec": "seconds", "km": "kilometres", "cm": "centimetres",
    "mm": "millimetres", "kg": "kilograms", "litres": "litres", "kwh": "kWh", "kw": "kW", "m2": "square metres",
    "sqm": "square metres", "ha": "hectares",
}  # fmt: skip
"""Ends of names of columns that say in what their values are."""
_BRACKETED = {
    "g": "grams", "m": "metres", "min": "minutes", "h": "hours", "hrs": "hours", "l": "litres", "ml": "millilitres",
    "€": "euros", "$": "dollars", "£": "pounds", "s": "seconds", "ft": "feet", "lbs": "pounds of weight",
}  # fmt: skip
"""What stands alone in brackets behind the name of a column, or is a sign in it."""
_CURRENCIES = {"eur", "euro", "euros", "usd", "gbp", "amount", "price", "cost", "paid"}
"""Last words of columns of money."""
_MONEY = {"euro", "euros", "dollar", "dollars"}
"""Units that are money, whatever they stand behind; pounds may be a weight."""
_IN_BRACKETS = re.compile(r".*\S\s*[(\[]\s*(?:in )?(\S+)\s*[)\]]")
_SIGN = re.compile(r"(?:.*\s)?([€$£])(?:\s.*)?")
_SHORT = re.compile(
    r".*(?:delay|duration|time|wait|late)_(min)|.*(?:length|height|width|depth|distance|altitude)_(m)|.*(?:weight)_(g)"
)
_OF_SHORT = {"min": "minutes", "m": "metres", "g": "grams"}
"""Ends that mean something else behind other words, such as the least of temperatures."""


def unit_of(step: Step, steps: Sequence[Step]) -> str:
    """The unit of the number that a step of these gave; "" where it has none or nobody can tell.

    Sums and differences have the unit that all their values have, products and quotients that of the only value with
    one. A column has the unit that its name ends in, as ``takings_eur`` or ``Jar (g)``, or its sign: ``Deposit €``.
    """
    found = _unit(step, {one.id: one for one in steps})
    return _NONE if found == _UNKNOWN else found


def is_money(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a number is an amount of money: by its unit, or by the last word of the column that is asked for."""
    arguments = (step.action.arguments or {}) if isinstance(step.action, ToolCall) else {}
    found = _COLUMN.match(str(arguments.get("query", "")))
    last = re.split(r"[\s_]", (found[1] or found[2]).casefold())[-1] if found else ""
    return unit_of(step, steps) in _MONEY or last in _CURRENCIES


def quoted_with_unit(step: Step, value: JsonValue) -> str:
    """A number with its unit as a sentence has them that the step quotes; empty where none does."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return ""
    found = (mention for source in step.sources for mention in numerals(source.text))
    same = Fraction(str(value))
    fit = (one for one in found if any(form.read.unit and form.read.number == same for form in one.forms))
    return next((one_line(one.text) for one in fit), "")


def _unit(step: Step | None, steps: Mapping[str, Step]) -> str:
    """The unit of what a step gave."""
    call = step.action if step is not None and isinstance(step.action, ToolCall) else None
    tool, arguments = (call.tool, call.arguments or {}) if call is not None else ("", {})
    if step is None or not arguments:
        return _UNKNOWN
    if found := _OF_TOOLS.get(tool):
        return found
    if "expression" in arguments:
        return _computed(str(arguments["expression"]), steps)
    return _of_column(str(arguments["query"])) if "query" in arguments else _of_quote(step)


def _of_column(query: str) -> str:
    """The unit that the name of the only column ends in which a query gives."""
    found = _COLUMN.match(query)
    name = (found[1] or found[2]).casefold() if found else ""
    if bracketed := _IN_BRACKETS.fullmatch(name) or _SIGN.fullmatch(name):
        return _BRACKETED.get(bracketed[1]) or _SUFFIXES.get(bracketed[1], _UNKNOWN)
    if short := _SHORT.fullmatch(name):
        return _OF_SHORT[next(filter(None, short.groups()))]
    before, _, last = name.rpartition("_")
    return _SUFFIXES.get(last, _UNKNOWN) if before and not before.endswith("_per") else _UNKNOWN


def _of_quote(step: Step) -> str:
    """The unit of a quoted number; none of a share."""
    text = quoted_with_unit(step, step.output)
    if _SHARE.search(text) or any(_SHARE.search(source.text) for source in step.sources if not text):
        return _NONE if text else _UNKNOWN
    found = _UNIT_WORD.fullmatch(text)
    return found[1] if found else _UNKNOWN


def _computed(expression: str, steps: Mapping[str, Step]) -> str:
    """The unit of what an expression gives whose references are steps."""
    try:
        tree = ast.parse(_REFERENCE.sub(r"\1", expression), mode="eval").body
    except (SyntaxError, ValueError):
        return _UNKNOWN
    return _of(tree, steps)


def _of(node: ast.expr, steps: Mapping[str, Step]) -> str:
    match node:
        case ast.Constant():
            return _NONE
        case ast.Name(id=name):
            return _unit(steps.get(name), steps)
        case ast.UnaryOp(operand=operand):
            return _of(operand, steps)
        case ast.BinOp(left=left, op=op, right=right):
            return _of_two(op, _of(left, steps), _of(right, steps))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _KEEPS:
            return _same([_of(one, steps) for one in args[: 1 if name == "round" else None]])
    return _UNKNOWN


def _of_two(operator: ast.operator, one: str, other: str) -> str:
    """The unit of what is computed of two values with these."""
    match operator:
        case ast.Add() | ast.Sub():
            return _same([one, other])
        case ast.Mult():
            return one or other if _NONE in (one, other) else _UNKNOWN
        case ast.Div():
            return one if other == _NONE else _UNKNOWN
    return _UNKNOWN


def _same(units: Sequence[str]) -> str:
    """The unit that all have; of "euro" and "euros" the longer."""
    alike = {unit.casefold().removesuffix("s") for unit in units}
    return max(units, key=len) if len(alike) == 1 else _UNKNOWN
