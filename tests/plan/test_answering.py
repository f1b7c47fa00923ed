"""Whether quoted sentences answer the question: when the model is asked, and what becomes of what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from aeon.llm.scripted import Reply, Scripted
from aeon.plan.answering import Answering
from aeon.plan.evidence import Evidence
from aeon.plan.prompts import Asked
from aeon.plan.sources import LOOKUP, SQL, About
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Allowance,
    Capabilities,
    LLMResponse,
    Passage,
    Plan,
    Source,
    Step,
    Task,
    TokenProbability,
    ToolCall,
)
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import Calibration, Calibrations, judgment
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.quote import QUOTE

pytestmark = pytest.mark.requirement("G3a")

SENTENCES = ("Staff handbook.", "Each employee has 28 days of annual leave.", "Ms Adler signs.", "Pay is on the fifth.",
             "It is signed by Ms Adler.")  # fmt: skip
PARENTAL = "How many days of parental leave are there?"
SPEC = judgment("answers_question")


def calibrations(auroc: float) -> Calibrations:
    """The judgment as it was measured of the scripted model."""
    entry = Calibration(
        model="scripted", judgment=SPEC.name, form="probability", wording=SPEC.wording, scale=1, shift=0, auroc=auroc,
        cases=150,
    )  # fmt: skip
    return Calibrations(entries=(entry,))


def evidence() -> Evidence:
    """The sentences of one text."""
    spans, at = list[tuple[int, int]](), 0
    for sentence in SENTENCES:
        spans.append((at, at + len(sentence)))
        at += len(sentence) + 1
    whole = Passage(source="staff.md", start=0, end=at - 1, text=" ".join(SENTENCES), sentences=tuple(spans))
    return Evidence([whole.model_dump(mode="json")])


def asked(question: str) -> Asked:
    """A question about that text."""
    nothing = frozenset[str]()
    about = About(question, evidence(), nothing, nothing, nothing, nothing, (), True)
    return Asked(Task(text=question), 12, (LOOKUP,), about, "")


def quoting(number: int, tool: str = QUOTE) -> Plan:
    """A plan that quotes a sentence."""
    source = evidence().sources[number - 1]
    place = {"value": 28, "source": source.source, "start": source.start, "end": source.end}
    step = Step(id="s1", description="x", action=ToolCall(tool=tool, arguments=place), provides=("s1",))
    return Plan(steps=(step,), answer=("s1",))


def likely(yes: float) -> LLMResponse:
    """A reply that is Yes with that probability."""
    first = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=first)


def doubt(
    question: str, plan: Plan, *replies: Reply, auroc: float = 0.9, calls: int = 3
) -> tuple[float | None, Scripted]:
    """What is doubtful about a plan for a question, and the model."""
    model = Scripted(replies, capabilities=Capabilities(logprobs=True))
    judge = Judge(Supervisor(model), samples=0, measured=calibrations(auroc))

    async def said() -> float | None:
        with Ledger(Allowance(calls=calls)):
            return await Answering(judge).doubt(plan, asked(question))

    return asyncio.run(said()), model


@pytest.mark.parametrize(("yes", "is_doubtful"), [(0.1, True), (0.49, True), (0.6, False), (0.99, False)])
def test_a_sentence_that_lacks_words_of_the_question_is_judged(yes: float, is_doubtful: bool) -> None:
    """It is shown alone, below the name of its file and fenced; the verdict says how likely it is."""
    said, model = doubt(PARENTAL, quoting(2), likely(yes))
    assert said == (pytest.approx(yes) if is_doubtful else None)
    shown = model.requests[0].messages[-1].content
    assert "(staff.md) Each employee has 28 days of annual leave.\n</data>" in shown and PARENTAL in shown


def test_a_sentence_that_speaks_of_the_one_before_is_judged_behind_it() -> None:
    """Alone nobody knows what it is about."""
    _, model = doubt("Who may sign for a day of leave?", quoting(5), likely(0.9))
    shown = model.requests[0].messages[-1].content
    assert "(staff.md) Pay is on the fifth. It is signed by Ms Adler.\n</data>" in shown


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the second annual leave of each employee?", True),
        ("When was the annual leave of each employee sold?", True),
        ("How many days of annual leave has each employee?", False),
        ("Which employee has annual leave?", False),
    ],
)
def test_which_of_several_and_what_was_done_must_be_said(question: str, asked: bool) -> None:
    """In the quoted sentence itself; though these words stand in any text."""
    _, model = doubt(question, quoting(2), likely(0.9))
    assert bool(model.requests) == asked


@pytest.mark.parametrize(
    ("question", "plan", "auroc", "calls"),
    [
        ("How many days of annual leave has each employee?", quoting(2), 0.9, 3),
        (PARENTAL, quoting(2, tool=LOOKUP), 0.9, 3),
        (PARENTAL, Plan(), 0.9, 3),
        (PARENTAL, quoting(2), 0.6, 3),
        (PARENTAL, quoting(2), 0.9, 0),
    ],
)
def test_nobody_is_asked_where_it_cannot_help(question: str, plan: Plan, auroc: float, calls: int) -> None:
    """All words are there, nothing is quoted, the judgment was too poor when it was measured, or no call is left."""
    said, model = doubt(question, plan, auroc=auroc, calls=calls)
    assert (said, len(model.requests)) == (None, 0)


def test_a_reply_that_is_no_verdict_is_no_doubt() -> None:
    """Neither yes nor no: nothing is known."""
    assert doubt(PARENTAL, quoting(2), "perhaps")[0] is None


LETTER = ("Bellamy Goods", "Dear customer, steel has become dearer.", "From 19 March all prices rise by 8 percent.")


@pytest.mark.parametrize(
    ("question", "named"),
    [("When does the price rise of Bellamy Goods start?", True), ("When do prices rise at Kastner?", False)],
)
def test_the_head_of_a_letter_is_shown_where_the_question_names_it(question: str, named: bool) -> None:
    """The sentence alone does not say whose prices rise."""
    shown = shown_of_last(question, LETTER, (0, 14, 55))
    assert ("(letter.txt, Bellamy Goods) From 19 March" in shown) == named and "Dear customer" not in shown


OFFERS = ("# Offers", "Adler Ltd asks 80 euros and is quick.", "Contact there: Oskar Brandt.")


@pytest.mark.parametrize(
    ("question", "starts", "behind"),
    [
        ("Whom do I call at Adler?", (0, 10, 48), True),
        ("Whom do I call at Adler?", (0, 10, 50), False),
        ("Whom do I call at Rossi?", (0, 10, 48), False),
    ],
)
def test_a_sentence_stands_behind_the_one_of_its_paragraph_that_has_the_name(
    question: str, starts: tuple[int, ...], behind: bool
) -> None:
    """Where the contact is does not say itself; a name in another paragraph says nothing of it."""
    shown = shown_of_last(question, OFFERS, starts)
    assert ("Adler Ltd asks 80 euros and is quick. Contact there: Oskar Brandt." in shown) == behind


@pytest.mark.requirement("G3")
@pytest.mark.parametrize(
    ("said", "starts", "behind"),
    [
        (("1. Jetty B.", "The planks are replaced.", "It costs 3,450 euros in all."), (0, 12, 37), True),
        (("1. Jetty B.", "The planks are replaced.", "2. Fees rise by 5 percent."), (0, 12, 37), False),
        (("1. Jetty B.", "The planks are replaced.", "Fees rise by 5 percent."), (0, 12, 39), False),
        (("1. The planks of jetty B are replaced.", "They cost 3,450 euros."), (0, 39), False),
        (("Jetty B.", "The planks cost 3,450 euros."), (0, 9), False),
    ],
)
def test_a_sentence_stands_behind_the_words_that_its_point_begins_with(
    said: Sequence[str], starts: Sequence[int], behind: bool
) -> None:
    """In minutes these are its heading; another point, another paragraph, and what is a sentence have none."""
    shown = shown_of_last("What does the jetty cost?", said, starts)
    assert (f"(letter.txt) {said[0]} " in shown) == (behind or said[0].startswith("1. The"))


def shown_of_last(question: str, sentences: Sequence[str], starts: Sequence[int]) -> str:
    """What the judge is shown of the last of a text's sentences."""
    sources = [
        Source(source="letter.txt", start=start, end=start + len(text), text=text)
        for start, text in zip(starts, sentences, strict=True)
    ]
    model = Scripted([likely(0.9)], capabilities=Capabilities(logprobs=True))
    judge = AnswerJudge(Judge(Supervisor(model), samples=0, measured=calibrations(0.9)))

    async def score() -> float | None:
        with Ledger(Allowance(calls=2)):
            return await judge.score(question, sources[-1:], sources)

    assert asyncio.run(score()) == pytest.approx(0.9)
    return model.requests[0].messages[-1].content


