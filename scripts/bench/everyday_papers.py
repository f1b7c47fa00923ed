"""The other six texts of the everyday benchmark's folder; three of them hold rules that apply to the tables."""

from __future__ import annotations

import datetime
from dataclasses import replace
from random import Random

from everyday_files import YEAR, World
from everyday_items import Date, day, number
from everyday_texts import FIRST_TEXTS, Fact, Text, a_day, amount

__all__ = ["write_texts"]


def write_texts(w: World, chance: Random) -> list[Fact]:
    """Make all twelve texts, and give the facts that they state."""
    facts: list[Fact] = []
    for make in (*FIRST_TEXTS, warranty, recipe, lease, insurance, handbook, terms):
        name, text, stated = make(w, chance)
        w.texts[name] = text
        facts.extend(replace(one, file=name) for one in stated)
    return facts


DEVICES = ("till printer", "coffee machine", "card reader", "label scale", "floor polisher")


def warranty(w: World, chance: Random) -> Text:
    """Two devices with similar figures."""
    names, months = chance.sample(DEVICES, 2), chance.sample(range(18, 67, 3), 2)
    costs = chance.sample(range(45, 180, 5), 2)
    until = datetime.date(YEAR + 1, chance.randint(1, 6), chance.randint(1, 28))
    a, b = names
    text = f"""# Warranty

The warranty for the {a} runs for {months[0]} months from the day of purchase, that for the {b} for {months[1]} months.
It covers faults of material and work, but not wear, falls and water.

Outside the warranty a service visit for the {a} costs {costs[0]} euros. For the {b} it is {costs[1]} euros, travel
included. Spare parts are charged on top.

Both devices must be registered by {day(until)}; otherwise the warranty ends after one year. Keep the invoice with the
device's papers.
"""
    facts = [
        a_day(
            until, "the last day to register the devices",
            "By what date must the devices be registered for the warranty?",
            "Until when can we register our devices?", "Deadline for registering the devices under warranty?",
        )
    ]  # fmt: skip
    for i, name in enumerate(names):
        long = (
            f"How many months of warranty does the {name} have?",
            f"What is the warranty period of the {name}, in months?",
            f"For how long is the {name} under warranty?",
        )
        short = f"the warranty of the {name}"
        facts.append(Fact(number(months[i]), long, short, "months", "warranty", name))
        visit = (
            f"What does a service visit for the {name} cost outside the warranty?",
            f"Price of a {name} service visit without warranty?",
            f"How many euros would we pay for someone to look at the {name} after the warranty?",
        )
        short = f"a service visit for the {name}"
        facts.append(Fact(number(costs[i]), visit, short, "euros", "price of a service visit", name))
    return "warranty.md", text, facts


def recipe(w: World, chance: Random) -> Text:
    """Amounts and times."""
    name = chance.choice(("plum and rye loaf", "leek and barley bake", "pear and oat slice", "fennel and lentil pie"))
    flour, butter = chance.randrange(260, 480, 10), chance.randrange(90, 210, 10)
    bake, rest, heat, serves = (
        chance.randrange(32, 58),
        chance.randrange(12, 28),
        chance.randrange(165, 215, 5),
        chance.randint(5, 11),
    )
    text = f"""The staff kitchen's {name}

For {serves} people: {flour} grams of flour, {butter} grams of butter, 2 eggs, a pinch of salt,
and whatever the garden has.

Rub the butter into the flour, add the eggs and knead briefly. Let the dough rest for {rest} minutes in a cool place.
Roll it out, fill it, and bake it at {heat} degrees for {bake} minutes, until the rim is brown. It keeps for three
days in a
tin. Serve it with plain yoghurt. Those who do not eat eggs take two spoons of apple sauce instead.
"""
    facts = [
        amount(
            flour, f"the flour for the {name}", "grams", f"How many grams of flour go into the {name}?",
            f"How much flour do I need for the {name}?", f"Flour for the {name}, in grams?",
        ),
        amount(
            butter, f"the butter for the {name}", "grams", f"How much butter does the {name} take?",
            f"How many grams of butter are in the {name}?", f"Butter in the {name} recipe?",
        ),
        amount(
            bake, f"the baking time of the {name}", "minutes", f"How many minutes does the {name} bake?",
            f"How long must the {name} stay in the oven?", f"Baking time of the {name}, please?",
        ),
        amount(
            rest, f"the resting time of the dough of the {name}", "minutes",
            f"How long does the dough for the {name} rest?",
            f"Resting time in minutes for the dough of the {name}?", f"How many minutes should the {name} dough rest?",
        ),
        amount(
            heat, "", "degrees", f"At how many degrees is the {name} baked?", f"Oven temperature for the {name}?",
            f"How hot must the oven be for the {name}?",
        ),
        amount(
            serves, "", "people", f"How many people is the {name} recipe for?", f"How many does the {name} serve?",
            f"For how many people are the amounts in the {name} recipe meant?",
        ),
    ]  # fmt: skip
    return "recipe.txt", text, facts


