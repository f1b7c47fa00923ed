"""The vote of programs: which of their results are the same, how each stands, and which one leads.

What is right is stable and what is invented is not: a result that several prompts lead to is seldom wrong
(execution-guided self-consistency), and one that the model was unlikely to write is seldom right. A judge weighs the
results that lead; nothing else chooses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from aeon.multipass.results import same
from aeon.schema.programs import Candidate, ProgramText, Ran, Way
from aeon.schema.weight import Weight

__all__ = ["Ballot", "Class"]

_UNJUDGED = 0.5
"""What a result weighs that nobody judged."""
_YES, _SURELY_NOT = 0.5, 0.05
"""The score from which on a judge says yes, and the one below which it is sure that something is no answer."""
_AHEAD = 1.25
"""How many times the standing of the next class that of the leading one must be."""
_VOTE, _MOST_VOTE, _ROOT = 0.5, 0.75, 0.25
"""How much of a doubt a vote takes away where nobody knows how likely the model was to write it, at most where that is
known, and the power of the likelihood that it goes by: long texts are never likely."""
_LEAST_VOTE, _AGREED = 0.35, 0.6
"""The vote that a judge's yes needs, and what several together need where the judge is not against them."""
_NOT_AGAINST = 0.25
_RESTS_ON_NOTHING = 0.4
_OBJECTED = 0.5
"""What is left of the standing of a result that something was found in once it was the answer."""


@dataclass(frozen=True)
class Class:
    """Candidates of one result, the first of which speaks for all, and what a judge makes of it.

    ``objected``: it was the answer, and something was found in that.
    """

    candidates: tuple[Candidate, ...]
    weight: Weight | None = None
    objected: bool = False

    @property
    def first(self) -> Candidate:
        """The candidate that speaks for the class."""
        return self.candidates[0]

    def joined(self, candidate: Candidate) -> Class:
        """The class with one more; the first that rests on something speaks for it, and is judged anew."""
        if candidate.ran.cites and not self.first.ran.cites:
            return replace(self, candidates=(candidate, *self.candidates), weight=None)
        return replace(self, candidates=(*self.candidates, candidate))

    @property
    def votes(self) -> int:
        """How many ways led to it: what was asked for in one way twice is one vote."""
        return len({one.program.way for one in self.candidates})

    @property
    def score(self) -> float:
        """What the judge says (0-1), a half where it was not asked or could not say."""
        score = self.weight.score if self.weight is not None else None
        return _UNJUDGED if score is None else score

    @cached_property
    def strengths(self) -> tuple[float, ...]:
        """What the vote of each way is worth (0-1), by how likely the model was to write it."""
        by_way: dict[str, float] = {}
        for one in self.candidates:
            likelihood = one.program.likelihood
            worth = _VOTE if likelihood is None else _MOST_VOTE * likelihood**_ROOT
            by_way[one.program.way] = max(worth, by_way.get(one.program.way, 0.0))
        return tuple(by_way.values())

    @property
    def strength(self) -> float:
        """What all votes together are worth (0-1): each takes away its part of the doubt that is left."""
        return 1 - math.prod(1 - one for one in self.strengths)

    @cached_property
    def standing(self) -> float:
        """Its score, by what its votes are worth; less where it rests on no call, or something was found in it."""
        worth = self.score * self.strength * (_OBJECTED if self.objected else 1)
        return worth if self.first.ran.uses or self.first.ran.writing else worth * _RESTS_ON_NOTHING

    @property
    def is_vouched(self) -> bool:
        """Whether a judge says yes to what the model was likely enough to write, or several ways led to it.

        No judge is asked about a text that is yet to be written.
        """
        said = self.weight is not None and (self.weight.score or 0) >= _YES
        agreed = self.strength >= _AGREED and self.score >= _NOT_AGAINST
        return agreed or ((said or bool(self.first.ran.writing)) and max(self.strengths) >= _LEAST_VOTE)