FARE = "What does a bicycle cost from Hale to Skarn?"
CLOSES = "When does the office close?"


@pytest.mark.parametrize(
    ("question", "sentence", "asked"),
    [
        (FARE, "Bicycles cost 3 euros on every route.", False),
        (FARE, "Bicycles cost 3 euros.", True),
        (CLOSES, "The office is open from 8:00 to 17:30.", False),
        (CLOSES, "The kitchen is open from 8:00 to 17:30.", True),
        (CLOSES, "The office is open from 8:00.", True),
    ],
)
def test_what_a_sentence_says_without_the_word(question: str, sentence: str, asked: bool) -> None:
    """What is so everywhere, and when what is open closes; every other word must still be there."""
    source = Source(source="fares.md", start=0, end=len(sentence), text=sentence)
    model = Scripted([likely(0.1)], capabilities=Capabilities(logprobs=True))
    judge = AnswerJudge(Judge(Supervisor(model), samples=0, measured=calibrations(0.9)))

    async def doubted() -> float | None:
        with Ledger(Allowance(calls=2)):
            return await judge.doubted(question, [source], [source])

    assert (asyncio.run(doubted()) is not None) == asked


QUERIES = judgment("query_answers")
KEEPER = "Who keeps the key?"


def over(*queries: str) -> Plan:
    """A plan that asks tables so."""
    calls = [ToolCall(tool=SQL, arguments={"query": query}) for query in queries]
    return Plan(steps=tuple(Step(id=f"s{n}", description="x", action=call) for n, call in enumerate(calls, 1)))


