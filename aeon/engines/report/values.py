"""What the effects of a report give, and what they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.research.values import Citation
from aeon.schema.claims import Claim, Verdict
from aeon.schema.judgment import Calculation
from aeon.schema.plan import Passage
from aeon.schema.search import SearchProblem
from aeon.schema.value import Value
from aeon.schema.weight import Form, Standing

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
    "Status",
]  # fmt: skip

Confidence = Literal["High", "Medium", "Low"]
Status = Literal["SEARCH_REQUIRED", "DRAFT_READY"]
ReviewStatus = Literal["PASS", "WARN", "REJECT", "UNREVIEWED"]
_Share = Annotated[float, Field(ge=0, le=1)]
_Tier = Annotated[int, Field(ge=1, le=5)] | None
_COMPLIANCE = {"符合": "compliant", "違反": "violated"}
"""The words of the reference for it."""


def _compliance(value: object) -> object:
    return _COMPLIANCE.get(value, value) if isinstance(value, str) else value


class NewQuery(Value):
    """What is to be researched. ``number`` is that of the question that it is for, from 1; a new one comes last."""

    number: Annotated[int, Field(ge=1)]
    text: Annotated[str, Field(min_length=1)]


class Readings(Value):
    """What an ambiguous query may mean; none where it is clear, or nobody can say."""

    options: tuple[str, ...] = ()


class Finding(Value):
    """A sentence of the report, and the sentences of sources that it rests on, by the numbers of the report.

    ``question`` is the number of what it answers. ``tier`` is set where it rests on sources of one of the tiers that
    are compared. ``verdict`` is the critic's, ``why`` in its words; ``score`` its probability, where a judge tells it.
    """

    id: str
    question: int
    text: str
    citations: tuple[Citation, ...] = ()
    tier: _Tier = None
    verdict: Verdict = "not_checked"
    score: _Share | None = None
    why: str = ""


class SourceCited(Value):
    """A source in the bibliography, with its tier."""

    number: int
    source: str
    title: str
    site: str = ""
    tier: _Tier = None
    type: str = ""
    published: str = ""
    retrieved: str = ""
    text_sha256: str = ""


class Side(Value):
    """What one source says to a question, and where."""

    answer: str
    citation: Citation
    tier: _Tier = None


class Comparison(Value):
    """What sources say to the question of this number, side by side. ``differ``: they give different values."""

    question: int = 0
    sides: tuple[Side, ...] = ()
    differ: bool = False


class Other(Value):
    """A passage of a source that was found for a question and is not cited."""

    title: str
    passage: Passage
    tier: _Tier = None


class Missing(Value):
    """A question that has no finding, what was searched for it, and why a finding was dropped, if one was."""

    question: int
    searched: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    tier: _Tier = None


class Draft(Value):
    """A report before it is composed: its questions, the sentences on each, and where sources differ.

    In a valid draft each number names a question or a source that is there. ``gaps`` is what the sources do not say, as
    its author says, and ``calculations`` how values follow from others. ``problems`` are those of searches that failed;
    ``limited``: some could not be done anywhere. ``dropped`` are the sources that the mode does not take.
    """

    query: str
    mode: Mode
    questions: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    sources: tuple[SourceCited, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    missing: tuple[Missing, ...] = ()
    gaps: tuple[str, ...] = ()
    calculations: tuple[Calculation, ...] = ()
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
        numbers = {one.number for _, one in self.citations()}
        return tuple(one for one in self.sources if one.number in numbers)

    def citations(self) -> Iterator[tuple[str, Citation]]:
        """All that is cited, by its key: in findings, then in comparisons."""
        for place, finding in enumerate(self.findings):
            yield from ((f"findings.{place}.citations.{n}", one) for n, one in enumerate(finding.citations))
        for place, compared in enumerate(self.comparisons):
            yield from (
                (f"comparisons.{place}.sides.{n}.citation", one.citation) for n, one in enumerate(compared.sides)
            )

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
        """The numbers that name nothing."""
        numbers = [one.number for one in self.sources]
        for place, number in enumerate(numbers):
            if number < 1 or number in numbers[:place]:
                yield f"sources.{place}.number: sources have different numbers from 1 on, not {number}"
        yield from self._question_faults()
        for key, cited in self.citations():
            if cited.number not in numbers:
                yield f"{key}.number: there is no source [{cited.number}] among the {len(numbers)} of the draft"

    def _question_faults(self) -> Iterator[str]:
        """The numbers that name no question."""
        groups: dict[str, Sequence[Finding | Comparison | Missing]] = {
            "findings": self.findings, "comparisons": self.comparisons, "missing": self.missing,
        }  # fmt: skip
        count = len(self.questions)
        for name, group in groups.items():
            for place, asked in enumerate(group):
                if not 1 <= asked.question <= count:
                    said = f"there is no question {asked.question} among the {count} of the draft"
                    yield f"{name}.{place}.question: {said}"


class Analysis(Value):
    """What the analyst says: search for ``new_queries``, or the ``draft`` is ready. Findings to ``drop`` are gone."""

    status: Status
    new_queries: tuple[NewQuery, ...] = ()
    draft: Draft | None = None
    drop: tuple[str, ...] = ()
    reasoning_chain: str = ""


class Checked(Value):
    """What the critic says of a finding, and why."""

    id: str
    verdict: Verdict
    score: _Share | None = None
    why: str = ""


class Review(Value):
    """What the critic says of a draft: ``reasons``, one by one, and a ``critique`` in its words.

    ``UNREVIEWED``: no model could criticise it; the reasons name the model. ``rejected`` are the findings that do not
    stand. ``form`` and ``standing`` say how the critic was asked, and what its judgment is worth.
    """

    status: ReviewStatus
    critique: str = ""
    reasons: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    mode_compliance: Annotated[Literal["compliant", "violated"], BeforeValidator(_compliance)] = "compliant"
    logical_gaps: tuple[str, ...] = ()
    checked: tuple[Checked, ...] = ()
    rejected: tuple[str, ...] = ()
    form: Form = "none"
    standing: Standing = "none"


class Composed(Value):
    """The report as it is published. ``score`` is 0-100, as `grading.score` says."""

    final_report: str
    sources_used: tuple[str, ...] = ()
    confidence_level: Confidence = "Low"
    score: Annotated[int, Field(ge=0, le=100)] = 0
    claims: tuple[Claim, ...] = ()
