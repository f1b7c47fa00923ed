"""Queries that evidently mean something else: a text compared with the wrong column, an order by no group."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from aeon.documents.words import stem, stems
from aeon.errors import ToolError
from aeon.tools.database import Database
from aeon.tools.identifiers import spelt
from aeon.tools.marks import unmarked
from aeon.tools.sharing import of_each
from aeon.tools.tableinfo import TableInfo, quoted
from aeon.tools.weekdays import DAYS, as_text, listed

__all__ = ["mended"]

_COMPARED = re.compile(r"(?:\b\w+\.)?(?P<column>\"[^\"]+\"|\b[A-Za-z_]\w*\b)(?P<sign>\s*=\s*)'(?P<text>(?:[^']|'')*)'")

_TWO = re.compile(
    r"(?is)SELECT\s+(?P<one>(?:(?!\bSELECT\b).)+?\sFROM\s(?:(?!\bSELECT\b).)+?)\s*(?P<sign>[-+/])\s*(?:SELECT\s+)?"
    r"(?P<other>(?:SUM|AVG|COUNT|MIN|MAX)\((?:(?!\bSELECT\b).)+?\sFROM\s(?:(?!\bSELECT\b).)+)"
)
_FIRST = re.compile(
    r"(?is)SELECT\s+(?P<name>\w+)(?:\s*,\s*(?P<shown>\w+))?\s+FROM\s+(?P<table>\w+)(?P<where>\s+WHERE\s(?:(?!\bGROUP\b).)+?)?"
    r"\s+ORDER\s+BY\s+(?P<by>\w+)(?P<way>\s+(?:ASC|DESC))?\s+LIMIT\s+1"
)
_GROUPED = re.compile(r"(?i)\bGROUP\s+BY\s+(.*?)(?:\bHAVING\b|\bORDER\b|\bLIMIT\b|$)", re.DOTALL)
_ORDERED = re.compile(r"(?i)\bORDER\s+BY\s+(?P<column>[A-Za-z_]\w*)(?=\s|$|,)")
_FROM = re.compile(r"(?i)\bFROM\s+\"?(?P<table>\w+)\"?(?=\s*(?:$|[);]|\b(?:WHERE|GROUP|ORDER|LIMIT|HAVING)\b))")
_OF_ONE = re.compile(r"(?is)(?!.*\bJOIN\b)(?:(?!\bFROM\b).)*\bFROM\b(?:(?!\bFROM\b).)*")
_AVERAGE_BY = re.compile(r"(?i)\bAVG\((?P<one>\w+)\)\s*/\s*(?P<other>[A-Za-z_]\w*)\b(?!\s*\()")
_EXTREME = re.compile(
    r"(?is)SELECT\s+(?P<names>[\w.\"]+(?:\s*,\s*[\w.\"]+)*)\s*,\s*(?P<which>MAX|MIN)\((?P<by>[\w.\"]+)\)"
    r"(?P<rows>\s+FROM\s(?:(?!\b(?:GROUP|ORDER|LIMIT|SELECT|UNION)\b).)+)"
)
_QUOTED_OR_LIKE = re.compile(r"(?i)'(?:[^']|'')*'|\"[^\"]*\"|(?P<like>\bLIKE\b)")
_COMPARED_TEXT = re.compile(
    r"(?i)(?<![=<>])(?<![=<>]\s)(?<!LIKE\s)'(?P<name>[^']+)'(?=\s*(?:[<>=!]|(?:IS|IN|NOT|BETWEEN|I?LIKE)\b))"
)
_USED_TEXT = re.compile(
    r"(?i)\b(?:(?:SUM|AVG|MIN|MAX|COUNT|YEAR|MONTH)\(\s*|(?:ORDER\s+BY|GROUP\s+BY|SELECT)\s+)'(?P<name>[^']+)'"
    r"(?=\s*(?:$|[;,)]|(?:FROM|LIMIT|ASC|DESC)\b))"
)
_NOT_PLAIN = re.compile(r"(?i)\b(?:OR|NOT|CASE|AS|WITH|UNION|IN|ON|HAVING)\b")
_AND_BEFORE = re.compile(r"(?i)\s+AND\s+$")
_AND_BEHIND = re.compile(r"(?i)\s+AND\s+")
_NO_TEXT = re.compile(r"'(?:[^']|'')*'")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"")
_SAID = re.compile(r"\"[^\"]+\"|[A-Za-z_]\w*")
_NO_COLUMN = re.compile(
    r"(?i)'(?:[^']|'')*'|\bAS\s+(?P<as>\w+)|(?<!SELECT)(?<!DISTINCT)(?<=[\w\")])\s+(?P<bare>[a-z_]\w*)(?=\s*,|\s+FROM\b)"
)
"""A text, or the name that a query gives to a column, with AS or without: no column of a table."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_REPEATED = 1.25
"""Rows for each name from which on a name stands for a group; a guest who came twice is still a row each time."""
_NUMERIC = ("DECIMAL", "DOUBLE", "FLOAT", "BIGINT", "INTEGER", "HUGEINT", "SMALLINT", "TINYINT")


