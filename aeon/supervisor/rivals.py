"""The other values of a sentence that a short answer could have been."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeon.documents.words import is_common
from aeon.grounding.mention import Mention
from aeon.grounding.mentions import mentions
from aeon.supervisor.stated import measure

__all__ = ["MOST_RIVALS", "rivals"]

MOST_RIVALS = 2
"""Those that stand nearest to the answer; each is a call to a judge."""
_SPANS = frozenset({"s", "min", "h", "day", "week", "month", "year"})
_WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_KINDS = ("number", "date", "time", "name")


def rivals(question: str, answer: str, sentence: str) -> tuple[str, ...]:
    """The answer with each other value of its kind that the sentence has in the place of its own; at most two.

    "14 euros" is one of "25 euros" where the sentence has the prices of two things. None where the answer has several
    values, or one that the sentence has not; what the question says itself is none.
    """
    every = _values(sentence)
    alone = _alone(answer, every)
    own = next((one for one in every if alone is not None and measure(one) == measure(alone)), None)
    if alone is None or own is None:
        return ()
    told = set(map(measure, mentions(question)))
    others = {measure(one): one.text for one in _others(own, every) if measure(one) not in told}
    return tuple(answer.replace(alone.text, text) for text in list(others.values())[:MOST_RIVALS])


def _values(text: str) -> list[Mention]:
    return [one for one in mentions(text) if one.kind in _KINDS]


def _alone(answer: str, every: Sequence[Mention]) -> Mention | None:
    """The value that an answer is, or has alone; ``None`` where it has none, or several."""
    whole = next((one for one in every if one.text == answer.strip()), None)
    said = [one for one in _values(answer) if one.certain]
    return whole or (said[0] if len(said) == 1 else None)


def _others(own: Mention, every: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions that could stand in the place of one, the nearest first."""
    for one in sorted(every, key=lambda one: abs(one.start - own.start)):
        is_word = one.kind == "name" and not one.certain and is_common(one.text.casefold())
        if _class(one) == _class(own) and measure(one) != measure(own) and not is_word:
            yield one


def _class(one: Mention) -> tuple[str, str]:
    """What a value is a value of: its kind and unit; all spans of time are alike, and so are days of the week."""
    value, unit = measure(one)
    if one.kind == "name":
        return one.kind, "weekday" if value.removesuffix("s") in _WEEKDAYS else ""
    return one.kind, "time" if unit in _SPANS else unit
