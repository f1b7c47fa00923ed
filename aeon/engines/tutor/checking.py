"""The tutor's check of a claim: proved, refuted, undecided or ill-typed, by observations alone.

It is sound: an observation is a true statement about the folder, and a verdict follows from the newest ones that speak
of exactly the object of the claim. What no observation covers stays undecided. No model takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from aeon.engines.tutor import looks
from aeon.engines.tutor.actions import (
    Action,
    Hit,
    Matches,
    Observation,
)
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.quantities import Constant, CountOf, Tables, Term, ValueOf
from aeon.engines.tutor.statements import (
    Before,
    Contains,
    Event,
    Exists,
    Implies,
    ImportsModule,
    Statement,
)
from aeon.engines.tutor.times import CLOCK, Moment, clock, moment
from aeon.schema.value import Value

__all__ = ["Checker", "Ruling", "RulingKind"]

RulingKind = Literal["proved", "refuted", "undecided", "ill_typed"]
T = TypeVar("T")


class Ruling(Value):
    """The verdict on a claim, the numbers of the observations that it rests on, and why.

    ``dare`` is an action that could decide what is undecided; ``exhausted``: every such look was taken, to no avail.
    """

    verdict: RulingKind
    rests_on: tuple[int, ...] = ()
    reason: str = ""
    dare: Action | None = None
    exhausted: bool = False


class _Truth(NamedTuple):
    """Whether something holds, as far as observations say, and which."""

    holds: bool | None = None
    rests_on: tuple[int, ...] = ()


class _Worth(NamedTuple):
    """The value of a term, if it has one, how far it may be off, and the observations that say so."""

    value: float | str | None = None
    within: float = 0
    rests_on: tuple[int, ...] = ()


@dataclass(frozen=True)
class Checker:
    """Judges statements by what was ``seen``, in order; ``claims`` are those that others may name by their numbers.

    ``tables`` are the columns of each table, with what they hold.
    """

    seen: Sequence[Seen]
    claims: Mapping[int, Statement]
    tables: Tables

    def rule(self, statement: Statement) -> Ruling:
        """The verdict on a statement."""
        fault = self.fault(statement)
        if fault:
            return Ruling(verdict="ill_typed", reason=fault)
        truth = self._truth(statement)
        if truth.holds is None:
            return self._undecided(statement)
        rests = tuple(sorted(set(truth.rests_on)))
        return Ruling(verdict="proved" if truth.holds == statement.polarity else "refuted", rests_on=rests)

    def _undecided(self, statement: Statement) -> Ruling:
        needs = self.needs(statement)
        dare = next((action for action in needs if not any(looks.shows(action, one) for one in self.seen)), None)
        settled = bool(needs) and dare is None
        reason = "what would decide it cannot be seen" if settled else "no observation covers it"
        return Ruling(verdict="undecided", reason=reason, dare=dare, exhausted=settled)

    def _newest(self, look: Callable[[Observation], T | None]) -> tuple[T | None, tuple[int, ...]]:
        """What the newest observation says that says anything: a file may have changed since an older one."""
        for one in reversed(self.seen):
            said = look(one.observation)
            if said is not None:
                return said, (one.number,)
        return None, ()

    def _truth(self, statement: Statement) -> _Truth:
        """Whether the statement holds, its polarity aside."""
        match statement:
            case Exists(path=path):
                return _Truth(*self._newest(lambda seen: looks.existing(path, seen)))
            case Contains() as claim:
                return _Truth(*self._newest(lambda seen: looks.contained(claim, seen)))
            case ImportsModule() as names:
                return _Truth(*self._newest(lambda seen: looks.imported(names, seen)))
            case Before() as order:
                return self._before(order)
            case Implies(premise=premise, conclusion=conclusion):
                return self._implies(premise, conclusion)
        return self._equal(*statement.sides)

    def _equal(self, left: Term, right: Term) -> _Truth:
        one, other = self._term(left), self._term(right)
        if one.value is None or other.value is None:
            return _Truth()
        return _Truth(looks.same(one.value, other.value, one.within + other.within), (*one.rests_on, *other.rests_on))

    def _term(self, term: Term) -> _Worth:
        match term:
            case Constant(value=value):
                return _Worth(value)
            case CountOf() as count:
                number, rests = self._newest(lambda seen: looks.counted(count, seen))
                return _Worth(number, 0, rests)
            case ValueOf() as value_of:
                seen, rests = self._newest(lambda seen: looks.measured(value_of, seen))
                return _Worth(seen.value, seen.within, rests) if seen is not None else _Worth()

    def _implies(self, premise: int, conclusion: int) -> _Truth:
        """Material implication in three values: it holds with a false premise, or a true conclusion."""
        first, second = (self._with_polarity(self.claims[number]) for number in (premise, conclusion))
        if first.holds is False:
            return _Truth(True, first.rests_on)
        if second.holds is True:
            return _Truth(True, second.rests_on)
        both = first.holds is True and second.holds is False
        return _Truth(False, (*first.rests_on, *second.rests_on)) if both else _Truth()

    def _with_polarity(self, statement: Statement) -> _Truth:
        truth = self._truth(statement)
        return truth if truth.holds is None else _Truth(truth.holds == statement.polarity, truth.rests_on)

    def _before(self, claim: Before) -> _Truth:
        """Whether the first time is the earlier one; in the same second two events may have come in either order."""
        (one, seen), (other, too) = (self._when(event, claim.apart) for event in claim.events)
        if one is None or other is None or one.zoned != other.zoned or one == other:
            return _Truth()
        return _Truth(one < other, (*seen, *too))

    def _when(self, event: Event, apart: bool) -> tuple[Moment | None, tuple[int, ...]]:
        """The time of an event; where it is compared with one of another file, by the clock that its own states."""
        at, seen = self._time(event)
        fast, told = self._clock(event.path) if apart else (0, ())
        if at is None or fast is None:
            return None, ()
        return at._replace(microseconds=at.microseconds - fast), (*seen, *told)

    def _time(self, event: Event) -> tuple[Moment | None, tuple[int, ...]]:
        """The time of the event, where exactly one line holds its text."""
        hit, rests = self._newest(lambda seen: _only(event.path, event.text, seen))
        return (moment(hit.text) if hit is not None else None), rests

    def _clock(self, path: str) -> tuple[int | None, tuple[int, ...]]:
        """How fast the clock of a file is, where exactly one line of it says so."""
        hit, rests = self._newest(lambda seen: _only(path, CLOCK, seen))
        return (clock(hit.text) if hit is not None else None), rests

    def needs(self, statement: Statement) -> tuple[Action, ...]:
        """The looks that decide a statement, if their coverage is whole."""
        if isinstance(statement, Implies):
            named = (self.claims[number] for number in (statement.premise, statement.conclusion))
            return tuple(action for one in named for action in one.needs())
        return statement.needs()

    def fault(self, statement: Statement) -> str:
        """Why a statement says nothing about a folder; "" where it does."""
        if isinstance(statement, Implies):
            return self._reference_fault(statement.premise) or self._reference_fault(statement.conclusion)
        return statement.fault(self.tables)

    def _reference_fault(self, number: int) -> str:
        """Why an implication cannot be of this claim: of one that says nothing nothing follows.

        One of implications could grow without end.
        """
        if number not in self.claims:
            return f"there is no claim {number}"
        if isinstance(self.claims[number], Implies):
            return "an implication is of plain claims"
        fault = self.fault(self.claims[number])
        return f"claim {number} is ill-typed: {fault}" if fault else ""


def _only(path: str, text: str, seen: Observation) -> Hit | None:
    """The one line of the file that holds the text; ``None`` where there may be another, or it is not all shown."""
    if not isinstance(seen, Matches) or seen.text != text or not seen.covers(path):
        return None
    hits = [hit for hit in seen.hits_of(path) if not hit.cut]
    return hits[0] if seen.of(path) == len(hits) == 1 else None