def mended(database: Database, query: str) -> str:
    """The query as it was evidently meant.

    A text is compared with the column that holds it, if the one that is named does not and just one other of the
    tables does; where that is a column of another table, the rows are those of the key that both tables have. A
    part of a name that only one value of the column has is that value. A query of one table that names columns of
    just one other is one of both, by the key. A second query in the middle of the first is one of its own. Groups
    that are put in the order of a number that is no group's go by its sum, and so does the first of rows of which
    many have the same name. An average of one column by another is that of their sums, each of its own rows where
    they are of two tables. The most of a column beside other columns is that of the first row, and a pattern holds
    for small and capital letters. A value with words of its table or column is that value, and the name of a column
    in the place of one is the column, also where it lacks its quotes. No is nothing in a column that has but yes,
    Monday to Friday are five days, and a day that is compared with a pattern is the text that it is. A query of the
    wrong table is one of the table that has its columns. What is compared with a column of another table, and with
    one of its own, is compared once; and what asks for days that only another table has asks for those of its own,
    if it has one column of them.
    """
    query = _of_right_table(database, spelt(database.tables, database.keywords, _named(database, query)))
    query = unmarked(database.tables, as_text(database.tables, listed(query)))
    query = of_each(database, _of_two(_per(_in_any_case(query))))
    query = _said_once(database, _extreme(_grouped(database, _summed(database, _of_own_days(database, query)))))
    used = [table for table in database.tables if re.search(rf"(?i)\b{re.escape(table.name)}\b", query)]
    foreign = _unreached(database, query)

    def fitting(match: re.Match[str]) -> str:
        column, text = match["column"].strip('"').lower(), match["text"]
        own = [(table, name) for table in used for name in _texts(table)]
        named = column in {name.lower() for _, name in own}
        holders = {name for table, name in own if _holds(database, table.name, name, text)}
        if column in {name.lower() for name in holders}:
            return match[0]
        if named and not holders and (whole := _whole_name(database, own, column, text)):
            return f"{match['column']}{match['sign']}'{whole}'"
        if len(holders) == 1 and (named or column in foreign):  # else it could not run
            return f"{quoted(holders.pop())}{match['sign']}'{text}'"
        return (not holders and _elsewhere(database, used, column, text)) or match[0]

    return _joined(database, _COMPARED.sub(fitting, query))


def _in_any_case(query: str) -> str:
    """The query with patterns that hold for small and capital letters; "Would like" is a name and no pattern."""
    return _QUOTED_OR_LIKE.sub(lambda found: "ILIKE" if found["like"] else found[0], query)


def _said_once(database: Database, query: str) -> str:
    """The query without what it compares with a column out of its reach, if it says so of a column of its own, too.

    Of a cornet the table has the instrument; that another one has a section "cornets" is no condition on its rows.
    """
    out_of_reach = _unreached(database, query)
    compared = [(found, found["column"].strip('"').lower()) for found in _COMPARED.finditer(query)]
    said = [_words(found["text"]) for found, column in compared if column not in out_of_reach]
    for found, column in reversed(compared):
        if column in out_of_reach and _words(found["text"]) in said:
            query = _without(query, *found.span())
    return query


