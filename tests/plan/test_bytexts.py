"""Which questions are put to the texts as they stand, and which of these a program confirms."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from aeon.llm.scripted import ALL_JSON, Reply, Scripted
from aeon.plan.answering import Answering
from aeon.plan.programmer import Programmer
from aeon.plan.rates import of_several
from aeon.plan.wanted import counted, things
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, LLMRequest, LLMResponse, Plan, Source, Task, ToolCall
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.choose import choose
from aeon.tools.dates import dates
from aeon.tools.files import files

pytestmark = [pytest.mark.requirement("T2d"), pytest.mark.usefixtures("indexes")]

RULES = "# Cellar\n\nA place in the cellar costs 12 euros a month.\n\nMs Adler keeps the key.\n"
SHELF = "Item,Kind,Left\nBrie,cow,4.5\nTomme,goat,2\nChevre,goat,6.5\n"
KEY, PLACE = "Who keeps the key?", "What does a place cost?"
QUOTED = 'print("Ms Adler")  # 2'
BUILT_IN = [replace(one, offered=False) for one in (choose(), *dates())]


def plan(folder: Path, question: str, *replies: Reply, context: str = "", twice: bool = True) -> tuple[Plan, Scripted]:
    """The plan that comes of these replies, and the model."""
    model = Scripted(replies, ALL_JSON)
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(folder), *BUILT_IN]), twice=twice)

    async def planned() -> Plan:
        with Ledger(Allowance(calls=9)):
            return await programmer.plan(Task(text=question, context=context), 12)

    return asyncio.run(planned()), model


def tools(made: Plan) -> list[str]:
    """The tools of its steps."""
    return [step.action.tool for step in made.steps if isinstance(step.action, ToolCall)]


def asks_texts(request: LLMRequest) -> bool:
    """Whether all texts stand in a turn of their own, which may be kept."""
    return request.fixed_messages == 3 and "<data files>" in request.messages[1].content


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder of one text."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "rules.md").write_text(RULES)
    return folder


@pytest.fixture
def both(texts: Path) -> Path:
    """With a table beside the text."""
    (texts / "shelf.csv").write_text(SHELF)
    return texts


def test_without_tables_nobody_asks_whether_the_texts_say_it(texts: Path) -> None:
    """The texts as they stand say it, and a program quotes the same: the quotation is the plan, with that on record."""
    made, model = plan(texts, KEY, "Ms Adler", QUOTED)
    assert tools(made) == ["quote"] and [asks_texts(one) for one in model.requests] == [True, False]
    assert made.agreement is not None and made.agreement.votes == 2 and not made.agreement.disagrees


@pytest.mark.requirement("G4a", "G3")
def test_what_both_give_is_doubtful_where_a_judge_doubts_it(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both may have read of another thing: the warranty of a scale for that of a reader."""

    async def doubt(*_: object) -> float:
        return 0.12

    monkeypatch.setattr(Answering, "doubt", doubt)
    made, _ = plan(texts, KEY, "Ms Adler", QUOTED)
    assert made.agreement is not None and made.doubts == ("the text may not answer exactly this: judged 0.12",)


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(
    "replies",
    [
        ["Mr Brown", QUOTED],
        ["not stated", QUOTED],
        [LLMResponse(text="", finish_reason="refusal"), QUOTED],
        ["Ms Adler", 'print("not stated")'],
        ["Ms Adler", 'print("Mr Brown")  # 2'],
    ],
)
def test_what_no_program_confirms_is_read_from_the_texts(replies: list[Reply], texts: Path) -> None:
    """Where it quotes something else, or nothing: the step that reads them says what speaks against it."""
    made, _ = plan(texts, KEY, *replies)
    assert tools(made) == ["lookup"] and made.agreement is None


@pytest.mark.requirement("T2", "G4a")
def test_a_program_that_calculates_is_taken_for_what_it_is(texts: Path) -> None:
    """What words do not show: the texts have a short answer, and what is asked for follows from it."""
    yearly = "place = 12  # 1\nprint(place * 12)"
    made, model = plan(texts, "What does a place come to for someone who stays a year?", "12 euros", *[yearly] * 4)
    assert tools(made) == ["quote", "calculator"] and asks_texts(model.requests[0])


