"""Parsing and evaluating an arithmetic expression in one pass (a Pratt parser over a token list).

Binding, from loose to tight: comparisons (chained), ``+ -``, ``* / // %``, signs, powers (from the right), percent.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from aeon.errors import ToolArgumentError
from aeon.proof import functions
from aeon.proof.numbers import MAX_DIGITS, Number, restored

__all__ = ["ACCEPTED", "Value", "evaluate"]

Value = Fraction | bool | float
"""What an expression gives: an exact number, a truth value, or a ``float`` where only an approximation exists."""

ACCEPTED = (
    "the calculator takes numbers, + - * / // % ^, parentheses, comparisons, pi, e and the functions "
    + ", ".join(functions.FUNCTIONS)
)

_MAX_LENGTH = 20_000
_MAX_DEPTH = 40
_SUM, _PRODUCT, _UNARY, _POWER = 20, 30, 40, 50

_SIGNS = str.maketrans({
    "\N{MULTIPLICATION SIGN}": "*", "\N{MIDDLE DOT}": "*", "\N{DOT OPERATOR}": "*", "\N{DIVISION SIGN}": "/",
    "\N{DIVISION SLASH}": "/", "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{GREEK SMALL LETTER PI}": " pi ",
    "\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=",
    "\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " ",
})  # fmt: skip

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<hexadecimal>0[xX][0-9a-fA-F]+)
  | (?P<grouped>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?)
  | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
  | (?P<currency>[$€£¥](?=\s*[\d.]))
  | (?P<reference>\$\w+)
  | (?P<times>[xX](?=\s*[-+\d.($€£¥]))
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign>\*\*|//|<=|>=|==|!=|[-+*/%^()\[\]<>=,])
    )""",
    re.VERBOSE,
)


_GROUP = re.compile(r"\d{3}(?!\d)")
_GROUP_BEFORE = re.compile(r"(?:^|[^\d.])(\d{1,3})$")


class _Token(NamedTuple):
    kind: str  # "number", "name", "sign" or "end"
    text: str


_COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    "<=": lambda a, b: a < b or functions.is_close(a, b),
    ">": operator.gt,
    ">=": lambda a, b: a > b or functions.is_close(a, b),
    "==": functions.is_close,
    "=": functions.is_close,
    "!=": lambda a, b: not functions.is_close(a, b),
}

_BINARY: dict[str, tuple[int, Callable[[Number, Number], Number]]] = {
    "+": (_SUM, functions.add),
    "-": (_SUM, lambda a, b: functions.add(a, -b)),
    "*": (_PRODUCT, functions.multiply),
    "/": (_PRODUCT, functions.divide),
    "//": (_PRODUCT, functions.floor_divide),
    "%": (_PRODUCT, functions.modulo),
    "of": (_PRODUCT, functions.multiply),
    "^": (_POWER, functions.power),
    "**": (_POWER, functions.power),
}


def evaluate(expression: str) -> Value:
    """Return the value of an arithmetic expression, exactly wherever it is rational.

    A decimal literal is exact (``0.1 + 0.2 == 0.3``). ``%`` between operands is the modulo; behind an operand, as in
    ``20%``, ``20% of 50`` or ``50% - 3``, it is percent. A comma before three digits separates thousands, save directly
    inside a function's parentheses, where it separates arguments: ``1,200 + 1`` but ``max(1,200)`` is 200; one
    that looks there as if it were for thousands, as in ``sum(1,000, 2)``, is refused. ``$ € £ ¥`` before a number are
    skipped, ``x`` before a number is times, a final ``=`` is ignored.

    Roots, logarithms, trigonometry and fractional powers without exact value give a ``float``. Raises
    ``ToolArgumentError`` for what is no expression, ``ToolFailed`` for one without value (division by zero, too large).
    """
    if len(expression) > _MAX_LENGTH:
        raise ToolArgumentError(
            f"the expression is {len(expression):,} characters long; up to {_MAX_LENGTH:,} are taken"
        )
    parser = _Parser(_tokens(expression))
    value = parser.comparison()
    parser.expect("end", "")
    return value


def _tokens(expression: str) -> list[_Token]:
    """Split the text; commas are thousands separators unless directly inside a function's parentheses."""
    text = expression.translate(_SIGNS).strip().removesuffix("=").rstrip()
    tokens: list[_Token] = []
    lists: list[_List | None] = []  # of the parentheses that are open: what is known of those around arguments
    position = 0
    while position < len(text):
        around = lists[-1] if lists else None
        kind, word, position = _read(text, position, around)
        if word == "," and around:
            around.comma(text, position - 1)
        _follow(lists, word, tokens)
        if kind != "currency":
            tokens.append(_token(kind, word))
    return [*tokens, _Token("end", "")]


def _follow(lists: list[_List | None], word: str, tokens: list[_Token]) -> None:
    """Open or close what a parenthesis opens or closes."""
    if word in ("(", "["):
        called = word == "[" or (bool(tokens) and tokens[-1].kind == "name")
        lists.append(_List() if called else None)
    elif word in (")", "]") and lists:
        lists.pop()


