"""The writer: what `compose` publishes of any draft, and what it refuses."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aeon
from aeon.engines.report.tiers import MODES
from aeon.engines.report.values import Composed, Draft, Finding, Missing, Review, SourceCited
from aeon.engines.report.writer import compose
from aeon.engines.research.values import Citation
from aeon.errors import UsageError
from aeon.schema import Source

pytestmark = pytest.mark.requirement("A1")

Fields = dict[str, Any]
WORDS = st.text(st.characters(categories=["L", "N", "P", "Zs", "Cc", "Cs"]), max_size=12)
TIERS = st.none() | st.integers(0, 6)
SHARES = st.none() | st.floats(allow_nan=True)
SCRAPS = st.none() | st.booleans() | st.integers() | WORDS | st.lists(WORDS, max_size=2)
VERDICTS = st.sampled_from(("supported", "partial", "contradicted", "not_found", "not_checked"))
SEED_REVIEW: Fields = {
    "status": "PASS", "critique": "ok", "suggestions": ["s"], "mode_compliance": "符合", "logical_gaps": ["g"],
}  # fmt: skip


def composed(*arguments: Any) -> Composed:
    """What the writer gives."""
    return asyncio.run(compose(*arguments))


def source(number: int, tier: int | None = 1) -> Fields:
    """A source by the name of its number."""
    return {"number": number, "source": f"{number}.md", "title": f"Title {number}", "tier": tier}


def finding(*numbers: int, **fields: object) -> Fields:
    """A finding on question 1 that cites these sources."""
    cited = [
        {"number": one, "source": {"source": f"{one}.md", "start": 0, "end": 5, "text": f"quote {one}"}}
        for one in numbers
    ]
    return {"id": "q1.1", "question": 1, "text": "It opened in 1932.", "citations": cited} | fields


def draft(**fields: object) -> Fields:
    """A draft of one question with a finding."""
    return {
        "query": "The bridge", "mode": "discovery", "questions": ["When?"], "findings": [finding(1)],
        "sources": [source(1)],
    } | fields  # fmt: skip


@st.composite
def drafts(draw: st.DrawFn, sound: bool = False) -> Fields:
    """A draft as a mapping, whose numbers may name nothing unless it is ``sound``."""
    questions = draw(st.lists(st.just("When?"), min_size=int(sound), max_size=2))
    numbers = draw(st.permutations(range(1, 1 + draw(st.integers(int(sound), 3)))))
    number = st.sampled_from(numbers) if sound else st.integers(-1, 4)
    asked = st.integers(1, len(questions)) if sound else st.integers(-1, 3)
    words = st.just("Word") if sound else WORDS
    span = st.fixed_dictionaries({"source": words, "start": st.integers(0, 9), "end": st.integers(0, 9), "text": words})
    citation = st.fixed_dictionaries({"number": number, "source": span})
    tier = st.none() | st.integers(1, 5) if sound else TIERS
    findings = st.fixed_dictionaries({
        "id": st.sampled_from(("a", "b")), "question": asked, "text": words, "verdict": VERDICTS,
        "tier": tier, "citations": st.lists(citation, min_size=int(sound), max_size=2),
        "score": st.none() if sound else SHARES,
    })  # fmt: skip
    sides = st.lists(st.fixed_dictionaries({"answer": words, "citation": citation, "tier": tier}), max_size=2)
    return {
        "query": draw(words), "mode": draw(st.sampled_from(MODES)), "questions": questions,
        "findings": draw(st.lists(findings, max_size=3)),
        "sources": [source(one, draw(tier)) for one in numbers],
        "comparisons": draw(st.lists(
            st.fixed_dictionaries({"question": asked, "sides": sides, "differ": st.booleans()}), max_size=1)),
        "missing": draw(st.lists(
            st.fixed_dictionaries({"question": asked, "searched": st.lists(words, max_size=2)}), max_size=1)),
    }  # fmt: skip


def reviews() -> st.SearchStrategy[Fields]:
    """A review as a mapping, of a draft that may be another."""
    name = st.sampled_from(("a", "b", "c"))
    checked = st.fixed_dictionaries({"id": name, "verdict": VERDICTS, "score": SHARES})
    return st.fixed_dictionaries(
        {"status": st.sampled_from(("PASS", "WARN", "REJECT"))},
        optional={
            "critique": WORDS, "reasons": st.lists(WORDS, max_size=2), "checked": st.lists(checked, max_size=1),
            "rejected": st.lists(name, max_size=1), "mode_compliance": st.sampled_from(("符合", "violated", "?")),
        },
    )  # fmt: skip


@given(
    drafts() | drafts(sound=True) | SCRAPS,
    reviews() | SCRAPS,
    st.sampled_from(MODES) | SCRAPS,
    st.just([]) | st.just([{"url": "u"}]) | SCRAPS,
)
def test_anything_gives_a_report_or_an_error_in_one_line(
    written: object, review: object, mode: object, context: object
) -> None:
    """Whatever draft, review, context and mode are given; what the review rejects is not in a strict report."""
    try:
        whole = composed(written, review, context, mode)
    except UsageError as error:
        assert str(error).isprintable()
        return
    assert whole.final_report
    if mode == "strict" and isinstance(review, Mapping) and review["status"] == "REJECT":
        assert (whole.sources_used, whole.claims) == ((), ())


@given(drafts(sound=True), st.sampled_from(("PASS", "WARN", "REJECT")), st.sampled_from(MODES))
def test_a_sound_draft_is_composed_in_its_own_mode(written: Fields, status: str, mode: str) -> None:
    """A draft whose numbers all name something is not refused."""
    text = composed({**written, "mode": mode}, {"status": status}, (), mode).final_report
    assert (f"Mode: {mode}." in text) is not (mode == "strict" and status == "REJECT")


@pytest.mark.parametrize("made", MODES)
def test_strict_publishes_no_rejected_draft_of_any_mode(made: str) -> None:
    """The mode that is asked for decides, not that of the draft."""
    rejected = {"status": "REJECT", "reasons": ["bad"]}
    whole = composed(draft(mode=made), rejected, (), "strict")
    assert "No report" in whole.final_report and "1932" not in whole.final_report
    assert (whole.sources_used, whole.claims, whole.confidence_level) == ((), (), "Low")
    assert "1932" in composed(draft(mode=made), rejected, (), "discovery").final_report


def test_it_is_exported_beside_the_other_calls() -> None:
    """As `aeon.compose`, loaded when it is first used."""
    assert aeon.compose is compose and "compose" in aeon.__all__
    loaded = "import aeon, sys; sys.exit('aeon.engines.report.writer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


def test_the_mode_asked_for_is_that_of_the_whole_report() -> None:
    """A draft of discovery composed in monitor is set side by side."""
    text = composed(draft(findings=[finding(1, tier=1)]), None, (), "monitor").final_report
    assert "Mode: monitor." in text and "## Side by side" in text


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(("tier", "said"), [(5, "which is of tier 5"), (None, "whose tier is not known")])
def test_strict_takes_no_source_of_another_mode_that_it_would_drop(tier: int | None, said: str) -> None:
    """A draft that was made and reviewed for discovery is not strict because it is called so."""
    with pytest.raises(UsageError, match=rf"^compose: sources: strict does not take \[1\] Title 1, {said}: leave out"):
        composed(draft(sources=[source(1, tier)]), SEED_REVIEW, (), "strict")
    assert "1932" in composed(draft(sources=[source(1, 2)]), SEED_REVIEW, (), "strict").final_report


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"findings": [finding(99)]}, "findings.0.citations.0.number: there is no source [99] among the 1 of the"),
        ({"findings": [finding(1, question=7)]}, "findings.0.question: there is no question 7 among the 1 of"),
        ({"findings": [finding(1, question=0)]}, "findings.0.question: there is no question 0 among"),
        ({"missing": [{"question": 9}]}, "missing.0.question: there is no question 9"),
        ({"comparisons": [{"question": 2}]}, "comparisons.0.question: there is no question 2"),
        (
            {"comparisons": [{"question": 1, "sides": [{"answer": "x", "citation": finding(3)["citations"][0]}]}]},
            "comparisons.0.sides.0.citation.number: there is no source [3]",
        ),
        ({"sources": [source(1), source(1)]}, "sources.1.number: sources have different numbers from 1 on, not 1"),
        ({"sources": [source(1), source(0)]}, "sources.1.number: sources have different numbers from 1 on, not 0"),
        ({"sources": [source(1, 9)]}, "sources.0.tier: Input should be less than or equal to 5"),
    ],
)
def test_a_number_that_names_nothing_is_refused_by_its_key(fields: Fields, said: str) -> None:
    """In a mapping, and in a draft that was made without validation."""
    with pytest.raises(UsageError) as caught:
        composed(draft(**fields), None, (), "discovery")
    assert str(caught.value).startswith(f"compose: {said}")


@pytest.mark.requirement("R3")
def test_a_draft_that_was_made_without_validation_is_validated() -> None:
    """A `Draft` with such a number is refused as its mapping is, as a finding that cites it and as a missing one."""
    cited = Citation(number=2, source=Source(source="a.md", start=0, end=1, text="a"))
    made = Draft(
        query="q", mode="discovery", questions=("a?",),
        findings=(Finding(id="q1.1", question=1, text="a", citations=(cited,)),),
        sources=(SourceCited(number=1, source="a.md", title="A"),),
    )  # fmt: skip
    for one in (made, made.changed(findings=(), missing=(Missing(question=2),))):
        with pytest.raises(UsageError, match=r"^compose: (?:findings|missing)\.0\."):
            composed(one, None, (), "discovery")


@pytest.mark.requirement("R3")
def test_a_quote_has_the_title_of_the_source_of_its_number() -> None:
    """In whatever order the sources are listed; one that nothing cites is not among those used."""
    whole = composed(draft(sources=[source(3), source(2), source(1)], findings=[finding(1, 2)]), None, (), "discovery")
    assert "[1] Title 1, 1.md\n\n> “quote 1”" in whole.final_report
    assert "[2] Title 2, 2.md\n\n> “quote 2”" in whole.final_report
    assert whole.sources_used == ("2.md", "1.md") and "Title 3" not in whole.final_report


def test_the_review_of_the_reference_is_understood() -> None:
    """Its words for compliance are, and its critique is the reason where it gives no others."""
    assert Review.model_validate(SEED_REVIEW).mode_compliance == "compliant"
    assert Review.model_validate({**SEED_REVIEW, "mode_compliance": "違反"}).mode_compliance == "violated"
    seen = composed(
        draft(mode="strict"), {**SEED_REVIEW, "status": "REJECT", "critique": "1932 is wrong"}, [], "strict"
    )
    assert seen.final_report.endswith("- 1932 is wrong")


def test_what_the_review_refutes_is_marked() -> None:
    """Its verdicts stand in the report, also where the draft has not taken them over."""
    checked = [{"id": "q1.1", "verdict": "not_found", "score": 0.1}]
    whole = composed(draft(), {"status": "REJECT", "checked": checked, "rejected": ["q1.1"]}, (), "discovery")
    assert "1932 [1]. *(not supported by what it cites)*" in whole.final_report


MARKDOWN = """# The bridge

