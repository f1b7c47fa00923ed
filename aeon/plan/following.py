"""Who it is of whom a text has but the number: the row of a table that has this number says the name."""

from __future__ import annotations

import re
from collections.abc import Callable

from aeon.documents.words import stems
from aeon.plan.quotes import quotation
from aeon.plan.sources import LOOKUP, SQL, Sources
from aeon.schema import JsonValue, Plan, Source, Step, ToolCall
from aeon.tools.quote import QUOTE
from aeon.tools.tableinfo import Named, quoted

__all__ = ["Following"]

_WHO = re.compile(r"\W*(?:who|whose|whom)\b", re.IGNORECASE)
_CODE = re.compile(r"(?=[\w/-]*\d)[^\W_a-z][\w/-]*")
_PERSON = re.compile(r"[A-Z][\w'\u2019.-]*(?: (?:[a-z]{1,3} )?[A-Z][\w'\u2019.-]*)+")
_WORDS = 2
"""Words of a question that a sentence has at least, if it speaks of the same."""
_ARTICLES = frozenset({"The", "A", "An"})
_DOUBT = "who it is says the row of a number that a sentence has"


class Following:
    """Goes from a number that a text gives, as that of a ticket, to the one name in the row of it."""

    def __init__(self, sources: Sources, names: Callable[[str], tuple[Named, ...]] | None) -> None:
        """``names`` finds the values of the tables that a text names; ``None`` without tables."""
        self._sources = sources
        self._names = names

    async def of(self, question: str, plan: Plan, near: tuple[Source, ...]) -> Plan:
        """The plan, where it gives a number for who it is with a step that looks up the name.

        Where it only puts the question to the texts, in which no name was read yet, and a sentence that is ``near`` has
        such a number, it is the name of that row, and doubtful.
        """
        if self._names is None or not _WHO.match(question):
            return plan
        if code := _code_of(_quoted(plan)):
            return await self._followed(_with_value(plan, code), code) or plan
        return await self._guessed(question, plan, near) if _is_open(plan) else plan

    async def _guessed(self, question: str, plan: Plan, near: tuple[Source, ...]) -> Plan:
        """The name in the row of the only number of the nearest sentence that is about the question; else the plan."""
        for said in near:
            if len(stems(question) & stems(said.text)) >= _WORDS:
                codes = [code for code in _CODE.findall(said.text) if code not in question]
                if len(codes) != 1:
                    return plan
                found = await self._followed(quotation(question, codes[0], said), codes[0])
                return found.changed(doubts=(_DOUBT,), likelihood=plan.likelihood) if found is not None else plan
        return plan

    async def _followed(self, plan: Plan, code: str) -> Plan | None:
        """The plan that quotes a number, with the query for the name in its row; ``None`` without just one of both."""
        found = [pair for named in self._named(code) for pair in await self._persons(named)]
        if len(found) != 1:
            return None
        ((table, column, key),) = found
        query = f"SELECT {quoted(column)} FROM {quoted(table)} WHERE {quoted(key)} = '${plan.answer[0]}'"
        step = Step(
            id="s2",
            description=f"{column} of {code}",
            action=ToolCall(tool=SQL, arguments={"query": query}),
            dependencies=plan.answer,
            provides=("s2",),
        )
        return plan.changed(steps=(*plan.steps, step), answer=(step.id,)).numbered()

    def _named(self, code: str) -> list[Named]:
        """The columns of the tables that hold a number."""
        found = self._names(code) if self._names is not None else ()
        return [named for named in found if named.value.casefold() == code.casefold()]

    async def _persons(self, named: Named) -> list[tuple[str, str, str]]:
        """The tables of which just one row has a value, and one name: each with the column of the name, and its own."""
        tables = [table.name for table in self._sources.tables if named.column in dict(table.columns)]
        where = f"{quoted(named.column)} = '{named.value}'"
        queries = {name: f"SELECT * FROM {quoted(name)} WHERE {where} LIMIT 2" for name in tables}
        rows = [(name, await self._sources.values([{"query": query}])) for name, query in queries.items()]
        names = [(name, _names_of(row)) for name, found in rows for _, row in found]
        return [(name, columns[0], named.column) for name, columns in names if len(columns) == 1]


def _names_of(row: JsonValue) -> list[str]:
    """The columns in which a row has a name of several words; none of several rows."""
    if not isinstance(row, dict):
        return []
    return [column for column, value in row.items() if isinstance(value, str) and _PERSON.fullmatch(value)]


def _code_of(said: str) -> str:
    """The number that says who it is, in what is quoted: "the customer of order F-203" is F-203; "" beside a name."""
    codes, words = _CODE.findall(said), {*_CODE.sub(" ", said).split()} - _ARTICLES
    return codes[0] if len(codes) == 1 and not any(word[0].isupper() for word in words) else ""


def _with_value(plan: Plan, value: str) -> Plan:
    """The plan that quotes this value of the same sentence."""
    (step,) = plan.steps
    assert isinstance(step.action, ToolCall)  # else it quotes nothing
    action = step.action.changed(arguments={**(step.action.arguments or {}), "value": value})
    return plan.changed(steps=(step.changed(action=action),))


def _is_open(plan: Plan) -> bool:
    """Whether a plan does nothing but put its question to the texts, and no name was read in them."""
    (step,) = plan.steps if len(plan.steps) == 1 else (None,)
    if step is None or not isinstance(step.action, ToolCall) or step.action.tool != LOOKUP:
        return False
    return step.read is None or not any(word[0].isupper() for word in step.read.answer.split())


def _quoted(plan: Plan) -> str:
    """The value of a plan that quotes one, and does nothing else; "" for another plan."""
    action = plan.steps[0].action if len(plan.steps) == 1 else None
    if not isinstance(action, ToolCall) or action.tool != QUOTE or plan.answer != (plan.steps[0].id,):
        return ""
    return str((action.arguments or {}).get("value", ""))
