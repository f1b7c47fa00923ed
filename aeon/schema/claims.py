"""Claims: which parts of an answer rest on what, and what came of checking them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.value import Value

__all__ = [
    "ENDINGS",
    "LACKING",
    "OPEN_READING",
    "Claim",
    "ClaimKind",
    "Computation",
    "FromClaim",
    "FromSource",
    "FromTask",
    "FromTool",
    "Reading",
    "SentenceCheck",
    "Support",
    "SupportType",
    "Verdict",
]

ClaimKind = Literal["number", "date", "time", "quote", "name", "address", "sentence"]
SupportType = Literal["source", "tool", "task", "inference", "none"]
Verdict = Literal["supported", "partial", "contradicted", "not_found", "not_checked"]

ENDINGS = {"contradicted": "contradicted", "not_found": "unsupported"}
"""By the verdict on a claim, why an answer that has one is not good enough after all; the first that holds."""
OPEN_READING = "open_reading"
"""Why an answer is not that has a claim with doubts."""
LACKING = (*ENDINGS.values(), OPEN_READING)
"""All that an answer may lack by its claims; the first that holds counts."""

_Offset = Annotated[int, Field(ge=0)]


class Reading(Value):
    """How a text is understood as a value; ``aeon.proof.verify.read`` gives it again from the text and its form.

    ``value``: a number as an exact decimal or fraction (``1234.5``, ``1/3``), a day as ``2025-04-12`` with zeros for a
    part that is not written, the first and the last of several days with ``/`` between them, a clock time as ``14:30``,
    any other text folded. ``form``: the notation that was taken, such as ``point`` or ``comma`` (the decimal sign),
    ``dmy`` or ``text``. ``unit``: the canonical unit, if any.
    """

    value: str
    form: str
    unit: str = ""


class FromSource(Value):
    """Characters ``start`` to ``end``, the last not included, of the stored text of a source."""

    type: Literal["source"] = "source"
    source: str
    start: _Offset
    end: _Offset
    reading: Reading


class FromTool(Value):
    """A value in the output of a step: ``path`` is a JSON pointer (RFC 6901), "" for the whole output.

    Of a table, it may be ``rows()``, how many rows there are, or what a column comes to: ``sum(column)``, ``min(…)``,
    ``max(…)``, ``avg(…)``. ``start`` and ``end`` are characters of the text there; of a JSON number, of its text as it
    is written.
    """

    type: Literal["tool"] = "tool"
    step: str
    path: str
    start: _Offset
    end: _Offset
    reading: Reading


class FromTask(Value):
    """Characters of the task's text or of its context."""

    type: Literal["task"] = "task"
    part: Literal["text", "context"] = "text"
    start: _Offset
    end: _Offset
    reading: Reading


class FromClaim(Value):
    """Another claim of the same answer."""

    type: Literal["claim"] = "claim"
    claim: str
    reading: Reading


Support = Annotated[FromSource | FromTool | FromTask | FromClaim, Field(discriminator="type")]


class Computation(Value):
    """How a claim's value follows from its operands, exactly.

    ``expression`` is over ``a``, ``b``, … : the first pieces of evidence in order. What it gives, times the ``factor``
    of a change of unit, is the ``result``; rounded to ``places`` it is the claim's value. Both numbers are exact
    decimals or fractions. ``step`` names the step that states an expression of several operands, or is "answer", or
    "judge" where a judge says that the value follows so. Such an expression may have numbers that change units (100,
    60, …), 1 beside a sum, and functions.
    """

    expression: str = "a"
    factor: str = "1"
    result: str
    places: int | None = None
    rounding: Literal["half_up", "half_even"] = "half_up"
    step: str = ""


class Claim(Value):
    """A half-open span of an answer, in Unicode code points, and what it rests on.

    ``evidence`` holds the operands of the ``computation`` in order, or the one place where the value stands, or those
    of the first and the last of several days; behind them the place where the unit stands, if it stands elsewhere.
    ``note`` says in words what is missing or wrong. ``doubts`` are what is open of how the tables were read that it
    rests on: then it is supported in part at most.
    """

    id: str
    start: _Offset
    end: _Offset
    text: str
    kind: ClaimKind
    reading: Reading
    support: SupportType = "none"
    evidence: tuple[Support, ...] = ()
    computation: Computation | None = None
    verdict: Verdict = "not_checked"
    note: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def lacking(self) -> str:
        """Why an answer that has it is not good enough after all, "" where it keeps none from being that."""
        return ENDINGS.get(self.verdict) or (OPEN_READING if self.doubts else "")


class SentenceCheck(Value):
    """A half-open span of an answer that is a sentence, and what is known of it.

    ``claims`` are the ids of the values in it; ``place`` is where it stands word for word, as ``fees.md[0:22]``. A
    sentence of which no value is amiss, and that stands nowhere as it is, is ``not_checked``: what it says of its
    values was judged by nobody.
    """

    start: _Offset
    end: _Offset
    verdict: Verdict = "not_checked"
    claims: tuple[str, ...] = ()
    place: str = ""

    @property
    def source(self) -> tuple[str, int, int] | None:
        """The source of the place, and the characters there; ``None`` where it stands nowhere."""
        name, _, span = self.place.removesuffix("]").rpartition("[")
        start, _, end = span.partition(":")
        return (name, int(start), int(end)) if name else None
