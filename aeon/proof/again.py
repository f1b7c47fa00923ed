"""Computations and steps of pure tools done again, exactly. Standard library alone."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time
from fractions import Fraction

from aeon.errors import ToolError
from aeon.language.readings import Read, factor, folded, read, rounded
from aeon.proof import functions
from aeon.proof.canonical import is_number, output_of
from aeon.proof.expression import evaluate as calculate
from aeon.proof.figures import values_of_source
from aeon.proof.numbers import Number, plain

__all__ = ["CHANGES", "PARTS", "conversions", "done_again", "evaluate", "instant", "letters_of", "numbers_in"]

CHANGES = frozenset({2, 7, 12, 24, 52, 60, 100, 365, 1000, 3600, 10**6, 10**9})
"""Numbers that change one unit into another, or halve: a computation may have them though they stand nowhere."""
PARTS = CHANGES | {3, 4, 5, 8, 10}
"""What it may divide by, too: texts have a third or a quarter as words, in any language."""


def _power(base: Number, power: Number) -> Number:
    if isinstance(power, float) or power.denominator != 1 or abs(power) > 100:
        raise ValueError("its power is too large to be done again")
    return functions.power(base, power)


_CALLS: dict[str, Callable[..., Fraction]] = {
    "round": lambda value, places=Fraction(0): rounded(value, int(places)),
    "ceil": lambda value: Fraction(math.ceil(value)), "floor": lambda value: Fraction(math.floor(value)),
    "min": min, "max": max, "abs": abs, "sum": lambda *values: sum(values, Fraction(0)),
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: functions.add, ast.Sub: lambda a, b: functions.add(a, -b), ast.Mult: functions.multiply,
    ast.Div: functions.divide, ast.Pow: _power,
}  # fmt: skip
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})


def evaluate(expression: str, names: dict[str, Fraction]) -> Fraction:
    """The exact value of an expression of numbers, names, ``+ - * /``, small powers and a few functions (`_CALLS`).

    Raises:
        ValueError: it has something else, or no value.
    """
    source = expression.translate(_SIGNS).replace("^", "**").strip()
    if len(source) > 2_000 or re.search(r"\d{13}|[\d.]{14}|[eE][-+]?\d{3}", source):
        raise ValueError("it is too long to be done again")
    try:
        return _value(ast.parse(source, mode="eval").body, source, names)
    except ToolError as error:  # a number beyond the calculator's bounds, or a division by zero
        raise ValueError(f"it cannot be done again: {error}") from None
    except (SyntaxError, RecursionError, MemoryError, TypeError, OverflowError, KeyError) as error:
        raise ValueError(f"it cannot be done again ({type(error).__name__})") from None


def _value(node: ast.expr, source: str, names: dict[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int() | float()):
            return Fraction(ast.get_source_segment(source, node) or "")
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, source, names)
        case ast.BinOp(left=left, op=sign, right=right):
            return Fraction(_OPERATORS[type(sign)](_value(left, source, names), _value(right, source, names)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _CALLS[name](*(_value(argument, source, names) for argument in arguments))
    raise ValueError("it has parts that cannot be done again")


def instant(value: Read) -> Read:
    """A clock time as its minutes, a whole date as its days, to be taken from one another; any other value as it is."""
    marks = "".join(one for one in value.value if not one.isdigit())
    if value.number is not None or (marks, len(value.value)) not in ((":", 5), ("--", 10)):
        return value
    try:
        if marks == ":":
            clock = time.fromisoformat(value.value)
            return value._replace(number=Fraction(60 * clock.hour + clock.minute), unit="min")
        return value._replace(number=Fraction(date.fromisoformat(value.value).toordinal()), unit="day")
    except ValueError:  # a date without its day, its month or its year
        return value


def conversions(units: Iterable[str], unit: str) -> list[Fraction]:
    """What numbers in these units are multiplied by to be in the other, each once; "" is no unit."""
    changes = (factor(one, unit) for one in dict.fromkeys(units) if one and unit)
    return list(dict.fromkeys(one for one in changes if one is not None))


def letters_of(expression: str) -> list[str]:
    """The letters of an expression over ``a``, ``b``, … , each once, in order.

    Its numbers may only change units (`CHANGES`, beside ``*``), take a part (`PARTS`, behind ``/``), be a 1 that is
    added or taken away, or the places of ``round``.

    Raises:
        ValueError: it has something else.
    """
    try:
        tree = ast.parse(expression, mode="eval").body
        return sorted({letter for letter in _letters_in(tree)})
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is no expression ({type(error).__name__})") from None


def _letters_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name) and len(node.id) == 1 and node.id.isascii() and node.id.islower():
        yield node.id
    else:
        for part in _parts_of(node):
            yield from _letters_in(part)


def _parts_of(node: ast.expr) -> list[ast.expr]:
    """The parts of an operation that have letters in them."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return [operand]
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return [left, *_unless_constant(right, ast.Div())]
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return [*_unless_constant(left, sign), *_unless_constant(right, sign)]
        case ast.Call(func=ast.Name(id="round"), args=[value, places], keywords=[]) if _is_whole(places):
            return [value]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _CALLS:
            return arguments
    raise ValueError("it has parts that no computation may have")


