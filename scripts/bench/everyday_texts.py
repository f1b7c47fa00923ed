"""The first six texts of the everyday benchmark's folder, and what a fact in a text is."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import TypeAlias

from everyday_files import YEAR, World
from everyday_items import Date, Name, Number, Value, day, number

__all__ = ["FIRST_TEXTS", "Fact", "Text", "a_day", "amount"]


@dataclass(frozen=True)
class Fact:
    """One fact that a text states, and how it is asked for.

    ``short`` names it in a question about two facts of one ``unit``. Facts of one ``group`` belong to entities that can
    be compared: ``entity`` is the name of this one. ``file`` is filled in when all texts are made.
    """

    value: Value
    wordings: tuple[str, ...]
    short: str = ""
    unit: str = ""
    group: str = ""
    entity: str = ""
    rivals: tuple[str, ...] = ()
    file: str = ""


Text: TypeAlias = tuple[str, str, list[Fact]]
"""The file's name, what is in it, and the facts that it states."""


def amount(value: int, short: str, unit: str, *wordings: str) -> Fact:
    """A fact that is a number."""
    return Fact(number(value), wordings, short, unit)


def a_day(value: datetime.date, short: str, *wordings: str) -> Fact:
    """A fact that is a date."""
    return Fact(Date(value), wordings, short, "date")


def some_day(chance: Random, first: int, last: int) -> datetime.date:
    """A day in those months of the year after the sales."""
    return datetime.date(YEAR + 1, chance.randint(first, last), chance.randint(1, 28))


def offers(w: World, chance: Random) -> Text:
    """Two suppliers in one text, with similar figures."""
    prices, weeks = chance.sample(range(61, 99), 2), chance.sample(range(3, 12), 2)
    until, contacts = [some_day(chance, 2, 3), some_day(chance, 4, 6)], w.people[0:2]
    a, b = w.bidders
    text = f"""# Offers for new shelving

We asked for steel shelving for the storage hall and had two offers.

{a} offers it at {prices[0]} euros per metre and delivers in {weeks[0]} weeks. Assembly is included. The offer is valid
until {day(until[0])}. Contact there: {contacts[0]}.

{b} asks {prices[1]} euros per metre and needs {weeks[1]} weeks. Assembly costs extra. Its offer is valid until
{day(until[1])}. Our contact is {contacts[1]}.

Both firms grant a warranty of the same length. The board compares the offers before it decides.
"""
    facts: list[Fact] = []
    for i, firm in enumerate(w.bidders):
        asked = (
            f"What does {firm} charge for a metre of shelving?",
            f"Price per metre of the {firm} shelving, in euros?",
            f"How many euros a metre would we pay if we took the offer from {firm}?",
        )
        price = Fact(number(prices[i]), asked, f"the {firm} price per metre of shelving", "euros")
        facts.append(Fact(price.value, asked, price.short, "euros", "price per metre of shelving", firm))
        said = (
            f"How many weeks does {firm} need to deliver the shelving?",
            f"What is the delivery time for shelving from {firm}, in weeks?",
            f"If we order shelving at {firm}, how long until it comes?",
        )
        short = f"the {firm} delivery time for shelving"
        facts.append(Fact(number(weeks[i]), said, short, "weeks", "delivery time for shelving", firm))
        who = (f"Who is our contact at {firm}?", f"Contact person at {firm}?", f"Whom do I talk to at {firm}, please?")
        facts.append(Fact(Name(contacts[i]), who, rivals=tuple(contacts)))
        valid = (
            f"Until when is the {firm} shelving offer valid?",
            f"On what date does the offer of {firm} run out?",
            f"By which day do we have to accept the offer from {firm}?",
        )
        facts.append(a_day(until[i], f"the last day of the {firm} offer", *valid))
    return "offers.md", text, facts


