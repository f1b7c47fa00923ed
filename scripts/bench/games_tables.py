"""Small tables with decoys, claims about them, and a second reading of the same files without any database."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import NamedTuple

from aeon.engines.tutor.actions import OfTable, Query
from aeon.engines.tutor.quantities import Constant, CountOf, Term, ValueOf
from aeon.engines.tutor.statements import Equals, Statement, ValueIs
from aeon.schema.column import Aggregate

Worth = Fraction | date | bool | str
_AGGREGATES: tuple[Aggregate, ...] = ("sum", "avg", "min", "max", "count")
_CLOSE = Fraction(1, 10**11)
"""The share of an average that it is told to."""
_NUMBER = re.compile(r"-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_GIVEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DOTTED = re.compile(r"(\d\d)\.(\d\d)\.(\d{4})")
_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
_NONE = ("", "-", "n/a")
_HEADERS = (
    "region,amount,amounts,price,code,day,paid,note,big,share",
    "region,amount,amount,amount_2,price,code,day,paid,note,big",
    "region,amount,Amount,,amount net,price,code,day,column_4,big",
)
_COLUMNS = ("region", "amount", "amount_2", "amounts", "amount net", "Amount", "price", "code", "day", "paid", "note",
            "big", "share", "column_4", "ghost", "")  # fmt: skip


class Rows(NamedTuple):
    """A table as its file has it; ``whole``: every cell stands below a name."""

    header: list[str]
    rows: list[list[str]]
    whole: bool

    def cells(self, column: str) -> list[str] | None:
        """The cells below the first column of that name, if there is one; case does not tell two names apart."""
        if not column or column not in self.header:
            return None
        at = self.header.index(column)
        if column.lower() in map(str.lower, self.header[:at]):
            return None
        return [row[at] if at < len(row) else "" for row in self.rows]


def tables_of(chance: Random) -> dict[str, bytes]:
    """Two tables: numbers that are texts, missing cells, rows that are there twice, columns of similar names."""
    return {path: _table(chance).encode() for path in ("sales.csv", "b/stock.csv")}


def _table(chance: Random) -> str:
    header = next(csv.reader([chance.choice(_HEADERS)]))
    written = chance.choice(("{:%Y-%m-%d}", "{:%d.%m.%Y}"))
    makers = {name: _maker(name, chance, written) for name in header}
    rows = [[makers[name]() for name in header] for _ in range(chance.choice((0, 1, 4, 4, 12)))]
    rows += chance.sample(rows, min(len(rows), chance.choice((0, 2))))
    if rows and chance.random() < 0.15:
        chance.choice(rows).append("7")
    out = io.StringIO()
    csv.writer(out, lineterminator=chance.choice(("\n", "\r\n"))).writerows([header, *rows])
    return out.getvalue() + "\n" * chance.choice((0, 2))


def _maker(name: str, chance: Random, written: str) -> Callable[[], str]:
    """What writes a cell of a column: some are missing, in columns of texts and of numbers alike."""
    codes = chance.choice((("-3", "12", "n.k."), ("007", "7"), ("-3", "12", "1.5"), ("alpha", "-40", "5 pcs")))
    makers: dict[str, Callable[[], str]] = {
        "region": lambda: chance.choice(("North", "north", "South", "North, upper", 'the "old" one', "alpha")),
        "price": lambda: f"{chance.randint(-500, 2000) / 100:.{chance.choice((1, 2))}f}",
        "code": lambda: chance.choice(codes),
        "day": lambda: written.format(date(2025, chance.randint(1, 3), chance.randint(1, 28))),
        "paid": lambda: chance.choice(("true", "false")),
        "note": lambda: chance.choice(("1,200", "3,450,000", "12")),
        "big": lambda: str(10**15 + chance.randint(-3, 3)),
        "share": lambda: f"{chance.randint(-30, 30) / 10**9:.9f}",
    }
    make = makers.get(name, lambda: str(chance.randint(-9, 12)))
    rare = chance.choice((0.0, 0.2))
    return lambda: chance.choice(_NONE) if chance.random() < rare else make()


def queries(chance: Random, claimed: Sequence[Statement]) -> list[Query]:
    """Looks at some of what is claimed of tables, and one at random."""
    needed = [look for claim in claimed if isinstance(claim, ValueIs | Equals) for look in claim.needs()]
    wanted = [look for look in dict.fromkeys(needed) if isinstance(look, Query)]
    return [*chance.sample(wanted, min(len(wanted), 6)), Query(**_computation(chance, {}).fields() | {"type": "query"})]


def table_claims(chance: Random, files: Mapping[str, bytes], count: int) -> list[Statement]:
    """Claims about a few aggregates: true, nearly true, false, without a value, ill-typed; in both polarities."""
    every = [_computation(chance, files) for _ in range(40)]
    sound = [one for one in every if reckoned(one, files)[0] is not None]
    few = [*sound[:6], *every[:3]]
    return [_claim(chance, files, few) for _ in range(count)]


def _claim(chance: Random, files: Mapping[str, bytes], few: Sequence[ValueOf]) -> Statement:
    of, sign = chance.choice(few), chance.random() < 0.5
    others: tuple[Term, ...] = (chance.choice(few), CountOf(text="alpha"), CountOf(text="North", path="sales.csv"))
    if chance.random() < 0.3:
        return Equals(left=of, right=chance.choice((*others, Constant(value=_guess(chance, files, of)))), polarity=sign)
    named = {name: said for name, said in of.fields().items() if name != "type"}
    return ValueIs(**named, value=_guess(chance, files, of), polarity=sign)


def _computation(chance: Random, files: Mapping[str, bytes]) -> ValueOf:
    table = chance.choice(("sales", "sales", "stock", "stock", "Sales", "ghost") if not files else ("sales", "stock"))
    rows = _rows(files, table)
    names = rows.header if rows is not None and chance.random() < 0.9 else _COLUMNS
    where = chance.choice(("", "", *names))
    cells = (rows.cells(where) if rows is not None else None) or [""]
    given = chance.choice((*cells, "Nowhere", "2.5", "2025-02-03", "north")) if where or chance.random() < 0.05 else ""
    column, aggregate = chance.choice(names), chance.choice(_AGGREGATES)
    return ValueOf(table=table, column=column, aggregate=aggregate, where=where, equals=_again(chance, given))


def _again(chance: Random, given: str) -> str:
    """A value as it stands, or written in another way."""
    changed = (given, given, given.upper(), f"{given}0" if "." in given else given, given.replace(",", ""))
    return chance.choice(changed)


def _guess(chance: Random, files: Mapping[str, bytes], of: ValueOf) -> int | float | str:
    """A value that an aggregate has, nearly has, has as a text or by the order of letters, or has not."""
    rows = _rows(files, of.table)
    letters = sorted(cell for cell in (rows.cells(of.column) or () if rows is not None else ()) if cell)
    wrong: tuple[int | float | str, ...] = (0, 1, -3.5, "North", letters[0] if letters else "-3", "2025-02-03")
    value = reckoned(of, files)[0]
    if value is None:
        return chance.choice(wrong)
    if isinstance(value, date):
        return chance.choice((value.isoformat(), value.isoformat(), value.strftime("%d.%m.%Y"), *wrong[-2:]))
    assert isinstance(value, Fraction)
    true = int(value) if value.denominator == 1 else float(value)
    near = (true + 1, float(true + 0.01), float(true * (1 + 1e-6)), float(true * (1 + 1e-13)), str(true), float(true))
    return chance.choice((true, true, true, *near, *wrong[:2]))


def holds(statement: ValueIs | Equals, files: Mapping[str, bytes]) -> bool | None:
    """Whether two terms have the same value; ``None`` where one has none, or a day beside them is none."""
    (one, off), (other, by) = (_worth(term, files) for term in statement.sides)
    if isinstance(one, date) or isinstance(other, date):
        one, other = _as_day(one), _as_day(other)
    if one is None or other is None:
        return None
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= off + by
    return one == other


def _as_day(value: Worth | None) -> Worth | None:
    """A text as the day that it is, or as nothing."""
    return _day(value, _GIVEN) if isinstance(value, str) else value


def _worth(term: Term, files: Mapping[str, bytes]) -> tuple[Worth | None, Fraction]:
    match term:
        case Constant(value=str() as text):
            return text, Fraction(0)
        case Constant(value=number):
            return Fraction(Decimal(repr(number))), Fraction(0)
        case CountOf(text=text, path=path):
            return _counted(text, [content for name, content in files.items() if path in ("", name)]), Fraction(0)
    return reckoned(term, files)


def _counted(text: str, contents: Sequence[bytes]) -> Fraction | None:
    """How many lines of texts hold a text, if all of them can be read."""
    if any(b"\x00" in content for content in contents):
        return None
    return Fraction(sum(text in line for content in contents for line in content.decode().split("\n")))


def reckoned(of: OfTable, files: Mapping[str, bytes]) -> tuple[Fraction | date | None, Fraction]:
    """An aggregate by the cells of the file, and how far it may be off; none where the file does not say it."""
    values = _values(_rows(files, of.table), of)
    if values is None:
        return None, Fraction(0)
    numbers = [value for value in values if isinstance(value, Fraction)]
    if numbers and of.aggregate == "avg":
        mean = sum(numbers, Fraction(0)) / len(numbers)
        return mean, abs(mean) * _CLOSE
    return _exact(values, numbers, of.aggregate), Fraction(0)


def _exact(values: Sequence[Worth], numbers: Sequence[Fraction], aggregate: Aggregate) -> Fraction | date | None:
    """What is told to its last digit."""
    if aggregate == "count":
        return Fraction(len(values))
    if aggregate == "sum":
        return sum(numbers, Fraction(0)) if numbers else None
    return _outermost(numbers or [value for value in values if isinstance(value, date)], aggregate)


def _outermost(values: Sequence[Fraction] | Sequence[date], aggregate: Aggregate) -> Fraction | date | None:
    if not values or aggregate not in ("min", "max"):
        return None
    ordered = sorted(values)
    return ordered[0 if aggregate == "min" else -1]


def _values(rows: Rows | None, of: OfTable) -> list[Worth] | None:
    """What stands in a column of the rows that are chosen, if it can be said."""
    cells = rows.cells(of.column) if rows is not None and rows.whole else None
    chosen = _chosen(rows, of) if rows is not None and cells is not None else None
    if cells is None or chosen is None:
        return None
    worth = _typed(cells)
    return [value for n in chosen if (value := worth[n]) is not None]


def _chosen(rows: Rows, of: OfTable) -> list[int] | None:
    """The numbers of the rows that a condition chooses; ``None`` where it says nothing."""
    if not of.where:
        return None if of.equals else list(range(len(rows.rows)))
    cells = rows.cells(of.where)
    if cells is None or of.equals.casefold() in _NONE:
        return None
    worth = _typed(cells)
    kinds = {type(value) for value in worth} - {type(None)}
    sought = _sought(of.equals, kinds)
    if sought is None:
        return None
    return [n for n, value in enumerate(worth) if (value.lower() if isinstance(value, str) else value) == sought]


def _sought(text: str, kinds: set[type]) -> Worth | None:
    """A value that rows are chosen by, as the column has it."""
    if kinds == {Fraction}:
        return Fraction(text) if _PLAIN.fullmatch(text) else None
    if kinds == {date}:
        return _day(text, _GIVEN)
    return _TRUTHS.get(text.lower()) if kinds == {bool} else text.lower()


def _typed(cells: Sequence[str]) -> list[Worth | None]:
    """The cells as numbers, days, or true and false if all are, else as texts; a missing one as nothing."""
    readings: tuple[Callable[[str], Worth | None], ...] = (
        _number, lambda cell: _day(cell, _GIVEN, _DOTTED), _TRUTHS.get,
    )  # fmt: skip
    there = {cell for cell in cells if cell not in _NONE}
    fitting = (read for read in readings if there and None not in map(read, there))
    read = next(fitting, str)
    return [read(cell) if cell in there else None for cell in cells]


def _number(cell: str) -> Fraction | None:
    """A number; one that begins with a zero is a code."""
    coded = re.match(r"-?0\d", cell) is not None
    return Fraction(cell.replace(",", "")) if _NUMBER.fullmatch(cell) and not coded else None


def _day(text: str, *patterns: re.Pattern[str]) -> date | None:
    for pattern in patterns:
        if match := pattern.fullmatch(text):
            parts = [int(part) for part in match.groups()]
            try:
                return date(*(parts if pattern is _GIVEN else parts[::-1]))
            except ValueError:
                return None
    return None


def _rows(files: Mapping[str, bytes], table: str) -> Rows | None:
    """The table that a file of this name holds, without its blank rows."""
    found = [content for path, content in files.items() if path.rpartition("/")[2] == f"{table}.csv"]
    if not found:
        return None
    every = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(found[0].decode(), newline=""))]
    header, *rows = [row for row in every if any(row)]
    return Rows(header, rows, all(len(row) <= len(header) or not any(row[len(header) :]) for row in rows))


def tables_in(files: Mapping[str, bytes]) -> Iterator[str]:
    """The files that hold tables."""
    return (path for path in files if path.endswith(".csv"))
