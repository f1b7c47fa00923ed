"""The other values of a sentence that an answer could have been, and the judge who is asked about them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.llm.scripted import Scripted
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, ShortReading, Source
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.rivals import rivals
from aeon.supervisor.short_reading import vouched
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("T2d", "G3")

DEPOSIT = "A deposit of 40 euros is taken for the pressure washer and 20 euros for the tile cutter."


@pytest.mark.parametrize(
    ("question", "answer", "sentence", "others"),
    [
        ("What deposit does the cutter need?", "40 euros", DEPOSIT, ("20 euros",)),
        ("What does it need?", "You pay 40 euros", DEPOSIT, ("You pay 20 euros",)),
        ("Which one needs 40 euros and which 20 euros?", "40 euros", DEPOSIT, ()),
        ("When do we fly back?", "3 May", "We fly out on 3 May and back on 17 May.", ("17 May",)),
        ("When is it due?", "April", "300 euros are due in April, 450 euros in October.", ("October",)),
        ("How long is it?", "four weeks", "It is four weeks for a room, three months for a flat.", ("three months",)),
        ("When does it close?", "9:00", "It is open from 9:00 to 17:30.", ("17:30",)),
        ("Who has it on Fridays?", "Anna", "Anna has it on Mondays, Ben on Fridays.", ("Ben",)),
        ("How many came?", "48", "Of the 48 who signed up, 31 came and paid 5 euros.", ("31",)),
        ("What is it?", "2", "The rooms have 2, 3, 4 and 5 beds.", ("3", "4")),
        ("When is it open?", "9:00 to 17:30", "It is open from 9:00 to 17:30.", ()),
        ("What does it cost?", "12 euros", "A place costs 12 euros a month.", ()),
        ("What does it cost?", "12 euros", DEPOSIT, ()),
    ],
)
def test_another_value_of_its_kind_could_be_the_answer(
    question: str, answer: str, sentence: str, others: tuple[str, ...]
) -> None:
    """Of the same unit, not said by the question; the nearest two. A range, or what the sentence has not, has none."""
    assert rivals(question, answer, sentence) == others


@given(st.text(), st.text(), st.text())
def test_any_texts_have_at_most_two(question: str, answer: str, sentence: str) -> None:
    """Questions come from people, answers from models, sentences from files."""
    assert len(rivals(question, answer, sentence)) <= 2


class Scores(AnswerJudge):
    """Says of each answer how likely the sentence gives it; of the sentence, that it answers."""

    def __init__(self, gives: Mapping[str, float]) -> None:
        super().__init__(Judge(Supervisor(Scripted([])), samples=0))
        self.gives, self.asked = gives, list[str]()

    async def score(self, question: str, cited: Sequence[Source], every: Sequence[Source]) -> float | None:
        return 0.9

    async def given(self, question: str, answer: str, cited: Sequence[Source], every: Sequence[Source]) -> float:
        self.asked.append(answer)
        return self.gives[answer]


@pytest.mark.parametrize(
    ("gives", "calls", "asked", "score"),
    [
        ({"40 euros": 0.7, "20 euros": 0.5}, 9, 2, 0.7),
        ({"40 euros": 0.54, "20 euros": 0.72}, 9, 2, None),
        ({"40 euros": 0.6, "20 euros": 0.6}, 9, 2, None),
        ({"40 euros": 0.4, "20 euros": 0.3}, 9, 1, None),
        ({"40 euros": 0.7, "20 euros": 0.1}, 0, 1, None),
    ],
)
def test_nobody_vouches_for_what_another_value_of_the_sentence_may_be_as_well(
    gives: Mapping[str, float], calls: int, asked: int, score: float | None
) -> None:
    """Nor where no call is left to hear of it."""
    one = Source(source="rules.md", start=0, end=len(DEPOSIT), text=DEPOSIT)
    judge = Scores(gives)

    async def within() -> ShortReading:
        with Ledger(Allowance(calls=calls)):
            short = ShortReading(answer="40 euros", source=one)
            return await vouched(short, "What does the cutter need?", judge, [one])

    assert asyncio.run(within()).vouched == score and len(judge.asked) == asked
