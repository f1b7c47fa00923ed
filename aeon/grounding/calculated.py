"""Values of an answer that follow from others as a judge says: each calculation is done again, exactly, or refused."""

from __future__ import annotations

import ast
import contextlib
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from aeon.grounding.grounds import Grounds, reading_of
from aeon.grounding.matching import with_unit, written_as
from aeon.grounding.toolrecord import from_table
from aeon.language.mention import Form, Mention
from aeon.language.readings import Read, exact, read
from aeon.proof.again import CHANGES, PARTS, conversions, evaluate, instant, letters_of
from aeon.proof.figures import figures_in
from aeon.proof.tables import FUNCTIONS
from aeon.proof.whole import LABEL
from aeon.schema import Calculation, Claim, Computation, FromClaim, Support, SupportType, ToolUse

__all__ = ["with_calculations"]

_REFERENCE = re.compile(
    r"\b([a-z]+)\(\s*\[?((?:[a-z]\w*\.)?\d+)\]?(?:\.\s*([^(),]+(?:\([^()]*\))?))?\s*\)", re.IGNORECASE
)
_INSTANT = re.compile(r"(?<![\w.:-])(?:\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2})(?![\w.:-])")
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")"})
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_LONGEST = 1_000
_SCALES = (1_000, 1_000_000, 1_000_000_000)
"""What a number may stand with as a word, which an expression leaves out."""
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_CALLS = ("round", "ceil", "floor", "min", "max", "abs", "sum")


class _Operand(NamedTuple):
    """A value that an expression names, with where it stands."""

    number: Fraction
    place: Support

    @property
    def unit(self) -> str:
        """Its unit, "" for none: that of a clock time are minutes, that of a date days."""
        reading = self.place.reading
        return instant(Read(reading.value, unit=reading.unit)).unit


def with_calculations(
    made: Sequence[Claim],
    said: Sequence[Mention],
    grounds: Grounds,
    uses: Mapping[str, ToolUse],
    calculations: Sequence[Calculation],
) -> tuple[Claim, ...]:
    """The claims with the calculations that a judge points out, each for the values that stand nowhere, or so in part.

    One may rest on the result of another. ``said`` are the values that the claims are of, ``uses`` the calls by the
    names that an expression may have for them.
    """
    claims = list(made)
    for _ in calculations:
        before = tuple(claims)
        for one in calculations:
            _apply(one, claims, said, grounds, uses)
        if tuple(claims) == before:
            break
    return _without_labels(claims, {one.value.strip() for one in calculations if not one.expression.strip()})


def _without_labels(claims: Sequence[Claim], labels: Collection[str]) -> tuple[Claim, ...]:
    """The claims; those that a judge holds to be no statement are not checked, where another value stands somewhere.

    Without one nothing of the answer is borne out, and a judge's word alone does not make it so.
    """
    if not any(claim.verdict == "supported" for claim in claims):
        return tuple(claims)
    return tuple(
        claim.changed(verdict="not_checked", note=LABEL)
        if claim.verdict == "not_found" and claim.text.strip() in labels
        else claim
        for claim in claims
    )


def _apply(
    one: Calculation, claims: list[Claim], said: Sequence[Mention], grounds: Grounds, uses: Mapping[str, ToolUse]
) -> None:
    numbers = set(_numbers(one.value))
    for place, (claim, mention) in enumerate(zip(claims, said, strict=True)):
        same = any(form.read.number in numbers for form in mention.forms)
        if same and one.expression.strip() and claim.verdict in ("not_found", "partial"):
            try:
                made = _calculated(claim, mention, one.expression, _Reader(grounds, uses, claims))
            except ValueError as error:
                made = claim.changed(note=f"stands nowhere; {one.expression[:100]}: {error}")
            if claim.verdict == "not_found" or made.verdict == "supported":
                claims[place] = made


def _numbers(value: str) -> Iterator[Fraction]:
    """The numbers that a value may be, also where a word such as "million" is left out of it."""
    for mention in figures_in(value, False):
        for form in mention.forms:
            if (number := form.read.number) is not None:
                yield from (number * scale for scale in (1, *_SCALES))


