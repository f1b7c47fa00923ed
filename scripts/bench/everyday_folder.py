"""What the baselines of the everyday benchmark know of a folder: its tables in DuckDB, its texts under BM25."""

from __future__ import annotations

import datetime
import re
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

__all__ = ["Folder", "opened", "said"]

MOST_ROWS = 30


class Folder:
    """The files of a folder, read once."""

    def __init__(self, path: Path) -> None:
        self.texts = {file.name: file.read_text() for file in sorted(path.iterdir()) if file.suffix in (".md", ".txt")}
        files = {file.stem: file for file in sorted(path.iterdir()) if file.suffix in (".csv", ".tsv")}
        self.tables = {name: file.read_text() for name, file in files.items()}
        self._tables = duckdb.connect()
        for name, file in files.items():
            self._tables.execute(f'create table "{name}" as from read_csv_auto(?)', [str(file)])
        self._tables.execute("set enable_external_access = false")
        self._index = sqlite3.connect(":memory:")
        self._index.execute("create virtual table passages using fts5(file, said, tokenize = 'porter unicode61')")
        for name, text in self.texts.items():
            for part in filter(str.strip, text.split("\n\n")):
                self._index.execute("insert into passages values (?, ?)", (name, part.strip()))

    def query(self, query: str) -> list[tuple[object, ...]]:
        """The first rows of a query, which changes nothing. Raises `duckdb.Error`."""
        self._tables.begin()
        try:
            return list(self._tables.execute(query).fetchmany(MOST_ROWS))
        finally:
            self._tables.rollback()

    def told(self) -> str:
        """The tables as a prompt shows them: names, columns with their types, two rows of each."""
        lines = []
        for name in self.tables:
            columns = self.query(f'select column_name, column_type from (describe "{name}")')
            named = ", ".join(f"{column} {str(kind).lower()}" for column, kind, *_ in columns)
            rows = [", ".join(map(str, row)) for row in self.query(f'from "{name}" limit 2')]
            lines.append("\n".join([f"{name}({named})", *(f"  {row}" for row in rows)]))
        return "\n".join(lines)

    def passages(self, question: str, count: int = 3) -> list[str]:
        """The best passages for a question by BM25, each under its file's name."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question.casefold())))
        if not words:
            return []
        best = "select file, said from passages where passages match ? order by rank limit ?"
        return [f"{file}:\n{part}" for file, part in self._index.execute(best, (words, count))]


@cache
def opened(path: Path) -> Folder:
    """The folder at a path, as it is when it is first asked for."""
    return Folder(path)


def said(value: object) -> str:
    """A value of a query or a program, as an answer gives it."""
    if value is None or value in ([], ()):
        return "not stated"
    if isinstance(value, list | tuple):
        return ", ".join(said(one) for one in value)
    form = next((form for kind, form in FORMS.items() if isinstance(value, kind)), str)
    return form(value)


def _decimal(value: Any) -> str:  # noqa: ANN401 - a float or a decimal
    return f"{round(float(value), 6):f}".rstrip("0").rstrip(".")


FORMS: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "yes" if value else "no",
    float: _decimal,
    Decimal: _decimal,
    datetime.datetime: lambda value: str(value.date()),
    datetime.timedelta: lambda value: str(value.days),
}