def test_beside_tables_a_model_says_whether_the_texts_say_it(both: Path) -> None:
    """It does, so nobody asks the tables; where it does not, they are asked first."""
    made, model = plan(both, PLACE, "12 euros", "12 euros", 'print("12 euros")  # 1')
    assert tools(made) == ["quote"] and list(map(asks_texts, model.requests)) == [True, True, False]
    for replies in (["12 euros", "not stated"], ["not stated"], ["13 euros"]):
        made, model = plan(both, PLACE, *replies)
        assert tools(made) == ["lookup"] and list(map(asks_texts, model.requests)) == [True] * len(replies)


def test_what_words_speak_for_the_tables_is_left_to_them(both: Path) -> None:
    """Unless the texts state something; else a program is written over both."""
    question, query = "Which kind of item keeps the key?", 'print(sql("SELECT Kind FROM shelf"))'
    _, model = plan(both, question, "not stated", query, "SELECT Kind FROM shelf")
    assert [asks_texts(one) for one in model.requests[:2]] == [True, False]
    made, model = plan(both, question, "Ms Adler", "Ms Adler", 'print("not stated")', query, "SELECT Kind FROM shelf")
    assert [asks_texts(one) for one in model.requests[:4]] == [True, True, False, False]
    assert tools(made) == ["sql"]  # no program over the texts confirms it: one over both is written


@pytest.mark.requirement("T5")
def test_what_was_read_is_not_read_again_where_no_program_runs(both: Path) -> None:
    """The step has it, though a program over the tables was asked for between."""
    broken = ["I cannot tell."] * 5
    made, _ = plan(both, "Which kind of item keeps the key?", "Ms Adler", "not stated", *broken)
    read = made.steps[0].read
    assert tools(made) == ["lookup"] and read is not None and (read.answer, read.stated) == ("Ms Adler", "")


@pytest.mark.requirement("T3")
@pytest.mark.parametrize(("said", "found"), [(("Ms Adler", "not stated"), "lookup"), (("not stated",), "sql")])
def test_nobody_is_none_where_a_sentence_has_an_answer(said: Sequence[str], found: str, both: Path) -> None:
    """Queries that find no row give way to the texts, if these say anything to it."""
    nothing = "SELECT Item || Kind FROM shelf WHERE Kind = 'cow' AND Item = 'Tomme'"
    replies = (*said, f'print(sql("{nothing}"))', *[nothing] * 5)
    made, _ = plan(both, "Who keeps the key for the kind cow of the tomme?", *replies)
    assert tools(made) == [found]
    assert found == "sql" or (made.steps[0].read is not None and made.steps[0].read.answer == "Ms Adler")


@pytest.mark.parametrize(
    "question",
    [
        "What do 3 places cost?",
        "What do three places cost?",
        "How much more does a place cost than a key?",
        "Which is dearer, a place or a key, and which is older?",
        "What is the difference in euros between a place and a key?",
        "If I add up the price of a place and that of a key, what is it?",
        "What do people pay in all who take both a place and a key?",
        "How many days are there from the first day to the last one?",
        "How many days after the first one is the last one?",
        "The first day and the last one: how many days apart are they?",
        "How many days lie between the first and the last day?",
    ],
)
def test_what_is_worked_out_is_left_to_programs(question: str, texts: Path) -> None:
    """A sum, one of two, what lies between them: the texts do not say it as it is."""
    _, model = plan(texts, question, *['print("not stated")'] * 6)
    assert not asks_texts(model.requests[0])


@pytest.mark.requirement("T1", "G4a")
@pytest.mark.parametrize(
    ("question", "program"),
    [
        ("Saved 420 euros, target 2700 euros, 60 euros every month: how many more months?", "print((2700 - 420) / 60)"),
        (
            "Of 2580 euros, one fifth goes to a charity and the rest is split equally between 3. How much is it each?",
            "print(2580 * 4 / 5 / 3)",
        ),
        (
            "I have 326 tiles and put 12 on each stack. Number of full stacks, and left over?",
            "print(326 // 12, 326 % 12)",
        ),
    ],
)
@pytest.mark.parametrize("tables", [True, False])
def test_what_brings_its_own_numbers_is_no_question_to_the_texts(
    question: str, program: str, tables: bool, texts: Path
) -> None:
    """It is calculated, whatever lies in the folder."""
    if tables:
        (texts / "shelf.csv").write_text(SHELF)
    made, model = plan(texts, question, *[program] * 3)
    assert tools(made) and set(tools(made)) == {"calculator"} and not any(map(asks_texts, model.requests))