def _calculated(claim: Claim, mention: Mention, expression: str, reader: _Reader) -> Claim:
    """The claim of a value that an expression gives.

    Raises:
        ValueError: it does not, or an operand of it stands nowhere.
    """
    text = reader.read(expression)
    numbers = {letter: one.number for letter, one in zip(string.ascii_lowercase, reader.operands, strict=False)}
    for form in mention.forms:
        for written, change in _ways(text, form, reader.operands):
            letters_of(written)
            value = evaluate(written, numbers) * change
            computation = Computation(expression=written, factor=exact(change), result=exact(value), step="judge")
            if (right := written_as(computation, value, form.read)) is not None:
                return with_unit(_claim(claim, form, right, reader.operands), grounds=reader.grounds)
    raise ValueError(f"it gives {exact(evaluate(text, numbers))[:40]}")


def _ways(text: str, form: Form, operands: Sequence[_Operand]) -> Iterator[tuple[str, Fraction]]:
    """The expression as it may be meant: what may be a share also times 100, and each with the other sign.

    Each comes with what changes the unit of its operands to that of the value, and then with 1, as it stands.
    """
    whole = text if len(text) == 1 else f"({text})"
    shares = (f"{whole} * 100",) if form.read.unit in ("%", "") else ()
    changes = [Fraction(1), *conversions((one.unit for one in operands), form.read.unit)]
    for change in dict.fromkeys(reversed(changes)):
        yield from ((one, change) for one in (text, *shares, f"-{whole}", *(f"-{one}" for one in shares)))


def _claim(claim: Claim, form: Form, computation: Computation, operands: Sequence[_Operand]) -> Claim:
    evidence = tuple(one.place for one in operands)
    first = evidence[0]
    support: SupportType = "inference" if len(evidence) > 1 or first.type == "claim" else first.type
    return claim.changed(reading=reading_of(form), support=support, evidence=evidence, computation=computation)