def _of_own_days(database: Database, query: str) -> str:
    """The query with the only column of days that its table has in the place of those that are out of its reach."""
    _, table = _only_table(database, query)
    days = _days(table) if table is not None else []
    out_of_reach = _unreached(database, query) if len(days) == 1 else set()
    others = {name for table in database.tables for name in _days(table) if name.lower() in out_of_reach}
    for name in others:
        own = re.escape(name)
        written = re.compile(rf"(?i)'(?:[^']|'')*'|(?P<name>\"{own}\"|(?<![\w\"]){own}(?![\w\"]))|\"[^\"]*\"")
        query = written.sub(lambda found: quoted(days[0]) if found["name"] else found[0], query)
    return query


def _days(table: TableInfo) -> list[str]:
    """The columns of a table that hold days."""
    return [name for name, kind in table.columns if kind in DAYS]


def _unreached(database: Database, query: str) -> set[str]:
    """The columns that only other tables have, where a plain query of one table cannot be joined with theirs.

    So it cannot run as it is. A query with a name of its own, or with conditions that are not all joined by AND, is not
    plain.
    """
    _, own = _only_table(database, query)
    if own is None or _NOT_PLAIN.search(_QUOTED.sub("''", query)):
        return set()
    foreign = {name for table in database.tables for name in _columns(table)} - _columns(own)
    return foreign if not _reached(database, own, _columns_of(query)) else set()


def _columns_of(query: str) -> set[str]:
    """The words of a query that may name columns. Names that it gives itself do not, nor where it orders by them."""
    given = {name for found in _NO_COLUMN.finditer(query) for name in (found["as"], found["bare"]) if name}
    query = _NO_COLUMN.sub(" ", query)
    for name in given:
        query = re.sub(rf"(?i)\bBY\s+{re.escape(name)}\b", " ", query)
    return {word.lower() for word in _NAME.findall(query)}


def _words(text: str) -> list[str]:
    """The words of a text, the figures too, as they are compared: cornets as cornet."""
    return [stem(word) for word in re.findall(r"\w+", text.casefold())]


def _without(query: str, start: int, end: int) -> str:
    """The query without a condition of these characters and the AND beside it; as it is where none is beside it."""
    before, behind = _AND_BEFORE.search(query[:start]), _AND_BEHIND.match(query[end:])
    if before:
        return query[: before.start()] + query[end:]
    return query[:start] + query[end + behind.end() :] if behind else query


def _named(database: Database, query: str) -> str:
    """The query with the names of columns that it writes as texts as those of the columns."""
    names = {name.lower(): name for table in database.tables for name, _ in table.columns}

    def column(found: re.Match[str]) -> str:
        name = names.get(found["name"].lower())
        return found[0].replace(f"'{found['name']}'", quoted(name)) if name else found[0]

    return _USED_TEXT.sub(column, _COMPARED_TEXT.sub(column, query))


def _whole_name(database: Database, own: Sequence[tuple[TableInfo, str]], column: str, text: str) -> str:
    """The only value of a column of which a text is a word, as SQL writes it; "" where there is none, or several.

    Words of the text that the column or the table has in its name are left out: the cargo bike, of ``bikes``.
    """
    found: set[str] = set()
    for table, name in own if text.strip() else ():
        said = _without_kind(text.replace("''", "'"), f"{table.name} {name}")
        word = re.escape(said.casefold()).replace("'", "''")
        if name.lower() == column and (said.isalpha() or said != text):
            holds = f"regexp_matches(lower({quoted(name)}), '(^|[^\\p{{L}}]){word}([^\\p{{L}}]|$)')"
            some = f"SELECT DISTINCT {quoted(name)} AS v FROM {quoted(table.name)} WHERE {holds} LIMIT 3"
            try:
                values = database.query(f"SELECT list(v) FROM ({some})")
            except ToolError:  # it takes too long to say
                return ""
            found |= {str(value) for value in values} if isinstance(values, list) else set()
    return found.pop().replace("'", "''") if len(found) == 1 else ""


def _without_kind(text: str, names: str) -> str:
    """The text without the words that a table's or a column's name has; as it is where it has no others."""
    kinds = stems(names.replace("_", " "))
    return " ".join(word for word in text.split() if stem(word) not in kinds) or text


