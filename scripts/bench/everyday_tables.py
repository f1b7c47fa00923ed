"""Questions about the tables of the everyday benchmark, each with the answer that follows from the rows."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

from everyday_files import YEAR, Order, World
from everyday_items import MONTHS, Date, Draft, Item, Name, day, drawn, month, number

__all__ = ["extreme", "revenue", "tables"]

QUARTERS = ("first", "second", "third", "fourth")


def revenue(rows: Iterable[Order]) -> Decimal:
    """What orders brought in together."""
    return sum((row.revenue for row in rows), Decimal(0))


def extreme(values: dict[str, Any], most: bool = True) -> tuple[str, Any] | None:
    """The one with the most, or the least; ``None`` where two share it."""
    best = max(values.values()) if most else min(values.values())
    found = [name for name, value in values.items() if value == best]
    return (found[0], best) if len(found) == 1 else None


def tables(w: World, chance: Random, count: int) -> list[Item]:
    """The questions about the tables."""
    patterns = [partial(ask, w, chance) for ask in PATTERNS]
    return drawn(patterns, count, (number(YEAR),))


def _of(w: World, **where: object) -> list[Order]:
    return [row for row in w.orders if all(getattr(row, name) == value for name, value in where.items())]


def _product_in_city(w: World, chance: Random) -> Draft | None:
    product, city = chance.choice(w.products).product, chance.choice(w.cities)
    rows = _of(w, product=product, city=city)
    wordings = (
        f"What was the total revenue from the {product} in {city}?",
        f"How much money did {city} make with the {product}, in euros?",
        f"Could you add up the {product} revenue of the {city} shop for me?",
    )
    return Draft(wordings, (number(revenue(rows)),), (number(len(rows)),)) if len(rows) > 1 else None


def _units_in_month(w: World, chance: Random) -> Draft | None:
    product, index = chance.choice(w.products).product, chance.randint(1, 12)
    rows = _of(w, product=product, month=index)
    wordings = (
        f"How many units of the {product} were sold in {MONTHS[index - 1]}?",
        f"{product}, units sold in {MONTHS[index - 1]} {YEAR}?",
        f"I need the number of {product} units that we sold in {MONTHS[index - 1]}, all shops together.",
    )
    return Draft(wordings, (number(sum(row.units for row in rows)),), (number(len(rows)),)) if len(rows) > 1 else None


def _region_in_quarter(w: World, chance: Random) -> Draft:
    region, quarter = chance.choice(w.regions), chance.randrange(4)
    rows = [row for row in _of(w, region=region) if (row.month - 1) // 3 == quarter]
    first, last = MONTHS[3 * quarter], MONTHS[3 * quarter + 2]
    wordings = (
        f"What revenue did the {region} region make in the {QUARTERS[quarter]} quarter ({first} to {last})?",
        f"Total sales in euros of region {region} from {first} to {last}, please.",
        f"How much did we take in the {region} region between the start of {first} and the end of {last}?",
    )
    return Draft(wordings, (number(revenue(rows)),), (number(quarter + 1),))


def _orders_over(w: World, chance: Random) -> Draft | None:
    city, limit = chance.choice(w.cities), chance.choice((300, 400, 500, 600, 750))
    found = [row for row in _of(w, city=city) if row.revenue > limit]
    wordings = (
        f"How many orders in {city} had a revenue of more than {limit} euros?",
        f"Number of {city} orders above €{limit}?",
        f"Please count the orders of the {city} shop that brought in over {limit} euros.",
    )
    return Draft(wordings, (number(len(found)),)) if found else None


def _average_units(w: World, chance: Random) -> Draft:
    product = chance.choice(w.products).product
    rows = _of(w, product=product)
    units = sum(row.units for row in rows)
    wordings = (
        f"How many units does an order of the {product} have on average? Give two decimals.",
        f"Average units per order for the {product}, to two decimals?",
        f"On average, how many of the {product} do customers take per order (2 decimals)?",
    )
    return Draft(wordings, (number(Decimal(units) / len(rows), 2),), (number(units), number(len(rows))))


def _best_city(w: World, chance: Random) -> Draft | None:
    index = chance.randint(1, 12)
    found = extreme({city: revenue(_of(w, city=city, month=index)) for city in w.cities})
    wordings = (
        f"Which city had the highest revenue in {MONTHS[index - 1]}, and how much was it?",
        f"In {MONTHS[index - 1]}, which shop sold best by revenue and what did it take in euros?",
        f"Tell me the top city by revenue for {MONTHS[index - 1]} {YEAR} and its revenue.",
    )
    return found and Draft(wordings, (Name(found[0]), number(found[1])), rivals=tuple(w.cities))


def _weakest_product(w: World, chance: Random) -> Draft | None:
    region, column = chance.choice(w.regions), chance.choice(("units", "revenue"))
    rows = {p.product: _of(w, region=region, product=p.product) for p in w.products}
    sold = {product: sum((getattr(row, column) for row in own), Decimal(0)) for product, own in rows.items()}
    found, what = extreme(sold, most=False), "number of units sold" if column == "units" else "revenue"
    wordings = (
        f"Which product had the lowest {what} in the {region} region?",
        f"What is our weakest product in the {region} region, going by the {what}?",
        f"Name the product with the smallest {what} in region {region}.",
    )
    return Draft(wordings, (Name(found[0]),), (number(found[1]),), tuple(sold)) if found and found[1] else None


def _share(w: World, chance: Random) -> Draft:
    region, part = chance.choice(w.regions), revenue(w.orders)
    own = revenue(_of(w, region=region))
    wordings = (
        f"What percentage of the total revenue came from the {region} region? One decimal, please.",
        f"What share of all revenue, in percent to one decimal, is the {region} region's?",
        f"How many percent of our revenue does region {region} bring in (one decimal)?",
    )
    return Draft(wordings, (number(own / part * 100, 1),), (number(own), number(part)))


def _month_difference(w: World, chance: Random) -> Draft | None:
    city, (a, b) = chance.choice(w.cities), chance.sample(range(1, 13), 2)
    high, low = revenue(_of(w, city=city, month=a)), revenue(_of(w, city=city, month=b))
    first, then = MONTHS[a - 1], MONTHS[b - 1]
    wordings = (
        f"How much more revenue did {city} make in {first} than in {then}?",
        f"By how many euros did the {city} revenue of {first} exceed that of {then}?",
        f"{city}: {first} revenue minus {then} revenue?",
    )
    return Draft(wordings, (number(high - low),), (number(high), number(low))) if high > low > 0 else None


def _best_month(w: World, chance: Random) -> Draft | None:
    product = chance.choice(w.products).product
    found = extreme({str(i): revenue(_of(w, product=product, month=i)) for i in range(1, 13)})
    wordings = (
        f"In which month did the {product} bring in the most revenue?",
        f"What was the best month for the {product} by revenue?",
        f"Which month of {YEAR} had the highest {product} revenue?",
    )
    return found and Draft(wordings, (month(int(found[0]), YEAR),), (number(found[1]),), MONTHS)


def _per_head(w: World, chance: Random) -> Draft:
    shop = chance.choice(w.shops)
    total = revenue(_of(w, city=shop.city))
    wordings = (
        f"What is the revenue per staff member of the {shop.city} shop, to two decimals?",
        f"How many euros of revenue did {shop.city} make per employee? Round to cents.",
        f"Divide the {shop.city} revenue by the number of staff there (two decimals).",
    )
    return Draft(wordings, (number(total / shop.staff, 2),), (number(total), number(shop.staff)))


def _supplier_revenue(w: World, chance: Random) -> Draft:
    supplier = chance.choice(w.suppliers)
    own = {p.product for p in w.products if p.supplier == supplier}
    wordings = (
        f"How much revenue did we make with products from {supplier}?",
        f"What do the sales of everything supplied by {supplier} add up to, in euros?",
        f"Total revenue of the {supplier} products?",
    )
    return Draft(wordings, (number(revenue(row for row in w.orders if row.product in own)),), (number(len(own)),))


def _category(w: World, chance: Random) -> Draft:
    category, region = chance.choice(w.products).category, chance.choice(w.regions)
    own = {p.product for p in w.products if p.category == category}
    rows = [row for row in _of(w, region=region) if row.product in own]
    wordings = (
        f"What revenue did the category {category} bring in the {region} region?",
        f"How many euros came from {category} products in region {region}?",
        f"Please sum up the revenue of all {category} articles sold in the {region} region.",
    )
    return Draft(wordings, (number(revenue(rows)),))


def _opened_before(w: World, chance: Random) -> Draft:
    year = chance.randint(2008, 2022)
    found = [shop for shop in w.shops if shop.opened.year < year]
    wordings = (
        f"How many of our shops opened before {year}?",
        f"Number of shops that were opened earlier than 1 January {year}?",
        f"Count the shops with an opening date before {year}, please.",
    )
    return Draft(wordings, (number(len(found)),))


def _oldest(w: World, chance: Random) -> Draft | None:
    most, region = chance.choice((True, False)), chance.choice(("", *w.regions))
    found = extreme({s.city: s.opened for s in w.shops if region in ("", s.region)}, most)
    which, where = ("newest" if most else "oldest"), (f" in the {region} region" if region else "")
    wordings = (
        f"Which shop{where} is the {which} one, and when did it open?",
        f"What city{where} has our {which} shop? Please give its opening date too.",
        f"Name the shop{where} that opened {'last' if most else 'first'}, with the date.",
    )
    return found and Draft(wordings, (Name(found[0]), Date(found[1])), rivals=tuple(w.cities))


def _rent_year(w: World, chance: Random) -> Draft:
    region = chance.choice(w.regions)
    rents = [shop.rent for shop in w.shops if shop.region == region]
    wordings = (
        f"The rents in shops.csv are monthly. How much rent do the shops in the {region} region pay in a year?",
        f"What is the yearly rent of all {region} region shops together, if the table has monthly rents?",
        f"Rent for 12 months, all shops of region {region} (the rent column is per month)?",
    )
    more = (number(12), number(sum(rents)), *(number(rent) for rent in rents))
    return Draft(wordings, (number(12 * sum(rents)),), more)


def _lead(w: World, chance: Random) -> Draft | None:
    most, category = chance.choice((True, False)), chance.choice(("", *sorted({p.category for p in w.products})))
    found = extreme({p.product: p.lead_days for p in w.products if category in ("", p.category)}, most)
    which, what = ("longest" if most else "shortest"), (f" in the category {category}" if category else "")
    wordings = (
        f"Which product{what} has the {which} lead time, and how many days is it?",
        f"What product{what} takes the {which} to be delivered, and how many lead days does it have?",
        f"Product with the {which} lead time{what}, plus the days?",
    )
    return found and Draft(wordings, (Name(found[0]), number(found[1])), rivals=tuple(p.product for p in w.products))


def _largest_order(w: World, chance: Random) -> Draft | None:
    city = chance.choice(w.cities)
    rows = {row.order_id: row.revenue for row in _of(w, city=city)}
    found = extreme(rows)
    wordings = (
        f"What is the order id of the biggest order by revenue in {city}, and what was it worth?",
        f"Which {city} order had the highest revenue? Give its id and the revenue in euros.",
        f"Find the largest {city} order by revenue: order_id and amount.",
    )
    return found and Draft(wordings, (Name(found[0]), number(found[1])), rivals=tuple(rows))


def _between(w: World, chance: Random) -> Draft:
    start = datetime.date(YEAR, 1, 1) + datetime.timedelta(days=chance.randrange(300))
    end = start + datetime.timedelta(days=chance.randint(20, 60))
    rows = [row for row in w.orders if start <= row.date <= end]
    wordings = (
        f"How many orders came in from {day(start)} to {day(end)}, both days included?",
        f"Number of orders between {start.isoformat()} and {end.isoformat()} (inclusive)?",
        f"Please count all orders dated {day(start)} to {day(end)}, first and last day included.",
    )
    return Draft(wordings, (number(len(rows)),))


def _rent_area(w: World, chance: Random) -> Draft | None:
    most = chance.choice((True, False))
    found = extreme({s.city: round(Decimal(s.rent) / s.area_m2, 2) for s in w.shops}, most)
    which = "highest" if most else "lowest"
    wordings = (
        f"Which shop pays the {which} rent per square metre, and how much is it (two decimals)?",
        f"Rent per m2: which city is {which}, and at how many euros, rounded to cents?",
        f"Find the shop with the {which} rent for each m2 of area. City and value to two decimals, please.",
    )
    return found and Draft(wordings, (Name(found[0]), number(found[1], 2)), rivals=tuple(w.cities))


def _after_rent(w: World, chance: Random) -> Draft | None:
    shop, (a, b) = chance.choice(w.shops), (1, chance.choice((4, 6, 9, 12)))
    total, rent = revenue(row for row in _of(w, city=shop.city) if a <= row.month <= b), shop.rent * b
    wordings = (
        f"The rent is monthly. What is left of the {shop.city} revenue from January to {MONTHS[b - 1]} after {b} "
        "rents?",
        f"Revenue of {shop.city} from January to {MONTHS[b - 1]} minus {b} months of its rent?",
        f"If you take {b} monthly rents off the January to {MONTHS[b - 1]} revenue in {shop.city}, what remains?",
    )
    more = (number(total), number(rent), number(shop.rent))
    return Draft(wordings, (number(total - rent),), more) if total > rent else None


def _change(w: World, chance: Random) -> Draft | None:
    region, (a, b) = chance.choice(w.regions), sorted(chance.sample(range(1, 13), 2))
    low, high = revenue(_of(w, region=region, month=a)), revenue(_of(w, region=region, month=b))
    first, then = MONTHS[a - 1], MONTHS[b - 1]
    wordings = (
        f"By what percentage did the revenue of the {region} region rise from {first} to {then}? One decimal.",
        f"How many percent more revenue did region {region} make in {then} than in {first}, to one decimal?",
        f"{region} region: percentage growth in revenue, {first} to {then}, one decimal please.",
    )
    more = (number(low), number(high), number(high - low))
    return Draft(wordings, (number((high - low) / low * 100, 1),), more) if high > low > 0 else None


def _manager(w: World, chance: Random) -> Draft | None:
    what, column = chance.choice((("staff", "staff"), ("floor area", "area_m2"), ("rent", "rent")))
    most = chance.choice((True, False))
    found = extreme({s.manager: getattr(s, column) for s in w.shops}, most)
    which, more = ("highest" if most else "lowest"), ("most" if most else "least")
    wordings = (
        f"Who manages the shop with the {which} {what}?",
        f"What is the name of the manager whose shop has the {more} {what}?",
        f"Find the shop with the {which} figure for {what} and tell me its manager.",
    )
    return found and Draft(wordings, (Name(found[0]),), (number(found[1]),), tuple(s.manager for s in w.shops))


def _at_list_price(w: World, chance: Random) -> Draft:
    product, count = chance.choice(w.products), chance.randint(4, 60)
    wordings = (
        f"What would {count} units of the {product.product} cost at list price?",
        f"Price in euros of {count} x {product.product} at the list price?",
        f"I want to order {count} of the {product.product}. What is that at the list price, please?",
    )
    return Draft(wordings, (number(product.list_price * count),), (number(product.list_price),))


PATTERNS: tuple[Callable[[World, Random], Draft | None], ...] = (
    _product_in_city, _units_in_month, _region_in_quarter, _orders_over, _average_units, _best_city, _weakest_product,
    _share, _month_difference, _best_month, _per_head, _supplier_revenue, _category, _opened_before, _oldest,
    _rent_year, _lead, _largest_order, _between, _rent_area, _after_rent, _change, _manager, _at_list_price,
)  # fmt: skip