@dataclass(frozen=True)
class Ballot:
    """The classes of results, in the order in which they came up, and the candidates that found nothing stated.

    ``problems`` are those of programs that gave nothing, ``ways`` the ways that were asked for. ``earlier`` is what the
    step came to, ``against`` what was found in that when it is done again; ``absence_objected``: it was that nothing is
    stated.
    """

    classes: tuple[Class, ...] = ()
    absent: tuple[Candidate, ...] = ()
    problems: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    earlier: str = ""
    against: tuple[str, ...] = ()
    absence_objected: bool = False

    def ended(self, output: str) -> Ballot:
        """The ballot of a step that came to this."""
        return replace(self, earlier=output)

    def objected(self, against: Sequence[str]) -> Ballot:
        """The ballot once this was found in what it led to: that counts for less, unless it can be written anew."""
        lead = self.lead
        refuted = lead if lead is not None and not lead.first.ran.writing else None
        classes = tuple(replace(one, objected=one.objected or one is refuted) for one in self.classes)
        absence = self.absence_objected or self.is_absent
        return replace(self, classes=classes, problems=(), against=tuple(against), absence_objected=absence)

    def cast(self, programs: Sequence[ProgramText], ran: Sequence[Ran], asked: Sequence[Way] = ()) -> Ballot:
        """The ballot with these programs and what they gave; ``asked`` are all ways that were tried for them."""
        made = replace(self, ways=tuple(dict.fromkeys([*self.ways, *asked, *(one.way for one in programs)])))
        for program, given in zip(programs, ran, strict=True):
            made = made._with(Candidate(program=program, ran=given))
        return made

    def _with(self, candidate: Candidate) -> Ballot:
        given = candidate.ran
        if given.absent:
            return replace(self, absent=(*self.absent, candidate))
        if not (given.values or given.writing):
            return replace(self, problems=tuple(dict.fromkeys([*self.problems, *filter(None, [given.problem])])))
        alike = (n for n, one in enumerate(self.classes) if all(same(each.ran, given) for each in one.candidates))
        place = next(alike, None)
        if place is None:
            return replace(self, classes=(*self.classes, Class((candidate,))))
        classes = [*self.classes]
        classes[place] = classes[place].joined(candidate)
        return replace(self, classes=tuple(classes))

    @cached_property
    def ranked(self) -> tuple[Class, ...]:
        """The classes, the one that stands best first; that nothing is stated is one like the others."""
        absence = self._absence()
        every = self.classes if absence is None else (*self.classes, absence)
        return tuple(sorted(every, key=lambda one: -one.standing))

    def _absence(self) -> Class | None:
        """That nothing is stated: it is as likely as no other result is right.

        Where every result is surely no answer, all that led to one vote for it. Where none was judged, nobody has said
        yes to this one either.
        """
        best = max((one.score for one in self.classes), default=_UNJUDGED)
        refuted = tuple(one.first for one in self.classes if best < _SURELY_NOT)
        every = (*self.absent, *refuted)
        judged = any(one.weight is not None and one.weight.score is not None for one in self.classes)
        weight = Weight(score=1 - best) if judged else Weight()
        return Class(every, weight, self.absence_objected) if every else None

    def unjudged(self, most: int) -> tuple[Class, ...]:
        """The best classes that nobody was asked about, ``most`` of them; a text is judged once it is written."""
        ranked = sorted(self.classes, key=lambda one: -one.standing)
        return tuple(one for one in ranked if one.weight is None and not one.first.ran.writing)[:most]

    def weighed(self, which: Class, weight: Weight) -> Ballot:
        """The ballot with what a judge makes of a class."""
        return replace(
            self, classes=tuple(replace(one, weight=weight) if one is which else one for one in self.classes)
        )

    @property
    def lead(self) -> Class | None:
        """The class that stands best, if there is one."""
        return next(iter(self.ranked), None)

    @property
    def is_absent(self) -> bool:
        """Whether it leads that nothing is stated."""
        lead = self.lead
        return lead is not None and lead not in self.classes

    @property
    def is_ahead(self) -> bool:
        """Whether a class stands well before all others."""
        ranked = self.ranked
        return bool(ranked) and all(ranked[0].standing >= _AHEAD * one.standing for one in ranked[1:])

    @property
    def is_decided(self) -> bool:
        """Whether a class is ahead of all others, and a judge says yes to it or several ways led to it."""
        lead = self.lead
        if lead is None or not (lead.is_vouched and self.is_ahead):
            return False
        return not self.is_absent or self._is_surely_absent(lead)

    def _is_surely_absent(self, lead: Class) -> bool:
        """Whether several ways say that nothing is stated; of those that only found nothing, two are needed."""
        said = any(not one.ran.uses for one in self.absent)
        return len({one.program.way for one in self.absent}) > 1 or (said and lead.votes > 1)
