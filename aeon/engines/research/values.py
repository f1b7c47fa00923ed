"""What the effects of a research run give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.claims import Verdict
from aeon.schema.outcome import Answer
from aeon.schema.plan import Source
from aeon.schema.value import Value

__all__ = [
    "Aim",
    "Citation",
    "Cited",
    "Comparison",
    "Finding",
    "Paused",
    "Providers",
    "Queries",
    "Query",
    "Reflection",
    "Relation",
    "Sentence",
    "TierName",
]

TierName = Literal["simple", "standard", "deep"]
Relation = Literal["order", "same", "both"]


class Providers(Value):
    """Where a run can search, by name. Each query goes to every ``local`` one, and to one of the ``web``, in order."""

    local: tuple[str, ...] = ()
    web: tuple[str, ...] = ()


class Query(Value):
    """What is searched for, and what for."""

    text: Annotated[str, Field(min_length=1)]
    intent: str = ""


class Citation(Value):
    """A sentence of a source. ``number`` is the source's, from 1: what stands in the answer as ``[2]``."""

    number: Annotated[int, Field(ge=1)]
    source: Source


class Finding(Value):
    """The answer to a question, "" where what was found does not state it, and the sentences that it rests on.

    ``asked``: the task asks this; else it is only needed for that. ``score`` is the probability that these sentences
    answer just this question, where a judge said so. ``rejected`` are the numbers of the sources in which it holds that
    nothing does. ``unlikely`` is the answer that it rejects, ``doubted`` are the sentences of that.
    """

    question: str
    answer: str = ""
    evidence: tuple[Citation, ...] = ()
    unlikely: str = ""
    doubted: tuple[Citation, ...] = ()
    asked: bool = False
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    rejected: tuple[int, ...] = ()


class Comparison(Value):
    """A question about two, and a question about each ``side``.

    By their ``order``, ``less`` is the answer where that to the first side is less than that to the second, ``more``
    where it is more. Whether they are the ``same``, or ``both`` are something, is a yes or no.
    """

    question: str
    sides: tuple[str, str]
    relation: Relation = "order"
    less: str = ""
    more: str = ""


class Aim(Value):
    """What is asked by now: a question of the task, with what was found in the place of ``hops`` descriptions in it.

    ``span`` is the description in the question that is looked up next, "" where the question itself is. ``whole``: it
    is read as it stands before a description in it is looked up. ``rest`` are the questions of the task that come after
    it. ``compared`` is what the question is a side of, if it is one, and
    ``sides`` what was found of it so far.
    """

    question: str
    span: str = ""
    whole: bool = False
    rest: tuple[str, ...] = ()
    hops: Annotated[int, Field(ge=0)] = 0
    compared: Comparison | None = None
    sides: tuple[Finding, ...] = ()


class Queries(Value):
    """The first queries of a run, and its first aim; ``tier`` is how much research it takes, if that was asked."""

    queries: tuple[Query, ...] = ()
    aim: Aim | None = None
    tier: TierName | None = None


class Reflection(Value):
    """What is known after a round, and what is not.

    ``findings`` are what the round found out, ``answer`` is that to the task, "" where it is not known. ``queries`` are
    the next ones, for the next ``aim``. ``confidence`` (0-1) is the least that a judge
    gave an answer to the task, ``None`` where none was asked.
    """

    sufficient: bool = False
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    answer: str = ""
    findings: tuple[Finding, ...] = ()
    aim: Aim | None = None
    gaps: tuple[str, ...] = ()
    queries: tuple[Query, ...] = ()


class Sentence(Value):
    """A sentence of the answer: characters ``start`` to ``end`` of its text, and the sentences that it cites.

    ``score`` is the probability that these support it, where a judge said so.
    """

    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = "not_checked"
    score: Annotated[float, Field(ge=0, le=1)] | None = None


class Cited(Answer):
    """The answer with its citations. ``short`` is the bare answer, "" where the sources do not state it.

    ``unnamed`` are names of the task that no source has which the answer cites.
    """

    short: str = ""
    sentences: tuple[Sentence, ...] = ()
    unnamed: tuple[str, ...] = ()


class Paused(Value):
    """So many seconds have passed."""

    seconds: float = 0.0
