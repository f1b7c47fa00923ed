"""Answers as sentences, each with what it cites and what a judge says of that."""

from __future__ import annotations

import pytest

from aeon.engines.research.answered import Part, Support, Told, cited_text
from aeon.engines.research.telling import parts_of
from aeon.engines.research.values import Citation, Finding
from engines.research.world import passage

pytestmark = pytest.mark.requirement("R3")

UNCHECKED = Support()


def answer(said: str, number: int, support: Support = UNCHECKED) -> Told:
    """An answer that rests on a sentence of the source of this number."""
    cited = Citation(number=number, source=passage(f"{number}.txt", f"It is {said}.").sources()[-1])
    return Told(Finding(question=f"What is {number}?", answer=said, evidence=(cited,), asked=True), (cited,), support)


def test_a_sentence_is_as_sure_as_the_least_of_its_answers() -> None:
    """Its verdict, too, is the worse one; without a score for all there is none."""
    one, other = answer("1880", 1, Support(0.9, "supported")), answer("Hirzel", 2, Support(0.4, "partial"))
    text, (sentence,) = cited_text([Part("It was 1880 in Hirzel.", (one, other))])
    assert (text, sentence.score, sentence.verdict) == ("It was 1880 in Hirzel [1][2].", 0.4, "partial")
    (_, (unknown,)) = cited_text([Part("It was 1880 in Bern.", (one, answer("Bern", 3)))])
    assert (unknown.score, unknown.verdict) == (None, "not_checked")


def test_a_common_word_is_told_by_the_word_alone() -> None:
    """Not by a name that has its letters: "no" stands in Nolan."""
    closed, built = answer("no", 1), answer("Ines Nolan", 2)
    parts = parts_of("No, it is not open. Ines Nolan built it.", [closed, built])
    assert [part.answers for part in parts] == [(closed,), (built,)]