def _texts(table: TableInfo) -> list[str]:
    """The columns of a table that hold texts."""
    return [name for name, kind in table.columns if kind == "VARCHAR"]


def _elsewhere(database: Database, used: Sequence[TableInfo], column: str, text: str) -> str:
    """The condition that the key is one of the rows of another table that hold the text; "" where that is not plain."""
    holders = _holders(database, used, column, text)
    if len(used) != 1 or len(holders) != 1:
        return ""
    (table, name), keys = holders[0], _keys(database, holders[0][0], used[0])
    keys = keys or [one for one in _told_by(database, holders[0], used[0]) if one.lower() == column]
    if len(keys) != 1:
        return _by_values(database, holders[0], used[0], column, text)
    rows = f"SELECT {quoted(keys[0])} FROM {quoted(table.name)} WHERE {quoted(name)} = '{text}'"
    return f"{quoted(keys[0])} IN ({rows})"


def _by_values(database: Database, holder: tuple[TableInfo, str], own: TableInfo, column: str, text: str) -> str:
    """The condition for a column whose values are the key of the holder under another name: the animal of a bill."""
    (table, name) = holder
    mine = next((one for one in _texts(own) if one.lower() == column), "")
    for key in _texts(table) if mine else ():
        rows = f"SELECT {quoted(key)} FROM {quoted(table.name)}"
        there = f"coalesce({quoted(mine)} IN ({rows} WHERE {quoted(key)} IS NOT NULL), true)"
        try:
            strange = database.query(f"SELECT count(*) FROM {quoted(own.name)} WHERE NOT {there}")
        except ToolError:  # it takes too long to say
            return ""
        if strange == 0 and key != name and database.is_key(table.name, key):
            return f"{quoted(mine)} IN ({rows} WHERE {quoted(name)} = '{text}')"
    return ""


def _told_by(database: Database, holder: tuple[TableInfo, str], other: TableInfo) -> list[str]:
    """The text columns that both tables have, where each row of the holder has a name of its own: a child's family."""
    (table, name), known = holder, set(_texts(other))
    return [one for one in _texts(table) if one in known] if database.is_key(table.name, name) else []


def _holders(database: Database, used: Sequence[TableInfo], column: str, text: str) -> list[tuple[TableInfo, str]]:
    """The columns of the other tables that hold a text; those of the same name, if there are any."""
    others = [(table, name) for table in database.tables if table not in used for name in _texts(table)]
    holders = [(table, name) for table, name in others if _holds(database, table.name, name, text)]
    return [(table, name) for table, name in holders if name.lower() == column] or holders


def _keys(database: Database, table: TableInfo, other: TableInfo) -> list[str]:
    """The columns of a table that the other one has too, and that are another in each of its rows."""
    known = {name.lower() for name, _ in other.columns}
    return [name for name, _ in table.columns if name.lower() in known and database.is_key(table.name, name)]


def _only_table(database: Database, query: str) -> tuple[re.Match[str] | None, TableInfo | None]:
    """Where a query of one table names it, and that table; nothing for one of several."""
    found = _FROM.search(query) if _OF_ONE.fullmatch(query) else None
    return found, next((one for one in database.tables if found and one.name.lower() == found["table"].lower()), None)


def _joined(database: Database, query: str) -> str:
    """The query of one table joined with the only other one that has the columns that it lacks, by the key of this."""
    found, own = _only_table(database, query)
    if found is None or own is None:
        return query
    join = _reached(database, own, _columns_of(query))
    return f"{query[: found.end()]}{join}{query[found.end() :]}"


def _of_right_table(database: Database, query: str) -> str:
    """The query of one table as one of the only other that has all columns that it names, if its own lacks most."""
    found, own = _only_table(database, query)
    if found is None or own is None:
        return query
    said = {word.lower().strip('"') for word in _SAID.findall(_NO_TEXT.sub(" ", query))}
    other = _instead(database, own, said)
    return f"{query[: found.start('table')]}{other}{query[found.end('table') :]}" if other else query


def _instead(database: Database, own: TableInfo, said: Set[str]) -> str:
    """The name of that table; "" if there is none."""
    named = {name for table in database.tables for name in _columns(table)} & said
    others = [table for table in database.tables if table is not own and named <= _columns(table)]
    return others[0].name if len(others) == 1 and len(named - _columns(own)) > len(named & _columns(own)) else ""


