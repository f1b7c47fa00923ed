"""Conditions of queries on texts that nobody named, such as a value of the rows that the model was shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.words import stems
from aeon.schema import JsonValue, Plan, Step, ToolCall

__all__ = ["unsaid", "without_unsaid"]

_SQL = "sql"
_COMPARED = re.compile(r"(?:=|LIKE)\s*\\?'([^'\\]+)\\?'", re.IGNORECASE)
_CONDITION = r"(?:\w+\()?(?:\w+\.)?(?:\"[^\"]+\"|\w+)\)?\s*(?:=|I?LIKE)\s*'{text}'"
_COLUMN = r"(\w+)\"?\)?\s*(?:=|I?LIKE)\s*'{text}'"
_END = r"(?=\s*(?:$|\)|;|\b(?:GROUP|ORDER|LIMIT|HAVING)\b))"


def without_unsaid(plan: Plan, said: str, named: Sequence[tuple[str, str]] = ()) -> Plan:
    """The plan with queries that leave out the conditions on what stands nowhere in ``said``.

    Where just one value of the same column is ``named`` and the query lacks it, it is put in the place of the other.
    """
    return plan.changed(steps=tuple(_without(step, said, named) for step in plan.steps))


def unsaid(plan: Plan, said: str) -> str:
    """What is wrong with a query that still compares with a text that nobody named, "" if none does."""
    texts = [text for step in plan.steps for text in _unsaid_texts(_query(step), said)]
    return f"the question does not say '{texts[0]}'" if texts else ""


def _without(step: Step, said: str, named: Sequence[tuple[str, str]]) -> Step:
    action, query = step.action, _query(step)
    texts = _unsaid_texts(query, said)
    if not texts or not isinstance(action, ToolCall):
        return step
    for text in texts:
        query = _meant(query, text, named)
        condition = _CONDITION.format(text=re.escape(text))
        for found in (
            rf"\s+AND\s+{condition}(?!\s*OR\b)",
            rf"(?<=\bWHERE)\s+{condition}\s+AND\b",
            rf"\s+WHERE\s+{condition}{_END}",
        ):
            query = re.sub(found, "", query, flags=re.IGNORECASE)
    arguments: dict[str, JsonValue] = {**(action.arguments or {}), "query": query}
    return step.changed(action=action.changed(arguments=arguments))


def _meant(query: str, text: str, named: Sequence[tuple[str, str]]) -> str:
    """The query with the one value that is named for a column in the place of a text that is not."""
    column = re.search(_COLUMN.format(text=re.escape(text)), query, re.IGNORECASE)
    values = [value for name, value in named if column and name.casefold() == column[1].casefold()]
    if len(values) != 1 or values[0].casefold() in query.casefold():
        return query
    return query.replace(f"'{text}'", f"'{values[0].replace(chr(39), chr(39) * 2)}'")


def _unsaid_texts(query: str, said: str) -> list[str]:
    """The texts without a number that the query compares with, and of which no word was said."""
    there = stems(said)
    texts = _COMPARED.findall(query)
    return [text for text in texts if (words := stems(text)) and not words & there and not re.search(r"\d|%", text)]


def _query(step: Step) -> str:
    action = step.action
    return (
        str((action.arguments or {}).get("query", "")) if isinstance(action, ToolCall) and action.tool == _SQL else ""
    )
