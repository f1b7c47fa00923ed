"""How reports are judged: the critic's verdict, the score and the confidence, all of it from the draft."""

from __future__ import annotations

import pytest

from aeon.engines.report.grading import confidence, reviewed, score, unreviewed
from aeon.engines.report.tiers import Mode, ModeConfigs
from aeon.engines.report.values import Checked, Comparison, Draft, Finding, Review, Side, SourceCited
from aeon.engines.research.values import Citation
from aeon.schema import Source, Verdict

pytestmark = pytest.mark.requirement("A3")
SAID = Review(status="PASS")


def citation(number: int) -> Citation:
    """A citation of the source of this number."""
    return Citation(number=number, source=Source(source=f"s{number}", start=0, end=4, text="text"))


def draft(
    *findings: tuple[Verdict, float | None], tiers: tuple[int | None, ...] = (1,), mode: Mode = "strict"
) -> Draft:
    """A draft of two questions with these findings, alternately on each; a finding cites the source of its place."""
    made = tuple(
        Finding(
            id=f"q{place % 2 + 1}.{place}", question=place % 2 + 1, text=f"sentence {place}", verdict=verdict,
            score=points, citations=(citation(min(place + 1, len(tiers))),),
        )
        for place, (verdict, points) in enumerate(findings)
    )  # fmt: skip
    sources = tuple(SourceCited(number=n, source=f"s{n}", title=f"S{n}", tier=tier) for n, tier in enumerate(tiers, 1))
    return Draft(query="q", mode=mode, questions=("one?", "two?"), findings=made, sources=sources)


@pytest.mark.parametrize(
    ("findings", "tiers", "points"),
    [
        ((("supported", 1.0), ("supported", 0.8)), (1, 1), 90),
        ((("supported", 1.0), ("supported", 1.0)), (1, 5), 65),
        ((("supported", 1.0),), (1,), 50),
        ((("not_checked", None), ("not_checked", None)), (1, 1), 50),
        ((("supported", 1.0), ("not_found", 0.1)), (1, 1), 25),
        ((("partial", 0.4), ("partial", 0.4)), (2, 2), 36),
        ((("partial", None), ("partial", None)), (1, 1), 50),
        ((("supported", None), ("supported", None)), (None, None), 50),
        ((), (1,), 0),
    ],
)
def test_the_score_follows_from_support_tiers_and_coverage(
    findings: tuple[tuple[Verdict, float | None], ...], tiers: tuple[int | None, ...], points: int
) -> None:
    """The share of answered questions, times the mean of support and weight of the tier, as the formula says."""
    assert score(draft(*findings, tiers=tiers)) == points


def test_nothing_that_was_not_measured_counts_as_sure() -> None:
    """A finding that nobody checked, or of an unknown source, lowers the score below High."""
    unchecked = draft(("not_checked", None), ("supported", 1.0), tiers=(1, 1))
    unknown = draft(("supported", 1.0), ("supported", 1.0), tiers=(None, 1))
    assert score(unchecked) == score(unknown) == 75
    assert confidence(unchecked, reviewed(unchecked, SAID, ModeConfigs())) == "Medium"


def test_the_confidence_is_high_only_for_what_passed() -> None:
    """High takes a PASS and 75 points; what was rejected or not reviewed is Low, however many points it has."""
    good = draft(("supported", 1.0), ("supported", 0.9), tiers=(1, 1))
    passed = reviewed(good, SAID, ModeConfigs())
    assert (passed.status, confidence(good, passed)) == ("PASS", "High")
    assert confidence(good, passed.changed(status="WARN")) == "Medium"
    assert confidence(good, passed.changed(status="REJECT")) == "Low"
    assert confidence(good, None) == "Low"


@pytest.mark.requirement("A1")
def test_what_does_not_stand_is_rejected() -> None:
    """A finding that is refuted is named, and its question is a gap, whatever the critic says of the whole."""
    whole = draft(("supported", 1.0), ("not_checked", None), tiers=(1, 1))
    checked = (Checked(id="q2.1", verdict="not_found", score=0.1),)
    review = reviewed(whole, SAID.changed(checked=checked), ModeConfigs())
    assert (review.status, review.rejected, review.mode_compliance) == ("REJECT", ("q2.1",), "compliant")
    assert review.logical_gaps == ("nothing was found on: two?",)
    assert "sentence 1" in review.critique


@pytest.mark.requirement("A2")
def test_a_source_outside_of_the_mode_violates_it() -> None:
    """In strict, a draft that cites tier 3 or an unknown source is rejected, whatever supports it."""
    for tier in (3, None):
        review = reviewed(draft(("supported", 1.0), tiers=(tier,)), SAID, ModeConfigs())
        assert (review.status, review.mode_compliance) == ("REJECT", "violated")


@pytest.mark.requirement("A1")
def test_what_a_reader_has_to_know_is_a_warning() -> None:
    """Partial support, what was not checked, gaps, low tiers and disagreements each give WARN with a reason."""
    side = Side(answer="1", citation=citation(1))
    whole = draft(("supported", 1.0), ("supported", 1.0), tiers=(1, 1))
    warned = [
        (draft(("partial", 0.3), ("supported", 1.0), tiers=(1, 1)), "in part"),
        (draft(("not_checked", None), ("supported", 1.0), tiers=(1, 1)), "not checked"),
        (draft(("supported", 1.0)), "nothing was found on: two?"),
        (draft(("supported", 1.0), ("supported", 1.0), tiers=(1, 4), mode="discovery"), "tier 4"),
        (whole.changed(comparisons=(Comparison(question=1, sides=(side, side), differ=True),)), "different values"),
    ]
    for one, said in warned:
        review = reviewed(one, SAID, ModeConfigs())
        assert review.status == "WARN" and said in review.critique


@pytest.mark.requirement("A1")
def test_a_draft_of_nothing_is_rejected() -> None:
    """There is nothing to publish."""
    assert reviewed(draft(), SAID, ModeConfigs()).status == "REJECT"


@pytest.mark.requirement("A1")
def test_a_sentence_that_cites_nothing_is_rejected() -> None:
    """Whatever the critic says of it."""
    whole = draft(("supported", 1.0), ("supported", 1.0), tiers=(1, 1))
    bare = whole.changed(findings=(*whole.findings[:1], whole.findings[1].changed(citations=())))
    review = reviewed(bare, SAID, ModeConfigs())
    assert (review.status, review.rejected) == ("REJECT", ("q2.1",)) and "cites nothing" in review.critique


@pytest.mark.requirement("A1", "J8")
def test_what_nobody_could_review_is_no_warning() -> None:
    """It has a status of its own and low confidence; only what is wrong by itself is rejected all the same."""
    whole = draft(("not_checked", None), ("not_checked", None), tiers=(1, 1))
    review = reviewed(whole, unreviewed("m cannot criticise"), ModeConfigs())
    assert (review.status, review.reasons) == ("UNREVIEWED", ("unreviewed: m cannot criticise",))
    assert confidence(whole, review) == "Low"
    assert reviewed(draft(), unreviewed("m cannot criticise"), ModeConfigs()).status == "REJECT"


@pytest.mark.requirement("A1", "A2")
def test_a_critic_that_finds_the_mode_violated_is_told_to_the_reader() -> None:
    """Also where it would pass the draft."""
    whole = draft(("supported", 1.0), ("supported", 1.0), tiers=(1, 1))
    review = reviewed(whole, SAID.changed(mode_compliance="violated"), ModeConfigs())
    assert (review.status, review.mode_compliance) == ("WARN", "violated") and "its mode" in review.reasons[0]
