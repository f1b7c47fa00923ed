"""Families of tasks over small folders: what a first task shows of a family's tables holds for its siblings too.

Each folder has a table that is easily misread, and a note that says how it is to be read; the question says nothing of
it. The lookalikes of a family have its questions and tables, and a note that says the opposite. Unrelated tasks are of
another matter. Everything follows from the seed, so that each right answer is known; the halves share no name, thing
or wording.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from random import Random

from everyday_items import MONTHS, Item, Name, Number, Value, number

__all__ = ["FAMILIES", "HALVES", "ROLES", "Instance", "instance"]

HALVES = ("development", "closing")
ROLES = ("first", "sibling", "lookalike", "unrelated")
_ROWS = 18
_ASKED = 6
"""Names, things or months of which a half's tasks ask for one."""
_DIFFERENT = 3
"""The right answer, the trap, and nothing at all."""
_PEOPLE = {
    "development": ("Mara", "Jonas", "Ilse", "Teo", "Petra", "Owen"),
    "closing": ("Rhea", "Felix", "Sanna", "Milo", "Greta", "Hugo"),
}
_THINGS = {
    "development": ("stool", "basket", "jug", "rug", "bell", "lamp"),
    "closing": ("shelf", "kettle", "bowl", "mat", "hook", "tray"),
}


@dataclass(frozen=True)
class Case:
    """A folder, a question about it, and the queries of who reads the table as the note says, and otherwise."""

    files: Mapping[str, str]
    question: str
    right: Value
    trap: Value | None
    query: str
    naive: str


@dataclass(frozen=True)
class Instance:
    """A task over a folder of its own.

    ``trap`` is the answer of who reads the table otherwise than the note says; an unrelated task has none. ``query``
    gives the right answer, ``naive`` the trap.
    """

    item: Item
    family: str
    role: str
    files: Mapping[str, str]
    trap: Value | None
    query: str
    naive: str


def instance(family: str, role: str, half: str, seed: int, number: int = 1) -> Instance:
    """The task of a family with this number in its role; the same for the same seed.

    What the first one asks for, such as a name or a month, no other asks for.
    """
    chance = Random(f"{seed} {half} {family} {role} {number}")
    if role == "unrelated":
        case = _UNRELATED[([*FAMILIES].index(family) + number) % len(_UNRELATED)](chance, half)
    else:
        asked = Random(f"{seed} {half} {family}").sample(range(_ASKED), _ASKED)
        at = asked[0] if role == "first" else asked[1 + (number - 1) % (_ASKED - 1)]
        cases = (FAMILIES[family](chance, half, at, role == "lookalike") for _ in count())
        case = next(one for one in cases if len({one.right, one.trap, Number(Decimal(0))}) == _DIFFERENT)
    item = Item(f"{family}-{role}-{number}", role, case.question, (case.right,), half=half, note=case.query)
    return Instance(item, family, role, case.files, case.trap, case.query, case.naive)


def _columns(chance: Random, half: str, at: int, opposite: bool) -> Case:
    """Of two amounts, only one is what is paid."""
    first, second = {"development": ("Quoted", "Billed"), "closing": ("Estimate", "Invoice")}[half]
    who, people = _chosen(_PEOPLE[half], at, chance)
    amounts = [(chance.randrange(40, 400), chance.randrange(40, 400)) for _ in people]
    table = _table(("Order", "Customer", first, second), [(n, p, *two) for n, (p, two) in _counted(people, amounts)])
    sums = tuple(sum(two[i] for p, two in zip(people, amounts, strict=True) if p == who) for i in (0, 1))
    queries = tuple(f"SELECT SUM({name}) FROM orders WHERE Customer = '{who}'" for name in (first, second))
    paid, unpaid = (first, second) if opposite else (second, first)
    used = f"It is not used: customers pay what stands in {paid}."
    note = f"Orders of the fair. {unpaid} is what the program worked out at first. {used}"
    question = {
        "development": f"How many euros does the customer {who} have to pay for all orders together?",
        "closing": f"What is the whole sum in euros that customer {who} has to pay for every order at the fair?",
    }[half]
    files = {"orders.csv": table, "notes.md": note}
    return _read(files, question, tuple(map(number, sums)), queries, opposite)


