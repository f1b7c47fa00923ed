"""What a question of the everyday benchmark is: its words, and the values that a right answer holds."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import TypeAlias

__all__ = [
    "COUNTS", "EXACT", "MONTHS", "Constraint", "Date", "Draft", "Item", "Name", "Number", "Value", "day", "drawn",
    "halved", "month", "number", "shown",
]  # fmt: skip

COUNTS = {"tables": 60, "fact": 30, "facts": 30, "mixed": 15, "absent": 20, "open": 25, "word": 40, "reworded": 30}
EXACT = ("tables", "fact", "facts", "mixed", "word", "reworded")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


@dataclass(frozen=True)
class Number:
    """A number. ``decimals``: to how many it was asked for; ``None``: as many as it has."""

    value: Decimal
    decimals: int | None = None


@dataclass(frozen=True)
class Name:
    """A name, or another word. ``others`` are as good."""

    text: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Date:
    """A day."""

    value: datetime.date


Value: TypeAlias = Number | Name | Date


@dataclass(frozen=True)
class Constraint:
    """What the answer to an open task must keep to: ``what`` is counted or tested, with a figure or words."""

    what: str
    count: int = 0
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One question.

    A right answer holds every value of ``expected``; ``also`` are values that may stand beside them, and ``rivals``
    names that, if said instead, are a wrong answer. ``constraints`` are those of an open task. ``note`` says what the
    expected values rest on; for something absent, the word that no file holds.
    """

    id: str
    kind: str
    question: str
    expected: tuple[Value, ...] = ()
    also: tuple[Value, ...] = ()
    rivals: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    half: str = "development"
    note: str = ""


@dataclass(frozen=True)
class Draft:
    """A question that a pattern has made, in each of its wordings, and what an `Item` is to know of it."""

    wordings: tuple[str, ...]
    expected: tuple[Value, ...] = ()
    also: tuple[Value, ...] = ()
    rivals: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    note: str = ""


def drawn(patterns: Sequence[Callable[[], Draft | None]], count: int, also: tuple[Value, ...] = ()) -> list[Item]:
    """As many questions as that, of each pattern in turn, in each of its wordings in turn, none of them twice.

    A pattern gives ``None`` where what it drew has no single answer; then it draws again.
    """
    items: list[Item] = []
    seen: set[frozenset[str]] = set()
    for index in range(count):
        pattern, turn = patterns[index % len(patterns)], index // len(patterns) + index % len(patterns)
        draft = next(d for d in (pattern() for _ in range(2000)) if d is not None and frozenset(d.wordings) not in seen)
        seen.add(frozenset(draft.wordings))
        question = draft.wordings[turn % len(draft.wordings)]
        more = (*draft.also, *also)
        items.append(Item("", "", question, draft.expected, more, draft.rivals, draft.constraints, note=draft.note))
    return items


def number(value: Decimal | int | float | str, decimals: int | None = None) -> Number:
    """A number, kept as exact as it is; ``decimals``: to how many it is asked for."""
    return Number(value if isinstance(value, Decimal) else Decimal(str(value)), decimals)


def month(index: int, year: int) -> Name:
    """A month by its number, in the forms in which a month is told."""
    name = MONTHS[index - 1]
    forms = (f"{year}-{index:02}", f"{index:02}/{year}", f"{index}/{year}", f"{index:02}", f"{index}")
    return Name(name, (name[:3], *forms))


def day(value: datetime.date) -> str:
    """A day as the texts write it."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def shown(value: Value) -> str:
    """A value as a table of results shows it."""
    if isinstance(value, Number):
        exact, places = value.value, value.decimals
        return f"{exact if places is None else exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"
    return value.text if isinstance(value, Name) else value.value.isoformat()


def halved(kind: str, items: Iterable[Item], chance: Random, before: int = 0) -> list[Item]:
    """The items of a kind with their ids; half of them, by chance, are for development, the others for closing.

    ``before`` is how many items of the kind there are already.
    """
    listed: Sequence[Item] = list(items)
    order = chance.sample(range(len(listed)), len(listed))
    closing = set(order[: len(listed) // 2])
    return [
        replace(item, id=f"{kind}-{before + i + 1:02}", kind=kind, half="closing" if i in closing else "development")
        for i, item in enumerate(listed)
    ]
