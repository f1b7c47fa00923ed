"""The program that is written a second time: what a fault of the first spells out, and what is on offer then."""

from __future__ import annotations

import re
from dataclasses import replace

from aeon.plan.outcomes import NO_ANSWER
from aeon.plan.prompts import Asked
from aeon.plan.sources import LOOKUP, SQL

__all__ = ["asked_again", "spelt_out"]

_PROGRAM = re.compile(
    r"(?:print\([\d.,]+ [-+] [\d.,]+\)|print\(\"[^\"]+\"\)  # \d+|"
    r"price = [\d.]+  # \d+\nprint\(price \* \d+\))$"
)
_KNOWN = re.compile(rf"GROUP BY clause|aggregate|{NO_ANSWER}", re.IGNORECASE)
"""What is wrong with a query whose names are those of the tables."""
_NO_TABLE = "no table has it: take it from the sentences"


def spelt_out(fault: str) -> str:
    """The program that a fault spells out, as in "print(310 - 45)"; "" where it leaves something to the model."""
    found = _PROGRAM.search(fault)
    return found[0] if found else ""


def asked_again(asked: Asked, fault: str, over_tables: bool) -> Asked:
    """What is asked the second time: without the tables where they do not bind and the texts may say it.

    ``over_tables``: the first program is one over tables, or none at all, though there is something wrong with it.
    """
    about = asked.about
    of_tables = about.tables or about.of_rows or asked.by_query
    if over_tables or of_tables or _KNOWN.search(fault) or not {SQL, LOOKUP} <= {*asked.functions}:
        return replace(asked, fault=fault)
    return replace(asked, functions=tuple(name for name in asked.functions if name != SQL), fault=_NO_TABLE)
