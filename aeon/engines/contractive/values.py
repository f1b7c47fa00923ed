"""What the effects of a contractive run give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.outcome import Answer
from aeon.schema.value import Value

__all__ = ["Candidate", "Classes", "Collapsed", "Part", "Parts", "Reviewed", "Samples", "Solved", "Verdict"]

Verdict = Literal["approved", "minor_revision", "major_revision", "reject", "not_reviewed"]
_Share = Annotated[float, Field(ge=0, le=1)]


class Samples(Value):
    """Short answers that were drawn for a question, and how many more were ``unusable``."""

    answers: tuple[str, ...] = ()
    unusable: Annotated[int, Field(ge=0)] = 0


class Classes(Value):
    """For each answer the place of its class: those that are known come first, then new ones as they turn up.

    ``asked`` counts the pairs that a model was asked about; ``untold``, those that nobody could tell, which count as
    different.
    """

    places: tuple[Annotated[int, Field(ge=0)], ...] = ()
    asked: Annotated[int, Field(ge=0)] = 0
    untold: Annotated[int, Field(ge=0)] = 0


class Part(Value):
    """A sub-question, and how much it is about the same as the question (0-1); ``None`` where that was not measured."""

    question: Annotated[str, Field(min_length=1)]
    relevance: _Share | None = None


class Parts(Value):
    """The sub-questions of a question."""

    parts: tuple[Part, ...] = ()


class Solved(Value):
    """The answer to a sub-question; ``others`` are answers that many samples gave instead."""

    question: str
    answer: str
    others: tuple[str, ...] = ()


class Reviewed(Value):
    """What a peer says of an answer: how likely it is right (0-1), and what is wrong with it, if it says so.

    ``said`` is the verdict in the peer's own word; what counts is the band that its score is in.
    """

    score: _Share | None = None
    said: Verdict = "not_reviewed"
    issue: str = ""


class Candidate(Value):
    """A class of answers. ``share`` is its part of all samples (0-1), ``latest`` that of the last round.

    ``before`` is the score of the review before the peer's; ``peer`` is the peer's, ``None`` where it gave none.
    """

    answer: str
    share: _Share = 0.0
    latest: _Share = 0.0
    before: _Share = 0.0
    peer: _Share | None = None
    verdict: Verdict = "not_reviewed"
    issue: str = ""

    @property
    def score(self) -> float:
        """What candidates are ranked by: the mean of both reviews."""
        return self.before if self.peer is None else (self.before + self.peer) / 2


class Collapsed(Answer):
    """The answer to the task. ``short`` is the bare answer, "" where there is none."""

    short: str = ""
