"""Single facts of the everyday benchmark, asked for in other words than those of their sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from everyday_facts import asked, in_turn
from everyday_items import Item, halved
from everyday_texts import Fact

__all__ = ["REWORDED", "reworded"]

REWORDED: tuple[tuple[str, str, str], ...] = (
    ("What does {} charge for a metre of shelving?", "How expensive is one metre from {}?",
     "What would the racks from {} set us back per metre?"),
    ("How many weeks does {} need to deliver the shelving?", "How soon can {} have it here once we order?",
     "If we say yes to {}, how long is the wait?"),
    ("Who is our contact at {}?", "Whom should I telephone at {}?", "Which person at {} answers our questions?"),
    ("Until when is the {} shelving offer valid?", "When does the proposal by {} lapse?",
     "What is the last day on which {} stands by its quote?"),
    ("By how many percent does {} raise its prices?", "How much more expensive does {} become?",
     "By what share does everything from {} go up?"),
    ("From which date do the new {} prices apply?", "When does it get more expensive to buy from {}?",
     "On what day does the increase by {} come into effect?"),
    ("Within how many days must {} invoices be paid?", "How much time does {} give us to settle a bill?",
     "How long after billing does {} expect its money?"),
    ("What does {} charge for delivering a small order?", "What does {} want for shipping if we buy little?",
     "How high are the shipping costs of a small purchase from {}?"),
    ("Who looks after our account at {}?", "Who takes care of us at {}?", "Who is responsible for us at {}?"),
    ("How many days do I have to return something I bought in a shop?",
     "For how long after I bought it in the store can I hand something in again?",
     "The lamp from your store is too dark. How much time do I have to give it back?"),
    ("How many days do online customers have to send goods back?", "My parcel came today. How long can I post it back?",
     "How much time is there to give back something from the web shop?"),
    ("How high is the restocking fee, in percent?", "How much is taken off my money if I threw the box away?",
     "How much is deducted when the wrapping is missing?"),
    ("After a return, within how many working days is the money paid back?", "How soon do I get reimbursed?",
     "How fast is a refund?"),
    ("Who decides when there is a dispute about a return?", "Who settles quarrels with customers?",
     "Who has the final say if we cannot agree with a customer?"),
    ("How much is the fee for the {}?", "What would I pay to take part in the {}?", "How expensive is the {}?"),
    ("How many places does the {} have?", "For how many participants is there room at the {}?",
     "How large can the group at the {} get?"),
    ("Who leads the {}?", "Who runs the {}?", "Who is the host of the {}?"),
    ("How much was offered for repairing the gearbox of the van?", "What would it take to mend the transmission?",
     "How much does the garage want for fixing our delivery vehicle?"),
    ("What would a used van have cost?", "How expensive would a second-hand vehicle have been?",
     "What is the price of a second-hand delivery vehicle?"),
    ("What would the new lights in all shops cost?", "How much would we spend on the lighting?",
     "How expensive are the lamps that were postponed?"),
    ("When does the board meet next?", "When do the directors come together again?",
     "What is the date of the board's following session?"),
    ("Who chaired the board meeting?", "Who presided over the board?", "Who ran the meeting of the directors?"),
    ("What is the deposit for a second key?", "How much do I leave as security for another key?",
     "What is the guarantee for an extra key?"),
    ("What does a wash in the cellar cost?", "How expensive is doing the laundry?",
     "What do I pay for using the washing machine?"),
    ("How many nights a month may guests stay in the flat without asking?",
     "How many times a month can a friend sleep over without permission?",
     "How long may visitors remain in a month without permission?"),
    ("From whom do I get a second key?", "Whom do I see about a spare key?", "Who gives out spare keys?"),
    ("By what date must the devices be registered for the warranty?",
     "By when do we need to sign up the machines so that the guarantee counts?",
     "What is the latest day to enrol our equipment?"),
    ("How many months of warranty does the {} have?", "How long is the guarantee on the {}?",
     "For how many months are repairs of the {} free?"),
    ("What does a service visit for the {} cost outside the warranty?",
     "What does a technician for the {} charge once the guarantee is over?",
     "How expensive is it to have someone come for the {}?"),
    ("How many minutes does the {} bake?", "After what time do I take the {} out of the oven?",
     "How long until the {} is done in the oven?"),
    ("How long does the dough for the {} rest?", "How long do I leave the dough of the {} alone?",
     "How long must the pastry for the {} stand?"),
    ("At how many degrees is the {} baked?", "What temperature do I set for the {}?",
     "To what temperature do I heat the stove for the {}?"),
    ("How many people is the {} recipe for?", "How many guests can eat from the {}?",
     "How many portions does the {} give?"),
    ("What is the monthly rent of the storage hall?", "What does the landlord get from us each month?",
     "How much does it cost us monthly to use the hall?"),
    ("How high was the deposit for the storage hall?", "How much security did we leave for the hall?",
     "What sum did the landlord receive as a guarantee?"),
    ("What notice does the lease of the storage hall require, in months?",
     "How long before we leave the hall must we say so?",
     "If we want to move out of the hall, how long ahead must the owner know?"),
    ("How big is the storage hall?", "How much room is there in the hall?", "How large is the building that we rent?"),
    ("When does the lease of the storage hall end?", "By when do we have to be out of the hall?",
     "On what day does our contract for the hall run out?"),
    ("How much is the yearly insurance premium?", "What do we spend on insurance cover each year?",
     "How much does the policy cost annually?"),
    ("How many euros of a damage do we bear ourselves?", "How much of a loss falls on us?",
     "What is our own share when something breaks?"),
    ("Within how many days must damage be reported to the insurance?", "How fast must the insurer hear of a loss?",
     "How much time is there to notify the insurer?"),
    ("Up to what sum is {} insured?", "What is the most that we would get for {}?", "How high is the cover for {}?"),
    ("How many days of leave do staff get a year?", "How much holiday does each of us get?",
     "How many vacation days are there?"),
    ("How long is the trial period for new staff?", "How long is a new colleague on probation?",
     "How many months does probation last?"),
    ("How much may each of us spend on training in a year?", "How much money is there for my courses each year?",
     "What is my yearly allowance for further education?"),
    ("How many cents per kilometre are paid for driving one's own car?",
     "What do I get back per kilometre with my own vehicle?", "How much is paid for using a private car?"),
    ("How many club points are needed for a gift card?", "What must a club member collect for a present?",
     "At how many points is there a reward?"),
    ("Since when are the terms for orders in force?", "When did the present conditions for orders start?",
     "Since what day have our conditions for orders been valid?"),
)  # fmt: skip
"""The first wording of a fact, and two ways to ask for it in other words: one for development, one for closing."""


def reworded(stated: Sequence[Fact], chance: Random, count: int) -> list[Item]:
    """One fact each, with its half: a wording that was developed with is none that the closing half asks."""
    picked = [(one, words) for one in in_turn(stated, chance) if (words := _others(one.wordings[0]))][:count]
    items = halved("reworded", (asked(one, words[0], stated) for one, words in picked), chance)
    return [
        item if item.half == "development" else replace(item, question=words[1])
        for item, (_, words) in zip(items, picked, strict=True)
    ]


def _others(wording: str) -> tuple[str, str] | None:
    for first, developing, closing in REWORDED:
        if found := re.fullmatch(re.escape(first).replace(r"\{\}", "(.+)"), wording):
            return developing.format(*found.groups()), closing.format(*found.groups())
    return None