def lease(w: World, chance: Random) -> Text:
    """The storage hall, which is in no table."""
    rent, deposit = chance.randrange(720, 1500, 10), chance.randrange(1800, 3900, 50)
    notice, area = chance.randint(3, 11), chance.randrange(210, 560, 5)
    start, end = datetime.date(YEAR - 2, chance.randint(1, 12), 1), datetime.date(YEAR + 4, chance.randint(1, 12), 28)
    text = f"""# Lease of the storage hall

The hall of {area} square metres is let from {day(start)} to {day(end)}. The rent is {rent} euros a month,
due on the third working day. Heating is not included and is billed once a year by meter.

A deposit of {deposit} euros was paid when the keys were handed over. Either side can end the lease early with a
notice of {notice} months. The tenant clears the snow in front of the gate and insures what is stored. Changes to the
building need the owner's word in writing.
"""
    facts = [
        amount(
            rent, "a month's rent of the storage hall", "euros", "What is the monthly rent of the storage hall?",
            "How much rent do we pay for the storage hall each month?", "Storage hall rent per month in euros?",
        ),
        amount(
            deposit, "the deposit for the storage hall", "euros", "How high was the deposit for the storage hall?",
            "What deposit did we pay for the storage hall, in euros?", "Storage hall: amount of the deposit?",
        ),
        amount(
            notice, "the notice for the storage hall", "months",
            "What notice does the lease of the storage hall require, in months?",
            "How many months' notice do we have to give for the storage hall?",
            "Notice period of the storage hall lease?",
        ),
        amount(
            area, "", "square metres", "How big is the storage hall?",
            "How many square metres does the storage hall have?",
            "Area of the storage hall in square metres, please?",
        ),
        a_day(
            end, "the end of the storage hall lease", "When does the lease of the storage hall end?",
            "Until what date is the storage hall let to us?", "Last day of the storage hall lease?",
        ),
    ]  # fmt: skip
    return "lease.md", text, facts


def insurance(w: World, chance: Random) -> Text:
    """What is insured, and for how much."""
    kinds = chance.sample(("water damage", "theft", "fire", "broken glass"), 2)
    sums, premium = chance.sample(range(12000, 90000, 1000), 2), chance.randrange(640, 1900, 10)
    excess, report = chance.randrange(150, 600, 25), chance.randint(5, 13)
    text = f"""Insurance of the shops, summary

The yearly premium is {premium} euros. It covers {kinds[0]} up to {sums[0]} euros and {kinds[1]} up to {sums[1]} euros
for each shop. In each case we bear the first {excess} euros ourselves.

Damage must be reported within {report} days, with photographs. The police must be told of a break-in on the same day.
Goods in transit are not insured. The policy renews itself each year unless it is cancelled in autumn.
"""
    facts = [
        amount(
            premium, "the yearly insurance premium", "euros", "How much is the yearly insurance premium?",
            "What do we pay for the shop insurance each year?", "Insurance premium per year in euros?",
        ),
        amount(
            excess, "the part of an insured damage that we bear", "euros",
            "How many euros of a damage do we bear ourselves?",
            "What is our excess in the insurance?",
            "If something is damaged, how much of it do we pay before the insurance does?",
        ),
        amount(
            report, "the time to report damage", "days",
            "Within how many days must damage be reported to the insurance?",
            "How long do we have to report damage?", "Reporting deadline for insured damage, in days?",
        ),
    ]  # fmt: skip
    for kind, total in zip(kinds, sums, strict=True):
        asked = (
            f"Up to what sum is {kind} insured?",
            f"How many euros does the insurance pay at most for {kind}?",
            f"{kind.capitalize()}: insured up to how much?",
        )
        facts.append(Fact(number(total), asked, f"the insured sum for {kind}", "euros", "insured sum", kind))
    return "insurance.txt", text, facts