class _Reader:
    """Reads an expression into one over letters, and finds where each of its operands stands."""

    def __init__(self, grounds: Grounds, uses: Mapping[str, ToolUse], claims: Sequence[Claim]) -> None:
        self.grounds = grounds
        self.operands: list[_Operand] = []
        self._uses = uses
        self._claims = claims
        self._named: dict[str, _Operand] = {}

    def read(self, expression: str) -> str:
        """The expression over ``a``, ``b``, … for the operands in order.

        Raises:
            ValueError: it is no arithmetic, or an operand stands nowhere.
        """
        if len(expression) > _LONGEST:
            raise ValueError("it is too long")
        left = expression.partition("=")[0].strip().strip("`$")
        plain = _INSTANT.sub(self._instant, _REFERENCE.sub(self._name, left)).translate(_SIGNS)
        plain = _PERCENT.sub(r"(\1 / 100)", plain)
        for text in (plain, _GROUPED.sub("", plain)):
            try:
                tree = ast.parse(text, mode="eval").body
            except (SyntaxError, RecursionError, MemoryError, ValueError):
                continue
            if not isinstance(tree, ast.Tuple):
                written = self._written(tree, text)
                if not self.operands:
                    raise ValueError("nothing in it stands anywhere")
                return written
        raise ValueError("it cannot be read as arithmetic")

    def _name(self, match: re.Match[str]) -> str:
        """A name for what a table comes to; what is no such thing stays as it is."""
        function, use, column = match[1].casefold(), self._uses.get(match[2]), (match[3] or "").strip().strip("\"'`")
        if use is None or (function != "rows" and (function not in FUNCTIONS or not column)):
            return match[0]
        try:
            known = from_table(use, f"{function}({column})")
        except ValueError:
            return match[0]
        return self._called(_Operand(known.form.read.number or Fraction(0), known.evidence[0]))

    def _instant(self, match: re.Match[str]) -> str:
        """A name for a clock time or a whole date that stands somewhere; what is none stays as it is."""
        for form in ("time", "ymd"):
            with contextlib.suppress(ValueError):
                value = read(match[0], form)
                known, number = self.grounds.exact(value.value, ""), instant(value).number
                if number is not None and known is not None and len(known.evidence) == 1:
                    return self._called(_Operand(number, known.evidence[0]))
        return match[0]

    def _called(self, operand: _Operand) -> str:
        name = f"R{len(self._named)}"
        self._named[name] = operand
        return name

    def _written(self, node: ast.expr, source: str, beside: ast.operator | None = None) -> str:
        match node:
            case ast.Constant(value=int() | float()):
                return self._number(_text(node, source), beside)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
                return self._negative(_text(operand, source), beside)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"-({self._written(operand, source)})"
            case ast.Name(id=name) if name in self._named:
                return self._letter(self._named[name])
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                whole = isinstance(right, ast.Constant) and right.value == 1
                quotient = left if whole else ast.BinOp(left=left, op=ast.Div(), right=right)
                return f"floor({self._written(quotient, source)})"
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
                sides = [self._side(left, source, sign, isinstance(sign, ast.Div)), self._side(right, source, sign)]
                return f" {_OPERATORS[type(sign)]} ".join(sides)
            case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]) if name in _CALLS:
                return f"{name}({', '.join(self._arguments(name, arguments, source))})"
        raise ValueError(f"{_text(node, source)[:40]!r} in it cannot be computed")

    def _side(self, node: ast.expr, source: str, sign: ast.operator, divided: bool = False) -> str:
        text = self._written(node, source, None if divided else sign)
        return f"({text})" if isinstance(node, ast.BinOp) else text

    def _arguments(self, name: str, arguments: Sequence[ast.expr], source: str) -> list[str]:
        places = arguments[1:] if name == "round" else []
        rest = arguments[:1] if name == "round" else arguments
        return [*(self._written(one, source) for one in rest), *(ast.unparse(one) for one in places)]

    def _number(self, text: str, beside: ast.operator | None) -> str:
        """The letter of a number that stands somewhere, or a number that need not.

        Raises:
            ValueError: it stands nowhere.
        """
        number = Fraction(text.replace("_", ""))
        if (operand := self._standing(number) or self._in_date(number, beside)) is not None:
            return self._letter(operand)
        if (share := self._standing(number * 100, "%")) is not None:
            return f"({self._letter(share)} / 100)"
        large = (self._standing(number * scale) for scale in _SCALES)
        if (operand := next(filter(None, large), None)) is not None:  # "6.2 million" is said as 6.2
            return self._letter(operand)
        free: Collection[int] = () if beside is None else {ast.Mult: CHANGES, ast.Div: PARTS}.get(type(beside), {1})
        if number in free or (number == 1 and beside is not None):
            return exact(number)
        raise ValueError(f"{text[:40]} stands nowhere")

    def _negative(self, text: str, beside: ast.operator | None) -> str:
        operand = self._standing(-Fraction(text.replace("_", "")))
        return self._letter(operand) if operand is not None else f"-{self._number(text, beside)}"

    def _standing(self, number: Fraction, unit: str | None = None) -> _Operand | None:
        """Where a number stands exactly: in a result, a sentence, the task, or as a value of the answer that stands."""
        value = exact(number)
        for name in [unit] if unit is not None else ["", *self.grounds.units]:
            known = self.grounds.exact(value, name)
            if known is not None and known.computation is None and len(known.evidence) == 1:
                return _Operand(number, known.evidence[0])
        return next((_Operand(number, one) for one in self._said(value, unit)), None)

    def _said(self, value: str, unit: str | None) -> Iterator[FromClaim]:
        """The values of the answer that stand and are this number."""
        for claim in self._claims:
            reading = claim.reading
            is_it = claim.kind == "number" and reading.value == value and unit in (None, reading.unit)
            if is_it and claim.verdict == "supported":
                yield FromClaim(claim=claim.id, reading=reading)

    def _in_date(self, number: Fraction, beside: ast.operator | None) -> _Operand | None:
        """Where a number that is added or taken away is the day, the month or the year of a date."""
        dates = self.grounds.figures(exact(number)) if isinstance(beside, ast.Add | ast.Sub) else ()
        return next((_Operand(number, known.evidence[0]) for known in dates), None)

    def _letter(self, operand: _Operand) -> str:
        if operand not in self.operands:
            if len(self.operands) == len(string.ascii_lowercase):
                raise ValueError("it has too many operands")
            self.operands.append(operand)
        return string.ascii_lowercase[self.operands.index(operand)]


def _text(node: ast.expr, source: str) -> str:
    return ast.get_source_segment(source, node) or source
