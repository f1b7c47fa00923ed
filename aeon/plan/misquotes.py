"""What a plan quotes that does not say what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aeon.documents.relations import compared_with, denied, no_superlative, other_clause, other_kind, other_subject
from aeon.documents.spans import asked_end
from aeon.documents.words import special_kinds
from aeon.plan.money import asks_takings
from aeon.plan.rates import asks_costs, of_several, rate_of
from aeon.plan.sources import About
from aeon.schema import Plan, Source, Step, ToolCall
from aeon.supervisor.questions import is_of_kind, uncounted
from aeon.supervisor.short_answers import is_echo
from aeon.tools.quote import QUOTE

__all__ = ["misquotes"]

_HOW_LONG = re.compile(r"\b(?:how long|how many (?:hours|minutes))\b(?! ago)", re.IGNORECASE)
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d")


def misquotes(plan: Plan, about: About) -> Iterator[str]:
    """What is wrong with the sentences that a plan quotes for its answer, each in a few words for the model."""
    found = list(_misquoted(plan, about))
    yield from found or _uncalculated(plan, about)


def _misquoted(plan: Plan, about: About) -> Iterator[str]:
    """What is wrong with each sentence."""
    for step in plan.steps:
        source = _source(step, about)
        if source is None:
            continue
        heading = f"{source.heading} {source.text}"
        yield from (f"no sentence says {kind!r}" for kind in special_kinds(about.text, about.unknown, heading))
        if step.id in plan.answer:
            yield from _misread(about, source, _value(step))


def _uncalculated(plan: Plan, about: About) -> Iterator[str]:
    """What is wrong with a plan that only quotes, where it is asked what so many cost, and no sentence has so many."""
    sources = [source for step in plan.steps if (source := _source(step, about)) is not None]
    if not sources or len(sources) < len(plan.steps) or not (asks_costs(about.text) or asks_takings(about.text)):
        return
    if left := uncounted(about.text, " ".join(source.text for source in sources)):
        yield f"it asks about {' and '.join(left)}: compute that from the sentences"


def _misread(about: About, source: Source, value: str) -> Iterator[str]:
    """What is wrong with a value that a sentence states, where it alone is the answer."""
    if is_echo(about.text, value):
        yield f"the question says {value!r} already"
    yield from _of_another_kind(about.text, source, value)
    yield from _rated(about, source, value)
    yield from _said_otherwise(about, source, value)
    yield from _unsaid(about, source, value)


def _said_otherwise(about: About, source: Source, value: str) -> Iterator[str]:
    """What the sentence has for the question in the place of the value, as a program where it can be spelt out."""
    if found := compared_with(about.text, source.text, value):
        told = f"print({found.instead})" if found.instead else "compute the other value"
        yield f"the sentence says {found.said!r}: {told}"
    if (ends := asked_end(about.text, source.text)) and value in ends.others:
        told = f'print("{ends.wanted}")  # {_number(source, about)}' if ends.wanted else "it says nothing of that day"
        yield f"that is another time: {told}"
    if part := other_clause(about.text, source.text, value):
        yield f'of that the sentence says only this: print("{part}")  # {_number(source, about)}'


def _unsaid(about: About, source: Source, value: str) -> Iterator[str]:
    """Why the sentence does not say what is asked for, so that another one must, or none does."""
    if no_superlative(about.text, source.text):
        yield "that sentence says nothing of who or what comes first"
    if word := denied(about.text, source.text, value):
        yield f"the sentence says {word!r} of it"
    others = (one.text for one in about.evidence.sources)
    if kind := other_kind(about.text, f"{source.heading} {source.text}", others):
        yield f"that sentence says nothing of a {kind}: another one does"
    if other := other_subject(about.text, _until(source, about)):
        yield f'that sentence is about the {other}: print("not stated") where none answers'


def _of_another_kind(question: str, source: Source, value: str) -> Iterator[str]:
    """What is wrong with a time of day for how long something is, or with a number by its unit in the sentence."""
    if _HOW_LONG.search(question) and _CLOCK.fullmatch(value):
        yield f"{value} is no length of time: print(hours_between(first, last))"
    measured = _measured(value, source)
    if is_of_kind(question, value) and not is_of_kind(question, measured):
        yield f"{measured} is nothing that answers the question"


def _rated(about: About, source: Source, value: str) -> Iterator[str]:
    """What is wrong with the price of one where the question is for that of three, or for what was taken in all."""
    if found := of_several(about.text, source.text, value):
        program = f"price = {found.price}  # {_number(source, about)}\nprint(price * {found.times})"
        yield f"the sentence says {found.said!r}: {program}"
    if asks_takings(about.text) and (rate := rate_of(source.text, value)):
        yield f"the sentence says {rate!r}, not how much it was in all"


def _number(source: Source, about: About) -> int:
    """The number by which programs cite a sentence."""
    return about.evidence.sources.index(source) + 1


def _measured(value: str, source: Source) -> str:
    """The value with the unit that stands behind it in its sentence."""
    found = re.search(rf"(?<![\w.,]){re.escape(value)}\s*(?:[€$£%]|[^\W\d_]+)", source.text)
    return found[0] if found else value


def _until(source: Source, about: About) -> list[str]:
    """The sentences of a text up to one of them."""
    own = [one for one in about.evidence.sources if one.source == source.source and one.start <= source.start]
    return [one.text for one in own]


def _source(step: Step, about: About) -> Source | None:
    """The sentence that a step quotes, if it quotes one."""
    action = step.action
    if not isinstance(action, ToolCall) or action.tool != QUOTE or action.arguments is None:
        return None
    place = (action.arguments["source"], action.arguments["start"])
    return next((one for one in about.evidence.sources if (one.source, one.start) == place), None)


def _value(step: Step) -> str:
    """What a step quotes, a number as sentences write it."""
    value = (step.action.arguments or {}).get("value") if isinstance(step.action, ToolCall) else ""
    return f"{value:,}" if isinstance(value, int | float) else str(value)