def _reached(database: Database, own: TableInfo, said: Set[str]) -> str:
    """What joins the only other table that has columns of these names; "" where there is none, or no key."""
    lacking = said - _columns(own)
    others = [one for one in database.tables if one is not own and lacking & _columns(one)]
    key = _only_key(database, others[0], own) if len(others) == 1 else ""
    return f" JOIN {quoted(others[0].name)} USING ({quoted(key)})" if key else ""


def _only_key(database: Database, table: TableInfo, other: TableInfo) -> str:
    """The one column that two tables have in common, if each row of the first has another value of it; else ""."""
    keys = _keys(database, table, other)
    return keys[0] if len(keys) == 1 and _columns(table) & _columns(other) == {keys[0].lower()} else ""


def _columns(table: TableInfo) -> set[str]:
    return {name.lower() for name, _ in table.columns}


def _of_two(query: str) -> str:
    """The query as one of two queries where it calculates with a second one in the middle of its condition."""
    match = _TWO.fullmatch(query.strip().rstrip(";"))
    return f"SELECT (SELECT {match['one']}) {match['sign']} (SELECT {match['other']})" if match else query


def _extreme(query: str) -> str:
    """The query for the first row where it asks for columns beside the most or the least of one, and for no groups."""
    match = _EXTREME.fullmatch(query.strip().rstrip(";"))
    if match is None:
        return query
    way = "DESC" if match["which"].upper() == "MAX" else "ASC"
    rows = f"SELECT {match['names']}, {match['by']}{match['rows']}"
    return f"{rows} ORDER BY {match['by']} {way} NULLS LAST LIMIT 1"


def _per(query: str) -> str:
    """The query with the sum of one column by that of another where it divides an average of rows by a column."""
    return query if _GROUPED.search(query) else _AVERAGE_BY.sub(r"SUM(\g<one>) / SUM(\g<other>)", query)


def _summed(database: Database, query: str) -> str:
    """The query with groups in the order of a sum where it names a number that each row of a group has its own of."""
    order, groups = _ORDERED.search(query), _GROUPED.search(query)
    if order is None or groups is None or order["column"].lower() in groups[1].lower():
        return query
    numbers = {name.lower() for t in database.tables for name, kind in t.columns if kind.startswith(_NUMERIC)}
    if order["column"].lower() not in numbers or re.search(rf"(?i)\bAS\s+{order['column']}\b", query):
        return query
    start, end = order.span("column")
    return f"{query[:start]}SUM({order['column']}){query[end:]}"


def _grouped(database: Database, query: str) -> str:
    """The query for the first of some rows as one for the first of the groups, where many rows have the same name.

    So the product with the lowest revenue is the one that sold least in all, not the one of the smallest sale.
    """
    match = _FIRST.fullmatch(query.strip().rstrip(";"))
    if match is None or not _is_of_many(database, match["table"], match["name"], match["by"]):
        return query
    shown, by = match["shown"] or "", match["by"]
    if shown.lower() not in ("", by.lower()):
        return query
    listed = f"{match['name']}, SUM({by}) AS {by}" if shown else match["name"]
    end = f"GROUP BY {match['name']} ORDER BY SUM({by}){match['way'] or ''} LIMIT 1"
    return f"SELECT {listed} FROM {match['table']}{match['where'] or ''} {end}"


def _is_of_many(database: Database, table: str, name: str, number: str) -> bool:
    """Whether rows of a table share a text, more than now and then, and each has a number of its own."""
    found = next((one for one in database.tables if one.name.lower() == table.lower()), None)
    if found is None or name not in _texts(found):
        return False
    numbers = {column.lower() for column, kind in found.columns if kind.startswith(_NUMERIC)}
    return number.lower() in numbers and database.rows_of_each(found.name, name) >= _REPEATED


def _holds(database: Database, table: str, column: str, text: str) -> bool:
    try:
        return bool(database.query(f"SELECT count(*) > 0 FROM {quoted(table)} WHERE {quoted(column)} = '{text}'"))
    except ToolError:  # it says so itself, or takes too long
        return False
