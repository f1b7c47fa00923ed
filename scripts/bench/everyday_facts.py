"""Questions about the texts of the everyday benchmark, alone or with the tables."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from itertools import zip_longest
from random import Random
from typing import TypeVar

from everyday_files import YEAR, Order, World
from everyday_items import MONTHS, Date, Draft, Item, Name, Number, drawn, number
from everyday_texts import Fact

__all__ = ["asked", "fact", "facts", "in_turn", "mixed"]

T = TypeVar("T")
CENT = Decimal("0.01")


def fact(stated: Sequence[Fact], chance: Random, count: int) -> list[Item]:
    """One fact each, from each text in turn.

    What the text says of another kind may stand beside it in an answer; a figure of the same unit may not.
    """
    turns = in_turn(stated, chance)[:count]
    return [asked(one, one.wordings[turn % len(one.wordings)], stated) for turn, one in enumerate(turns)]


def in_turn(stated: Sequence[Fact], chance: Random) -> list[Fact]:
    """All facts, one of each text after the other, by chance within each text."""
    files = dict.fromkeys(one.file for one in stated)
    piles = [_shuffled([one for one in stated if one.file == file], chance) for file in files]
    return [one for turn in zip_longest(*piles) for one in turn if one is not None]


def asked(one: Fact, question: str, stated: Sequence[Fact]) -> Item:
    """The question for a fact, in these words."""
    beside = tuple(other.value for other in stated if other.file == one.file and other.unit != one.unit)
    return Item("", "", question, (one.value,), beside, one.rivals, note=one.file)


def _shuffled(found: list[Fact], chance: Random) -> list[Fact]:
    return chance.sample(found, len(found))


def facts(stated: Sequence[Fact], w: World, chance: Random, count: int) -> list[Item]:
    """Two facts each, from one text or two."""
    ways = (_difference, _compared, _days, _sum, _first, _for_several, _compared, _shelving)
    return drawn([partial(ask, stated, w, chance) for ask in ways], count, (number(YEAR), number(YEAR + 1)))


def _two(found: Sequence[T], chance: Random) -> tuple[T, T]:
    a, b = chance.sample(list(found), 2)
    return a, b


def _amounts(stated: Sequence[Fact], unit: str) -> list[Fact]:
    return [one for one in stated if one.short and one.unit == unit and isinstance(one.value, Number)]


def _figure(one: Fact) -> Decimal:
    assert isinstance(one.value, Number)
    return one.value.value


def _difference(stated: Sequence[Fact], w: World, chance: Random) -> Draft | None:
    unit = chance.choice(("euros", "euros", "euros", "days", "months"))
    a, b = _two(_amounts(stated, unit), chance)
    gap = _figure(a) - _figure(b)
    wordings = (
        f"How many {unit} more is {a.short} than {b.short}?",
        f"By how many {unit} does {a.short} exceed {b.short}?",
        f"What is the difference in {unit} between {a.short} and {b.short}, please?",
    )
    return Draft(wordings, (number(gap),), (a.value, b.value)) if gap > 0 else None


def _sum(stated: Sequence[Fact], w: World, chance: Random) -> Draft:
    a, b = _two(_amounts(stated, "euros"), chance)
    wordings = (
        f"What do {a.short} and {b.short} come to together, in euros?",
        f"If I add up {a.short} and {b.short}, how many euros is that?",
        f"{a.short[0].upper()}{a.short[1:]} plus {b.short}: total in euros?",
    )
    return Draft(wordings, (number(_figure(a) + _figure(b)),), (a.value, b.value))


def _compared(stated: Sequence[Fact], w: World, chance: Random) -> Draft | None:
    group = chance.choice(sorted({one.group for one in stated if one.group and isinstance(one.value, Number)}))
    a, b = _two([one for one in stated if one.group == group], chance)
    high, low = (a, b) if _figure(a) > _figure(b) else (b, a)
    wordings = (
        f"Which has the higher {group}, {a.entity} or {b.entity}, and by how much?",
        f"{a.entity} or {b.entity}: which {group} is higher, and what is the difference?",
        f"Compare the {group} of {a.entity} and {b.entity}. Which one is higher, and by how much?",
    )
    return Draft(wordings, (Name(high.entity), number(_figure(high) - _figure(low))), (a.value, b.value), (low.entity,))


def _days(stated: Sequence[Fact], w: World, chance: Random) -> Draft | None:
    a, b = _two([one for one in stated if one.unit == "date" and one.short], chance)
    assert isinstance(a.value, Date)
    assert isinstance(b.value, Date)
    gap = (b.value.value - a.value.value).days
    wordings = (
        f"How many days are there from {a.short} to {b.short}?",
        f"{a.short[0].upper()}{a.short[1:]} and {b.short}: how many days apart are they?",
        f"How many days after {a.short} is {b.short}?",
    )
    return Draft(wordings, (number(gap),), (a.value, b.value)) if 0 < gap < 400 else None


def _first(stated: Sequence[Fact], w: World, chance: Random) -> Draft:
    a, b = _two([one for one in stated if one.group == "day"], chance)
    assert isinstance(a.value, Date)
    assert isinstance(b.value, Date)
    gap = (b.value.value - a.value.value).days
    soon, late = (a, b) if gap > 0 else (b, a)
    wordings = (
        f"Which comes first, the {a.entity} or the {b.entity}, and by how many days?",
        f"Is the {a.entity} or the {b.entity} earlier, and how many days lie between them?",
        f"{a.entity} or {b.entity}: which one is earlier, and by how many days?",
    )
    return Draft(wordings, (Name(soon.entity), number(abs(gap))), (a.value, b.value), (late.entity,))


def _for_several(stated: Sequence[Fact], w: World, chance: Random) -> Draft:
    (a, b), people = _two([one for one in stated if one.group == "fee"], chance), chance.randint(2, 9)
    wordings = (
        f"What do {people} people pay in all if each joins both the {a.entity} and the {b.entity}?",
        f"{people} of us want to go to the {a.entity} and to the {b.entity}. How many euros are the fees for all of "
        "us?",
        f"Fees for {people} persons at the {a.entity} plus the {b.entity}?",
    )
    fees = (_figure(a), _figure(b))
    parts = (number(sum(fees)), number(people * fees[0]), number(people * fees[1]))
    return Draft(wordings, (number(people * sum(fees)),), (a.value, b.value, *parts))


def _shelving(stated: Sequence[Fact], w: World, chance: Random) -> Draft:
    a, b = [one for one in stated if one.group == "price per metre of shelving"]
    cheap, dear = (a, b) if _figure(a) < _figure(b) else (b, a)
    metres = chance.randint(6, 48)
    gap = _figure(dear) - _figure(cheap)
    wordings = (
        f"How much do we save on {metres} metres of shelving if we buy from {cheap.entity} and not from {dear.entity}?",
        f"{metres} metres of shelving: how many euros cheaper is {cheap.entity} than {dear.entity}?",
        f"We need {metres} metres of shelving. What is the price difference between {a.entity} and {b.entity} in "
        "euros?",
    )
    totals = (number(metres * _figure(a)), number(metres * _figure(b)))
    return Draft(wordings, (number(metres * gap),), (a.value, b.value, number(gap), *totals))


def mixed(w: World, chance: Random, count: int) -> list[Item]:
    """A rule that a text holds, applied to a table."""
    ways = (_rebated, _rebate, _postage, _raised, _bonus, _points)
    rules = tuple(number(value) for value in (*w.figures.values(), YEAR, 100))
    return drawn([partial(ask, w, chance) for ask in ways], count, rules)


def _cents(value: Decimal) -> Decimal:
    return value.quantize(CENT, ROUND_HALF_UP)


def _less(w: World, row: Order) -> Decimal:
    return row.revenue * w.figures["rebate"] / 100 if row.revenue > w.figures["limit"] else Decimal(0)


def _rebated(w: World, chance: Random) -> Draft | None:
    city, index = chance.choice(w.cities), chance.randint(1, 12)
    rows = [row for row in w.orders if row.city == city and row.month == index]
    after = [row.revenue - _less(w, row) for row in rows]
    exact, gets = sum(after, Decimal(0)), sum(map(bool, (_less(w, row) for row in rows)))
    wordings = (
        f"What do the {MONTHS[index - 1]} orders of {city} come to after the rebate in our terms? Two decimals.",
        f"{city}, {MONTHS[index - 1]}: total of all orders once the rebate from the terms is taken off, rounded to "
        "cents?",
        f"Apply the rebate of our terms to the {city} orders of {MONTHS[index - 1]}. What total is left, in euros "
        "and cents?",
    )
    whole, single = sum((row.revenue for row in rows), Decimal(0)), sum(map(_cents, after), Decimal(0))
    good = 0 < gets < len(rows) and single == _cents(exact)
    return Draft(wordings, (number(exact, 2),), (number(whole), number(whole - exact, 2))) if good else None


def _rebate(w: World, chance: Random) -> Draft | None:
    row = chance.choice(w.orders)
    wordings = (
        f"How many euros of rebate does order {row.order_id} get under our terms? Two decimals.",
        f"Order {row.order_id}: what is the rebate on it according to the terms, rounded to cents?",
        f"What rebate in euros do our terms give on order {row.order_id} (to the cent)?",
    )
    also = (number(row.revenue), number(row.revenue - _less(w, row), 2))
    return Draft(wordings, (number(_less(w, row), 2),), also) if _less(w, row) else None


def _postage(w: World, chance: Random) -> Draft | None:
    region, quarter = chance.choice(w.regions), chance.randrange(4)
    rows = [row for row in w.orders if row.region == region and (row.month - 1) // 3 == quarter]
    count = sum(1 for row in rows if row.revenue < w.figures["small"])
    first, last = MONTHS[3 * quarter], MONTHS[3 * quarter + 2]
    wordings = (
        f"How much postage do our terms charge in all for the orders of the {region} region from {first} to {last}?",
        f"Total postage in euros for all orders of region {region}, {first} to {last}, by the terms?",
        f"Going by the terms, what postage did customers in the {region} region pay from {first} to {last}?",
    )
    return Draft(wordings, (number(count * w.figures["post"]),), (number(count),)) if count > 1 else None


def _raised(w: World, chance: Random) -> Draft:
    product = chance.choice([p for p in w.products if p.supplier == w.suppliers[0]])
    units = chance.choice((1, 10, 12, 20))
    exact = product.list_price * units * (100 + w.figures["rise"]) / 100
    many = f"{units} units of the {product.product}" if units > 1 else f"one {product.product}"
    wordings = (
        f"What will {many} cost at list price after the price rise of the supplier? Two decimals.",
        f"List price of {many} once the announced price increase applies, rounded to cents?",
        f"How many euros do I pay for {many} at the list price after the supplier's increase (two decimals)?",
    )
    also = (number(product.list_price), number(product.list_price * units), number(units))
    single = number(product.list_price * (100 + w.figures["rise"]) / 100, 2)
    return Draft(wordings, (number(exact, 2),), (*also, single))


def _bonus(w: World, chance: Random) -> Draft | None:
    city, quarter = chance.choice(w.cities), chance.randrange(4)
    rows = [row for row in w.orders if row.city == city and (row.month - 1) // 3 == quarter]
    total, least = sum((row.revenue for row in rows), Decimal(0)), w.figures["bonus_from"]
    first, last = MONTHS[3 * quarter], MONTHS[3 * quarter + 2]
    wordings = (
        f"What quarterly bonus do the staff of the {city} shop share for {first} to {last}? Two decimals.",
        f"How many euros of bonus does {city} get for the quarter {first} to {last}, rounded to cents?",
        f"By the handbook, what is the {city} staff's bonus for the quarter from {first} to {last} (to the cent)?",
    )
    also = (number(total), number(total - least), number(quarter + 1))
    return Draft(wordings, (number((total - least) * w.figures["bonus"] / 100, 2),), also) if total > least else None


def _points(w: World, chance: Random) -> Draft | None:
    product, city = chance.choice(w.products).product, chance.choice(w.cities)
    units = sum(row.units for row in w.orders if row.product == product and row.city == city)
    wordings = (
        f"How many club points did the {product} orders in {city} earn in all?",
        f"Club points for all {product} units ordered at the {city} shop?",
        f"Please work out the club points that customers in {city} got for the {product}.",
    )
    return Draft(wordings, (number(units * w.figures["points"]),), (number(units),)) if units else None
