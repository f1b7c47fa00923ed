"""What whole texts say to a question, and what speaks against the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from aeon.execution.reading import absent_from
from aeon.execution.shelved import read_shelf
from aeon.llm.scripted import ALL_JSON, Reply, Scripted
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, LLMResponse, ShortReading, Source, StepResult
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_reading import refuted
from aeon.supervisor.stated import as_written
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.material import Material

pytestmark = pytest.mark.requirement("T2d")

SAID = (
    "# House rules",
    "Drilling is allowed from 9.00 to 18.00 on weekdays.",
    "A wash costs 1.50 euros; a spin costs 2 euros.",
    "Tokens are sold by Greta Lindholm in flat 6.",
    "Irene Vogel",
)
WASH, SPIN, TOKENS = "What does a wash cost?", "What does a spin cost?", "Who sells the tokens?"


class Score(AnswerJudge):
    """A judge of one score, or of none; ``judged`` are the sentences that it saw."""

    def __init__(self, given: float | None) -> None:
        super().__init__(Judge(Supervisor(Scripted([], ALL_JSON)), samples=0))
        self._given = given
        self.judged = list[str]()

    async def score(self, question: str, cited: Sequence[Source], every: Sequence[Source]) -> float | None:
        """The score."""
        self.judged += [one.text for one in cited]
        return self._given


def read(
    question: str,
    *replies: Reply,
    twice: bool = True,
    judge: AnswerJudge | None = None,
    whole: bool = True,
    known: ShortReading | None = None,
) -> tuple[StepResult | None, Scripted]:
    """What comes of these replies, and the model."""
    starts = [sum(len(one) + 1 for one in SAID[:number]) for number in range(len(SAID))]
    sources = tuple(
        Source(source="rules.md", start=start, end=start + len(text), text=text)
        for start, text in zip(starts, SAID, strict=True)
    )
    model = Scripted(replies, ALL_JSON)

    async def put() -> StepResult | None:
        with Ledger(Allowance(calls=9)):
            shelf = Shelf(Supervisor(model), Material(sources, whole=whole))
            absent = absent_from("rules.md", question)
            return await read_shelf(shelf, question, absent, judge or Score(None), twice, known)

    return asyncio.run(put()), model


@pytest.mark.parametrize(
    ("question", "answer", "stated", "sentence", "place"),
    [
        (WASH, "1.50 euros", "1.50", "A wash costs 1.50 euros.", 2),
        (TOKENS, "Greta Lindholm", "Ms Greta Lindholm", "Greta Lindholm sells the tokens.", 3),
        ("Until when is drilling allowed on weekdays?", "18.00", "18.00", "Until 18.00 on weekdays.", 1),
    ],
)
def test_an_answer_rests_on_its_sentence(question: str, answer: str, stated: str, sentence: str, place: int) -> None:
    """It is clear where the model says the same in each way, and no other sentence is nearer to the question."""
    result, model = read(question, answer, stated, sentence)
    assert result is not None and (result.output, result.mode, result.clarity) == (answer, "reading", "CLEAR")
    assert [source.text for source in result.sources] == [SAID[place]] and len(model.requests) == 3


FREE, FOUND = "free to say so, the model says that it is not stated", "asked again, the model says: 2 euros"


@pytest.mark.requirement("G3", "G4")
@pytest.mark.parametrize(
    ("question", "answer", "stated", "sentence", "doubt"),
    [
        (WASH, "1.50 euros", "not stated", "A wash costs 1.50 euros.", FREE),
        (WASH, "1.50 euros", "2 euros", "A wash costs 1.50 euros.", FOUND),
        (WASH, "1.50 euros", "1.50 euros", "A wash costs 2 euros.", "sentence, the model says: A wash costs 2 euros."),
        (TOKENS, "Irene Vogel", "Irene Vogel", "Irene Vogel sells them.", "another sentence is nearer to the question"),
        ("What do two washes cost?", "1.50 euros", "1.50 euros", "It costs 1.50 euros.", "says nothing of two washes"),
        (SPIN, "1.50 euros", "1.50 euros", "A spin costs 1.50 euros.", "its sentence may speak of something else"),
    ],
)
def test_what_speaks_against_an_answer(question: str, answer: str, stated: str, sentence: str, doubt: str) -> None:
    """Each reason alone makes it partly clear, and is named."""
    result, _ = read(question, answer, stated, sentence)
    assert result is not None and result.output == answer and result.clarity == "PARTIALLY_CLEAR"
    assert result.problem.endswith(doubt) and ";" not in result.problem


def test_all_that_speaks_against_an_answer_is_named() -> None:
    """Who reads it can tell how much to make of it."""
    result, _ = read(TOKENS, "Irene Vogel", "not stated", "Greta Lindholm sells them.")
    assert result is not None and result.problem.count("; ") == 2


@pytest.mark.requirement("G5")
@pytest.mark.parametrize(
    ("question", "answer"), [(WASH, "not stated"), (WASH, ""), ("What is the telephone number?", "Irene Vogel")]
)
def test_no_answer_is_absent(question: str, answer: str) -> None:
    """Neither a refusal nor what is no telephone number is one."""
    result, model = read(question, answer or LLMResponse(text='""'))
    assert result is not None and result.output is None and len(model.requests) == 1
    assert result.problem == f"the files do not say: {question} (searched: rules.md)"


@pytest.mark.parametrize(
    ("question", "answer", "nearest"),
    [
        (WASH, "4.50 euros", SAID[2]),
        (TOKENS, "The tokens", SAID[3]),  # what the question says itself answers nothing
        (WASH, "Nothing at all", ""),
        ("What does a wash cost in Sevilla in April?", "1.50 euros", SAID[2]),  # no text names that place
    ],
)
def test_what_stands_in_no_sentence_is_absent(question: str, answer: str, nearest: str) -> None:
    """All the sentences are there, so no other way finds it; the one that has most of it is named."""
    result, model = read(question, answer)
    assert result is not None and result.output is None and len(model.requests) == 1
    assert result.problem.startswith(f"the files do not say: {question}") and nearest in result.problem
    assert [one.text for one in result.sources] == ([nearest] if nearest else [])
    assert read(question, answer, whole=False)[0] is None  # of what was found only: other ways may find it


@pytest.mark.requirement("T5")
def test_what_the_planner_was_told_is_not_asked_for_again() -> None:
    """Its answer, what may be said instead, and the judge's score: only a whole sentence is left to be asked for."""
    start = sum(len(one) + 1 for one in SAID[:2])
    source = Source(source="rules.md", start=start, end=start + len(SAID[2]), text=SAID[2])
    known = ShortReading(answer="1.50 euros", likelihood=0.4, source=source, judged=0.2, stated="")
    judge = Score(0.9)
    result, model = read(WASH, "A wash costs 1.50 euros.", judge=judge, known=known)
    assert result is not None and (result.output, result.likelihood) == ("1.50 euros", 0.4)
    assert len(model.requests) == 1 and not judge.judged
    assert "judged 0.20" in result.problem and FREE in result.problem
    changed = known.changed(source=source.changed(text="A wash costs 1.20 euros."))
    anew, model = read(WASH, "1.50 euros", "1.50", "A wash costs 1.50 euros.", known=changed)
    assert anew is not None and (anew.clarity, len(model.requests)) == ("CLEAR", 3)
    absent, model = read(WASH, known=ShortReading(answer="", likelihood=0.3))
    assert absent is not None and (absent.output, absent.likelihood) == (None, 0.3) and not model.requests