def _cents(chance: Random, half: str, at: int, opposite: bool) -> Case:
    """Amounts are in cents."""
    thing, things = _chosen(_THINGS[half], at, chance)
    prices = [chance.randrange(120, 990) for _ in things]
    table = _table(("Sale", "Article", "Price"), [(n, t, price) for n, (t, price) in _counted(things, prices)])
    total = sum(price for t, price in zip(things, prices, strict=True) if t == thing)
    where = f"FROM sales WHERE Article = '{thing}'"
    unit = "euros, as the till writes them" if opposite else "cents, as the till writes them"
    question = {
        "development": f"How many euros did all sales of the article {thing} bring into the till together?",
        "closing": f"What were the takings in euros from every sale of article {thing} altogether?",
    }[half]
    values = (number(total), number(Decimal(total) / 100))
    queries = (f"SELECT SUM(Price) {where}", f"SELECT SUM(Price) / 100.0 {where}")
    files = {"sales.csv": table, "notes.md": f"All sales of the shop. Prices are in {unit}."}
    return _read(files, question, values, queries, opposite)


def _days(chance: Random, half: str, at: int, opposite: bool) -> Case:
    """Days are written day first."""
    month, year = 3 + at, {"development": 2025, "closing": 2024}[half]
    when = f"{MONTHS[month - 1]} {year}"
    pairs = [(chance.choice((month, chance.randint(1, 12))), chance.choice((month, chance.randint(1, 12))))
             for _ in range(_ROWS)]  # fmt: skip
    persons = [chance.randint(2, 40) for _ in pairs]
    days = [f"{one:02}/{other:02}/{year}" for one, other in pairs]
    table = _table(("Tour", "Day", "Persons"), [(n, d, p) for n, (d, p) in _counted(days, persons)])
    sums = tuple(sum(p for pair, p in zip(pairs, persons, strict=True) if pair[i] == month) for i in (0, 1))
    likes = (f"{month:02}/%/{year}", f"%/{month:02}/{year}")
    queries = tuple(f"SELECT SUM(Persons) FROM tours WHERE Day LIKE '{like}'" for like in likes)
    first = "month" if opposite else "day"
    note = f"A list of our guided tours of the town and the harbour. Days are written with the {first} first."
    question = {
        "development": f"How many persons did we have on all guided tours of the town in {when}?",
        "closing": f"What is the number of persons that were on our guided tours of the harbour during {when}?",
    }[half]
    return _read({"tours.csv": table, "notes.md": note}, question, tuple(map(number, sums)), queries, opposite)


def _unit(chance: Random, half: str, at: int, opposite: bool) -> Case:
    """The unit stands in the head of the table, and another one is asked for."""
    who, people = _chosen(_PEOPLE[half], at, chance)
    weights = [chance.randrange(2, 40) if opposite else chance.randrange(150, 4_000) for _ in people]
    column = f"Weight ({'kg' if opposite else 'g'})"
    table = _table(("Parcel", "Sender", column), [(n, p, w) for n, (p, w) in _counted(people, weights)])
    total = sum(weight for p, weight in zip(people, weights, strict=True) if p == who)
    where = f"FROM parcels WHERE Sender = '{who}'"
    question = {
        "development": f"How many kilograms do all parcels of the sender {who} weigh together?",
        "closing": f"What is the weight in kilograms of every parcel from sender {who} altogether?",
    }[half]
    values = (number(total), number(Decimal(total) / 1000))
    queries = (f'SELECT SUM("{column}") {where}', f'SELECT SUM("{column}") / 1000.0 {where}')
    note = "A parcel is weighed before it is loaded."
    return _read({"parcels.csv": table, "notes.md": note}, question, values, queries, opposite)


def _cancelled(chance: Random, half: str, at: int, opposite: bool) -> Case:
    """The table has bookings that were cancelled."""
    who, people = _chosen(_PEOPLE[half], at, chance)
    nights = [(chance.randint(1, 12), chance.choice(("kept", "kept", "cancelled"))) for _ in people]
    table = _table(("Booking", "Guest", "Nights", "Status"), [(n, p, *two) for n, (p, two) in _counted(people, nights)])
    own = [two for p, two in zip(people, nights, strict=True) if p == who]
    sums = (sum(n for n, _ in own), sum(n for n, status in own if status == "kept"))
    every = f"SELECT SUM(Nights) FROM bookings WHERE Guest = '{who}'"
    rule = "is charged all the same: its nights count" if opposite else "stays in the table: its nights do not count"
    question = {
        "development": f"How many nights do we charge the guest {who} for, all bookings together?",
        "closing": f"What is the number of nights on the bill of guest {who} for every booking?",
    }[half]
    files = {"bookings.csv": table, "notes.md": f"A booking that was cancelled {rule}."}
    return _read(files, question, tuple(map(number, sums)), (every, f"{every} AND Status = 'kept'"), opposite)


