"""How much more one thing has than another: the difference of one figure of two rows, or of two groups of rows.

Small models know the column and both rows, and fail at the query: ``x - x ... WHERE name = 'A' AND name = 'B'`` finds
nothing, ``x FROM t WHERE name = 'A' - x FROM ...`` does not parse, and what is taken from what is a matter of luck. So
the column is taken from what they wrote, and the difference is formed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aeon.documents.words import stems
from aeon.plan.columns import begins
from aeon.plan.sources import SQL, About, Sources
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import Named, TableInfo, quoted

__all__ = ["difference"]

_I = re.IGNORECASE
_COUNT = "COUNT(*)"
_LESS = r"less|fewer|(?:short|low|cheap|young|small|light|slow|narrow|new|near)er"
_MORE = r"more|(?:long|high|old|bigg|larg|great|heavi|fast|tall|wid|deep|dear|far)er"
_ASKED = re.compile(
    rf"\bhow\s+(?P<many>much|many)\b(?P<unit>[^.?!]*?)\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b"
    r"(?P<what>[^.?!]*?)\bthan\b",
    _I,
)
_COMMENT = re.compile(r"#[^\n]*")
_SUBSCRIPT = re.compile(r"\[\s*'(\w+)'\s*\]")
_TEXT = re.compile(r"'[^']*'")
_OTHERWISE = re.compile(r"\b(?:BETWEEN|EXTRACT|I?LIKE|OR|CASE|GROUP|HAVING|AVG)\b|\bIN\s*\(|[<>]|!=", _I)
"""What a query has that asks for more than a figure of rows with these values."""
_CONDITION = re.compile(r"\b(?:WHERE|AND)\s+(?:\w+\.)?(\w+)\s*=", _I)
_SUMMED = re.compile(r"\bSUM\s*\(([^()]*)\)", _I)
_EXTREME = re.compile(r"\b(?:MAX|MIN)\s*\(", _I)
_YEARS, _DAYS = re.compile(r"\byears?\b", _I), re.compile(r"\bdays?\b", _I)
_NUMERIC = re.compile(r"(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT|REAL|DATE)", _I)


class _Sides(NamedTuple):
    """The conditions on what stands before "than" and on what stands behind it, and those on both."""

    first: tuple[Named, ...]
    second: tuple[Named, ...]
    both: tuple[Named, ...]

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the conditions are on."""
        return frozenset(one.column for part in self for one in part)


async def difference(program: str, about: About, sources: Sources) -> Plan | None:
    """The plan of the query that a question for a difference means; ``None`` where that is not plain.

    The question asks how much more, or less, one value of a column has than another; the ``program`` that a model wrote
    for it says which figure of their rows is meant. What comes of it is a number, and not below zero.
    """
    asked = _ASKED.search(about.text)
    sides = _sides(about.text, about.named, asked.end()) if asked else None
    if asked is None or sides is None or SQL not in sources.names:
        return None
    written = _written(program)
    table = _table(written, sides, sources.tables)
    query = _query(written, asked, sides, table) if table is not None else ""
    if not query:
        return None
    action = ToolCall(tool=SQL, arguments={"query": query})
    plan = Plan(steps=(Step(id="s1", description="difference", action=action, provides=("s1",)),), answer=("s1",))
    found = await sources.outcome(plan)
    return plan if len(found) == 1 and isinstance(found[0], int | float) and found[0] >= 0 else None


def _sides(question: str, named: Sequence[Named], than: int) -> _Sides | None:
    """Which of the named values is compared with which: two of one column, one on each side of "than"."""
    columns: dict[str, list[Named]] = {}
    for one in named:
        columns.setdefault(one.column, []).append(one)
    both = tuple(values[0] for values in columns.values() if len(values) == 1)
    pairs = [_pair(question, values, than) for values in columns.values() if len(values) > 1]
    whole = [pair for pair in pairs if pair is not None]
    if not whole or len(whole) < len(pairs):
        return None
    first, second = zip(*whole, strict=True)
    return _Sides(first, second, both)