def test_a_refusal_of_the_endpoint_is_left_to_other_ways() -> None:
    """It says nothing of the texts; with one derivation nothing else is asked."""
    assert read(WASH, LLMResponse(text="", finish_reason="refusal"))[0] is None
    result, model = read(WASH, "1.50 euros", twice=False)
    assert result is not None and result.clarity == "CLEAR" and len(model.requests) == 1
    assert read("What does a wash cost Greta in April?", "1.50 euros", twice=False)[0] is not None


@pytest.mark.requirement("G5", "G3")
@pytest.mark.parametrize("whole", [True, False])
def test_what_a_judge_is_sure_of_is_not_stated(whole: bool) -> None:
    """The sentence that has most to do with the question is named; of a part of the texts it is just a doubt."""
    replies = ("1.50 euros",) if whole else ("1.50 euros", "1.50", "It costs 1.50 euros.")
    result, model = read("What does a spin for Greta cost?", *replies, judge=Score(0.01), whole=whole)
    assert result is not None and (result.output is None, len(model.requests)) == (whole, len(replies))
    assert result.problem.endswith(f'the nearest sentence: "{SAID[2]}" (rules.md)') is whole
    stranger, _ = read("Who else?", "Irene Vogel", judge=Score(0.01))
    assert stranger is not None and stranger.problem == "the files do not say: Who else? (searched: rules.md)"