def _drafts(chance: Random, half: str, at: int, opposite: bool) -> Case:
    """Of two lists of prices, the one that looks newer does not hold yet."""
    thing = _THINGS[half][at]
    lists = [{one: Decimal(chance.randrange(500, 9_000)) / 100 for one in _THINGS[half]} for _ in range(2)]
    names = ("prices_new", "prices")
    tables = {f"{name}.csv": _table(("Article", "Price"), [*one.items()])
              for name, one in zip(names, lists, strict=True)}  # fmt: skip
    holds, other = names if opposite else names[::-1]
    note = f"The list {holds}.csv holds today, at the counter of the shop too. The list {other}.csv is not in use."
    question = {
        "development": f"What is the price in euros that a customer pays for one {thing} in our shop today?",
        "closing": f"Name the price in euros of one {thing} at the counter of the shop today.",
    }[half]
    queries = tuple(f"SELECT Price FROM {name} WHERE Article = '{thing}'" for name in names)
    values = tuple(number(one[thing]) for one in lists)
    return _read({**tables, "notes.md": note}, question, values, queries, opposite)


FAMILIES: dict[str, Callable[[Random, str, int, bool], Case]] = {
    "columns": _columns, "cents": _cents, "days": _days, "unit": _unit, "cancelled": _cancelled, "drafts": _drafts,
}  # fmt: skip


def _room(chance: Random, half: str) -> Case:
    """A word that one row has."""
    rooms = {
        "development": ("Elm", "Ash", "Birch", "Maple", "Cedar"),
        "closing": ("Lark", "Wren", "Heron", "Swift", "Owl"),
    }
    courses = {
        "development": ("Pottery", "Spanish", "Yoga", "Sketching"),
        "closing": ("Bookbinding", "Italian", "Fencing", "Calligraphy"),
    }[half]
    places = dict(zip(courses, chance.sample(rooms[half], len(courses)), strict=True))
    course = chance.choice(courses)
    query = f"SELECT Room FROM courses WHERE Course = '{course}'"
    question = {"development": f"In which room does the course {course} meet?", "closing": f"Where is {course} taught?"}
    files = {"courses.csv": _table(("Course", "Room"), [*places.items()])}
    return Case(files, question[half], Name(places[course]), None, query, query)


def _longest(chance: Random, half: str) -> Case:
    """The name of the row with the largest number."""
    lakes = {
        "development": ("Orsa", "Belmer", "Tarno", "Vintry", "Kesse"),
        "closing": ("Halden", "Mirow", "Sulva", "Pendle", "Arosa"),
    }[half]
    depths = dict(zip(lakes, chance.sample(range(8, 95), len(lakes)), strict=True))
    query = "SELECT Lake FROM lakes ORDER BY Depth DESC LIMIT 1"
    question = {
        "development": "Which of the lakes is the deepest?",
        "closing": "Name the lake with the greatest depth.",
    }
    files = {"lakes.csv": _table(("Lake", "Depth"), [*depths.items()])}
    return Case(files, question[half], Name(max(depths, key=lambda lake: depths[lake])), None, query, query)


def _members(chance: Random, half: str) -> Case:
    """How many rows there are of a kind."""
    choirs = {"development": ("soprano", "alto", "tenor"), "closing": ("violin", "viola", "cello")}[half]
    voices = [chance.choice(choirs) for _ in range(_ROWS)]
    voice = voices[0]
    query = f"SELECT COUNT(*) FROM members WHERE Voice = '{voice}'"
    question = {
        "development": f"How many members of the choir sing {voice}?",
        "closing": f"Count the musicians who play the {voice}.",
    }
    files = {"members.csv": _table(("Member", "Voice"), [*enumerate(voices, 101)])}
    return Case(files, question[half], number(voices.count(voice)), None, query, query)


_UNRELATED = (_room, _longest, _members)


def _read(
    files: Mapping[str, str], question: str, values: Sequence[Value], queries: Sequence[str], opposite: bool
) -> Case:
    """The case with the values and queries of who does not heed what the family teaches, and of who does."""
    right, trap = (0, 1) if opposite else (1, 0)
    return Case(files, question, values[right], values[trap], queries[right], queries[trap])


def _chosen(names: Sequence[str], at: int, chance: Random) -> tuple[str, list[str]]:
    """The name at this place, and the names of all rows, among which it is more than once."""
    one = names[at]
    rows = [one] * 4 + [chance.choice([name for name in names if name != one]) for _ in range(_ROWS - 4)]
    chance.shuffle(rows)
    return one, rows


def _counted(names: Sequence[str], values: Sequence[object]) -> list[tuple[int, tuple[str, object]]]:
    return [*enumerate(zip(names, values, strict=True), 101)]


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()
