"""What a folder has one value of: how many lines hold a text, an aggregate of a table; and values as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from aeon.engines.tutor.actions import (
    EVERYWHERE,
    Action,
    CountLines,
    OfTable,
    Path,
    Query,
    Text,
    aggregate_words,
    plain,
)
from aeon.schema.column import DAY, ColumnKind, aggregate_fault, condition_fault
from aeon.schema.value import Value

__all__ = ["Amount", "Constant", "CountOf", "Tables", "Term", "ValueOf", "path_fault", "terms_fault", "text_fault"]

Tables = Mapping[str, Mapping[str, ColumnKind]]
"""The columns of each table, with what they hold."""
Exact = Annotated[int, Field(ge=-(10**38), le=10**38)]
Amount = Exact | Annotated[float, Field(allow_inf_nan=False)] | Annotated[str, Field(max_length=200)]
"""A number or a text. A whole number stays as it is, however long: as a float its last digits are lost."""


class CountOf(Value):
    """How many lines hold a text."""

    type: Literal["count_of"] = "count_of"
    text: Text
    path: Path = ""

    @property
    def words(self) -> str:
        """The term in words."""
        return f"the number of lines with “{self.text}” in {self.path or EVERYWHERE}"

    def needs(self) -> tuple[Action, ...]:
        """The look that gives its value."""
        return (CountLines(text=self.text, path=self.path),)

    def fault(self, tables: Tables) -> str:
        """Why it has no value in any folder; "" where it may have one."""
        return (self.path and path_fault(self.path)) or text_fault(self.text)


class ValueOf(OfTable):
    """The value of an aggregate of a table's column."""

    type: Literal["value_of"] = "value_of"

    @property
    def words(self) -> str:
        """The term in words."""
        return aggregate_words(self)

    def needs(self) -> tuple[Action, ...]:
        """The look that gives its value."""
        return (Query(**{name: value for name, value in self.fields().items() if name != "type"}),)

    def fault(self, tables: Tables) -> str:
        """Why it has no value in any folder; "" where it may have one."""
        return _table_fault(self, tables)

    def is_day(self, tables: Tables) -> bool:
        """Whether its value is a day."""
        return self.aggregate != "count" and tables[self.table][self.column] == "day"


class Constant(Value):
    """A number or a text as it is."""

    type: Literal["constant"] = "constant"
    value: Amount

    @property
    def words(self) -> str:
        """The term in words."""
        return plain(self.value)

    def needs(self) -> tuple[Action, ...]:
        """The look that gives its value."""
        return ()

    def fault(self, tables: Tables) -> str:
        """Why it has no value in any folder; "" where it may have one."""
        return ""


Term = Annotated[CountOf | ValueOf | Constant, Field(discriminator="type")]


def terms_fault(terms: Sequence[Term], tables: Tables) -> str:
    """Why terms cannot be compared: one has no value, or a text stands beside a day that is none."""
    faults = [fault for term in terms if (fault := term.fault(tables))]
    if faults:
        return faults[0]
    days = any(isinstance(term, ValueOf) and term.is_day(tables) for term in terms)
    return _day_fault(_texts(terms)) if days else ""


def _day_fault(texts: Sequence[str]) -> str:
    wrong = [text for text in texts if DAY.fullmatch(text) is None]
    return f"write a day as 2025-03-31, not {wrong[0][:60]!r}" if wrong else ""


def _texts(terms: Sequence[Term]) -> list[str]:
    return [term.value for term in terms if isinstance(term, Constant) and isinstance(term.value, str)]


def path_fault(path: str) -> str:
    """Why a path leads to nothing that is looked at; "" where it may."""
    parts = path.split("/")
    if not path or "\\" in path or {"", ".."} & set(parts):
        return f"{path[:60]!r} is no path within the folder"
    return "hidden files are not looked at" if any(part.startswith(".") for part in parts) else ""


def text_fault(text: str) -> str:
    """Why no line holds a text; "" where one may."""
    return "a text is looked for within one line" if text.splitlines() != [text] else ""


def _table_fault(of: ValueOf, tables: Tables) -> str:
    columns = tables.get(of.table)
    if columns is None:
        return f"there is no table {of.table[:60]!r}"
    missing = [name for name in (of.column, *filter(None, [of.where])) if name not in columns]
    if missing:
        return f"{of.table} has no column {missing[0][:60]!r}; it has {', '.join(columns)[:200]}"
    unfit = aggregate_fault(of.column, columns[of.column], of.aggregate)
    return unfit or condition_fault(of.where, columns.get(of.where, "text"), of.equals)