def price_letter(w: World, chance: Random) -> Text:
    """A supplier of the tables raises its prices."""
    firm, rise, start = w.suppliers[0], chance.randint(3, 9), some_day(chance, 2, 5)
    days, free, fee = chance.choice((14, 21, 45)), chance.randrange(350, 900, 50), chance.randint(17, 39)
    who = w.people[2]
    w.figures["rise"] = rise
    text = f"""{firm}

Dear customer,

Steel, paper and freight have become dearer, and we can no longer carry the difference alone. From {day(start)} the list
prices of all our products rise by {rise} percent. Orders that reach us before that day are delivered at the old prices.

Our invoices are payable within {days} days. Delivery stays free of charge from an order value of {free} euros; below
that we charge a flat {fee} euros.

If you have questions, please turn to {who}, who has looked after your account since {YEAR - 4}.

Yours sincerely,
{firm}
"""
    facts = [
        amount(
            rise, "", "percent", f"By how many percent does {firm} raise its prices?",
            f"How big is the price increase that {firm} wrote about, in percent?",
            f"{firm} price rise: what percentage?",
        ),
        a_day(
            start, f"the day of the {firm} price rise", f"From which date do the new {firm} prices apply?",
            f"When does the price rise of {firm} start?", f"Please tell me the day the prices of {firm} go up.",
        ),
        amount(
            days, f"the payment term of {firm}", "days", f"Within how many days must {firm} invoices be paid?",
            f"What is the payment term of {firm}?", f"How long do we have to pay a bill from {firm}?",
        ),
        amount(
            fee, f"the {firm} delivery charge", "euros", f"What does {firm} charge for delivering a small order?",
            f"How many euros is the flat delivery charge of {firm}?",
            f"Delivery fee at {firm} for orders below the limit?",
        ),
        Fact(
            Name(who), (
                f"Who looks after our account at {firm}?", f"Whom should we ask about the {firm} price rise?",
                f"Name of our account contact at {firm}?",
            ),
        ),
    ]  # fmt: skip
    return "price-letter.txt", text, facts


def returns(w: World, chance: Random) -> Text:
    """Two periods that are easily taken for each other."""
    shop, online = chance.sample((10, 12, 15, 18, 20, 25, 28, 35), 2)
    fee, money, who = chance.randint(6, 19), chance.randint(4, 9), w.people[3]
    text = f"""# Returns

Goods that were bought in one of our shops can be brought back within {shop} days, with the receipt. Goods that were
ordered online can be sent back within {online} days of their arrival. They must be unused and in their packaging.

For goods without their packaging we keep a restocking fee of {fee} percent of the price. Cut or engraved goods cannot
be returned at all.

The money is paid back within {money} working days, in the way in which it was paid. Without a receipt we give a
voucher.

In case of dispute {who} decides.
"""
    facts = [
        amount(
            shop, "the return period for goods from a shop", "days",
            "How many days do I have to return something I bought in a shop?",
            "Return period for shop purchases?", "Within how many days can customers bring goods back to the shop?",
        ),
        amount(
            online, "the return period for online orders", "days",
            "How many days do online customers have to send goods back?",
            "What is the return period for online orders?",
            "I ordered online. How long can I return it after it arrives?",
        ),
        amount(
            fee, "", "percent", "How high is the restocking fee, in percent?",
            "What percentage do we keep when goods come back without packaging?", "Restocking fee?",
        ),
        amount(
            money, "", "days", "After a return, within how many working days is the money paid back?",
            "How many working days does a refund take at most?", "Refund time in working days, please?",
        ),
        Fact(
            Name(who), (
                "Who decides when there is a dispute about a return?", "Who has the last word on disputed returns?",
                "A customer disagrees about a return. Whose decision is it?",
            ),
        ),
    ]  # fmt: skip
    return "returns.md", text, facts


EVENTS = ("Harbour Walk", "Seed Swap", "Clay Workshop", "Night Market", "Book Circle", "Quiz Supper", "Kite Day")


def programme(w: World, chance: Random) -> Text:
    """Five events with day, fee, places and leader."""
    names = chance.sample(EVENTS, 5)
    days = sorted(chance.sample([datetime.date(YEAR + 1, 3, 1) + datetime.timedelta(days=i) for i in range(90)], 5))
    fees, places = chance.sample(range(6, 48), 5), chance.sample(range(12, 70), 5)
    hosts = w.people[4:9]
    lines = [
        f"- {n}: {day(d)}, {f} euros, {p} places, led by {h}"
        for n, d, f, p, h in zip(names, days, fees, places, hosts, strict=True)
    ]
    text = (
        "# Spring programme\n\nAll events start at the main shop. Please sign up in time; the fee is due that day.\n\n"
    )
    text += "\n".join(lines)
    text += (
        "\n\nMembers of the customers' club bring one guest for free. In heavy rain an event is put off by a week.\n"
    )
    facts: list[Fact] = []
    for n, d, f, p, h in zip(names, days, fees, places, hosts, strict=True):
        when = (f"When is the {n}?", f"On what date does the {n} take place?", f"Which day is the {n} on, please?")
        facts.append(Fact(Date(d), when, f"the {n}", "date", "day", n))
        cost = (f"How much is the fee for the {n}?", f"What does it cost to join the {n}?", f"{n}: fee in euros?")
        facts.append(Fact(number(f), cost, f"the fee for the {n}", "euros", "fee", n))
        room = (f"How many places does the {n} have?", f"How many people can join the {n}?", f"Places at the {n}?")
        facts.append(Fact(number(p), room, f"the number of places at the {n}", "places", "number of places", n))
        lead = (f"Who leads the {n}?", f"Who is in charge of the {n}?", f"Name the leader of the {n}.")
        facts.append(Fact(Name(h), lead, rivals=tuple(hosts)))
    return "spring-programme.md", text, facts


