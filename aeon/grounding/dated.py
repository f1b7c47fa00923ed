"""Days whose month is written in a language that nobody reads here: found by the day, and by what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.grounding.grounds import Grounds, Known
from aeon.grounding.matching import Match
from aeon.language.mention import Mention
from aeon.language.readings import Read
from aeon.schema import FromSource, FromTool, Support

__all__ = ["as_day", "of_one_text"]

_MONTH = re.compile(r"(?:\.|º|[^\W\d_]{1,3})?\s+[^\W\d_]+")
_YEAR = re.compile(r"(?:\.|º|[^\W\d_]{1,3})?(?:\s+[^\W\d_]+\.?,?){1,4}\s+(\d{4})(?!\d)")
_WITHIN = 24
"""Characters within which the parts of one date stand."""
_SENTENCE = 300
"""Characters within which two values may be of one sentence."""


def as_day(grounds: Grounds, answer: str, mention: Mention, beside: Sequence[Match]) -> Match | None:
    """What a number from 1 to 31 before a word rests on as the day of a date, as in "25 avril 2025".

    The year behind it must be of the same date, or a value ``beside`` it, on its line, of the same row or sentence.
    """
    form = mention.forms[0]
    if not _may_be_day(form.read) or not _MONTH.match(answer, mention.end):
        return None
    years = _years(grounds, answer, mention.end)
    others = [one for match in beside for one in match.known.evidence]
    for known in grounds.figures(form.read.value):
        place = known.evidence[0]
        dated = any(_is_near(place, one, _WITHIN) for one in years)
        if dated or any(_is_beside(place, one) for one in others):
            return Match(form, Known(form, known.evidence))
    return None


def of_one_text(halves: Sequence[tuple[Mention, Match | None]]) -> list[tuple[Mention, Match | None]]:
    """A date without its year, and the year, where one text states both: the day in a diary, the year in its title.

    A day that stands there with a year of its own is none of these.
    """
    known = [match.known for _, match in halves if match is not None]
    texts = {_text(one) for each in known for one in each.evidence}
    apart = len(known) == 2 and known[0].form.read.value.startswith("0000-")
    return [*halves] if apart and len(texts) == 1 and texts != {()} else []


def _years(grounds: Grounds, answer: str, place: int) -> list[Support]:
    """Where the year stands that comes behind a day."""
    year = _YEAR.match(answer, place)
    return [one.evidence[0] for one in grounds.figures(year[1])] if year else []


def _may_be_day(value: Read) -> bool:
    return value.number is not None and not value.unit and not value.places and 1 <= value.number <= 31


def _is_near(one: Support, other: Support, within: int) -> bool:
    """Whether two places are in one text, no further apart than so many characters."""
    return _text(one) == _text(other) != () and abs(one.start - other.start) <= within  # type: ignore[union-attr]


def _is_beside(one: Support, other: Support) -> bool:
    """Whether two places are in one row of a table, or in one sentence."""
    if isinstance(one, FromTool) and isinstance(other, FromTool):
        return (one.step, _row(one.path)) == (other.step, _row(other.path)) and one.path.count("/") > 1
    return isinstance(one, FromSource) and _is_near(one, other, _SENTENCE)


def _row(path: str) -> str:
    return path.rpartition("/")[0]


def _text(one: Support) -> tuple[str, ...]:
    if isinstance(one, FromTool):
        return one.step, one.path
    return (one.source,) if isinstance(one, FromSource) else ()
