"""Gives each value of an answer what it rests on: matched by value, exactly, with what was computed on record."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from aeon.grounding.grounds import Grounds, Known, Rounding, ToolOutput, reading_of
from aeon.language.mention import Form, Mention
from aeon.language.readings import Read, ends, exact, factor, rounded
from aeon.proof.document import UNCHECKED
from aeon.proof.equations import Equation, equations, with_constants
from aeon.proof.inference import gives_unit
from aeon.proof.mentions import mentions, values
from aeon.schema import Claim, ClaimKind, Computation, FromClaim, Source, Support, SupportType, Task, Verdict

__all__ = ["Match", "claim_of", "claims", "computed", "learn", "matched", "unchecked", "with_unit", "written_as"]

_ROUNDINGS: tuple[Rounding, ...] = ("half_up", "half_even")
_NO_CHANGE = "its operands have another unit, and nothing changes it"
_WHOLE = 10
"""From this on a number of a source or a task may be said without its decimals; one of a tool always may."""


class Match(NamedTuple):
    """What a mention rests on: a known value, in one of its readings, by a computation; and where its unit stands."""

    form: Form
    known: Known
    computation: Computation | None = None
    unit: Support | None = None
    verdict: Verdict = "supported"


def claims(
    answer: str,
    task: Task,
    outputs: Sequence[ToolOutput] = (),
    spans: Sequence[Source] = (),
    stated: Mapping[str, str] | None = None,
) -> tuple[Claim, ...]:
    """A claim for each value of the answer, in order, with what it rests on.

    ``outputs`` are what tools gave, ``spans`` the cited parts of sources. ``stated`` are the texts of steps that rest
    on nothing but the model, by step: a computation that one states with known values makes its result known.
    """
    said = values(answer)
    if not said:
        return ()
    grounds = _grounds(task, outputs, spans, stated or {})
    pairs = [(one, matched(grounds, one)) for one in (_named(grounds, one) for one in said)]
    kept = [(one, match) for one, match in pairs if one.certain or match is not None]
    made = [claim_of(f"c{number}", one, match) for number, (one, match) in enumerate(kept, 1)]
    return computed(answer, [one for one, _ in kept], made, grounds)


def _grounds(task: Task, outputs: Sequence[ToolOutput], spans: Sequence[Source], stated: Mapping[str, str]) -> Grounds:
    """The grounds with what follows from them by the computations that steps state."""
    grounds = Grounds(task, outputs, spans)
    for step, text in stated.items():
        learn(grounds, step, text, mentions(text))
    return grounds


def learn(grounds: Grounds, step: str, text: str, found: Sequence[Mention]) -> None:
    """Let the grounds know the results of the computations that a step states, if all operands are known.

    ``found`` are the values of its text.
    """
    for equation in equations(text, found):
        known = [one for place in equation.operands if (one := _stands(grounds, found[place]))]
        evidence = tuple(support for one in known for support in one.evidence)
        if len(known) == len(equation.operands) and len(evidence) <= len(string.ascii_lowercase):
            form = found[equation.result].forms[0]
            computation = _stated(equation, [one.form.read for one in known], form.read, step)
            if computation is not None:
                whole = _composed(equation.expression, known)
                grounds.add(Known(form, evidence, computation.changed(expression=whole)))


def _stands(grounds: Grounds, mention: Mention) -> Known | None:
    """The known value that a mention says as it stands there, or as an earlier computation gave it exactly."""
    match = matched(grounds, mention)
    if match is None or match.computation is not match.known.computation:
        return None
    exactly = match.computation is None or (match.computation.places is None and match.computation.factor == "1")
    return match.known if exactly and (match.computation or len(match.known.evidence) == 1) else None


def _composed(expression: str, operands: Sequence[Known]) -> str:
    """An expression over the operands as one over all that they were computed from."""
    pieces: list[str] = []
    first = 0
    for one in operands:
        inner = one.computation.expression if one.computation else "a"
        moved = inner.translate({letter: letter + first for letter in range(ord("a"), ord("z") + 1)})
        pieces.append(moved if len(moved) == 1 else f"({moved})")
        first += len(one.evidence)
    return expression.translate(dict(enumerate(pieces, ord("a"))))


def _stated(equation: Equation, operands: Sequence[Read], said: Read, step: str) -> Computation | None:
    """The computation that an equation is, if it gives what is said, rounded to how that is written."""
    value = _value(equation, operands)
    if value is None:
        return None
    changes = (factor(one.unit, said.unit) for one in operands if said.unit and one.unit)
    for change in dict.fromkeys([Fraction(1), *(one for one in changes if one is not None)]):
        computation = Computation(
            expression=equation.expression, factor=exact(change), result=exact(value * change), step=step
        )
        if (right := written_as(computation, value * change, said)) is not None:
            return right
    return None


def written_as(computation: Computation, value: Fraction, said: Read) -> Computation | None:
    """The computation if its value is what is said, rounded to how that is written."""
    if value == said.number:
        return computation
    for rounding in _ROUNDINGS if said.places is not None else ():
        if rounded(value, said.places or 0, rounding) == said.number:
            return computation.changed(places=said.places, rounding=rounding)
    return None


def _value(equation: Equation, operands: Sequence[Read]) -> Fraction | None:
    numbers = [operand.number for operand in operands if operand.number is not None]
    return equation.value(numbers) if len(numbers) == len(operands) else None


def _named(grounds: Grounds, mention: Mention) -> Mention:
    """The mention, or what is left of a name without the word before it where that alone stands somewhere."""
    if mention.later is None or grounds.text(mention) is not None or grounds.text(mention.later) is None:
        return mention
    return mention.later


def matched(grounds: Grounds, mention: Mention) -> Match | None:
    """The best that a mention rests on: the value in its unit, then converted, then rounded, then without its unit."""
    if mention.kind in ("name", "quote"):
        known = grounds.text(mention)
        return Match(mention.forms[0], known) if known else None
    matches = [match for form in mention.forms for match in _matches(grounds, form)]
    return min(matches, key=lambda match: match.verdict != "supported", default=None)


def _matches(grounds: Grounds, form: Form) -> Iterator[Match]:
    value = form.read
    known = grounds.exact(value.value, value.unit)
    if known is not None:
        yield Match(form, known, known.computation)
        return
    if value.number is None:
        yield from _of_ends(grounds, form)
        return
    if not value.unit:
        others = (grounds.exact(value.value, unit) for unit in grounds.units)
        yield from (Match(form, one, one.computation) for one in others if one is not None)
    yield from _converted(grounds, form, value.number)
    bare = grounds.exact(value.value, "") if value.unit else None
    if bare is not None:
        yield _without_unit(grounds, form, bare, bare.computation)
    yield from _rounded(grounds, form)


def _of_ends(grounds: Grounds, form: Form) -> Iterator[Match]:
    """The match of several days whose first and last stand somewhere, each of them for itself."""
    known = [one for day in ends(form.read) if (one := grounds.exact(day.value, ""))]
    if len(known) > 1:
        yield Match(form, Known(form, tuple(support for one in known for support in one.evidence)))


def _factors(grounds: Grounds, unit: str) -> Iterator[tuple[str, Fraction]]:
    """The units that are known and convert, each with its factor, the same unit first."""
    for other in sorted(grounds.units, key=lambda other: other != unit):
        change = factor(other, unit)
        if change is not None:
            yield other, change


def _converted(grounds: Grounds, form: Form, number: Fraction) -> Iterator[Match]:
    for unit, change in _factors(grounds, form.read.unit):
        known = grounds.exact(exact(number / change), unit)
        if change != 1 and known is not None and known.computation is None:
            yield Match(form, known, Computation(factor=exact(change), result=exact(number)))


def _rounded(grounds: Grounds, form: Form) -> Iterator[Match]:
    value = form.read
    changes = [*_factors(grounds, value.unit), *([("", Fraction(1))] if value.unit else [])]
    for unit, change in changes:
        for rounding in _ROUNDINGS:
            known = grounds.rounding(unit, change, value, rounding)
            if known is None or not _may_round(known, value):
                continue
            result = (known.form.read.number or Fraction(0)) * change
            computation = Computation(
                factor=exact(change), result=exact(result), places=value.places, rounding=rounding
            )
            bare = value.unit and not unit and change == 1
            yield _without_unit(grounds, form, known, computation) if bare else Match(form, known, computation)


def _may_round(known: Known, said: Read) -> bool:
    if known.computation is not None:
        return False
    return known.evidence[0].type == "tool" or bool(said.places) or abs(said.number or Fraction(0)) >= _WHOLE


def _without_unit(grounds: Grounds, form: Form, known: Known, computation: Computation | None) -> Match:
    """The match of a value that stands there without its unit, which must stand somewhere itself."""
    unit = grounds.unit(form.read.unit)
    return Match(form, known, computation, unit, "supported" if unit else "partial")


def claim_of(name: str, mention: Mention, match: Match | None) -> Claim:
    """The claim of a value; without a match it stands nowhere."""
    form = match.form if match else mention.forms[0]
    claim = Claim(
        id=name, start=mention.start, end=mention.end, text=mention.text, kind=_kind(mention, form),
        reading=reading_of(form), verdict="not_found", note="stands nowhere",
    )  # fmt: skip
    if match is None:
        return claim
    evidence = match.known.evidence
    support: SupportType = "inference" if len(evidence) > 1 or evidence[0].type == "claim" else evidence[0].type
    return claim.changed(
        support=support,
        evidence=(*evidence, match.unit) if match.unit else evidence,
        computation=match.computation,
        verdict=match.verdict,
        note="" if match.verdict == "supported" else f"the value stands there, its unit {form.read.unit} nowhere",
    )


def _kind(mention: Mention, form: Form) -> ClaimKind:
    return "date" if form.form == "y" else mention.kind


def computed(answer: str, found: Sequence[Mention], made: Sequence[Claim], grounds: Grounds) -> tuple[Claim, ...]:
    """The claims with the computations that the answer states: a result that is right follows, else it is wrong."""
    made = list(made)
    for stated in equations(answer, found):
        loose = [place for place in stated.operands if made[place].verdict == "not_found"]
        equation = (with_constants(stated, found, loose) if loose else None) or stated
        operands = [made[place] for place in equation.operands]
        firsts = [found[place].forms[0] for place in equation.operands]
        if all(one.reading == reading_of(first) for one, first in zip(operands, firsts, strict=True)):
            said = found[equation.result].forms[0]
            made[equation.result] = _checked(made[equation.result], equation, operands, (said, *firsts), grounds)
    return tuple(made)


def _checked(
    result: Claim, equation: Equation, operands: Sequence[Claim], forms: Sequence[Form], grounds: Grounds
) -> Claim:
    """The claim of an equation's result; ``forms`` are those of the result and of the operands."""
    said, numbers = forms[0], [form.read for form in forms[1:]]
    value = _value(equation, numbers)
    if value is None:
        return result
    computation = _stated(equation, numbers, said.read, "answer")
    if computation is None:
        if not equation.whole or _stated(equation, [*map(_unrounded, operands, numbers)], said.read, "answer"):
            return result
        wrong = Computation(expression=equation.expression, result=exact(value), step="answer")
        return _inferred(result, said, operands).changed(
            computation=wrong, verdict="contradicted", note=f"it is {exact(value)}"
        )
    if result.verdict == "supported" or any(one.verdict != "supported" for one in operands):
        return result
    return with_unit(_inferred(result, said, operands).changed(computation=computation), grounds)


