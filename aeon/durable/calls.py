"""The model calls of runs, prompt and reply, in a table beside their journals: to look at, not to resume from.

A call is written before the outcome that came of it. No run needs one: where the table cannot be written, calls are not
noted, and the run goes on. A power cut may lose what was noted last.
"""

from __future__ import annotations

import contextlib

import sqlalchemy as sa

from aeon.assembly.noting import ModelCall
from aeon.durable.database import Database
from aeon.schema import Message

__all__ = ["LONGEST", "MOST", "Calls", "Notes"]

LONGEST = 50_000
"""Characters that are kept of a message, and of a reply."""
MOST = 1_000
"""Calls that are kept of a run."""


class Calls:
    """The table. Its methods raise what SQLAlchemy does."""

    def __init__(self, database: Database) -> None:
        self._engine, self._quick, self._table = database.engine, database.quick, database.calls

    def of(self, run: str, number: int) -> tuple[ModelCall, ...]:
        """The calls for an effect, in order."""
        table = self._table.c
        query = sa.select(table.call).where(table.run == run, table.number == number).order_by(table.seq)
        with self._engine.begin() as connection:
            return tuple(ModelCall.model_validate_json(text) for text in connection.execute(query).scalars())

    def add(self, run: str, calls: list[ModelCall]) -> int:
        """Keep these calls, as far as there is room; how many calls of the run there are now."""
        table = self._table
        with self._quick.begin() as connection:
            query = sa.select(sa.func.count()).select_from(table).where(table.c.run == run)
            there = int(connection.execute(query).scalar() or 0)
            rows = [{"run": run, "number": one.number, "call": _cut(one).model_dump_json()} for one in calls]
            if kept := rows[: max(0, MOST - there)]:
                connection.execute(table.insert(), kept)
        return there + len(kept)

    def share(self, connection: sa.Connection, run: str, other: str, before: int) -> None:
        """Give a fork, the run ``other``, the calls for the effects that it shares."""
        table = self._table
        past = sa.select(sa.literal(other), table.c.number, table.c.call).where(
            table.c.run == run, table.c.number < before
        )
        connection.execute(table.insert().from_select(["run", "number", "call"], past.order_by(table.c.seq)))


class Notes:
    """The calls of a run that wait to be written; called with each of them."""

    def __init__(self, calls: Calls, run: str) -> None:
        self._calls, self._run = calls, run
        self._waiting: list[ModelCall] = []
        self._full = False

    def __call__(self, call: ModelCall) -> None:
        """Take note of a call."""
        if not self._full:
            self._waiting.append(call)

    def write(self) -> None:
        """Write what waits. Where that cannot be done, it is not noted."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            with contextlib.suppress(sa.exc.SQLAlchemyError):
                self._full = self._calls.add(self._run, waiting) >= MOST


def _cut(call: ModelCall) -> ModelCall:
    """The call with the beginnings of its texts, where they are longer than what is kept."""
    messages = tuple(_cut_message(one) for one in call.messages)
    return call.changed(messages=messages, reply=_beginning(call.reply))


def _cut_message(message: Message) -> Message:
    return message.changed(content=_beginning(message.content))


def _beginning(text: str) -> str:
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]}… [{left:,} more characters]"
