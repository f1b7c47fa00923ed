"""What the effects of a report give, and what they are shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.engines.report.tiers import Mode
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

    ``problems`` are those of searches that failed; ``limited``: some could not be done anywhere.
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

    @property
    def disagreements(self) -> tuple[Comparison, ...]:
        """Where sources give different values to one question."""
        return tuple(one for one in self.comparisons if one.differ)

    def answered(self, question: int) -> tuple[Finding, ...]:
        """The findings on a question."""
        return tuple(one for one in self.findings if one.question == question)

    def source(self, number: int) -> SourceCited:
        """The source of this number."""
        return self.sources[number - 1]


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
    mode_compliance: Literal["compliant", "violated"] = "compliant"
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