def minutes(w: World, chance: Random) -> Text:
    """Costs that were named and costs that were decided."""
    held, following = some_day(chance, 1, 2), some_day(chance, 5, 6)
    repair, van, lights = (chance.randrange(a, b, 10) for a, b in ((610, 1900), (17000, 29000), (2100, 5900)))
    chair, clerk = w.people[9:11]
    votes = chance.randint(5, 9)
    text = f"""# Minutes of the board, {day(held)}

Chair: {chair}. Minutes: {clerk}.

1. Delivery van. Repairing the gearbox is offered for {repair} euros. A used van would cost {van} euros. Decided with
   {votes} votes to 2: the van is repaired; buying one is looked at again next winter.
2. Lights. New lights in all shops would cost {lights} euros. Put off, because the offers are not complete.
3. Shop windows. {clerk} will ask the art school for ideas.

The next meeting is on {day(following)}.
"""
    facts = [
        amount(
            repair, "the van repair", "euros", "How much was offered for repairing the gearbox of the van?",
            "What will the van repair cost according to the minutes?", "Gearbox repair: how many euros?",
        ),
        amount(
            van, "a used van", "euros", "What would a used van have cost?",
            "Price of the used van that the board talked about?",
            "How many euros would buying a used delivery van take?",
        ),
        amount(
            lights, "the new lights", "euros", "What would the new lights in all shops cost?",
            "How much money do the new lights need?", "Cost of the new shop lights in euros, please?",
        ),
        a_day(
            following, "the next board meeting", "When does the board meet next?", "Date of the next board meeting?",
            "On which day is the next meeting of the board?",
        ),
        Fact(
            Name(chair), ("Who chaired the board meeting?", "Who was the chair of the last board meeting?",
            "Board chair?"),
            rivals=(clerk,),
        ),
    ]  # fmt: skip
    return "board-minutes.md", text, facts


def house_rules(w: World, chance: Random) -> Text:
    """Rules of the flat above the main shop."""
    deposit, wash, guests = chance.randrange(35, 95, 5), Decimal(chance.randrange(18, 39)) / 10, chance.randint(3, 9)
    quiet, key = chance.choice((9, 10, 11)), w.people[11]
    text = f"""House rules for the flat above the main shop

Quiet hours begin at {quiet} in the evening and end at 7 in the morning. Music practice is welcome until 6 in the
evening.
Up to {guests} nights a month guests may stay without asking; beyond that, please write to the office first.

The deposit for a second key is {deposit} euros, to be had from {key}. A wash in the cellar costs {wash:.2f} euros, paid
into the box. Bicycles belong in the yard, prams under the stairs. The stairs are kept free at all times.
"""
    facts = [
        amount(
            deposit, "the deposit for a second key", "euros", "What is the deposit for a second key?",
            "How many euros do I leave for a second key to the flat?", "Key deposit?",
        ),
        Fact(
            Number(wash), (
                "What does a wash in the cellar cost?", "How much do I put into the box for one wash?",
                "Price of one wash, in euros, in the house with the flat?",
            ),
        ),
        amount(
            guests, "", "nights", "How many nights a month may guests stay in the flat without asking?",
            "Guests in the flat: how many nights per month are fine without asking?",
            "For how many nights a month can I have a guest without writing to the office?",
        ),
        Fact(
            Name(key), ("From whom do I get a second key?", "Who hands out second keys to the flat?",
            "Second key: who has it?"),
        ),
    ]  # fmt: skip
    return "house-rules.txt", text, facts


FIRST_TEXTS = (offers, price_letter, returns, programme, minutes, house_rules)
