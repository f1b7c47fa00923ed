"""Questions of the everyday benchmark that no file answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from everyday_files import DOMAINS, PLACES, SUPPLIERS, World
from everyday_items import MONTHS, Draft, Item, drawn
from everyday_papers import DEVICES
from everyday_texts import EVENTS

__all__ = ["absent"]


def absent(w: World, chance: Random, count: int) -> list[Item]:
    """Questions that no file answers: the note is a word that stands in none of them."""
    rows = (*w.orders, *w.shops, *w.products)
    said = " ".join([*w.texts.values(), *map(str, rows)]).casefold()
    drafts: list[Callable[[], Draft | None]] = [partial(_unsaid, said, ask, w, chance) for ask in ABSENT]
    people = (*w.people, *(shop.manager for shop in w.shops), *w.suppliers, *w.bidders)
    return [Item("", "", i.question, rivals=people, note=i.note) for i in drawn(drafts, count)]


def _unsaid(said: str, ask: Callable[[World, Random], Draft], w: World, chance: Random) -> Draft | None:
    draft = ask(w, chance)
    return draft if draft.note.casefold() not in said else None


def _telephone(w: World, chance: Random) -> Draft:
    who = chance.choice((*w.suppliers, *w.bidders, *w.people[:5]))
    wordings = (f"What is the phone number of {who}?", f"{who}: phone?", f"Under which phone number can I reach {who}?")
    return Draft(wordings, note="phone")


def _mail(w: World, chance: Random) -> Draft:
    who = chance.choice(w.shops).manager
    wordings = (
        f"What is the e-mail address of {who}?",
        f"E-mail of {who}, please?",
        f"Where do I send an e-mail to {who}?",
    )
    return Draft(wordings, note="mail")


def _unsold(w: World, chance: Random) -> Draft:
    product = chance.choice([name for kinds in DOMAINS.values() for names in kinds.values() for name in names])
    wordings = (
        f"How many units of the {product} were sold in {chance.choice(MONTHS)}?",
        f"What was our total revenue from the {product}?",
        f"What is the list price of the {product}?",
    )
    return Draft(wordings, note=product)


def _no_shop(w: World, chance: Random) -> Draft:
    city = chance.choice([place for places in PLACES.values() for place in places])
    wordings = (
        f"How much rent does the {city} shop pay?",
        f"What revenue did we make in {city} in {chance.choice(MONTHS)}?",
        f"Who is the manager in {city}?",
    )
    return Draft(wordings, note=city)


def _other_year(w: World, chance: Random) -> Draft:
    year, city = chance.randint(2014, 2024), chance.choice(w.cities)
    wordings = (
        f"What was the revenue of the {city} shop in {year}?",
        f"How many orders did we have in {city} in {year}?",
        f"Best selling product of {city} in {year}?",
    )
    return Draft(wordings, note=str(year))


def _column(w: World, chance: Random) -> Draft:
    product = chance.choice(w.products).product
    wordings, word = chance.choice((
        ((f"How much does a {product} weigh?", f"Weight of the {product} in kilograms?"), "weigh"),
        ((f"What colour is the {product}?", f"Which colours does the {product} come in?"), "colour"),
        ((f"What profit margin do we have on the {product}?", f"Profit on one {product}?"), "profit"),
        ((f"How many {product} units are in stock right now?", f"What is the stock level of the {product}?"), "stock"),
    ))  # fmt: skip
    return Draft(wordings, note=word)


def _of_shop(w: World, chance: Random) -> Draft:
    city = chance.choice(w.cities)
    wordings, word = chance.choice((
        ((f"What are the opening hours of the {city} shop?", f"When does {city} open in the morning?"), "opening"),
        ((f"How many parking spaces does the {city} shop have?", f"Parking at {city}: how many spaces?"), "parking"),
        ((f"What is the street address of the {city} shop?", f"In which street is our {city} shop?"), "street"),
        ((f"What salary does the {city} manager get?", f"Monthly salary of the manager in {city}?"), "salary"),
    ))  # fmt: skip
    return Draft(wordings, note=word)


def _of_text(w: World, chance: Random) -> Draft:
    event, device, firm = chance.choice(EVENTS), chance.choice(DEVICES), chance.choice(SUPPLIERS)
    wordings, word = chance.choice((
        ((f"What is the fee for the {event}?", f"Who leads the {event}?", f"When is the {event}?"), event),
        ((f"How long is the warranty of the {device}?", f"Warranty of the {device} in months?"), device),
        ((f"What does {firm} charge for a metre of shelving?", f"How long does {firm} need to deliver?"), firm),
        (("How much sugar goes into the recipe?", "Sugar in the staff kitchen's recipe, in grams?"), "sugar"),
        (("What is the landlord of the storage hall called?", "Who is the storage hall's landlord?"), "landlord"),
        (("What is the number of our insurance contract?", "Our insurance contract number, please?"), "contract"),
        (("How much was paid for the van's new tyres?", "Price of the tyres for the van?"), "tyre"),
        (("How many days of parental leave do staff get?", "Parental leave according to the handbook?"), "parental"),
    ))  # fmt: skip
    return Draft(wordings, note=word)


ABSENT = (_telephone, _unsold, _of_text, _column, _no_shop, _of_shop, _other_year, _of_text, _mail)
