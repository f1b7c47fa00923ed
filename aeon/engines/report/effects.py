"""What a report program asks for, beside the effects of the research that it runs."""

from __future__ import annotations

from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.report.values import Analysis, Comparison, Composed, Draft, Other, Readings, Review, Side
from aeon.schema.effects import EffectOf, Role

__all__ = ["Analyse", "Clarify", "Compare", "Compose", "Critique"]


class Clarify(EffectOf[Readings]):
    """Is the query ambiguous, and what may it mean? ``always``: it counts as ambiguous."""

    phase = "clarify"
    role: Role = "planner"
    always: bool = False


class Analyse(EffectOf[Analysis]):
    """What is to be searched, or what is the draft? Without any question, at most ``most`` are to be planned.

    ``context`` are the best sources that the query found; ``found`` is what research found on the questions, as it is.
    ``draft`` is the one that the ``review`` is of, and ``searched`` all that was searched for. In the ``last`` word the
    analyst drafts from what is there.
    """

    phase = "analyst"
    role: Role = "planner"
    round: int
    mode: Mode
    most: int
    found: Draft
    context: tuple[Ranked, ...] = ()
    draft: Draft | None = None
    review: Review | None = None
    searched: tuple[str, ...] = ()
    last: bool = False


class Compare(EffectOf[Comparison]):
    """Do the sources give one value to a question? ``sides`` are cited; ``others`` are still to be read."""

    phase = "compare"
    role: Role = "verifier"
    question: str
    sides: tuple[Side, ...] = ()
    others: tuple[Other, ...] = ()


class Critique(EffectOf[Review]):
    """Does each sentence of the draft stand on what it cites, and is the draft what the mode asks for?"""

    phase = "critic"
    role: Role = "verifier"
    draft: Draft
    round: int


class Compose(EffectOf[Composed]):
    """The report out of the reviewed draft; ``review`` is ``None`` where the run ended before."""

    phase = "compose"
    draft: Draft
    review: Review | None
    context: tuple[Ranked, ...]
    mode: Mode