def queried(plan: Plan, *replies: Reply, auroc: float = 0.9, calls: int = 3) -> tuple[float | None, Scripted]:
    """How likely the query of a plan finds what is asked for, and the model."""
    model = Scripted(replies, capabilities=Capabilities(logprobs=True))
    entry = calibrations(auroc).entries[0].changed(judgment=QUERIES.name, wording=QUERIES.wording)
    judge = Judge(Supervisor(model), samples=0, measured=Calibrations(entries=(entry,)))

    async def said() -> float | None:
        with Ledger(Allowance(calls=calls)):
            return await Answering(judge).queried(plan, asked(KEEPER), "Tables: keys(person VARCHAR)")

    return asyncio.run(said()), model


def test_a_query_is_judged_beside_its_question_and_the_tables() -> None:
    """What it gives is not shown: the judge is asked what it finds, not whether that is so."""
    said, model = queried(over("SELECT person FROM keys"), likely(0.8))
    shown = model.requests[0].messages[-1].content
    assert said == pytest.approx(0.8)
    assert all(part in shown for part in (KEEPER, "keys(person VARCHAR)", "SELECT person FROM keys"))


@pytest.mark.parametrize(
    ("plan", "auroc", "calls"),
    [
        (over("SELECT 1"), 0.69, 3),
        (over("SELECT 1"), 0.9, 1),
        (over("SELECT 1", "SELECT 2"), 0.9, 3),
        (quoting(2), 0.9, 3),
        (Plan(), 0.9, 3),
    ],
)
def test_nobody_judges_a_query_where_that_cannot_help(plan: Plan, auroc: float, calls: int) -> None:
    """A judgment that is too poor, no calls left, several queries or none."""
    said, model = queried(plan, likely(0.8), auroc=auroc, calls=calls)
    assert said is None and not model.requests


def test_a_query_without_a_verdict_is_as_good_as_one_that_nobody_judged() -> None:
    """A reply that is neither yes nor no is none."""
    said, _ = queried(
        over("SELECT 1"), LLMResponse(text="Maybe", first_token=(TokenProbability(token="M", probability=1),))
    )
    assert said is None