def _is_whole(node: ast.expr) -> bool:
    """Whether it is how many places to round to."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value < 100


def _unless_constant(node: ast.expr, sign: ast.operator) -> list[ast.expr]:
    """A side of an operation, unless it is a number that needs to stand nowhere."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        free = {ast.Mult: CHANGES, ast.Div: PARTS}.get(type(sign), frozenset({1}))
        return [] if node.value in free else [node]
    return [node]


def done_again(tool: str, arguments: object, output: object, texts: Mapping[str, str]) -> str:
    """What is wrong with the output of a step of a pure tool, done again; "" if it is the one that the tool gives.

    ``output`` is as `output_of` gives it; ``texts`` the stored ones, by id and by location.

    Raises:
        ValueError: this tool, or these arguments, cannot be done again here.
    """
    if tool not in ("calculator", "quote"):
        raise ValueError("this tool cannot be done again here")
    if not isinstance(arguments, dict):
        return "its arguments are none that the tool takes"
    return _calculated(arguments, output) if tool == "calculator" else _quoted(arguments, output, texts)


def _calculated(arguments: Mapping[str, object], output: object) -> str:
    """What is wrong with what the calculator gave; it takes what the calculator takes, within the same bounds."""
    try:
        value = plain(calculate(str(arguments.get("expression", ""))))
    except ToolError as error:
        return f"the calculator never gave this: {error}"
    return "" if output == output_of(json.dumps(value)) else "done again, calculator gives something else"


def _quoted(arguments: Mapping[str, object], output: object, texts: Mapping[str, str]) -> str:
    text = texts.get(str(arguments.get("source")))
    if text is None:
        raise ValueError("its source is not in the proof")
    start, end = (str(arguments.get(name)) for name in ("start", "end"))
    if not (start.isdecimal() and end.isdecimal() and 0 <= int(start[:15]) < int(end[:15]) <= len(text)):
        return "the text has no such characters"
    if arguments.get("value") != output:
        return "done again, quote gives something else"
    value, sentence = str(output), text[int(start) : int(end)]
    if folded(value) in folded(sentence) or _has_number(value, sentence):
        return ""
    if is_number(output):
        return f"its sentence does not state {value[:40]}"
    raise ValueError("its value is not written in its sentence in these words")


def _has_number(value: str, sentence: str) -> bool:
    """Whether a sentence has a number, or the percentage that it is."""
    try:
        number = read(value, "point").number
    except ValueError:
        return False
    return number is not None and bool({number, number * 100} & numbers_in(sentence))


def numbers_in(text: str) -> frozenset[Fraction]:
    """The numbers that a text states, in words too and as parts of dates, in each way to read them."""
    every = [one for mention in values_of_source(text) for one in (mention, *mention.parts)]
    read_so = (form.read.number for mention in every for form in mention.forms)
    return frozenset(number for number in read_so if number is not None)
