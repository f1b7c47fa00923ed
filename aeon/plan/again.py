"""The program that is written a second time: what a fault of the first spells out, and what is on offer then."""

from __future__ import annotations

import re
from dataclasses import replace

from aeon.documents.words import stem
from aeon.plan.outcomes import NO_ANSWER
from aeon.plan.prompts import Asked
from aeon.plan.sources import LOOKUP, SQL

__all__ = ["asked_again", "offered", "spelt_out"]

_PROGRAM = re.compile(
    r"(?:print\([\d.,]+ [-+] [\d.,]+\)|print\(\"[^\"]+\"\)  # \d+|"
    r"price = [\d.]+  # \d+\nprint\(price \* \d+\))$"
)
_KNOWN = re.compile(rf"GROUP BY clause|aggregate|{NO_ANSWER}", re.IGNORECASE)
"""What is wrong with a query whose names are those of the tables."""
_NO_ROW = re.compile(
    r"no row has (?P<column>.+?) (?:=|LIKE) '(?P<text>.+?)'; (?:the nearest )?values of .+? are: (?P<values>.+)"
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_ONE_OF = "{column} is one of: {values}"
_NO_TABLE = "no table has it: take it from the sentences"


def spelt_out(fault: str, program: str = "", said: str = "") -> str:
    """The program that a fault spells out, as in "print(310 - 45)"; "" where it leaves something to the model.

    Of a ``program`` that compares with a text that no row has, it is the one with the only value of the column that has
    a word of what was ``said``.
    """
    found, none = _PROGRAM.search(fault), _NO_ROW.fullmatch(fault)
    if none is None or found:
        return found[0] if found else ""
    alike = [value for value in none["values"].rstrip("\u2026").split(", ") if _words(value) & _words(said)]
    compared = rf"(?<='){re.escape(none['text'])}(?=\\?')"
    told = len(alike) == 1 and re.search(compared, program) and "'" not in alike[0]
    return re.sub(compared, lambda _: alike[0], program) if told else ""


def _words(text: str) -> frozenset[str]:
    """The stems of the longer words of a text, the common ones too."""
    return frozenset(map(stem, _WORD.findall(text)))


def offered(asked: Asked) -> str:
    """The values that a column has, where a first program was told so because it compared with another one."""
    return asked.fault.partition(_ONE_OF.format(column="", values=""))[2]


def asked_again(asked: Asked, fault: str, over_tables: bool) -> Asked:
    """What is asked the second time: without the tables where they do not bind and the texts may say it.

    ``over_tables``: the first program is one over tables, or none at all, though there is something wrong with it.
    """
    about = asked.about
    of_tables = about.tables or about.of_rows or asked.by_query
    if over_tables or of_tables or _KNOWN.search(fault) or not {SQL, LOOKUP} <= {*asked.functions}:
        other = _NO_ROW.fullmatch(fault)
        return replace(asked, fault=_ONE_OF.format(**other.groupdict()) if other else fault)
    return replace(asked, functions=tuple(name for name in asked.functions if name != SQL), fault=_NO_TABLE)