def _pair(question: str, values: Sequence[Named], than: int) -> tuple[Named, Named] | None:
    """The value before "than" and the one behind it, if there is just one of each."""
    places = [_place(question, one.value) for one in values]
    before = [one for one, place in zip(values, places, strict=True) if 0 <= place < than]
    behind = [one for one, place in zip(values, places, strict=True) if place >= than]
    return (before[0], behind[0]) if len(before) == len(behind) == 1 and len(values) == 2 else None


def _place(question: str, value: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(value)}", question, _I)
    return found.start() if found else -1


def _written(program: str) -> str:
    """What a program says without its comments and texts."""
    return _TEXT.sub("''", _SUBSCRIPT.sub(r" \1 ", _COMMENT.sub("", program)))


def _query(written: str, asked: re.Match[str], sides: _Sides, table: TableInfo) -> str:
    """The query for the difference; "" where it is not plain which figure is meant, or in what it is to be given."""
    figure, column = _figure(written, asked, table, sides.columns)
    kind = dict(table.columns).get(column, "")
    begun, spans = bool(column) and begins(column, kind), _DAYS if kind.startswith("DATE") else _YEARS
    if not figure or (begun and not spans.search(asked["unit"])):
        return ""
    first, second = (
        f"(SELECT {figure} FROM {quoted(table.name)} WHERE {_all((*side, *sides.both))})"
        for side in (sides.first, sides.second)
    )
    return f"SELECT {second} - {first}" if begun is not bool(asked["less"]) else f"SELECT {first} - {second}"


def _table(written: str, sides: _Sides, tables: Sequence[TableInfo]) -> TableInfo | None:
    """The only table that a program asks, if it has the columns of the sides and there are no other conditions."""
    spoken = [table for table in tables if _has(written, table.name)]
    if len(spoken) != 1 or _OTHERWISE.search(written):
        return None
    there = sides.columns <= dict(spoken[0].columns).keys()
    return spoken[0] if there and not _conditions(written, spoken[0]) - sides.columns else None


def _figure(written: str, asked: re.Match[str], table: TableInfo, sides: frozenset[str]) -> tuple[str, str]:
    """What is taken of each side, and the column that it is of; "" where it is of several: a product, a profit."""
    kinds: Mapping[str, str] = dict(table.columns)
    columns = [*dict.fromkeys(_columns(written, kinds, sides))]
    column, summed = columns[0] if columns else "", _SUMMED.search(written)
    if _counts_rows(asked, table.name, column):
        return _COUNT, ""
    if not _NUMERIC.match(kinds.get(column, "")):
        return "", ""
    if summed and {*columns} == {*_columns(summed[1], kinds, sides)}:
        return f"SUM({summed[1]})", column
    return (_of_one(written, asked, column), column) if len(columns) == 1 else ("", "")


def _of_one(written: str, asked: re.Match[str], column: str) -> str:
    """What is taken of one column: amounts are added, but one length is one; "" where the best of them is meant."""
    if (asked["less"] or asked["more"]).casefold() not in ("more", "less", "fewer"):
        return f"DISTINCT {quoted(column)}"
    return "" if _EXTREME.search(written) else f"SUM({quoted(column)})"


def _counts_rows(asked: re.Match[str], table: str, column: str) -> bool:
    """Whether a question is for how many rows there are: of members, not of the places that a column has."""
    if asked["many"].casefold() != "many":
        return False
    things = stems(asked["what"])
    return bool(things & stems(table.replace("_", " ")) and not things & stems(column.replace("_", " ")))


def _columns(written: str, kinds: Mapping[str, str], sides: frozenset[str]) -> Iterator[str]:
    """The columns of a table that a program speaks of, in its order, without those of the conditions."""
    own = {name.casefold(): name for name in kinds if name not in sides}
    return (own[word.casefold()] for word in re.findall(r"\w+", written) if word.casefold() in own)


def _conditions(written: str, table: TableInfo) -> frozenset[str]:
    """The columns of the table that a program compares with something."""
    compared = {name.casefold() for name in _CONDITION.findall(written)}
    return frozenset(name for name, _ in table.columns if name.casefold() in compared)


def _has(written: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", written, _I) is not None


def _all(named: Sequence[Named]) -> str:
    return " AND ".join(one.condition for one in named)