def _unrounded(claim: Claim, said: Read) -> Read:
    """What a number is that a claim says rounded."""
    computation = claim.computation
    if computation is None or computation.places is None or claim.verdict == "contradicted":
        return said
    return said._replace(number=Fraction(computation.result))


def with_unit(claim: Claim, grounds: Grounds) -> Claim:
    """A claim that is computed, supported if its unit is that of an operand, a share, or stands somewhere."""
    how, unit = claim.computation or Computation(result=""), claim.reading.unit
    operands = [Read(one.reading.value, unit=one.reading.unit) for one in claim.evidence]
    given = gives_unit(how.expression, how.factor, operands, unit)
    if given:
        return claim.changed(verdict="supported", note="")
    place = grounds.unit(unit)
    if given is False or place is None:
        return claim.changed(verdict="partial", note="no operand has its unit" if given is None else _NO_CHANGE)
    return claim.changed(verdict="supported", note="", evidence=(*claim.evidence, place))


def _said_first(claim: Claim) -> Support:
    """A claim as an operand: the one that it only says again, if it does."""
    first = claim.evidence[0] if len(claim.evidence) == 1 and claim.computation is None else None
    return first if isinstance(first, FromClaim) else FromClaim(claim=claim.id, reading=claim.reading)


def _inferred(result: Claim, said: Form, operands: Sequence[Claim]) -> Claim:
    evidence = tuple(map(_said_first, operands))
    return result.changed(reading=reading_of(said), support="inference", evidence=evidence)


def unchecked(claim: Claim) -> Claim:
    """The claim of an answer for which nothing was looked up: what was not found is not checked."""
    if claim.verdict != "not_found":
        return claim
    return claim.changed(verdict="not_checked", note=UNCHECKED)
