"""What is known of the sentences of an answer."""

from __future__ import annotations

import pytest

from aeon.documents.sentences import sentences
from aeon.grounding.prose import checked_sentences
from aeon.schema import Claim, Reading, SentenceCheck, Source, Verdict

pytestmark = pytest.mark.requirement("G3")

FEE = Source(source="fees.md", start=4, end=32, text="The fee is 12.50 euros (net).")


def checked(answer: str, *claims: Claim) -> list[tuple[str, Verdict, str]]:
    """Each sentence of the answer with its verdict and its place."""
    found = checked_sentences(answer, ((s.start, s.end) for s in sentences(answer)), claims, [FEE])
    return [(answer[one.start : one.end], one.verdict, one.place) for one in found]


def value(answer: str, text: str, verdict: Verdict) -> Claim:
    """A claim of the value at this text of the answer."""
    start = answer.index(text)
    return Claim(
        id=f"c{start}", start=start, end=start + len(text), text=text, kind="number", verdict=verdict,
        reading=Reading(value=text, form="point"),
    )  # fmt: skip


def test_a_sentence_that_nobody_judged_is_not_checked() -> None:
    """Also where all its values are supported: a negation would leave these as they are."""
    answer = "They pay 7 euros. They do not like it."
    found = checked(answer, value(answer, "7", "supported"))
    assert found == [("They pay 7 euros.", "not_checked", ""), ("They do not like it.", "not_checked", "")]


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (("supported", "contradicted"), "contradicted"),
        (("contradicted", "not_found"), "contradicted"),
        (("supported", "not_found"), "partial"),
        (("partial", "supported"), "partial"),
        (("not_found", "not_checked"), "not_found"),
        (("not_checked", "supported"), "not_checked"),
    ],
)
def test_a_sentence_is_as_good_as_its_values_let_it_be(verdicts: tuple[Verdict, Verdict], verdict: Verdict) -> None:
    """It is never supported by them alone."""
    answer = "First 7 and then 8. And no more."
    claims = [value(answer, text, one) for text, one in zip("78", verdicts, strict=True)]
    assert [one for _, one, _ in checked(answer, *claims)] == [verdict, "not_checked"]
    spans = ((one.start, one.end) for one in sentences(answer))
    first, second = checked_sentences(answer, spans, claims, [])
    assert (first.claims, second.claims) == (tuple(claim.id for claim in claims), ())


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("The fee is 12.50 euros (net).", "supported"),
        ("- the fee is  12.50 euros (net)", "supported"),
        ("The fee is not 12.50 euros (net).", "not_checked"),
        ("The fee is 12.50 euros (net) for members.", "not_checked"),
        ("The fee is 12.50 euros.", "not_checked"),
    ],
)
def test_a_cited_sentence_word_for_word_is_supported(answer: str, verdict: Verdict) -> None:
    """A word more or less is another sentence; its place is named."""
    ((_, found, place),) = checked(answer)
    assert (found, place) == (verdict, "fees.md[4:32]" if verdict == "supported" else "")


def test_a_contradicted_value_outweighs_the_wording() -> None:
    """What is wrong by its own computation is wrong wherever it stands."""
    answer = "The fee is 12.50 euros (net)."
    assert checked(answer, value(answer, "12.50", "contradicted")) == [(answer, "contradicted", "")]


@pytest.mark.parametrize(
    "answer",
    ["", '{"fee": "It is high."}', "# The fees", "```\nfee is high\n```", "12.5", "| 1 | 2 |\n|---|---|\n| 3 | 4 |"],
)
def test_what_is_no_prose_has_no_sentences(answer: str) -> None:
    """Code, JSON, headings, and figures alone."""
    assert checked(answer) == []


def test_the_spans_are_those_of_the_answer() -> None:
    """Half-open, in Unicode code points, in order."""
    answer = "😀 Ärger gibt es. Mehr nicht."
    found = checked_sentences(answer, ((s.start, s.end) for s in sentences(answer)), (), ())
    assert all(isinstance(one, SentenceCheck) for one in found)
    assert [answer[one.start : one.end] for one in found] == ["😀 Ärger gibt es.", "Mehr nicht."]
