"""Which words of a question the tables of a folder know: by their names, their columns and what their cells say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import itemgetter

from aeon.documents.plain import word_set
from aeon.documents.words import stem, stems, without_modal
from aeon.errors import ToolError
from aeon.tools.database import Database
from aeon.tools.tableinfo import Named, TableInfo, quoted

__all__ = ["Vocabulary", "asks_owed"]

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = word_set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec quarter month week"
)
_MONTH = re.compile(
    r"(?i:\b(?:january|february|march|april|june|july|august|september|october|november|december)\b)|\bMay\b"
)
_YEAR = re.compile(r"(?<![\w.,:/-])(?:19|20)\d\d(?![\w/:-])")
_SPAN = re.compile(
    rf"(?i:\b(?:since|after|before|until|till|between|through|from) (?:the end of )?(?:{'|'.join(_MONTH_NAMES)}|\d))|"
    r"\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?[A-Z]|\b[A-Z]\w+ \d{1,2}\b"
)
"""What makes a month or a year the end of a span, or a part of a day."""
_WHETHER = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have|had|will|can)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no|without)\b|n't\b", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\bor not\b|\bwhether\b", re.IGNORECASE)
_OWED = re.compile(
    r"\b(?:owe[sd]?|owing|unpaid|unsettled|outstanding|overdue|arrears)\b|"
    r"\b(?:still|yet) (?:(?:has|have|need|needs) )?to (?:be paid|pay|come in)\b|"
    r"\b(?:not|never|n't) (?:yet )?(?:been )?(?:paid|settled|come in)\b|\bbehind with\b|"
    r"\b(?:money|payments?|much)\b[^?]*? (?:still|yet) (?:waiting (?:for|on)|missing|to come)\b",
    re.IGNORECASE,
)
_PAID = stems("paid settled")
"""What somebody owes is what is not paid yet, where a column says of each row whether it is."""
_YES_NO = (("yes", "no"), ("y", "n"), ("true", "false"), ("ja", "nein"))
_EITHER = frozenset(word for words in _YES_NO for word in words)
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")
_MOST_COLUMNS = 60
_ONE_OF = {
    "children": "child", "men": "man", "women": "woman", "people": "person", "mice": "mouse", "geese": "goose",
    "feet": "foot", "teeth": "tooth", "knives": "knife", "shelves": "shelf", "loaves": "loaf", "wolves": "wolf",
    "calves": "calf", "halves": "half", "leaves": "leaf", "oxen": "ox", "boxes": "box", "dishes": "dish",
    "glasses": "glass", "benches": "bench", "watches": "watch", "tomatoes": "tomato", "potatoes": "potato",
}  # fmt: skip
"""Nouns whose plural is more than an "s"."""
_WHOLE = ("SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "USMALLINT", "UINTEGER", "UBIGINT")
_WORD = re.compile(r"\w+")
_OF_NUMBER = re.compile(r"_?(?:id|no|nr|number|num)$")
"""What the name of a column of numbers ends in: order_id, invoice_no."""
_NUMBER = r"s?\s+(?:(?:no|nr|number|id)\b\.?\s*|#\s*)?(\d+)\b(?![.,:]?\d)"
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7, "8th": 8, "9th": 9,
}  # fmt: skip
_SHORT_FORMS = {
    stem(word): forms
    for word, forms in {
        "kilometres": ("km",), "kilometers": ("km",), "kilos": ("kg",), "kilograms": ("kg",), "litres": ("l",),
        "liters": ("l",), "hours": ("h", "hr"), "minutes": ("min",), "euros": ("eur",), "pounds": ("gbp",),
        "dollars": ("usd",), "metres": ("m",), "meters": ("m",), "percent": ("pct",),
    }.items()
}  # fmt: skip
_MOST_NAMED = 6
_OF_FILES = frozenset({"table", "tables", "column", "row", "file", "files"})
"""Words that a question has for the files themselves; a value only beside the name of its column."""
_LONGEST_TEXT = 3_000
_PLAIN = "trim(regexp_replace(lower({}), '[^\\p{{L}}\\p{{N}}]+', ' ', 'g'))"


def _asks_whether(text: str) -> bool:
    """Whether a text asks if something is so, or wants it either way: then it is no condition."""
    return bool(_WHETHER.match(text) or _EITHER_WAY.search(text))


def asks_owed(text: str) -> bool:
    """Whether a text asks for what is not paid yet."""
    return bool(_OWED.search(text)) and not _EITHER_WAY.search(text)


class Vocabulary:
    """The words that the tables of a database know."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._names = frozenset(stem(word) for table in database.tables for word in _names(table))
        large = sorted(database.tables, key=lambda table: -table.rows)
        self._days = [(table.name, name) for table in large for name in _columns(table, ("DATE", "TIMESTAMP"))]
        self._dates = [name for _, name in self._days]
        self._whole = [(table.name, name) for table in large for name in _columns(table, _WHOLE)]
        self._of_names = _numbers_of_names(database.tables)
        self._texts = [(t.name, name) for t in database.tables for name in _columns(t, ("VARCHAR",))][:_MOST_COLUMNS]

    def known(self, words: Iterable[str]) -> frozenset[str]:
        """Those of the words that name a table or a column, stand in a cell, or name a month or a year of the dates.

        Of months all are known where there are dates.
        """
        return frozenset(word for word in words if self._knows(word) or self._knows(_ONE_OF.get(word.casefold(), "")))

    def named(self, text: str) -> tuple[Named, ...]:
        """The values of columns that stand in a text as whole words, in its order, then its month and its year.

        Six values at most. A yes or no that several columns have is of those of which the text speaks. A month
        or a year counts where the text has just one; it is one of the column of dates that the text names, else
        of the largest table's.
        """
        text = without_modal(text[:_LONGEST_TEXT])
        words = _WORD.findall(text.casefold().replace("_", " "))
        there = f" {' '.join(words)} "
        single = f" {' '.join(map(_singular, words))} "
        found = _spoken_of(text, [
            (column, value) for table, column in self._texts for value in self._in_text(table, column, there, single)
        ])  # fmt: skip
        spans = [(there.find(_spaced(value)[:-2]), column, value) for column, value in found]
        longest = sorted(one for one in spans if not any(_within(one[2], other[2]) for other in spans))
        values = [Named(column, value, f"{self._column(column)} = {_text(value)}") for _, column, value in longest]
        numbered = (*self._numbered(text), *self._counted_off(text))
        return (*values[:_MOST_NAMED], *numbered, *self._switched(text), *self._dated(text))

    def _numbered(self, text: str) -> Iterator[Named]:
        """The rows that a text names by their number, such as booking 9: the column has another one in each row."""
        for table, column in self._whole:
            name = r"\W?".join(map(re.escape, _OF_NUMBER.sub("", column.casefold()).split("_")))
            found = {*re.findall(rf"(?i)\b{name}{_NUMBER}", text)} if name else set[str]()
            number = found.pop() if len(found) == 1 else ""
            if number and self._has([(table, quoted(column), int(number))]) and self._database.is_key(table, column):
                yield Named(column, number, f"{self._column(column)} = {number}")

    def _counted_off(self, text: str) -> Iterator[Named]:
        """The whole numbers that a text names by an ordinal before their column: the second floor."""
        for table, column in self._whole:
            name = r"\W?".join(map(re.escape, column.casefold().split("_")))
            found = {word.casefold() for word in re.findall(rf"(?i)\b({'|'.join(_ORDINALS)})[ -]{name}\b", text)}
            number = _ORDINALS[found.pop()] if len(found) == 1 else 0
            if number and self._has([(table, quoted(column), number)]):
                yield Named(column, str(number), f"{self._column(column)} = {number}")

    def _switched(self, text: str) -> Iterator[Named]:
        """The columns of yes and no that a text names: cancelled performances, or such as were not; or what is owed."""
        said, owed = stems(text), asks_owed(text)
        if _asks_whether(text):
            return
        columns = ((stems(name.replace("_", " ")), name, kind, values) for name, kind, values in self._switches)
        for words, name, kind, values in filter(itemgetter(0), columns):
            unpaid = owed and words <= _PAID
            if unpaid or words <= said:
                value = values[bool(unpaid or _NOT.search(text))]
                yield Named(name, value, f"{self._column(name)} = {value if kind == 'BOOLEAN' else _text(value)}")

    @cached_property
    def _switches(self) -> list[tuple[str, str, tuple[str, str]]]:
        """The columns whose cells say yes or no, each with its type and both words, yes first."""
        tables = self._database.tables
        found = [(name, kind, ("true", "false")) for t in tables for name, kind in t.columns if kind == "BOOLEAN"]
        for table, column in self._texts:
            cells = {word.casefold(): word for word in self._cells(table, column)}
            both = next((two for two in _YES_NO if cells.keys() == {*two}), None)
            if both is not None:
                found.append((column, "VARCHAR", (cells[both[0]], cells[both[1]])))
        return found

    def _cells(self, table: str, column: str) -> list[str]:
        """What stands in a column, each text once, of those that say anything; three at most."""
        name = quoted(column)
        some = f"SELECT DISTINCT {name} AS v FROM {quoted(table)} WHERE {name} <> '' LIMIT 3"
        try:
            found = self._database.query(f"SELECT list(v) FROM ({some})")
        except ToolError:  # it takes too long to say
            return []
        return [str(value) for value in found] if isinstance(found, list) else [str(found)]

    def _dated(self, text: str) -> Iterator[Named]:
        """The month and the year that a text names."""
        said = stems(text)
        column = next((name for name in self._dates if stems(name) & said), *self._dates[:1] or [""])
        if not column:
            return
        for name, pattern, of in (("MONTH", _MONTH, _month), ("YEAR", _YEAR, int)):
            found = set(pattern.findall(text)) - self._of_names
            if len(found) == 1 and not _SPAN.search(text):
                value = found.pop()
                if name == "MONTH" or not self._is_number(int(value)):
                    yield Named(column, value, f"{name}({self._column(column)}) = {of(value)}")

    def _column(self, name: str) -> str:
        return name if _PLAIN_NAME.fullmatch(name) else quoted(name)

    def _in_text(self, table: str, column: str, there: str, single: str) -> list[str]:
        plain = _PLAIN.format(quoted(column))
        within = (
            f"contains('{there}', ' ' || {plain} || ' ') OR contains('{single}', ' ' || {plain} || ' ') "
            f"OR contains('{single}', ' ' || rtrim({plain}, 's') || ' ')"
        )
        query = f"SELECT DISTINCT {quoted(column)} AS v FROM {quoted(table)} WHERE length({plain}) > 1 AND ({within})"
        try:
            found = self._database.query(f"SELECT list(v) FROM ({query} LIMIT 20)")
        except ToolError:  # it takes too long to say
            return []
        values = found if isinstance(found, list) else []
        texts = [str(value) for value in values if stems(str(value)) and not str(value).isdigit()]
        is_named = f" {stem(column)}" in there
        return [text for text in texts if is_named or text.casefold() not in _OF_FILES]

    def _knows(self, word: str) -> bool:
        if stem(word) in self._names or not self._names.isdisjoint(_SHORT_FORMS.get(stem(word), ())):
            return True
        if self._dates and word in _MONTHS:
            return True
        if _YEAR.fullmatch(word) and (self._has_day(int(word)) or self._has_number(int(word))):
            return True
        return bool(self._texts) and _WORD.fullmatch(word) is not None and self._in_cells(stem(word))

    def _has_day(self, year: int) -> bool:
        """Whether a date is of this year; also where it takes too long to say."""
        return self._has((table, f"year({quoted(column)})", year) for table, column in self._days)

    def _has_number(self, number: int) -> bool:
        """Whether a column of whole numbers has this one; also where it takes too long to say."""
        return self._has((table, quoted(column), number) for table, column in self._whole)

    def _is_number(self, year: int) -> bool:
        """Whether a year is a number of a column, such as that in which something was built, and of no date."""
        return self._has_number(year) and not self._has_day(year)

    def _has(self, places: Iterable[tuple[str, str, int]]) -> bool:
        try:
            return any(
                self._database.query(f"SELECT COUNT(*) FROM {quoted(table)} WHERE {value} = {number}")
                for table, value, number in places
            )
        except ToolError:
            return True

    def _in_cells(self, stemmed: str) -> bool:
        pattern = rf"(?i)\b{stemmed}"
        parts = (
            f"SELECT 1 FROM {quoted(table)} WHERE regexp_matches({quoted(column)}, '{pattern}')"
            for table, column in self._texts
        )
        try:
            return self._database.query(f"SELECT count(*) FROM ({' UNION ALL '.join(parts)} LIMIT 1)") == 1
        except ToolError:  # it takes too long to say
            return False