class _List:
    """The arguments between a function's parentheses, and what their commas look like."""

    def __init__(self) -> None:
        self._thousands = ""
        self._spaced = False

    def comma(self, text: str, position: int) -> None:
        """Take note of the comma at a position. Raises ``ToolArgumentError`` where one is evidently for thousands."""
        before, after = _GROUP_BEFORE.search(text[max(0, position - 5) : position]), _GROUP.match(text, position + 1)
        if before and after:
            self._thousands = f"{before[1]},{after[0]}"
        self._spaced = self._spaced or text[position + 1 : position + 2].isspace()
        if self._thousands and (self._spaced or (after and after[0].startswith("0"))):
            plain = self._thousands.replace(",", "")
            raise ToolArgumentError(
                f"{self._thousands} between a function's parentheses may be one number or two: "
                f"write {plain}, or a space after every comma"
            )


def _read(text: str, position: int, around: _List | None) -> tuple[str, str, int]:
    """Return the kind and the text of what stands at the position, and where it ends."""
    match = _TOKEN.match(text, position)
    if match is None or match.lastgroup is None:
        raise ToolArgumentError(f"cannot read {text[position : position + 20].strip()!r}; {ACCEPTED}")
    kind, word = match.lastgroup, match[match.lastgroup]
    if kind == "reference":
        raise ToolArgumentError(f"the reference {word} was not filled in; write a number")
    if kind == "hexadecimal":
        raise ToolArgumentError(f"{word[:40]} is hexadecimal; write it as a decimal number")
    if kind == "grouped" and around:
        word = word.split(",")[0]
    return kind, word, match.start(kind) + len(word)


def _token(kind: str, word: str) -> _Token:
    if kind == "grouped":
        return _Token("number", word.replace(",", ""))
    if kind == "times":
        return _Token("sign", "*")
    if kind == "name":
        return (
            _Token("sign", word) if word == "of" else _Token("sign", "%") if word == "percent" else _Token(kind, word)
        )
    return _Token(kind, word)


class _Parser:
    """Evaluates while it parses, so that no tree is built and every intermediate value is bounded."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def expect(self, kind: str, text: str) -> None:
        """Take that token, or say what stands in its place."""
        if self._next != (kind, text):
            expected = repr(text) if text else "the end"
            raise ToolArgumentError(f"expected {expected} before {self._next_text()}; {ACCEPTED}")
        self._at += 1

    def _next_text(self) -> str:
        return repr(self._next.text[:20]) if self._next.kind != "end" else "the end"

    def comparison(self) -> Value:
        """Return an expression's value: a truth value if it compares, else a number."""
        left = self._binary(0)
        if self._next.text not in _COMPARISONS:
            return left
        result = True
        while self._next.text in _COMPARISONS:
            compare = _COMPARISONS[self._take().text]
            right = self._binary(0)
            result = result and compare(left, right)
            left = right
        return result

    def _binary(self, binding: int) -> Number:
        """Return the value of operands joined by operators that bind tighter than ``binding``."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ToolArgumentError(f"nested deeper than {_MAX_DEPTH} levels; write it in smaller steps")
        left = self._operand()
        while self._next.kind == "sign":
            sign = self._next.text
            if sign == "%" and not self._is_modulo():
                self._at += 1
                left = functions.divide(left, Fraction(100))
                continue
            if sign not in _BINARY or _BINARY[sign][0] <= binding:
                break
            self._at += 1
            tightness, apply = _BINARY[sign]
            left = apply(left, self._binary(_UNARY - 1 if tightness == _POWER else tightness))
        self._depth -= 1
        return left

    def _is_modulo(self) -> bool:
        """Return whether the ``%`` ahead stands between two operands."""
        after = self._tokens[self._at + 1]
        return after.kind in ("number", "name") or after.text == "("

    def _operand(self) -> Number:
        token = self._take()
        if token.kind == "number":
            return _literal(token.text)
        if token.kind == "name":
            return self._value_of_name(token.text)
        if token.text in ("+", "-"):
            value = self._binary(_UNARY)
            return -value if token.text == "-" else value
        if token.text == "(":
            value = self._binary(0)
            if self._next.text in _COMPARISONS:
                raise ToolArgumentError("a comparison gives true or false and must stand alone, not inside parentheses")
            self.expect("sign", ")")
            return value
        self._at -= 1
        raise ToolArgumentError(f"expected a number before {self._next_text()}; {ACCEPTED}")

    def _value_of_name(self, name: str) -> Number:
        lowered = name.lower()
        if self._next.text == "(" and lowered in functions.FUNCTIONS:
            self._at += 1
            return functions.call(lowered, self._arguments())
        if lowered in functions.CONSTANTS:
            return functions.CONSTANTS[lowered]
        raise ToolArgumentError(f"unknown name {name[:40]!r}; {ACCEPTED}")

    def _arguments(self, closing: str = ")") -> list[Number]:
        """Return what stands between a function's parentheses; a list in brackets, as in ``sum([1, 2])``, is opened."""
        values: list[Number] = []
        while self._next.text != closing:
            if self._next.text == "[" and closing == ")":
                self._at += 1
                values += self._arguments("]")
            else:
                values.append(self._binary(0))
            if self._next.text != ",":
                break
            self._at += 1
        self.expect("sign", closing)
        return values


def _literal(text: str) -> Number:
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > MAX_DIGITS or (exponent and abs(int(exponent[:10])) > MAX_DIGITS):
        raise functions.too_large()
    return functions.checked(restored(text))
