"""What the effects of a report give, and what they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.research.values import Citation
from aeon.schema.claims import Claim, Verdict
from aeon.schema.plan import Passage
from aeon.schema.search import SearchProblem
from aeon.schema.value import Value

__all__ = [
    "Analysis",
    "Checked",
    "Comparison",
    "Composed",
    "Confidence",
    "Draft",
    "Finding",
    "Missing",
    "NewQuery",
    "Other",
    "Readings",
    "Review",
    "ReviewStatus",
    "Side",
    "SourceCited",
]

Confidence = Literal["High", "Medium", "Low"]
ReviewStatus = Literal["PASS", "WARN", "REJECT"]
_Share = Annotated[float, Field(ge=0, le=1)]
_TIERS = (None, 1, 2, 3, 4, 5)
_COMPLIANCE = {"符合": "compliant", "違反": "violated"}
"""The words of the reference for it."""


def _compliance(value: object) -> object:
    return _COMPLIANCE.get(value, value) if isinstance(value, str) else value


class NewQuery(Value):
    """A question to be researched. ``number`` is its place among those of the report, from 1."""

    number: Annotated[int, Field(ge=1)]
    text: Annotated[str, Field(min_length=1)]


class Analysis(Value):
    """What the analyst says: search for ``new_queries``, or the draft is ready, without the findings to ``drop``."""

    status: Literal["SEARCH_REQUIRED", "DRAFT_READY"]
    new_queries: tuple[NewQuery, ...] = ()
    drop: tuple[str, ...] = ()
    reasoning_chain: str = ""


class Readings(Value):
    """What an ambiguous query may mean; none where it is clear, or nobody can say."""

    options: tuple[str, ...] = ()


class Finding(Value):
    """A sentence of the report, and the sentences of sources that it rests on, by the numbers of the report.

    ``question`` is the number of what it answers, ``short`` the bare answer. ``tier`` is set where one question is put
    to the sources of several tiers. ``score`` is the probability that what is cited supports it, where a judge said so.
    """

    id: str
    question: int
    text: str
    short: str = ""
    citations: tuple[Citation, ...] = ()
    tier: int | None = None
    verdict: Verdict = "not_checked"
    score: _Share | None = None


class SourceCited(Value):
    """A source in the bibliography, with its tier."""

    number: int
    source: str
    title: str
    site: str = ""
    tier: int | None = None
    type: str = ""
    published: str = ""
    retrieved: str = ""
    text_sha256: str = ""


class Side(Value):
    """What one source says to a question, and where."""

    answer: str
    citation: Citation
    tier: int | None = None


class Comparison(Value):
    """What the sources say to a question, side by side. ``differ``: they give different values.

    ``question`` is its number, 0 where it is not in a draft.
    """

    question: int = 0
    sides: tuple[Side, ...] = ()
    differ: bool = False


class Other(Value):
    """A passage of a source that was found for a question and is not cited."""

    title: str
    passage: Passage
    tier: int | None = None


class Missing(Value):
    """A question that has no finding, what was searched for it, and why a finding was dropped, if one was."""

    question: int
    searched: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    tier: int | None = None


class Draft(Value):
    """A report before it is worded: its questions, what was found on them, and where sources differ.

    In a valid draft each number names a question or a source that is there, and each finding cites a source.
    ``problems`` are those of searches that failed; ``limited``: some could not be done anywhere. ``dropped`` are the
    sources that were found and that the mode does not take.
    """

    query: str
    mode: Mode
    questions: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    sources: tuple[SourceCited, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    missing: tuple[Missing, ...] = ()
    limited: bool = False
    problems: tuple[SearchProblem, ...] = ()
    dropped: tuple[Ranked, ...] = ()

    @property
    def disagreements(self) -> tuple[Comparison, ...]:
        """Where sources give different values to one question."""
        return tuple(one for one in self.comparisons if one.differ)

    @property
    def cited(self) -> tuple[SourceCited, ...]:
        """The sources that it cites."""
        numbers = {number for _, number in _cited(self)}
        return tuple(one for one in self.sources if one.number in numbers)

    def answered(self, question: int) -> tuple[Finding, ...]:
        """The findings on a question."""
        return tuple(one for one in self.findings if one.question == question)

    def source(self, number: int) -> SourceCited:
        """The source of this number.

        Raises:
            KeyError: there is none.
        """
        return {one.number: one for one in self.sources}[number]

    def faults(self) -> Iterator[str]:
        """The numbers that name nothing, and what cites nothing."""
        yield from _of_sources(self.sources)
        yield from _of_numbers(self)
        for place, one in enumerate(self.findings):
            if not one.citations:
                yield f"findings.{place}.citations: it cites nothing"


def _of_numbers(draft: Draft) -> Iterator[str]:
    questions, numbers = len(draft.questions), {one.number for one in draft.sources}
    for key, number in _asked(draft):
        if not 1 <= number <= questions:
            yield f"{key}: there is no question {number} among the {questions} of the draft"
    for key, number in _cited(draft):
        if number not in numbers:
            yield f"{key}: there is no source [{number}] among the {len(numbers)} of the draft"


def _of_sources(sources: Sequence[SourceCited]) -> Iterator[str]:
    place_of = {one.number: place for place, one in enumerate(sources)}
    for place, source in enumerate(sources):
        if source.number < 1 or place_of[source.number] != place:
            yield f"sources.{place}.number: sources have different numbers from 1 on, not {source.number}"
        if source.tier not in _TIERS:
            yield f"sources.{place}.tier: a tier is 1 to 5, or none where it is not known, not {source.tier}"


def _asked(draft: Draft) -> Iterator[tuple[str, int]]:
    """The numbers of questions, by their keys."""
    every: tuple[tuple[str, Sequence[Finding | Comparison | Missing]], ...] = (
        ("findings", draft.findings), ("comparisons", draft.comparisons), ("missing", draft.missing),
    )  # fmt: skip
    for name, parts in every:
        for place, one in enumerate(parts):
            yield f"{name}.{place}.question", one.question


def _cited(draft: Draft) -> Iterator[tuple[str, int]]:
    """The numbers of sources that are cited, by their keys."""
    for place, finding in enumerate(draft.findings):
        for at, citation in enumerate(finding.citations):
            yield f"findings.{place}.citations.{at}.number", citation.number
    for place, comparison in enumerate(draft.comparisons):
        for at, side in enumerate(comparison.sides):
            yield f"comparisons.{place}.sides.{at}.citation.number", side.citation.number


class Checked(Value):
    """What the critic says of a finding."""

    id: str
    verdict: Verdict
    score: _Share | None = None


class Review(Value):
    """What the critic says of a draft: ``reasons``, one by one and as a ``critique``.

    ``rejected`` are the findings that do not stand.
    """

    status: ReviewStatus
    critique: str = ""
    reasons: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    mode_compliance: Annotated[Literal["compliant", "violated"], BeforeValidator(_compliance)] = "compliant"
    logical_gaps: tuple[str, ...] = ()
    checked: tuple[Checked, ...] = ()
    rejected: tuple[str, ...] = ()


class Composed(Value):
    """The report as it is published. ``score`` is 0-100, as `grading.score` says."""

    final_report: str
    sources_used: tuple[str, ...] = ()
    confidence_level: Confidence = "Low"
    score: Annotated[int, Field(ge=0, le=100)] = 0
    summary: str = ""
    claims: tuple[Claim, ...] = ()
