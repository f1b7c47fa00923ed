"""What a column is, found from the shapes of all its cells, and from how the other columns of the file are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from aeon.tables.choosing import allowed, chosen, ways
from aeon.tables.conventions import CONVENTIONS, PLAIN, Convention
from aeon.tables.converting import Conversion, conversion, is_known
from aeon.tables.days import is_day, is_moment
from aeon.tables.numerals import Numeral, fits, is_currency, numeral
from aeon.tables.reading import Kind, Ways
from aeon.tables.shapes import Shape, is_nothing

__all__ = ["Evidence", "Guess", "Said", "conventions", "guess"]

_MOST_UNITS = 6
"""Units of a column above which its cells are texts that begin with numbers."""
_MOST_ODD = 3
"""Different texts among numbers or days that may stand for nothing."""
_MOST_SCALE = 9
_ENOUGH = 2
_RARE = 0.2
_LONG = 7
_TYPES: dict[Kind, str] = {"day": "DATE", "moment": "TIMESTAMP", "truth": "BOOLEAN"}


@dataclass(frozen=True)
class Said:
    """What is stated of a column: its kind, how its numbers are written, and their unit."""

    kind: str | None = None
    convention: Convention | None = None
    unit: str = ""


@dataclass(frozen=True)
class Evidence:
    """What a file says about its columns: its delimiter, "" where it has none, and the conventions that are certain.

    ``said`` is what is stated of the column: it decides. ``is_plain`` says that all its numbers are stored as numbers,
    so that a point between digits is one.
    """

    delimiter: str = ""
    conventions: frozenset[Convention] = frozenset(CONVENTIONS)
    said: Said = Said()
    is_plain: bool = False


@dataclass(frozen=True)
class Guess:
    """What a column is taken for, with the ``shapes`` of its values; cells of ``odd`` ones hold none.

    ``conversion`` is that of its numbers into one unit, where they have several.
    """

    kind: Kind
    shapes: tuple[Shape, ...] = ()
    odd: tuple[Shape, ...] = ()
    convention: Convention = PLAIN
    units: tuple[str, ...] = ()
    conversion: Conversion | None = None
    sql_type: str = "VARCHAR"
    note: str = ""
    doubt: str = ""
    ways: Ways | None = None

    @property
    def is_filled(self) -> bool:
        """Whether any cell holds anything."""
        return bool(self.shapes or self.odd)

    @property
    def unit(self) -> str:
        """The unit that all numbers have, or are converted into, "" without one or with several."""
        if self.conversion:
            return self.conversion.unit
        return "" if self.is_mixed else max(self.units, default="")

    @property
    def is_mixed(self) -> bool:
        """Whether its cells have several units, or some have a percent sign and others have none."""
        return sum(map(bool, self.units)) > 1 or self.units == ("", "%")


_TEXT = Guess("text")
_CLOCKS = Guess("text", note="texts like 5:36, which may be times of day, hours and minutes, or minutes and seconds")


def guess(shapes: Sequence[Shape], evidence: Evidence) -> Guess:
    """What a column with cells of these shapes is; empty cells are not among them."""
    said = evidence.said
    nothing = tuple(one for one in shapes if is_nothing(one.text))
    values = [one for one in shapes if one not in nothing]
    if said.kind == "text":
        return Guess("text", tuple(shapes))
    found = _guess(values, evidence) if values else Guess("text")
    return replace(found, shapes=tuple(shapes)) if found.kind == "text" else replace(found, odd=(*nothing, *found.odd))


def _guess(values: Sequence[Shape], evidence: Evidence) -> Guess:
    """The same of cells that each hold something."""
    kind, those = _most(values, evidence.said.kind)
    odd = [one for one in values if one not in set(those)]
    if not _is_kind(kind, those, odd, evidence.said):
        return _CLOCKS if all(_is_clock(one.text) for one in values) else _TEXT
    if kind == "number":
        return _number({one: found for one in those if (found := numeral(one.text))}, odd, evidence)
    return Guess(kind, tuple(those), tuple(odd), sql_type=_TYPES[kind])


def _is_kind(kind: Kind, those: Sequence[Shape], odd: Sequence[Shape], said: Said) -> bool:
    """Whether a column is of a kind that most cells are of, or that is stated."""
    if not those or (odd and kind == "truth"):
        return False
    return said.kind is not None or _are_rare(odd, those)


def _most(values: Sequence[Shape], stated: str | None) -> tuple[Kind, list[Shape]]:
    """The kind of which most cells are, or the stated one, and their shapes."""
    days = [one for one in values if is_day(one.text)]
    moments = [one for one in values if is_moment(one.text)]
    kinds: dict[Kind, list[Shape]] = {
        "number": [one for one in values if numeral(one.text)],
        "day": days,
        "moment": [*days, *moments] if moments else [],
        "truth": [one for one in values if one.text.casefold() in ("true", "false")],
    }
    return max(kinds.items(), key=lambda item: (item[0] == stated, _count(item[1])))


def conventions(shapes: Iterable[Shape]) -> frozenset[Convention]:
    """The conventions in which a column can be read; all of them where it says nothing about that."""
    numerals = [found for one in shapes if (found := numeral(one.text))]
    return frozenset(allowed(numerals) or CONVENTIONS)


def _count(shapes: Iterable[Shape]) -> int:
    return sum(one.cells for one in shapes)


def _are_rare(odd: Sequence[Shape], those: Sequence[Shape]) -> bool:
    """Whether what is no value of the kind may be cells without one: few, and for the most part alike."""
    count, values = _count(odd), _count(those)
    if not count:
        return True
    is_rare = count <= _RARE * values
    is_wordy = all("9" not in one.text for one in odd)
    is_mark = is_wordy and len(odd) <= _MOST_ODD and 2 * count <= values
    return values >= _ENOUGH and (is_mark or (is_rare and len(odd) <= _MOST_ODD))


def _number(numerals: Mapping[Shape, Numeral], odd: Sequence[Shape], evidence: Evidence) -> Guess:
    """The column of these numbers; of texts where they are none that one counts with."""
    units = tuple(sorted({found.unit for found in numerals.values()}))
    reason = _no_amounts(numerals, [unit for unit in units if unit])
    if reason is not None:
        return Guess("text", note=reason)
    if evidence.said.convention:
        return _stated(numerals, odd, evidence.said.convention, evidence.said.unit)
    if not allowed(numerals.values()):
        return Guess("text", note=f"numbers in two conventions ({_two(numerals)})")
    is_plain = evidence.is_plain
    convention, doubt = (PLAIN, "") if is_plain else chosen(numerals, evidence.conventions, evidence.delimiter)
    return _of_numbers(numerals, odd, convention, evidence.said.unit, doubt) or _TEXT


def _of_numbers(
    numerals: Mapping[Shape, Numeral], odd: Sequence[Shape], convention: Convention, unit: str, doubt: str = ""
) -> Guess | None:
    """The column of numbers in a convention, in one unit where that can be; ``None`` where DuckDB has no type."""
    units = tuple(sorted({found.unit for found in numerals.values()}))
    cells = {one: _count(shape for shape, found in numerals.items() if found.unit == one) for one in units}
    into = conversion(cells, unit)
    sql_type = _sql_type(numerals.values(), convention, into)
    made = Guess("number", tuple(numerals), tuple(odd), convention, units, into, sql_type, doubt=doubt)
    made = replace(made, ways=ways(numerals)) if doubt else made
    return made if sql_type else None


def _no_amounts(numerals: Mapping[Shape, Numeral], units: Sequence[str]) -> str | None:
    """Why numbers are none that one counts with, "" where that needs no word; ``None`` if they are."""
    if any(one.zeros and not found.marks for one, found in numerals.items()):
        return "codes, as some begin with zeros"
    if _are_codes(numerals):
        return "codes, as all are grouped alike"
    if len(units) > 1 and any(_is_lettered(*one) for one in numerals.items()):
        return "codes, as letters stand at some numbers"
    if len(units) > _MOST_UNITS:
        return ""
    is_mixed = sum(map(is_currency, units)) > 1
    return f"amounts in several currencies ({', '.join(units)})" if is_mixed else None


def _is_clock(text: str) -> bool:
    """Whether cells of a shape are numbers parted by colons, as in ``5:36`` or ``1:05:36``."""
    first, *rest = text.split(":")
    return first in ("9", "99", "999") and 1 <= len(rest) <= 2 and set(rest) == {"99"}


def _is_lettered(one: Shape, found: Numeral) -> bool:
    """Whether a capital stands right behind a number, as in no ordinal number, and begins no unit that is known."""
    is_capital = any(before == "9" and letter.isupper() for before, letter in pairwise(one.text))
    return is_capital and not is_known(found.unit)


def _stated(numerals: Mapping[Shape, Numeral], odd: Sequence[Shape], convention: Convention, unit: str) -> Guess:
    """The numbers of a column in the convention that is stated; others hold no value."""
    those = {one: found for one, found in numerals.items() if fits(found, convention)}
    others = [one for one in numerals if one not in those]
    made = _of_numbers(those, (*odd, *others), convention, unit) if those else None
    return made or Guess("text", note=f"no numbers like {convention.example}, as is stated")


def _two(numerals: Mapping[Shape, Numeral]) -> str:
    """Two cells that cannot be read in one convention."""
    marked = [one for one, found in numerals.items() if found.marks]
    for first in marked:
        for second in marked:
            if not allowed([numerals[first], numerals[second]]):
                return f"{first.example} and {second.example}"
    return " and ".join(one.example for one in marked[:2])


def _are_codes(numerals: Mapping[Shape, Numeral]) -> bool:
    """Whether long numbers without a unit are all grouped by spaces in the same way, as those of telephones are."""
    bodies = {found.body for found in numerals.values()}
    body = bodies.pop()
    is_spaced = any(mark.isspace() for mark in body) and not {".", ","} & set(body)
    return not bodies and is_spaced and body.count("9") >= _LONG and not any(one.unit for one in numerals.values())


def _sql_type(numerals: Iterable[Numeral], convention: Convention, into: Conversion | None) -> str:
    """DuckDB's type for all of the numbers as they are converted, "" where it has none."""
    every = [*numerals]
    places = [found.places(convention) for found in every]
    more, finer = into.places if into else (0, 0)
    whole, scale = max(before for before, _ in places) + more, max(behind for _, behind in places) + finer
    is_inexact = any(found.exponent for found in every) or scale > _MOST_SCALE
    return "DOUBLE" if is_inexact else _decimal(whole, scale) if scale else _whole(whole)


def _whole(digits: int) -> str:
    return "BIGINT" if digits <= 18 else "HUGEINT" if digits <= 38 else ""


def _decimal(whole: int, scale: int) -> str:
    """Wide enough for 128 bits, or a product overflows; no wider, or COALESCE and UNION round what has more places."""
    wide = whole + scale
    return f"DECIMAL(28,{scale})" if wide <= 20 else f"DECIMAL(38,{scale})" if wide <= 34 else "DOUBLE"