It was opened in 1932 [1], they say [2]. It is green.

## Cost

### In crowns

- It cost 7 crowns [1, 2].
"""
CONTEXT: list[Fields] = [
    {
        "url": "1.md",
        "name": "Record",
        "description": "Opened in 1932. It cost 6 crowns.",
        "_reasoning_metadata": {"tier": 1},
    },
    {"url": "2.md", "name": "Thread", "description": "They say 1932."},
]


def test_the_draft_of_the_reference_is_composed() -> None:
    """Markdown: its headings are the questions, its marks name sources of the context, whose texts it cites."""
    whole = composed(MARKDOWN, SEED_REVIEW, CONTEXT, "discovery")
    assert whole.final_report.startswith("# The bridge\n")
    assert "\n## In crowns\n\nIt cost 7 crowns [1][2].\n" in whole.final_report
    assert "It was opened in 1932, they say [1][2]." in whole.final_report
    assert "It is green. *(cites nothing)*" in whole.final_report
    assert "Questions answered: 2 of 2." in whole.final_report
    assert whole.sources_used == ("1.md", "2.md")
    verdicts = {claim.text: claim.verdict for claim in whole.claims if claim.kind != "sentence"}
    assert (verdicts["1932"], verdicts["7"]) == ("supported", "not_found")


@pytest.mark.requirement("A2")
def test_strict_takes_no_source_of_markdown_that_it_would_drop() -> None:
    """As of any other draft."""
    with pytest.raises(UsageError, match=r"strict does not take \[2\] Thread, whose tier is not known"):
        composed(MARKDOWN, SEED_REVIEW, CONTEXT, "strict")


@pytest.mark.parametrize(
    ("written", "review", "context", "said"),
    [
        (5, None, (), "the draft is a Draft, or a mapping with its keys (query, mode, questions, findings, so"),
        ("It is so [1].", None, (), "draft: there is no source [1] among the 0 of the context"),
        (None, None, (), "the draft is a Draft, or a mapping with its keys (query, mode, questions, "),
        (draft(), "PASS", (), "the review is a Review, or a mapping with its keys (status, critique, "),
        (draft(), {"status": "PASS", "mode_compliance": "?"}, (), "mode_compliance: Input should be 'compliant' or "),
        (draft(), None, None, "the context is a list of sources, not None"),
        (draft(), {"status": "WARN", "rejected": ["q9"]}, (), "rejected: the draft has no finding 'q9'"),
        (draft(), {"status": "WARN", "checked": [{"id": "q9", "verdict": "partial"}]}, (), "checked: the draft has no"),
        (draft(query=" "), None, (), "query: the task is empty: say in words"),
    ],
)
def test_what_is_no_draft_review_or_context_is_named(
    written: object, review: object, context: object, said: str
) -> None:
    """One line that says which and what is expected."""
    with pytest.raises(UsageError) as caught:
        composed(written, review, context, "discovery")
    assert str(caught.value).startswith(f"compose: {said}") and "\n" not in str(caught.value)
