"""What a column is, found from the shapes of all its cells, and from how the other columns of the file are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aeon.tables.conventions import CONVENTIONS, PLAIN, Convention
from aeon.tables.days import is_day, is_moment
from aeon.tables.numerals import Numeral, fits, is_currency, numeral
from aeon.tables.reading import Kind
from aeon.tables.shapes import Shape, is_nothing

__all__ = ["Evidence", "Guess", "Said", "conventions", "guess"]

_MOST_UNITS = 6
"""Units of a column above which its cells are texts that begin with numbers."""
_MOST_ODD = 3
"""Different texts among numbers or days that may stand for nothing."""
_MOST_SCALE = 9
_ENOUGH = 2
_RARE = 0.2
_THREE = 3
_LONG = 7


@dataclass(frozen=True)
class Said:
    """What is stated of a column: its kind, and how its numbers are written."""

    kind: str | None = None
    convention: Convention | None = None


@dataclass(frozen=True)
class Evidence:
    """What a file says about its columns: its delimiter, "" where it has none, and the conventions that are certain.

    ``said`` is what is stated of the column: it decides.
    """

    delimiter: str = ""
    conventions: frozenset[Convention] = frozenset(CONVENTIONS)
    said: Said = Said()


@dataclass(frozen=True)
class Guess:
    """What a column is taken for, with the ``shapes`` of its values; cells of ``odd`` ones hold none."""

    kind: Kind
    shapes: tuple[Shape, ...] = ()
    odd: tuple[Shape, ...] = ()
    convention: Convention = PLAIN
    units: tuple[str, ...] = ()
    sql_type: str = "VARCHAR"
    note: str = ""
    doubt: str = ""

    @property
    def is_filled(self) -> bool:
        """Whether any cell holds anything."""
        return bool(self.shapes or self.odd)

    @property
    def unit(self) -> str:
        """The unit that all numbers have, "" without one or with several."""
        named = [unit for unit in self.units if unit]
        return named[0] if len(named) == 1 else ""

    @property
    def is_mixed(self) -> bool:
        """Whether its numbers have several units."""
        return sum(map(bool, self.units)) > 1


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
    numerals = {one: found for one in values if (found := numeral(one.text))}
    days = [one for one in values if is_day(one.text)]
    moments = [one for one in values if is_moment(one.text)]
    truths = [one for one in values if one.text.casefold() in ("true", "false")]
    kinds: dict[Kind, list[Shape]] = {
        "number": [*numerals],
        "day": days,
        "moment": [*days, *moments] if moments else [],
        "truth": truths,
    }
    if evidence.said.kind:
        kinds = {kind: those for kind, those in kinds.items() if kind == evidence.said.kind}
    kind, those = max(kinds.items(), key=lambda item: _count(item[1]))
    odd = [one for one in values if one not in set(those)]
    if not those or not (evidence.said.kind or _are_rare(odd, those)):
        return Guess("text")
    if kind == "number":
        return _number({one: numerals[one] for one in those}, odd, evidence)
    types: dict[Kind, str] = {"day": "DATE", "moment": "TIMESTAMP", "truth": "BOOLEAN"}
    if odd and kind == "truth":
        return Guess("text")
    return Guess(kind, tuple(those), tuple(odd), sql_type=types[kind])


def conventions(shapes: Iterable[Shape]) -> frozenset[Convention]:
    """The conventions in which a column can be read; all of them where it says nothing about that."""
    numerals = [found for one in shapes if (found := numeral(one.text))]
    allowed = _allowed(numerals)
    return frozenset(allowed) if allowed else frozenset(CONVENTIONS)


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
    shapes = tuple(numerals)
    if any(one.zeros and not found.marks for one, found in numerals.items()):
        return Guess("text", note="codes, as some begin with zeros")
    if _are_codes(numerals):
        return Guess("text", note="codes, as all are grouped alike")
    units = tuple(sorted({found.unit for found in numerals.values()}))
    named = [unit for unit in units if unit]
    if len(named) > _MOST_UNITS:
        return Guess("text")
    if len([unit for unit in named if is_currency(unit)]) > 1:
        return Guess("text", note=f"amounts in several currencies ({', '.join(named)})")
    allowed = _allowed(numerals.values())
    if said := evidence.said.convention:
        return _stated(numerals, odd, units, said)
    if not allowed:
        return Guess("text", note=f"numbers in two conventions ({_two(numerals)})")
    convention, doubt = _chosen(numerals, allowed, evidence)
    bare = sum(one.cells for one, found in numerals.items() if not found.unit)
    if named == ["%"] and bare:
        doubt = doubt or f"{bare:,} of its numbers stand without %"
    sql_type = _sql_type(numerals.values(), convention)
    if not sql_type:
        return Guess("text")
    return Guess("number", shapes, tuple(odd), convention, units, sql_type, doubt=doubt)


def _stated(
    numerals: Mapping[Shape, Numeral], odd: Sequence[Shape], units: tuple[str, ...], convention: Convention
) -> Guess:
    """The numbers of a column in the convention that is stated; others hold no value."""
    those = {one: found for one, found in numerals.items() if fits(found, convention)}
    others = [one for one in numerals if one not in those]
    sql_type = _sql_type(those.values(), convention) if those else ""
    if not sql_type:
        return Guess("text", note=f"no numbers like {convention.example}, as is stated")
    return Guess("number", tuple(those), (*odd, *others), convention, units, sql_type)


def _allowed(numerals: Iterable[Numeral]) -> list[Convention]:
    every = [*numerals]
    return [one for one in CONVENTIONS if all(fits(found, one) for found in every)]


def _two(numerals: Mapping[Shape, Numeral]) -> str:
    """Two cells that cannot be read in one convention."""
    marked = [one for one, found in numerals.items() if found.marks]
    for first in marked:
        for second in marked:
            if not _allowed([numerals[first], numerals[second]]):
                return f"{first.example} and {second.example}"
    return " and ".join(one.example for one in marked[:2])


def _are_codes(numerals: Mapping[Shape, Numeral]) -> bool:
    """Whether long numbers without a unit are all grouped by spaces in the same way, as those of telephones are."""
    bodies = {found.body for found in numerals.values()}
    body = bodies.pop()
    is_spaced = any(mark.isspace() for mark in body) and not {".", ","} & set(body)
    return not bodies and is_spaced and body.count("9") >= _LONG and not any(one.unit for one in numerals.values())


def _chosen(
    numerals: Mapping[Shape, Numeral], allowed: Sequence[Convention], evidence: Evidence
) -> tuple[Convention, str]:
    """The convention of a column, and what speaks against it if anything does."""
    readings = {tuple(found.places(one) for found in numerals.values()): one for one in reversed(allowed)}
    if len(readings) == 1:
        return _first(allowed, evidence.conventions), ""
    own = [*allowed]
    if any(one.below_one for one in numerals):
        own = [one for one in own if not _groups(numerals, one)] or own
    elif plain := [found for found in numerals.values() if not found.marks]:
        is_long = any(found.body.count("9") > _THREE for found in plain)
        own = [one for one in own if _groups(numerals, one) != is_long] or own
    left = [one for one in own if one in evidence.conventions]
    if not left:
        return own[0], f"the file has other numbers in another convention than {_marked(numerals).example}"
    if len({tuple(found.places(one) for found in numerals.values()) for one in left}) == 1:
        return left[0], ""
    marked = _marked(numerals)
    if evidence.delimiter == ";" and (usual := [one for one in left if one.point == ","]):
        left = usual if "." in numerals[marked].marks else [*usual, *left]
        if len(usual) == len(left):
            return left[0], ""
    elif "," in numerals[marked].marks and PLAIN in left:
        return PLAIN, ""
    other = next(one for one in left if numerals[marked].places(one) != numerals[marked].places(left[0]))
    return left[0], f"{marked.example} is read with the decimal mark {left[0].point!r}; it may be {other.point!r}"


def _marked(numerals: Mapping[Shape, Numeral]) -> Shape:
    """Cells with marks between their digits."""
    return next(one for one, found in numerals.items() if found.marks)


def _first(allowed: Sequence[Convention], known: frozenset[Convention]) -> Convention:
    return next((one for one in allowed if one in known), allowed[0])


def _groups(numerals: Mapping[Shape, Numeral], convention: Convention) -> bool:
    """Whether marks between digits are those of groups, in a convention."""
    return any(set(found.marks) & set(convention.group) for found in numerals.values() if found.marks)


def _sql_type(numerals: Iterable[Numeral], convention: Convention) -> str:
    every = [*numerals]
    places = [found.places(convention) for found in every]
    whole, scale = max(before for before, _ in places), max(behind for _, behind in places)
    if any(found.exponent for found in every) or scale > _MOST_SCALE:
        return "DOUBLE"
    if not scale:
        return "BIGINT" if whole <= 18 else "HUGEINT" if whole <= 38 else ""
    # Wide enough for 128 bits, or a product overflows; no wider, or COALESCE and UNION round what has more places.
    wide = whole + scale
    return f"DECIMAL(28,{scale})" if wide <= 20 else f"DECIMAL(38,{scale})" if wide <= 34 else "DOUBLE"