def handbook(w: World, chance: Random) -> Text:
    """What the staff get; the bonus applies to the tables."""
    leave, trial, training = chance.randint(24, 31), chance.randint(2, 7), chance.randrange(250, 900, 25)
    cents, bonus, least = chance.randint(27, 49), chance.randint(2, 6), chance.choice((3000, 3500, 4000, 4500))
    w.figures |= {"bonus": bonus, "bonus_from": least, "cents": cents}
    text = f"""# Staff handbook, short form

Leave: {leave} days a year. The trial period is {trial} months. Each of us may spend {training} euros a year on
training.

Driving with one's own car on duty is paid with {cents} cents per kilometre. Meals on the road are not paid.

Quarterly bonus: the staff of a shop share {bonus} percent of that part of the shop's revenue in a quarter that lies
above {least} euros. A shop with {least} euros or less in the quarter gets no bonus.

Sick notes are due on the third day. Staff buy at the list price less a tenth.
"""
    facts = [
        amount(
            leave, "the yearly leave", "days", "How many days of leave do staff get a year?",
            "What is our yearly leave in days?",
            "Leave per year, according to the handbook?",
        ),
        amount(
            trial, "the trial period of new staff", "months", "How long is the trial period for new staff?",
            "How many months does the trial period last?", "Trial period in months, please?",
        ),
        amount(
            training, "the training budget of one person", "euros",
            "How much may each of us spend on training in a year?",
            "What is the yearly training budget per person?", "Training money per person and year, in euros?",
        ),
        amount(
            cents, "", "cents", "How many cents per kilometre are paid for driving one's own car?",
            "What is the mileage rate in cents?", "Driving my own car on duty: cents per km?",
        ),
    ]  # fmt: skip
    return "handbook.md", text, facts


def terms(w: World, chance: Random) -> Text:
    """The rules for orders, which apply to the tables."""
    limit, rebate = chance.choice((400, 450, 500, 550, 600)), chance.randint(3, 8)
    small, post = chance.choice((120, 140, 150, 180)), chance.randint(6, 14)
    points, prize = chance.choice((4, 5, 8)), chance.randrange(200, 450, 25)
    w.figures |= {"limit": limit, "rebate": rebate, "small": small, "post": post, "points": points}
    start = datetime.date(YEAR - 1, chance.randint(1, 12), chance.randint(1, 28))
    text = f"""# Terms for orders, in force since {day(start)}

Rebate: an order with a revenue of more than {limit} euros gets {rebate} percent off the whole order. Orders of {limit}
euros or less get no rebate.

Postage: an order with a revenue below {small} euros is charged {post} euros for postage. Larger orders are sent free.

Club points: each unit that is ordered earns {points} points. For {prize} points a customer gets a gift card. Points
lapse when nothing is ordered for two years.
"""
    facts = [
        amount(
            prize, "", "points", "How many club points are needed for a gift card?",
            "A gift card costs how many points?",
            "How many points does a customer have to collect for a gift card?",
        ),
        Fact(
            Date(start), (
                "Since when are the terms for orders in force?", "From what date do our terms for orders apply?",
                "On which day did the terms for orders come into force?",
            ),
        ),
    ]  # fmt: skip
    return "terms.md", text, facts
