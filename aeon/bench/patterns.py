"""The patterns that questions with exact answers are drawn from."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random

from aeon.bench.question import Question

__all__ = ["COMPARE", "DATES", "LOOKUP", "PEOPLE", "SUMS", "UNCLEAR", "UNITS", "ordering"]

Pattern = Callable[[Random], Question | None]
PEOPLE = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_THINGS = ("notebooks", "candles", "mugs", "plants", "tiles", "books")
_SHOPS = ("Alder", "Birch", "Cedar")


def _cents(chance: Random, low: int, high: int) -> Decimal:
    """An amount of euros in steps of five cents."""
    return (Decimal(chance.randrange(low, high, 5)) / 100).quantize(Decimal("0.01"))


def _change(c: Random) -> Question | None:
    name, thing, count, price, note = c.choice(PEOPLE), c.choice(_THINGS), c.randint(3, 9), _cents(c, 110, 890), 50
    left = note - count * price
    text = f"{name} buys {count} {thing} at {price} euros each and pays with a {note} euro note. What is the change?"
    return Question(text, f"{left} euros") if left > 0 else None


def _discount(c: Random) -> Question:
    count, price, off = c.randint(3, 14), c.randrange(20, 160, 4), c.choice((5, 10, 15, 20, 25))
    total = Decimal(count * price * (100 - off)) / 100
    text = f"{count} chairs cost {price} euros each, with {off}% off the whole order. What is the price of the order?"
    return Question(text, f"{total} euros")


def _left_over(c: Random) -> Question:
    size, full, rest = c.choice((6, 8, 12, 15, 24)), c.randint(7, 40), c.randint(1, 5)
    text = f"{size * full + rest} eggs are packed into boxes of {size}, as many full boxes as possible. "
    return Question(f"{text}How many eggs are left over?", str(rest))


def _wage(c: Random) -> Question:
    hours, wage, extra, more = c.randint(30, 40), c.randrange(12, 30, 2), c.randint(2, 9), c.choice((25, 50))
    pay = hours * wage + Decimal(extra * wage * (100 + more)) / 100
    text = f"{c.choice(PEOPLE)} works {hours} hours at {wage} euros an hour and {extra} hours of overtime, which are "
    return Question(f"{text}paid {more}% better. What is the pay in all?", f"{pay} euros")


def _stock(c: Random) -> Question | None:
    start, packs, size, sold = c.randint(40, 90), c.randint(3, 9), c.randint(6, 24), c.randint(20, 110)
    thing, back = c.choice(_THINGS), c.randint(2, 9)
    text = f"A shop has {start} {thing}, gets {packs} packs of {size}, sells {sold} and takes {back} back. "
    left = start + packs * size - sold + back
    return Question(f"{text}How many {thing} does it have then?", str(left)) if left > 0 else None


def _minutes(c: Random) -> Question:
    first, second, hours, pause = c.randint(31, 59), c.randint(61, 99), c.randint(2, 5), c.randint(5, 25)
    text = f"A course has one part of {hours} hours and {first} minutes and one of {second} minutes, with a break of "
    return Question(f"{text}{pause} minutes. How many minutes is it in all?", f"{60 * hours + first + second + pause}")


def _laps(c: Random) -> Question:
    lap, laps, more = c.randrange(150, 900, 50), c.randint(6, 30), c.randint(2, 9)
    text = f"A lap is {lap} metres. {c.choice(PEOPLE)} runs {laps} laps and then walks {more} km home. "
    metres = Decimal(lap * laps) / 1000 + more
    return Question(f"{text}How many kilometres is that in all?", f"{metres.normalize():f} km")


def _speed(c: Random) -> Question | None:
    speed, minutes = c.randrange(24, 132, 6), c.choice((10, 20, 25, 35, 40, 50, 70, 80, 100))
    way = Fraction(speed * minutes, 60)
    text = f"A train runs at {speed} km/h for {minutes} minutes. How many kilometres does it run?"
    return Question(text, f"{way.numerator} km") if way.denominator == 1 else None


def _weight(c: Random) -> Question:
    boxes, grams, count, empty = (
        c.randint(2, 9),
        c.randrange(150, 950, 50),
        c.randint(4, 12),
        c.randrange(200, 900, 100),
    )
    kilos = Decimal(boxes * (grams * count + empty)) / 1000
    text = f"A box weighs {empty} g empty and holds {count} jars of {grams} g each. What do {boxes} full boxes weigh"
    return Question(f"{text}, in kilograms?", f"{kilos.normalize():f} kg")


def _arrival(c: Random) -> Question | None:
    start, hours, minutes, late = c.randint(300, 900), c.randint(1, 5), c.randint(6, 55), c.randint(4, 29)
    end = start + 60 * hours + minutes + late
    text = f"A train leaves at {_clock(start)}, takes {hours} hours and {minutes} minutes, and is {late} minutes late. "
    return Question(f"{text}At what time does it arrive?", _clock(end)) if end < 1440 else None


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _day(c: Random) -> datetime.date:
    return datetime.date(2026, 1, 1) + datetime.timedelta(days=c.randrange(700))


def _later(c: Random) -> Question:
    day, days = _day(c), c.randint(11, 89)
    text = f"Which day is {days} days after {day}? Write it as YYYY-MM-DD."
    return Question(text, f"{day + datetime.timedelta(days=days)}")


def _between(c: Random) -> Question:
    day, days = _day(c), c.randint(12, 150)
    return Question(f"How many days are there from {day} to {day + datetime.timedelta(days=days)}?", f"{days}")


def _weekday(c: Random) -> Question:
    first, days = c.randrange(7), c.randint(9, 99)
    text = f"Today is {_DAYS[first]}. Which day of the week is it in {days} days?"
    return Question(text, _DAYS[(first + days) % 7], _DAYS)


def _deadline(c: Random) -> Question:
    day, weeks, off = _day(c), c.randint(2, 9), c.randint(1, 6)
    end = day + datetime.timedelta(days=7 * weeks - off)
    text = f"A project begins on {day}. It is due {weeks} weeks later, and has to be handed in {off} days before that. "
    return Question(f"{text}On which day has it to be handed in? Write it as YYYY-MM-DD.", f"{end}")


def ordering(chance: Random) -> Question:
    """Who comes where, of five people of whom pairs are compared."""
    people = chance.sample(PEOPLE, 5)
    told = [f"{a} is older than {b}." for a, b in pairwise(people)]
    chance.shuffle(told)
    place = chance.randrange(5)
    asked = ("the oldest", "the second oldest", "in the middle by age", "the second youngest", "the youngest")[place]
    return Question(f"{' '.join(told)} Who is {asked}?", people[place], tuple(people))


def _cheapest(c: Random) -> Question | None:
    offers = [(shop, c.choice((4, 5, 6, 8, 10, 12)), _cents(c, 150, 900)) for shop in _SHOPS]
    told = " ".join(f"{shop} sells {count} eggs for {price} euros." for shop, count, price in offers)
    return _least(f"{told} In which shop is one egg cheapest?", {shop: price / count for shop, count, price in offers})


def _fastest(c: Random) -> Question | None:
    people = c.sample(PEOPLE, 3)
    runs = [(name, c.randint(3, 12), c.randint(12, 75)) for name in people]
    told = " ".join(f"{name} walks {km} km in {minutes} minutes." for name, km, minutes in runs)
    return _least(f"{told} Who is fastest?", {name: Decimal(minutes) / km for name, km, minutes in runs})


def _most_left(c: Random) -> Question | None:
    people = c.sample(PEOPLE, 3)
    money = [(name, c.randint(40, 95), c.randint(2, 6), c.randint(3, 12)) for name in people]
    told = " ".join(
        f"{name} has {euros} euros and buys {n} tickets at {price} euros." for name, euros, n, price in money
    )
    debts = {name: Decimal(n * price - euros) for name, euros, n, price in money}
    return _least(f"{told} Who has most left?", debts) if max(debts.values()) < 0 else None


def _least(text: str, values: dict[str, Decimal]) -> Question | None:
    """The question for the name with the least value; ``None`` where two are too close to be told apart."""
    (name, least), (_, next_one), *_ = sorted(values.items(), key=lambda item: item[1])
    return Question(text, name, tuple(values)) if next_one - least > abs(least) / 50 else None


def _staff(c: Random) -> Question:
    people, rooms, lines = c.sample(PEOPLE, 8), c.sample(range(100, 400), 8), c.sample(range(2000, 9000), 8)
    text = " ".join(
        f"{n} sits in room {r} and has extension {e}." for n, r, e in zip(people, rooms, lines, strict=True)
    )
    which = c.randrange(8)
    what, value = c.choice((("In which room does {} sit?", rooms), ("What is the extension of {}?", lines)))
    return Question(what.format(people[which]), str(value[which]), context=text)


def _in_room(c: Random) -> Question:
    people, rooms = c.sample(PEOPLE, 8), c.sample(range(100, 400), 8)
    text = " ".join(f"{name} sits in room {room}." for name, room in zip(people, rooms, strict=True))
    which = c.randrange(8)
    return Question(f"Who sits in room {rooms[which]}?", people[which], tuple(people), text)


def _opened(c: Random) -> Question:
    towns, days = c.sample(("Hale", "Corby", "Lindow", "Marn", "Tiverton", "Oakham", "Selby", "Wick"), 8), set[str]()
    while len(days) < 8:
        days.add(f"{_day(c)}")
    opened = dict(zip(towns, c.sample(sorted(days), 8), strict=True))
    text = " ".join(f"The branch in {town} opened on {day}." for town, day in opened.items())
    return Question(
        f"When was the branch in {towns[0]} opened? Write it as YYYY-MM-DD.", opened[towns[0]], context=text
    )


def _no_price(c: Random) -> Question:
    name, thing, count, note = c.choice(PEOPLE), c.choice(_THINGS), c.randint(3, 9), c.choice((20, 50))
    text = f"{name} buys {count} {thing} and pays with a {note} euro note. What is the change?"
    return Question(text, unclear=True)


def _no_length(c: Random) -> Question:
    text = f"A train leaves at {_clock(c.randint(300, 900))} for {c.choice(('Hale', 'Corby', 'Selby'))}. "
    return Question(f"{text}At what time does it arrive?", unclear=True)


def _no_wish(c: Random) -> Question:
    thing = c.choice(("laptop", "bicycle", "camera", "phone", "tent", "car", "printer", "coat", "desk", "guitar"))
    text = c.choice((
        f"Which {thing} should I buy?", f"Choose a {thing} for me.", f"What is the best {thing} for my needs?",
    ))  # fmt: skip
    return Question(text, unclear=True)


def _no_event(c: Random) -> Question:
    text = f"Invite {' and '.join(c.sample(PEOPLE, 2))} to it on {c.choice(_DAYS)}, as we did last time."
    return Question(text, unclear=True)


SUMS: tuple[Pattern, ...] = (_change, _discount, _left_over, _wage, _stock)
UNITS: tuple[Pattern, ...] = (_minutes, _laps, _speed, _weight, _arrival)
DATES: tuple[Pattern, ...] = (_later, _between, _weekday, _deadline)
COMPARE: tuple[Pattern, ...] = (_cheapest, _fastest, _most_left)
LOOKUP: tuple[Pattern, ...] = (_staff, _in_room, _opened)
UNCLEAR: tuple[Pattern, ...] = (_no_price, _no_wish, _no_length, _no_event)
