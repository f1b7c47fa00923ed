"""The claims of an answer in words, other derivations of it, and how likely it is right."""

from __future__ import annotations

import pytest

from aeon.observability.lines import claim_lines, coverage, plain
from aeon.observability.page import to_html
from aeon.observability.passes.lines import agreement_lines, conclusion_lines
from aeon.observability.trail import Trail
from aeon.schema import (
    Agreement,
    Answer,
    Claim,
    ConvergenceAssessment,
    Derivation,
    FromClaim,
    FromSource,
    FromTask,
    FromTool,
    Reading,
    Result,
    StepMode,
    StepResult,
    Support,
    Verdict,
)

from .runs import played

pytestmark = pytest.mark.requirement("G1", "G4")
SEVEN = Reading(value="7", form="point")
CONVERGED = ConvergenceAssessment(
    converged=True, completeness=1, coherence=1, consistency=1, form="verdict", standing="assumed"
)


def claim(number: int, verdict: Verdict = "supported", *evidence: Support, note: str = "") -> Claim:
    """The claim at that place of the answer."""
    return Claim(
        id=f"c{number}", start=number, end=number + 1, text=str(number), kind="number", reading=SEVEN,
        evidence=evidence, verdict=verdict, note=note,
    )  # fmt: skip


PLACES: tuple[Support, ...] = (
    FromTool(step="s2", path="", start=0, end=1, reading=SEVEN),
    FromSource(source="fees.md", start=0, end=1, reading=SEVEN),
    FromTask(start=0, end=1, reading=SEVEN),
    FromTask(part="context", start=0, end=1, reading=SEVEN),
    FromClaim(claim="c1", reading=SEVEN),
)


def test_each_claim_says_where_it_has_its_value_from() -> None:
    """A step, a file, the task, its context, another claim; each place once."""
    told = plain(claim_lines([claim(1, "supported", *PLACES, *PLACES)]))
    assert told == "claims  1 of 1 checked, 1 supported\n  ✓ 1  step s2, fees.md, the task, the context,…"


def test_what_does_not_stand_says_why_and_goes_before_what_does_where_there_are_many() -> None:
    """Eight are shown, in the order of the answer."""
    found = [*map(claim, range(1, 12)), claim(12, "not_found", note="stands nowhere"), claim(13, "not_checked")]
    told = plain(claim_lines(found)).splitlines()
    assert told[0] == "claims  12 of 13 checked, 11 supported" and told[-1] == "  and 4 more" and len(told) == 10
    assert told[8].strip() == "✗ 12  not found: stands nowhere"
    partial = claim(1, "partial", note="the value stands there, its unit EUR nowhere")
    assert "~ 1  partial: the value stands there" in plain(claim_lines([partial]))
    assert max(map(len, told)) <= 80


def test_an_answer_without_values_has_no_line() -> None:
    """Nothing is said of nothing."""
    assert claim_lines(()) == [] and coverage(()) == ""


def run(assessment: ConvergenceAssessment, *claims: Claim, mode: StepMode = "tool") -> Result:
    """A run whose answer has these claims, and rests on a tool or on what the model knows."""
    return played(
        assess=assessment,
        synthesize=Answer(text="7 of 7", claims=claims),
        execute=StepResult(output=7, mode=mode),
    )


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.93, "right   with a probability of 0.93, by 212 runs of this model like this"),
        (None, "right   how likely is not"),
    ],
)
@pytest.mark.parametrize(("mode", "reason"), [("tool", "converged"), ("reasoning", "own_knowledge")])
def test_how_likely_an_answer_is_right_stands_under_it(
    probability: float | None, words: str, mode: StepMode, reason: str
) -> None:
    """Where it is known, with the number of runs; where it is not, that is said; also of the model's own knowledge."""
    end = run(CONVERGED.changed(probability=probability, runs=212), claim(1), mode=mode).history.conclusion
    assert end.stop_reason == reason and words in plain(conclusion_lines(end))


def test_nothing_is_said_of_what_was_not_checked_or_ended_otherwise() -> None:
    """The reason says it."""
    for end in (run(CONVERGED), run(CONVERGED, claim(1, "not_checked")), run(CONVERGED, claim(1, "not_found"))):
        assert "right  " not in plain(conclusion_lines(end.history.conclusion))


def test_claims_are_in_the_notebook_view() -> None:
    """Below the answer."""
    result = run(CONVERGED, claim(1))
    page = to_html(Trail(result.engine, result.execution_id, result.history.task, result=result), ())
    assert "1 of 1 checked, 1 supported" in page


def test_each_program_says_what_it_gives() -> None:
    """And whether that is the answer, with what a judge makes of it."""
    one = Derivation(method="worked", text="…", answer="760 euros", agrees=True)
    two = Derivation(method="plain", text="…", answer="950", score=0.125)
    told = plain(agreement_lines(Agreement(derivations=(one, one.changed(score=0.9), two))))
    assert told == (
        "worked  760 euros  the same\nworked  760 euros  the same, judged 0.90\nplain  950  another answer, judged 0.12"
    )
    assert agreement_lines(None) == []