def _spoken_of(text: str, found: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The columns with their values, without a yes or no of several columns of whose names the text has no word."""
    every, said = set(found), stems(text)
    switches = [(column, value) for column, value in every if value.casefold() in _EITHER]
    unsaid = [one for one in switches if not stems(one[0].replace("_", " ")) & said]
    return every.difference(unsaid if len({column for column, _ in switches}) > 1 else ())


def _singular(word: str) -> str:
    """The singular of a noun in the plural; other words lose an "s" at their end."""
    if word in _ONE_OF:
        return _ONE_OF[word]
    return f"{word.removesuffix('ies')}y" if word.endswith("ies") else word.removesuffix("s")


def _numbers_of_names(tables: Iterable[TableInfo]) -> frozenset[str]:
    """The numbers that names of columns have, such as the year of a fee."""
    columns = " ".join(name for table in tables for name, _ in table.columns).replace("_", " ")
    return frozenset(word for word in _WORD.findall(columns) if word.isdigit())


def _names(table: TableInfo) -> list[str]:
    """The words of the names of a table and of its columns."""
    names = " ".join((table.name, *dict(table.columns)))
    return _WORD.findall(names.replace("_", " ").casefold())


def _columns(table: TableInfo, kinds: tuple[str, ...]) -> list[str]:
    """The columns of these types."""
    return [name for name, kind in table.columns if kind.startswith(kinds)]


def _spaced(value: str) -> str:
    return f" {' '.join(_WORD.findall(value.casefold()))} "


def _text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def _month(name: str) -> int:
    return 1 + _MONTH_NAMES.index(name.casefold()[:3])


def _within(value: str, other: str) -> bool:
    """Whether a value is only a part of another one, such as ``table`` of ``table lamp``."""
    return value != other and _spaced(value) in _spaced(other)
