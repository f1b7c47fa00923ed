"""The folder that the everyday benchmark asks about: three tables and, from ``everyday_texts.py``, twelve texts.

Names and figures are drawn from a seed, so that nothing in the folder is common knowledge.
"""

from __future__ import annotations

import csv
import datetime
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random

__all__ = ["DOMAINS", "PLACES", "YEAR", "Order", "Product", "Shop", "World", "people", "world", "write_tables"]

YEAR = 2025
ORDERS = 240
PLACES = {
    "North": ("Bergen", "Aarhus", "Malmo", "Turku"),
    "South": ("Seville", "Palermo", "Zadar", "Valencia"),
    "East": ("Brno", "Lublin", "Debrecen", "Cluj"),
    "West": ("Cork", "Porto", "Ghent", "Nantes"),
}
DOMAINS: dict[str, dict[str, tuple[str, ...]]] = {
    "garden": {
        "tools": ("rake", "spade", "hedge shears", "wheelbarrow", "hoe"),
        "watering": ("garden hose", "rain barrel", "watering can", "sprinkler"),
        "decor": ("lantern", "bird bath", "plant pot", "bench"),
    },
    "kitchen": {
        "cooking": ("saucepan", "wok", "casserole", "griddle", "steamer"),
        "baking": ("rolling pin", "cake tin", "mixing bowl", "whisk"),
        "table": ("teapot", "salad bowl", "carafe", "tray"),
    },
    "office": {
        "writing": ("fountain pen", "marker set", "notebook", "whiteboard"),
        "furniture": ("desk lamp", "footrest", "bookshelf", "swivel chair", "monitor stand"),
        "filing": ("ring binder", "letter tray", "label printer", "archive box"),
    },
}
FIRST = (
    "Marta", "Ivo", "Selma", "Tomas", "Greta", "Odile", "Rasmus", "Livia", "Pavel", "Nadia", "Hugo", "Ines", "Jonas",
    "Carla", "Emil", "Ruta", "Bruno", "Alma", "Viktor", "Yara", "Felix", "Dana", "Oskar", "Mira",
)  # fmt: skip
LAST = (
    "Lindqvist", "Okafor", "Brandt", "Havel", "Moreau", "Teller", "Quist", "Sandoval", "Petri", "Norling", "Abreu",
    "Kessler", "Vanek", "Dorsey", "Ilic", "Farkas", "Holm", "Castell", "Wren", "Zeman", "Ostrow", "Pellegrin",
    "Tamm", "Ruiz",
)  # fmt: skip
SUPPLIERS = (
    "Halvorsen Trading", "Bellamy Goods", "Nordfeld Works", "Castor & Pine", "Ravenhill Supply", "Teixeira Lda",
    "Oakmere Factory", "Zorin Wares", "Pemberly Import", "Kastner AG",
)  # fmt: skip


@dataclass(frozen=True)
class Product:
    """A row of products.csv."""

    product: str
    category: str
    supplier: str
    list_price: Decimal
    lead_days: int
    min_order: int


@dataclass(frozen=True)
class Shop:
    """A row of shops.csv. Rent is for a month."""

    city: str
    region: str
    manager: str
    opened: datetime.date
    staff: int
    area_m2: int
    rent: int


@dataclass(frozen=True)
class Order:
    """A row of sales.csv."""

    order_id: str
    date: datetime.date
    region: str
    city: str
    product: str
    units: int
    unit_price: Decimal
    revenue: Decimal

    @property
    def month(self) -> int:
        """The month of the order, 1-12."""
        return self.date.month


@dataclass
class World:
    """All that the files say. ``bidders`` are suppliers in no table. The texts fill in ``texts`` and ``figures``."""

    domain: str
    products: list[Product]
    shops: list[Shop]
    orders: list[Order]
    suppliers: list[str]
    bidders: list[str]
    people: list[str]
    texts: dict[str, str] = field(default_factory=dict)
    figures: dict[str, int] = field(default_factory=dict)

    @property
    def cities(self) -> list[str]:
        """The cities with a shop."""
        return [shop.city for shop in self.shops]

    @property
    def regions(self) -> list[str]:
        """The regions, each once."""
        return sorted({shop.region for shop in self.shops})


def people(chance: Random, count: int) -> list[str]:
    """Different first and last names, put together by chance."""
    return [f"{a} {b}" for a, b in zip(chance.sample(FIRST, count), chance.sample(LAST, count), strict=True)]


def world(chance: Random) -> World:
    """The tables, from chance alone."""
    domain = chance.choice(sorted(DOMAINS))
    names, firms = people(chance, 20), chance.sample(SUPPLIERS, 6)
    products, shops = _products(chance, domain, firms[:4]), _shops(chance, names[:8])
    return World(domain, products, shops, _orders(chance, products, shops), firms[:4], firms[4:], names[8:])


def _products(chance: Random, domain: str, suppliers: list[str]) -> list[Product]:
    rows: list[Product] = []
    days = chance.sample(range(3, 40), 9)
    prices = chance.sample(range(9, 70), 9)
    for category, names in DOMAINS[domain].items():
        for name in chance.sample(names, 3):
            price = Decimal(prices.pop()) + chance.choice((Decimal("0.50"), Decimal("0.90"), Decimal("0.20")))
            supplier = suppliers[len(rows) % 4]
            rows.append(Product(name, category, supplier, price, days.pop(), chance.choice((5, 10, 12, 20, 25))))
    return rows


def _shops(chance: Random, managers: list[str]) -> list[Shop]:
    rows: list[Shop] = []
    staff, areas = chance.sample(range(3, 19), 8), chance.sample(range(60, 240), 8)
    rents = chance.sample(range(380, 1490, 10), 8)
    years = chance.sample(range(2004, 2024), 8)
    for region, places in PLACES.items():
        for city in chance.sample(places, 2):
            opened = datetime.date(years.pop(), chance.randint(1, 12), chance.randint(1, 28))
            rows.append(Shop(city, region, managers[len(rows)], opened, staff.pop(), areas.pop(), rents.pop()))
    return rows


def _orders(chance: Random, products: list[Product], shops: list[Shop]) -> list[Order]:
    start, rows = datetime.date(YEAR, 1, 1), list[Order]()
    days = sorted(chance.randrange(365) for _ in range(ORDERS))
    for index, after in enumerate(days):
        shop, product = chance.choice(shops), chance.choice(products)
        factor = chance.choice((Decimal("0.9"), Decimal(1), Decimal(1), Decimal("1.1")))
        price, units = round(product.list_price * factor, 2), chance.randint(1, 36)
        date = start + datetime.timedelta(days=after)
        key = f"{chance.choice('ABCD')}{1001 + index}"
        rows.append(Order(key, date, shop.region, shop.city, product.product, units, price, price * units))
    return rows


def write_tables(found: World, folder: Path) -> None:
    """Write the three tables."""
    for name, rows in (("sales", found.orders), ("shops", found.shops), ("products", found.products)):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(list(rows[0].__dataclass_fields__))
            writer.writerows([getattr(row, column) for column in row.__dataclass_fields__] for row in rows)
