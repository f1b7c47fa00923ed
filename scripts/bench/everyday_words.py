"""Word problems of the everyday benchmark: two to four operations, an exact answer, no files."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from random import Random

from everyday_files import FIRST
from everyday_items import Draft, Item, Number, drawn, number

__all__ = ["words"]


def words(chance: Random, count: int) -> list[Item]:
    """The word problems."""
    return drawn([partial(ask, chance) for ask in PATTERNS], count)


def _n(*values: int | Decimal) -> tuple[Number, ...]:
    return tuple(number(value) for value in values)


def _money(chance: Random, low: int, high: int, step: int = 5) -> Decimal:
    return (Decimal(chance.randrange(low, high, step)) / 100).quantize(Decimal("0.01"))


def _change(c: Random) -> Draft:
    a, b, x, y, note = c.randint(3, 9), c.randint(2, 7), _money(c, 110, 390), _money(c, 60, 250), c.choice((50, 100))
    total = a * x + b * y
    wordings = (
        f"I buy {a} loaves at {x} euros and {b} buns at {y} euros and pay with a {note} euro note. How much change "
        "do I get?",
        f"{a} notebooks cost {x} € each, {b} pens {y} € each. What is left of {note} €?",
        f"A customer takes {a} jars at {x} euros each and {b} bags at {y} euros each. What is the change from {note} "
        "euros?",
    )
    return Draft(wordings, _n(note - total), _n(total, a * x, b * y))


def _discount(c: Random) -> Draft:
    count, price, off = c.randint(3, 14), c.randrange(20, 160, 4), c.choice((5, 10, 15, 20, 25))
    total = Decimal(count * price)
    wordings = (
        f"{count} chairs at {price} euros each, with a discount of {off} % on the total: what do they cost?",
        f"What do I pay for {count} tickets of {price} euros each if I get {off} percent off everything?",
        f"A school orders {count} atlases at {price} euros and is given a {off}% rebate. How high is the bill in "
        "euros?",
    )
    return Draft(wordings, _n(total * (100 - off) / 100), _n(total, total * off / 100, 100 - off))


def _tank(c: Random) -> Draft | None:
    size, start, end, flow = c.randrange(300, 1300, 20), c.randint(2, 5) * 10, c.randint(6, 10) * 10, c.randint(4, 30)
    need = Fraction(size * (end - start), 100)
    if (need / flow).denominator != 1:
        return None
    wordings = (
        f"A tank for {size} litres is {start} percent full. {flow} litres a minute flow in. After how many minutes "
        f"is it {end} percent full?",
        f"Pool of {size} litres, now {start} % full, filled at {flow} litres per minute: how many minutes until "
        f"{end} %?",
        f"How many minutes does it take to bring a {size} litre tank from {start} % to {end} % at {flow} litres a "
        "minute?",
    )
    return Draft(wordings, _n(int(need / flow)), _n(int(need), size * start // 100, size * end // 100, end - start))


def _trip(c: Random) -> Draft:
    way, uses, price, friends = c.randrange(120, 520, 10), c.randint(5, 9), _money(c, 150, 195, 1), c.randint(2, 5)
    litres = Decimal(2 * way * uses) / 100
    each = litres * price / friends
    wordings = (
        f"A car needs {uses} litres per 100 km and fuel is {price} euros a litre. {friends} friends share the cost "
        f"of driving {way} km there and {way} km back. What does each pay, rounded to cents?",
        f"{friends} people go on a trip of {way} km each way; the car uses {uses} l per 100 km at {price} € per "
        "litre. Fuel cost per person for there and back, to the cent?",
        f"We drive {way} km and the same way back, at {uses} litres per 100 km and {price} euros per litre. Split "
        f"between {friends} people, how many euros is it each (two decimals)?",
    )
    return Draft(wordings, (number(each, 2),), _n(litres, litres * price, 2 * way))


def _wage(c: Random) -> Draft:
    hours, wage, extra, more = c.randint(30, 40), c.randint(12, 29), c.randint(2, 9), c.choice((20, 25, 50))
    over = Decimal(wage) * (100 + more) / 100
    wordings = (
        f"{c.choice(FIRST)} earns {wage} euros an hour for {hours} hours and {more} percent more for {extra} hours "
        "of overtime. What is the pay in all?",
        f"Pay for {hours} normal hours at {wage} € plus {extra} overtime hours with a {more} % supplement?",
        f"What does someone get for {hours} hours at {wage} euros and {extra} overtime hours that are paid {more} "
        "percent better?",
    )
    return Draft(wordings, _n(hours * wage + extra * over), _n(hours * wage, over, extra * over))


def _boxes(c: Random) -> Draft:
    size, full, rest = c.choice((6, 8, 12, 15, 24)), c.randint(7, 40), c.randint(1, 5)
    items = size * full + rest
    wordings = (
        f"{items} eggs are packed into boxes of {size}. How many boxes are full, and how many eggs are left over?",
        f"If {items} bottles go into crates of {size}, how many full crates are there and how many bottles remain?",
        f"I have {items} tiles and put {size} on each stack. Number of full stacks, and tiles left over?",
    )
    return Draft(wordings, _n(full, rest), _n(full * size))


def _train(c: Random) -> Draft | None:
    h1, speed, h2, slow = c.randint(2, 4), c.randrange(80, 130, 5), c.randint(1, 4), c.randrange(40, 75, 5)
    way = h1 * speed + h2 * slow
    mean = Decimal(way) / (h1 + h2)
    if mean != round(mean, 1):
        return None
    wordings = (
        f"A train runs {h1} hours at {speed} km/h and then {h2} hours at {slow} km/h. How far does it get, and what "
        "is its average speed?",
        f"{h1} h at {speed} km/h, then {h2} h at {slow} km/h: total distance in km and average speed in km/h?",
        f"A bus drives for {h1} hours with {speed} km/h and for {h2} hours with {slow} km/h. Give the distance and "
        "the average speed.",
    )
    return Draft(wordings, _n(way, mean), _n(h1 * speed, h2 * slow, h1 + h2))


def _saving(c: Random) -> Draft | None:
    goal, have, month = c.randrange(600, 3000, 20), c.randrange(60, 500, 10), c.randrange(30, 160, 5)
    if (goal - have) % month:
        return None
    wordings = (
        f"{c.choice(FIRST)} wants a bicycle for {goal} euros, has {have} euros and puts aside {month} euros a month. "
        "After how many months is it enough?",
        f"Saved {have} €, target {goal} €, {month} € every month: how many more months?",
        f"For how many months must I save {month} euros if I need {goal} euros and already have {have}?",
    )
    return Draft(wordings, _n((goal - have) // month), _n(goal - have))


def _recipe(c: Random) -> Draft:
    persons, factor, flour, milk = (
        c.choice((2, 3, 4)),
        c.randint(2, 6),
        c.randrange(80, 400, 20),
        c.randrange(60, 300, 20),
    )
    guests = persons * factor
    wordings = (
        f"A recipe for {persons} people needs {flour} g of flour and {milk} ml of milk. How much of each do I need "
        f"for {guests} people?",
        f"{flour} g of flour and {milk} ml of milk are enough for {persons}. What amounts for {guests}?",
        f"I cook for {guests}, but my recipe ({flour} g rice, {milk} ml stock) is for {persons}. How many grams and "
        "millilitres do I take?",
    )
    return Draft(wordings, _n(flour * factor, milk * factor), _n(factor))


def _vat(c: Random) -> Draft:
    count, price, rate = c.randint(4, 40), _money(c, 250, 1900, 50), c.choice((7, 10, 19, 20))
    net = count * price
    wordings = (
        f"{count} lamps at {price} euros net each: what is the VAT of {rate} % on all of them, and what is the total "
        "with VAT? Round to cents.",
        f"An invoice lists {count} items of {price} € net. Add {rate} percent tax: how much tax, and how much in all "
        "(to the cent)?",
        f"Net price {price} euros, {count} pieces, tax rate {rate} %. Tax amount and gross total, rounded to cents, "
        "please.",
    )
    return Draft(wordings, (number(net * rate / 100, 2), number(net * (100 + rate) / 100, 2)), _n(net))


def _rows(c: Random) -> Draft:
    rows, seats, empty, price = c.randint(9, 25), c.randint(11, 28), c.randint(6, 40), c.randint(5, 18)
    sold = rows * seats - empty
    wordings = (
        f"A hall has {rows} rows of {seats} seats. {empty} seats stay empty and a ticket is {price} euros. How much "
        "is taken in?",
        f"{rows} rows with {seats} seats each, all but {empty} sold at {price} € apiece. Takings?",
        f"What do the tickets bring if {rows} rows of {seats} seats are sold at {price} euros, except for {empty} "
        "seats?",
    )
    return Draft(wordings, _n(sold * price), _n(sold, rows * seats))


def _older(c: Random) -> Draft:
    (a, b), child, years, factor = c.sample(FIRST, 2), c.randint(4, 14), c.randint(3, 15), c.randint(2, 5)
    wordings = (
        f"{a} is {child} years old and {b} is {factor} times as old. How old are they together in {years} years?",
        f"{b} is {factor} times as old as {a}, who is {child}. What is the sum of their ages {years} years from now?",
        f"In {years} years, how old will {a} and {b} be together, if {a} is {child} now and {b} {factor} times that?",
    )
    now = (factor * child, child + years, factor * child + years, child + factor * child)
    return Draft(wordings, _n(child + factor * child + 2 * years), _n(*now, 2 * years))


def _garden(c: Random) -> Draft:
    long, wide, cost = c.randint(9, 40), c.randint(4, 25), c.randint(6, 35)
    wordings = (
        f"A garden is {long} m long and {wide} m wide. What does a fence all around cost at {cost} euros a metre, "
        "and what is the area?",
        f"Rectangle of {long} m by {wide} m: area in square metres, and the price of an edging around it at {cost} € "
        "per metre?",
        f"How many square metres are {long} m by {wide} m, and how much is a fence around it for {cost} euros per "
        "metre?",
    )
    return Draft(
        wordings, _n(2 * (long + wide) * cost, long * wide), _n(2 * (long + wide), long + wide, 2 * long, 2 * wide)
    )


def _shared(c: Random) -> Draft | None:
    total, part, heirs = c.randrange(600, 9000, 20), c.choice((3, 4, 5, 10)), c.randint(2, 7)
    if total % part or (total - total // part) % heirs:
        return None
    rest = total - total // part
    wordings = (
        f"Of {total} euros, one {_PARTS[part]} goes to a charity and the rest is split equally between {heirs} "
        "people. How much does each get?",
        f"{heirs} people share {total} euros equally after a {_PARTS[part]} of it has been given away. What does "
        "each receive?",
        f"A {_PARTS[part]} of {total} € is spent, the remainder divided by {heirs}. How many euros is each share?",
    )
    return Draft(wordings, _n(rest // heirs), _n(rest, total // part))


_PARTS = {3: "third", 4: "quarter", 5: "fifth", 10: "tenth"}
PATTERNS: tuple[Callable[[Random], Draft | None], ...] = (
    _change, _discount, _tank, _trip, _wage, _boxes, _train, _saving, _recipe, _vat, _rows, _older, _garden, _shared,
)  # fmt: skip
