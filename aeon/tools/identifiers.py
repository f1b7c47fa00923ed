"""Names of columns that a query has to write in quotes, and that a model writes without, or with underscores."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from aeon.tools.tableinfo import TableInfo, identifier, quoted

__all__ = ["spelt"]

_TEXT = re.compile(r"(?i)(?<![=<>])(?<![=<>]\s)(?<!LIKE\s)(?<!')'(?P<name>[^']+)'(?!')")
_KEPT = re.compile(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")")
_PLACES = "|".join(
    rf"(?<=\b{word}\s)" for word in ("SELECT", "DISTINCT", "WHERE", "AND", "OR", "NOT", "BY", "WHEN", "THEN", "ELSE")
)
_BEFORE = rf"(?<![\w\"])(?:(?<=[,(.<>=])|(?<=[,(<>=]\s)|{_PLACES})"
_BEHIND = r"(?![\w\"])(?!\s+BY\b)(?!\s*\()"


def spelt(tables: Iterable[TableInfo], keywords: frozenset[str], query: str) -> str:
    """The query with such names as its tables have them: ``Due back`` and ``due_back`` are ``"Due back"``.

    A name of one word that is a keyword, such as ``Group``, is one where a column may stand; names that need no quotes
    stay, and so do texts.
    """
    names = dict.fromkeys(name for table in tables for name, _ in table.columns)
    query = _of_columns(query.replace("`", '"') if query.count("`") % 2 == 0 else query, names)
    plain = {name.lower() for name in names if identifier(name, keywords) == name}
    for name in sorted(names, key=len, reverse=True):
        pattern = _pattern(name, keywords, plain)
        if pattern is not None:
            written = partial(_as_written, quoted(name))
            parts = _KEPT.split(query)
            query = "".join(one if at % 2 else pattern.sub(written, one) for at, one in enumerate(parts))
    return query


def _as_written(name: str, _: re.Match[str]) -> str:
    """The name as it is: in a template, a backslash in it would mean something."""
    return name


def _of_columns(query: str, names: Iterable[str]) -> str:
    """The query with names that no value would be, in the quotes of a text, as columns: ``'Due back' - 'Lent on'``."""
    told = {name.lower(): name for name in names if re.search(r"\W", name)}

    def column(found: re.Match[str]) -> str:
        name = told.get(found["name"].lower())
        return quoted(name) if name else found[0]

    return _TEXT.sub(column, query)


def _pattern(name: str, keywords: frozenset[str], plain: set[str]) -> re.Pattern[str] | None:
    """How a query may write a name that needs quotes; ``None`` for one that needs none, or cannot be told.

    A unit in brackets may be left out. A name that begins with a sign is written as it stands.
    """
    base, unit = _parts(name)
    pieces = re.split(r"([\W_]+)", base)
    words = [piece for piece in pieces[::2] if piece]
    if {name.lower(), "_".join(words).lower()} & plain:
        return None
    if not pieces[0]:  # it begins with a sign, as "€/term" does: no word else is meant by it
        return re.compile(rf"(?i)(?<![\w\"]){re.escape(name)}(?![\w\"])")
    if len(words) == 1 and not unit:
        return _of_one_word(words[0], words[0].lower() in keywords)
    said = re.escape(words[0])
    for gap, word in zip(pieces[1::2], words[1:], strict=False):
        said += rf"(?:[\s_.]+|{re.escape(gap)}){re.escape(word)}"
    return re.compile(rf"(?i)(?<![\w\"]){said}{_end(unit, '' if pieces[-1] else pieces[-2])}(?![\w\"])")


def _parts(name: str) -> tuple[str, str]:
    """A name without the unit in brackets at its end, and that unit."""
    base, _, unit = name.rstrip(")] ").partition("(") if name.endswith((")", "]")) else (name, "", "")
    return base.strip(" _"), unit


def _of_one_word(word: str, reserved: bool) -> re.Pattern[str] | None:
    """How a query may write a name of one word; a reserved one only where a column may stand."""
    before = _BEFORE if reserved else r"(?<![\w\"])"
    return None if word.isdigit() else re.compile(rf"(?i){before}{re.escape(word)}{_BEHIND}")


def _end(unit: str, mark: str) -> str:
    """What may stand behind the words of a name: its unit, or the mark that it ends in."""
    own = re.escape(unit)
    return rf"(?:[\s_]*(?:\({own}\)|{own}))?" if unit else rf"(?:{re.escape(mark)})?"