@pytest.mark.parametrize(
    "question", ["What happens on 3 May?", "What closes at ten o'clock?", "What does room 3 cost?", "Who has 2 keys?"]
)
def test_a_number_that_counts_nothing_is_none_to_work_with(question: str, texts: Path) -> None:
    """A day, a time, a name, and who it is: the texts may say it."""
    made, _ = plan(texts, question, 'print("not stated")')
    assert tools(made) == ["lookup"]


@pytest.mark.requirement("G3a")
@pytest.mark.parametrize(("question", "vouched"), [(PLACE, 0.9), ("What does a heated place cost?", None)])
def test_nobody_vouches_for_what_is_said_only_in_general(
    question: str, vouched: float | None, both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file has a word for the kind of place that it is about."""

    async def sure(*_: object) -> float:
        return 0.9

    monkeypatch.setattr(AnswerJudge, "score", sure)
    monkeypatch.setattr(AnswerJudge, "given", sure)
    made, _ = plan(both, question, "12 euros", "not stated", *['print("not stated")'] * 6)
    assert made.vouched == vouched


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(("score", "used"), [(0.1, "lookup"), (0.5, "sql")])
def test_what_no_file_has_a_word_for_is_no_query(
    score: float, used: str, both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though two queries agree the texts are asked, which say that it is not stated; unless a judge holds otherwise."""

    async def queried(*_: object) -> float:
        return score

    monkeypatch.setattr(Answering, "queried", queried)
    program = "print(sql(\"SELECT SUM(Left) FROM shelf WHERE Item = 'Brie'\"))"
    question = "What is the profit on all Brie together?"
    made, _ = plan(both, question, "not stated", program, program.replace("SUM", "MAX"), *[program] * 4)
    assert tools(made) == [used]


@pytest.mark.requirement("G3", "G4a")
@pytest.mark.parametrize(
    ("answers", "gives", "vouched"), [(0.9, 0.6, 0.6), (0.5, 0.5, 0.5), (0.49, 0.9, None), (0.9, 0.49, None)]
)
def test_a_sentence_that_judges_vouch_for_is_quoted_at_once(
    answers: float, gives: float, vouched: float | None, both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else is asked then: no program, and not whether the texts state it. The lower score is on record."""
    seen = list[str]()

    async def score(_: AnswerJudge, question: str, cited: Sequence[Source], every: object) -> float:
        seen.extend(one.text for one in cited)
        return answers

    async def given(_: AnswerJudge, question: str, answer: str, cited: object, every: object) -> float:
        seen.append(answer)
        return gives

    monkeypatch.setattr(AnswerJudge, "score", score)
    monkeypatch.setattr(AnswerJudge, "given", given)
    made, model = plan(both, PLACE, "12 euros", "not stated")
    assert seen[:1] == ["A place in the cellar costs 12 euros a month."] and made.vouched == vouched
    assert len(model.requests) == (1 if vouched else 2)
    assert tools(made) == (["quote"] if vouched else ["lookup"])
    if vouched:
        (step,) = made.steps
        assert isinstance(step.action, ToolCall) and (step.action.arguments or {})["value"] == "12 euros"


@pytest.mark.requirement("T3", "G4a")
@pytest.mark.parametrize(
    ("sure", "queries", "found"),
    [
        (0.01, ["SELECT COUNT(*) FROM shelf", "SELECT COUNT(Item) FROM shelf"], "sql"),
        (0.01, ["SELECT COUNT(*) FROM shelf", 'SELECT SUM("Left") FROM shelf'], "lookup"),
        (0.1, ["SELECT COUNT(*) FROM shelf", "SELECT COUNT(Item) FROM shelf"], "sql"),
    ],
)
def test_what_no_text_states_and_two_queries_agree_on_is_taken(
    sure: float, queries: list[str], found: str, both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what the host holds against it; where a judge is sure of the sentence, nobody asks whether it is stated."""

    async def score(*_: object) -> float:
        return sure

    async def judged(*_: object) -> float:
        return 0.3

    async def able(*_: object) -> bool:
        return True

    monkeypatch.setattr(AnswerJudge, "score", score)
    monkeypatch.setattr(Answering, "queried", judged)
    monkeypatch.setattr(Answering, "able_of_queries", able)
    stated = [] if sure < 0.02 else ["not stated"]
    made, model = plan(both, "How many cellars do we have?", "12", *stated, *queries, *queries[:1])
    assert tools(made) == [found] and asks_texts(model.requests[0])
    assert [asks_texts(one) for one in model.requests].count(True) == 1 + len(stated)
    if found == "sql":
        assert made.doubts == ("no table has 'cellars'", "the tables may not answer exactly this: judged 0.30")
    else:
        assert made.steps[0].read is not None and made.steps[0].read.judged == sure


@pytest.mark.requirement("G3")
def test_nobody_vouches_for_a_sentence_that_does_not_say_how_many(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The price of one is not that of four: no judge is asked."""

    async def score(*_: object) -> float:
        raise AssertionError("nobody is to be asked")

    monkeypatch.setattr(AnswerJudge, "score", score)
    assert plan(texts, "Who keeps the keys of four members?", "Ms Adler", 'print("not stated")')[0].vouched is None


def test_beside_a_context_or_with_one_derivation_the_older_ways_are_taken(texts: Path) -> None:
    """The context is no part of the texts, and one derivation has to do."""
    for context, twice in (("The cellar is cool.", True), ("", False)):
        made, model = plan(texts, KEY, QUOTED, "Ms Adler", context=context, twice=twice)
        assert tools(made) == ["quote"] and not any(map(asks_texts, model.requests))


@pytest.mark.requirement("T2a", "T2d")
@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("What do I pay if I bring a drill back 4 days late?", "$s1 * 4"),
        ("What do I pay a day if I bring a drill back 4 days late?", ""),
        ("What do I pay if I bring a drill back late?", ""),
    ],
)
def test_what_is_said_of_one_is_multiplied_by_how_many_there_are(question: str, formula: str, both: Path) -> None:
    """The host does it: a model says the price of one, and a program over a table that knows the drill asks that."""
    (both / "late.md").write_text("Late returns cost 2 euros for each day late.\n")
    made, _ = plan(both, question, "2 euros", "not stated", *['print("not stated")'] * 6)
    assert tools(made) == (["quote", "calculator"] if formula else ["lookup"])
    if formula:
        calls = [step.action for step in made.steps if isinstance(step.action, ToolCall)]
        assert [(call.arguments or {}) for call in calls][1] == {"expression": formula} and made.vouched is None
        assert (calls[0].arguments or {})["value"] == 2


@pytest.mark.requirement("T2")
@pytest.mark.parametrize(
    ("question", "sentence", "price", "times"),
    [
        ("What do two hours of lessons cost?", "Lessons: 35 euro an hour, 60 euro for two.", "35", ""),
        ("What do three hours of lessons cost?", "Lessons: 35 euro an hour, 60 euro for two.", "35", "3"),
        ("What do 2 days cost?", "A bike costs 2 euros a day.", "2", "2"),
        ("How much is she paid in a year?", "She is paid 620 euros a month.", "620", "12"),
        ("What is the annual fee?", "The fee is 620 euros a quarter.", "620", "4"),
        (
            "How much is she paid in a year?",
            "She is paid six hundred and twenty euros a month.",
            "Six hundred and twenty",
            "12",
        ),
        ("How much is she paid?", "She is paid 620 euros a month.", "620", ""),
        ("How much is she paid a year?", "She is paid 20 euros a week.", "20", ""),
        ("What does it cost a year?", "It costs 30 euros a month, 300 euros a year.", "30", ""),
        ("What do three days cost?", "A tent costs a hundred and ten euros a day.", "A hundred and ten", "3"),
    ],
)
def test_what_a_sentence_says_of_so_many_is_not_multiplied(
    question: str, sentence: str, price: str, times: str
) -> None:
    """Two hours have a price of their own, as has a year; a year without one has that of twelve months."""
    found = of_several(question, sentence, f"{price} euros")
    assert (found.times if found else "") == times


@pytest.mark.requirement("T1c")
@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does a wetsuit cost?", ["wetsuit"]),
        ("What does the damage waiver cost for a week?", ["waiver", "week"]),
        ("What did the repair of the Otter cost?", ["repair", "Otter"]),
        ("What is the cost of a course?", ["course"]),
    ],
)
def test_what_a_thing_costs_is_no_thing(question: str, named: list[str]) -> None:
    """So that no list of prices passes for that of what no file has."""
    assert things(question) == named


@pytest.mark.requirement("T1c")
@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many drill bits were lent?", "bits"),
        ("How many drill bits did we lend?", "bits"),
        ("How many loans were there?", "loans"),
        ("How many loans Jon took?", "loans"),
        ("How many more open jobs are there?", "jobs"),
        ("What is the number of places?", "places"),
        ("What does a place cost?", ""),
    ],
)
def test_what_is_counted_is_the_last_of_two_words(question: str, word: str) -> None:
    """Where a verb follows; the bits of drill bits are no drills."""
    assert counted(question) == word
