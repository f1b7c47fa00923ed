"""The claims of an answer that a model gave in a loop over tools: each value, in whatever language it is said."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from aeon.grounding.calculated import with_calculations
from aeon.grounding.dated import as_day, of_one_text
from aeon.grounding.doubted import with_doubts
from aeon.grounding.grounds import Grounds, Known, Rounding, ToolOutput, reading_of
from aeon.grounding.matching import Match, claim_of, computed, learn, matched, unchecked, with_unit
from aeon.grounding.toolrecord import ToolRecord
from aeon.language.mention import Form, Mention
from aeon.language.readings import Read, exact
from aeon.proof.equations import equations, may_compute, with_constants
from aeon.proof.figures import figures_in, figures_of_answer, halves, values_of_source
from aeon.proof.inference import is_year
from aeon.proof.marks import Marks, cited_in
from aeon.schema import Calculation, Claim, Computation, FromClaim, Source, Task

__all__ = ["LoopEvidence", "missing_values"]

_ROUNDINGS: tuple[Rounding, ...] = ("half_up", "half_even")
_LEAST_DIGITS = 3
"""How many digits a whole number must keep to be another one rounded, such as 11,700 for 11,702.50."""


class _Stated(NamedTuple):
    """The text of a step that computes something, with its values."""

    step: str
    text: str
    found: tuple[Mention, ...]


class LoopEvidence:
    """A task and what a loop over tools has on record, read once, for the claims of any number of answers."""

    def __init__(self, task: Task, record: ToolRecord) -> None:
        self._task, self._record = task, record
        self._checked = record.looked_up or bool(task.context)
        self._claims: dict[tuple[str, tuple[Calculation, ...]], tuple[Claim, ...]] = {}
        self._empty = task.changed(text="", context="")
        self._names = {lines.source for use in record.uses for lines in use.lines} - {""}
        self._numbers = {int(one) for one in record.by_number() if one.isdecimal()}
        self._read: dict[tuple[str, bool], tuple[Mention, ...]] = {}
        self._computing = tuple(
            _Stated(step, text, found)
            for step, text in record.stated.items()
            if may_compute(text) and any(equations(text, found := figures_in(text, False)))
        )
        self._made: dict[tuple[frozenset[str], tuple[_Stated, ...] | None], Grounds] = {}

    def claims(self, answer: str, calculations: Sequence[Calculation] = (), able: bool = False) -> tuple[Claim, ...]:
        """A claim for each value of the answer, in order, with what it rests on.

        A value is looked for in what its line cites, then in what the answer cites, then in all that the tools gave,
        then in the task. It may follow from others by a computation that a text states, or that a judge points out.
        Where no tool gave anything, none was ``able`` to, and there is no context, what the task does not say is not
        checked.
        """
        key = (answer, tuple(calculations))
        if key not in self._claims:
            self._claims[key] = self._claimed(*key)
        return self._claims[key] if self._checked or able else tuple(map(unchecked, self._claims[key]))

    def _claimed(self, answer: str, calculations: Sequence[Calculation]) -> tuple[Claim, ...]:
        """The claims, whether or not anything was looked up."""
        said = figures_of_answer(answer, self._numbers, self._names)
        if not said:
            return ()
        search = _Lookup(answer, self._record, self, Marks(self._numbers))
        kept = [(one, match) for one, match in search.matches(said) if one.certain or match is not None]
        mentions = [one for one, _ in kept]
        found = tuple(claim_of(f"c{number}", one, match) for number, (one, match) in enumerate(kept, 1))
        made = _with_computations(answer, found, mentions, search.whole)
        if calculations:
            made = with_calculations(made, mentions, search.whole, self._record.by_number(), calculations)
            made = _with_computations(answer, made, mentions, search.whole)
        return with_doubts(_without_constants(answer, made, mentions), self._record.uses)

    def all(self, answer: str, cites: frozenset[str]) -> Grounds:
        """All that an answer with these citations may rest on, what it cites first.

        What follows from the computations of the texts is known, but for those that the answer itself states.
        """
        stated = tuple(one for one in self._computing if one.text != answer)
        if (cites, stated) not in self._made:
            grounds = self._grounds(self._task, list(self._record.places(cites)), cites)
            for one in stated:
                learn(grounds, one.step, one.text, one.found)
            self._made[cites, stated] = grounds
        return self._made[cites, stated]

    def cited(self, cites: frozenset[str]) -> Grounds:
        """What these citations name."""
        if (cites, None) not in self._made:
            self._made[cites, None] = self._grounds(self._empty, list(self._record.cited(cites)), cites)
        return self._made[cites, None]

    def _grounds(self, task: Task, places: Sequence[ToolOutput | Source], cites: frozenset[str]) -> Grounds:
        grounds = Grounds(task, places, reader=self._values)
        for known in self._record.counts(cites):
            grounds.add(known, exactly=True)
        return grounds

    def _values(self, text: str, cell: bool) -> tuple[Mention, ...]:
        """The values of a text of the record."""
        if (text, cell) not in self._read:
            self._read[text, cell] = tuple(values_of_source(text, cell))
        return self._read[text, cell]


def _with_computations(
    answer: str, made: tuple[Claim, ...], said: Sequence[Mention], grounds: Grounds
) -> tuple[Claim, ...]:
    """The claims with what the answer computes; a result that is said again may be an operand of the next equation."""
    for _ in made:
        before, made = made, _with_repeated(computed(answer, said, made, grounds), said, grounds)
        if made == before:
            break
    return made


def _without_constants(answer: str, made: Sequence[Claim], said: Sequence[Mention]) -> tuple[Claim, ...]:
    """The claims without the numbers that stand nowhere and only change units in an equation that holds."""
    left_out: set[int] = set()
    for equation in equations(answer, said):
        loose = [place for place in equation.operands if made[place].verdict == "not_found"]
        if loose and made[equation.result].verdict == "supported" and with_constants(equation, said, loose):
            left_out.update(loose)
    return tuple(claim for place, claim in enumerate(made) if place not in left_out)


def _with_repeated(made: Sequence[Claim], said: Sequence[Mention], grounds: Grounds) -> tuple[Claim, ...]:
    """The claims with the values that stand nowhere but say what another value of the answer does that was computed."""
    computed_ones = [one for one in made if one.verdict == "supported" and one.computation is not None]
    return tuple(
        next((again for other in computed_ones if (again := _repeated(claim, mention, other, grounds))), claim)
        if claim.verdict == "not_found"
        else claim
        for claim, mention in zip(made, said, strict=True)
    )


def _repeated(claim: Claim, mention: Mention, other: Claim, grounds: Grounds) -> Claim | None:
    """The claim as one that says what another one does, whether or not both have its unit."""
    said = Read(other.reading.value, unit=other.reading.unit)
    for form in mention.forms:
        if form.read.value == said.value and (form.read.unit == said.unit or "" in (form.read.unit, said.unit)):
            evidence = FromClaim(claim=other.id, reading=other.reading)
            again = claim.changed(reading=reading_of(form), support="inference", evidence=(evidence,))
            return with_unit(again, grounds)
    return None


def missing_values(claims: Sequence[Claim]) -> tuple[str, ...]:
    """The texts of the claims that stand nowhere, each once."""
    return tuple(dict.fromkeys(claim.text for claim in claims if claim.verdict == "not_found"))


class _Lookup:
    """Looks the values of an answer up."""

    def __init__(self, answer: str, record: ToolRecord, evidence: LoopEvidence, marks: Marks) -> None:
        self._answer, self._record, self._evidence = answer, record, evidence
        self._marks = [(start, cited_in(answer[start:end])) for start, end in marks.spans(answer)]
        cites = {*record.cites, *record.whole_ids(one for _, ids in self._marks for one in ids)}
        self.whole = evidence.all(answer, frozenset(cites))

    def matches(self, said: Sequence[Mention]) -> Iterator[tuple[Mention, Match | None]]:
        """Each value with what it rests on; one that stands nowhere as a whole, as its parts if each of them does."""
        first = [(one, match) for mention in said for one, match in self._of(mention)]
        by_line: defaultdict[int, list[Match]] = defaultdict(list)
        for one, match in first:
            by_line[self._line(one)[0]] += [match] if match is not None else []
        for one, match in first:
            if match is None and one.kind == "number":
                beside = by_line[self._line(one)[0]]
                match = as_day(self.whole, self._answer, one, beside) or _loosely(self.whole, one)
            yield one, match

    def _of(self, mention: Mention) -> list[tuple[Mention, Match | None]]:
        match = self._match(mention)
        return (match is None and self._apart(mention)) or [(mention, match)]

    def _apart(self, mention: Mention) -> list[tuple[Mention, Match | None]]:
        """The parts of a value that stands nowhere as a whole, if each of them stands somewhere; else nothing."""
        loose = mention.kind != "date" or ("," in mention.text and len(mention.parts) == 1)  # "April, 1035 and 1380"
        parts = [(part, self._match(part)) for part in mention.parts] if loose else []
        if parts and all(one is not None for _, one in parts):
            return [*parts]
        return of_one_text([(half, self._match(half)) for half in halves(mention)])

    def _match(self, mention: Mention) -> Match | None:
        near = self._cited_beside(mention)
        first = matched(near, mention) if near is not None else None
        if first is not None and first.verdict == "supported":
            return first
        match = matched(self.whole, mention) or first
        return self._as_number(mention, match) if match is not None and match.form.form == "y" else match

    def _as_number(self, mention: Mention, match: Match) -> Match:
        """The match of a year as the number that stands in a date, which can be an operand."""
        form = mention.forms[0]
        known = next(iter(self.whole.figures(form.read.value)), None)
        return match if known is None else Match(form, Known(form, known.evidence))

    def _cited_beside(self, mention: Mention) -> Grounds | None:
        """What the line of a mention cites."""
        start, end = self._line(mention)
        short = [one for place, ids in self._marks if start <= place < end for one in ids]
        cites = frozenset(self._record.whole_ids(short))
        return self._evidence.cited(cites) if cites else None

    def _line(self, mention: Mention) -> tuple[int, int]:
        end = self._answer.find("\n", mention.end)
        return self._answer.rfind("\n", 0, mention.start) + 1, end if end >= 0 else len(self._answer)


def _loosely(grounds: Grounds, mention: Mention) -> Match | None:
    """What a number rests on as a share times 100 ("23,8 pour cent") or as a whole number that leaves digits out."""
    for form in mention.forms:
        match = _as_share(grounds, form) or (None if is_year(mention.text) else _as_round(grounds, form))
        if match is not None:
            return match
    return None


def _as_share(grounds: Grounds, form: Form) -> Match | None:
    value = form.read
    for rounding in _ROUNDINGS if value.places and not value.unit else ():
        known = grounds.rounding("", Fraction(100), value, rounding)
        if known is not None and known.computation is None and -1 <= (known.form.read.number or Fraction(0)) <= 1:
            result = (known.form.read.number or Fraction(0)) * 100
            computation = Computation(
                expression="a * 100", result=exact(result), places=value.places, rounding=rounding, step="answer"
            )
            return Match(form, known, computation)
    return None


def _as_round(grounds: Grounds, form: Form) -> Match | None:
    zeros = _left_out(form.read)
    said = form.read._replace(places=-zeros)
    units = (form.read.unit, "") if form.read.unit else grounds.units
    for unit, rounding in itertools.product(units, _ROUNDINGS if zeros else ()):
        known = grounds.rounding(unit, Fraction(1), said, rounding)
        if known is not None and known.computation is None:
            result = exact(known.form.read.number or Fraction(0))
            return _in_unit(grounds, form, known, Computation(result=result, places=-zeros, rounding=rounding))
    return None


def _in_unit(grounds: Grounds, form: Form, known: Known, computation: Computation) -> Match:
    """The match of a rounded number, whose unit may stand somewhere else than it."""
    unit = form.read.unit
    if unit in ("", known.form.read.unit):
        return Match(form, known, computation)
    place = grounds.unit(unit)
    return Match(form, known, computation, place, "supported" if place else "partial")


def _left_out(value: Read) -> int:
    """How many zeros a whole number ends with that may stand for digits that are left out."""
    digits = value.value.lstrip("-")
    if value.places != 0 or not digits.isdecimal():
        return 0
    return max(0, min(len(digits) - len(digits.rstrip("0")), len(digits) - _LEAST_DIGITS))
