"""Which words of a question the tables of a folder know: by their names, their columns and what their cells say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aeon.documents.words import stem, stems
from aeon.errors import ToolError
from aeon.tools.database import Database
from aeon.tools.tableinfo import quoted

__all__ = ["Vocabulary"]

_MONTHS = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "quarter",
        "month",
        "week",
    ]
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOST_COLUMNS = 60
_WORD = re.compile(r"\w+")


class Vocabulary:
    """The words that the tables of a database know."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._names = stems(" ".join(name for table in database.tables for name in (table.name, *dict(table.columns))))
        kinds = [kind for table in database.tables for _, kind in table.columns]
        self._has_dates = any(kind.startswith(("DATE", "TIMESTAMP")) for kind in kinds)
        texts = [(t.name, name) for t in database.tables for name, kind in t.columns if kind == "VARCHAR"]
        self._texts = texts[:_MOST_COLUMNS]

    def known(self, words: Iterable[str]) -> frozenset[str]:
        """Those of the words that name a table or a column, stand in a cell, or tell a date where there are dates."""
        return frozenset(word for word in words if self._knows(word))

    def _knows(self, word: str) -> bool:
        if stem(word) in self._names:
            return True
        if self._has_dates and (word in _MONTHS or _YEAR.fullmatch(word)):
            return True
        return bool(self._texts) and _WORD.fullmatch(word) is not None and self._in_cells(stem(word))

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
