"""What a report program asks for, beside the effects of the research that it runs."""

from __future__ import annotations

from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.report.values import (
    Analysis,
    Comparison,
    Composed,
    Draft,
    Other,
    Readings,
    Review,
    Side,
)
from aeon.schema.effects import EffectOf, Role

__all__ = ["Analyse", "Clarify", "Compare", "Compose", "Critique"]


class Clarify(EffectOf[Readings]):
    """Is the query ambiguous, and what may it mean? ``always``: it counts as ambiguous."""

    phase = "clarify"
    role: Role = "planner"
    always: bool = False


class Analyse(EffectOf[Analysis]):
    """What is to be searched, or is the draft ready? With a ``review``: how is the draft revised?

    ``context`` are the best sources that the query found. ``most`` questions are planned at first. ``worded`` are all
    wordings of questions that were searched for. In the ``last`` round nothing more can be searched, but for the plan.
    """

    phase = "analyst"
    role: Role = "planner"
    round: int
    mode: Mode
    most: int
    draft: Draft
    context: tuple[Ranked, ...] = ()
    review: Review | None = None
    worded: tuple[str, ...] = ()
    last: bool = False


class Compare(EffectOf[Comparison]):
    """Do the sources give one value to a question? ``known`` sides are there; ``others`` are still to be read."""

    phase = "compare"
    role: Role = "verifier"
    question: str
    known: tuple[Side, ...] = ()
    others: tuple[Other, ...] = ()


class Critique(EffectOf[Review]):
    """Does each finding of the draft stand on what it cites, and is the draft what the mode asks for?"""

    phase = "critic"
    role: Role = "verifier"
    draft: Draft
    round: int


class Compose(EffectOf[Composed]):
    """The report out of the reviewed draft; ``review`` is ``None`` where nobody reviewed it, for want of means."""

    phase = "compose"
    draft: Draft
    review: Review | None
    context: tuple[Ranked, ...]
    mode: Mode