@pytest.mark.requirement("G5")
def test_nobody_is_sure_that_a_no_stands_nowhere() -> None:
    """In which sentence it stands, its words do not tell."""
    result, _ = read("May I drill at night?", "No, from 9.00 to 18.00", "No", "No.", judge=Score(0.0))
    assert result is not None and result.output == "No, from 9.00 to 18.00"


@pytest.mark.requirement("G5")
def test_nobody_is_sure_of_a_name_that_other_sentences_have_a_part_of() -> None:
    """Present were Irene Vogel and others, and another sentence has Irene: the judge saw the first."""
    present = ("Present: Irene Vogel, Greta Lindholm.", "Irene takes over the tokens in May.", "Karl Ott has left.")
    sources = [
        Source(source="m.txt", start=50 * n, end=50 * n + len(text), text=text) for n, text in enumerate(present)
    ]
    for answer, place, sure in (("Irene Vogel", 0, False), ("Karl Ott", 2, True), ("50 euros", 0, True)):
        short = ShortReading(answer=answer, source=sources[place], judged=0.01)
        assert refuted(short, "Who looks after the tokens from May on?", sources) is sure


@pytest.mark.parametrize("answer", ["9:00", "From 9:00", "9.00"])
def test_a_time_stands_in_its_sentence_in_either_form(answer: str) -> None:
    """A model writes 9:00 for the 9.00 of a text."""
    result, _ = read("From when is drilling allowed?", answer, answer, answer)
    assert result is not None and [source.text for source in result.sources] == [SAID[1]]
    assert "9.00" in str(result.output)  # as the sentence has it, so that the proof finds it there


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Back at the hut at 2.30 on Saturday.", "2.30"),
        ("Back at 2:30; lunch is 2.30 a head.", "2:30"),
        ("Tea is 2.30 euros, back at half past two.", "2:30"),
        ("Tea is \u00a32.30, back at half past two.", "2:30"),
        ("It weighs 2.30 kg.", "2:30"),
    ],
)
def test_a_price_is_no_time(text: str, written: str) -> None:
    """A time takes the mark of the text where that writes times so."""
    assert as_written("At 2:30", text) == f"At {written}"


@pytest.mark.requirement("G3")
@pytest.mark.parametrize(("score", "clarity"), [(0.02, "PARTIALLY_CLEAR"), (0.49, "PARTIALLY_CLEAR"), (0.5, "CLEAR")])
def test_a_sentence_that_may_answer_something_else_is_doubtful(score: float, clarity: str) -> None:
    """Below the judgment's cut, with what the judge says of it, who saw that sentence alone."""
    judge = Score(score)
    result, _ = read(WASH, "1.50 euros", "1.50", "A wash costs 1.50 euros.", judge=judge)
    assert judge.judged == [SAID[2]]
    assert result is not None and (result.output, result.clarity) == ("1.50 euros", clarity)
    told = f"its sentence may not answer exactly this: judged {score:.2f}"
    assert result.problem == (told if clarity != "CLEAR" else "")
