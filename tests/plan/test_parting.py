"""Questions of several facts: split into parts, each of which is put to the texts alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.plan.evidence import is_range
from aeon.plan.parting import Split, chosen, confirms, split
from aeon.plan.programmer import Programmer
from aeon.plan.queries import echoes
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, JsonValue, Plan, Source, Task, ToolCall
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.choose import choose
from aeon.tools.dates import dates
from aeon.tools.files import files

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("T2b")]
QUESTION = "How many euros more is a berth at the north quay than one at the south quay?"
PARTS = "a = What does a berth at the north quay cost?\nb = What does a berth at the south quay cost?\nprint(a - b)"
NORTH, SOUTH = 'print("41 euros")  # 1', "south = 26  # 2\nprint(south)"
WRONG, RIGHT = "print(41 - 7)  # 1 3", "print(41 - 26)  # 1 2"
BY_PARTS: list[tuple[str, JsonValue]] = [("quote", 41), ("quote", 26), ("calculator", "$s1 - $s2")]


def plan(
    folder: Path, question: str, *replies: str, calls: int = 9, twice: bool = False, context: str = ""
) -> tuple[Plan, Scripted]:
    """The plan for a question about a harbour that comes of these replies, and the model."""
    folder = folder / "harbour"
    folder.mkdir(exist_ok=True)
    (folder / "harbour.txt").write_text(
        "A berth at the north quay costs 41 euros a night. A berth at the south quay costs 26 euros a night. "
        "A shower costs 7 euros. The regatta begins on 3 July 2027. The market is on 19 June 2027.\n"
    )
    model = Scripted(replies)
    own = [choose(), *dates()]
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(folder), *own]), twice=twice)

    async def planned() -> Plan:
        with Ledger(Allowance(calls=calls)):
            return await programmer.plan(Task(text=question, context=context), 12)

    return asyncio.run(planned()), model


def does(made: Plan) -> list[tuple[str, JsonValue]]:
    """What each step does: its tool, and what that is given first."""
    calls = [step.action for step in made.steps if isinstance(step.action, ToolCall)]
    return [(call.tool, next(iter((call.arguments or {"": None}).values()))) for call in calls]


def test_what_the_parts_say_is_combined(tmp_path: Path) -> None:
    """Each part is asked with the same sentences, and alone."""
    made, model = plan(tmp_path, QUESTION, WRONG, PARTS, NORTH, SOUTH)
    assert does(made) == BY_PARTS and made.agreement is None and not made.doubts
    asked = [request.messages[-1].content for request in model.requests]
    assert asked[1] == QUESTION and asked[2].startswith(asked[0].partition("Question:")[0])
    assert [text.rpartition("Question: ")[2] for text in asked[2:]] == [
        "What does a berth at the north quay cost?", "What does a berth at the south quay cost?"
    ]  # fmt: skip


@pytest.mark.requirement("G4")
def test_two_that_are_said_to_differ_and_do_not_are_doubtful(tmp_path: Path) -> None:
    """Both parts may have been read out of one sentence, also where a program over all facts says the same."""
    same, south = "print(26 - 26)  # 2", "print(26)  # 2"
    made, _ = plan(tmp_path, QUESTION, same, PARTS, south, south)
    assert made.agreement is not None and made.doubts == ("there is no difference: look at both sentences again",)


@pytest.mark.requirement("G4")
def test_a_program_that_gives_the_same_is_a_second_derivation(tmp_path: Path) -> None:
    """It was written over all facts at once."""
    made, _ = plan(tmp_path, QUESTION, RIGHT, PARTS, NORTH, SOUTH)
    assert does(made) == BY_PARTS and made.agreement is not None
    (derivation,) = made.agreement.derivations
    assert (derivation.method, derivation.answer, derivation.agrees) == ("program", "15", True)


@pytest.mark.requirement("G4")
@pytest.mark.parametrize(
    ("again", "agrees"), [("print(3 * (41 + 26))  # 1 2", True), ("print(3 * 41)  # 1", False), ("No.", False)]
)
def test_a_program_at_fault_is_told_so_before_it_confirms(tmp_path: Path, again: str, agrees: bool) -> None:
    """It left a number of the question out; what it gives then may be the second derivation."""
    question = "What do 3 nights at the north quay and 3 at the south quay cost together?"
    parts = PARTS.replace("a - b", "3 * (a + b)")
    made, model = plan(tmp_path, question, "print(41 + 26)  # 1 2", parts, NORTH, SOUTH, again)
    assert does(made)[2:] == [("calculator", "3 * ($s1 + $s2)")] and (made.agreement is not None) is agrees
    assert "(Mind: use 3 too)" in model.requests[-1].messages[-1].content


@pytest.mark.parametrize(
    "replies",
    [
        ("It needs two prices.",),
        ("a = What does a berth cost?\nprint(a - b - c)\nprint(a)",),
        ("a = What does a berth at the north quay cost?\nb = What does a shower cost?\nprint(a)",),
        (PARTS, 'print("not stated")'),
        (PARTS, "print(41 - 26)  # 1 2"),
        (PARTS, 'print("41 euros or 26")  # 1'),
        (PARTS, 'print("41 euros")'),
        (PARTS, "no program at all"),
        (PARTS, f"print({'-' * 100_000}1)"),
        (PARTS, NORTH, "print(99)  # 2"),
    ],
)
def test_without_parts_the_program_stands(tmp_path: Path, replies: tuple[str, ...]) -> None:
    """The model splits nothing, or a part has no single value that its sentence says."""
    made, _ = plan(tmp_path, QUESTION, RIGHT, *replies, *["print(1)  # 1"] * (3 - len(replies)))
    assert does(made) == BY_PARTS and made.agreement is None


def test_parts_take_no_call_that_is_not_there(tmp_path: Path) -> None:
    """Nothing is split where the parts could not be asked."""
    made, model = plan(tmp_path, QUESTION, RIGHT, calls=3)
    assert does(made) == BY_PARTS and len(model.requests) == 1
    made, model = plan(tmp_path, QUESTION, RIGHT, PARTS, calls=4)
    assert does(made) == BY_PARTS and len(model.requests) == 2


def test_a_quotation_is_no_difference(tmp_path: Path) -> None:
    """A question by how much is split though the program only quotes one of both values."""
    made, _ = plan(tmp_path, QUESTION, "print(41)  # 1", PARTS, NORTH, SOUTH, "print(41)  # 1")
    assert does(made) == BY_PARTS and made.agreement is None
    made, model = plan(tmp_path, "What do a shower and a berth at the south quay cost together?", "print(26)  # 2",
                       "It is one fact.", "print(26)  # 2")  # fmt: skip
    assert does(made) == [("quote", 26)] and made.doubts == ("it asks for what comes together: add the parts up",)
    assert len(model.requests) == 3


def test_one_fact_is_not_split(tmp_path: Path) -> None:
    """Nor is what the program only quotes."""
    made, model = plan(tmp_path, "What does a shower cost?", "print(7)  # 3")
    assert does(made) == [("quote", 7)] and len(model.requests) == 1


def test_days_are_told_apart(tmp_path: Path) -> None:
    """A date stays one, however it is written, and which one it is follows from both."""
    question = "Is the regatta or the market earlier, and by how many days?"
    parts = (
        'a = When is the regatta?\nb = When is the market?\nprint("regatta" if a < b else "market", days_between(a, b))'
    )
    first = 'print("regatta", days_between("2027-07-03", "2027-07-19"))  # 4 5'
    both = ('print("3 July 2027")  # 4', 'print("2027-06-19")  # 5')
    made, _ = plan(tmp_path, question, first, parts, *both, first)
    assert {tool for tool, _ in does(made)} == {"quote", "choose", "calculator", "days_between"}
    assert [value for tool, value in does(made) if tool == "quote"] == ["2027-07-03", "2027-06-19"]


@pytest.mark.parametrize(
    ("reply", "questions"),
    [
        (PARTS, 2),
        (f"```python\n{PARTS}\n```", 2),
        ("a = Who?\nb = Where?\nc = When?\nd = Why?\ne = What?\nprint(a, b, c, d, e)", None),
        ("print(3)", None),
        ("a = What?\nprint(a", None),
        ("", None),
        ("a = What?\nprint(a\x00)", None),
        (f"a = What?\nprint({'(' * 4000}a{')' * 4000})", None),
    ],
)
def test_a_split_is_read(reply: str, questions: int | None) -> None:
    """Of one fact to four, all of which the formula uses."""
    found = split(reply)
    assert (None if found is None else len(found.questions)) == questions


OF = {"a": "How long is the pier of Ashby?", "b": "How long is the pier of Tarn?"}


@pytest.mark.parametrize(
    ("question", "formula", "meant"),
    [
        ("Which pier is longer, Ashby or Tarn?", "'Ashby' if a > b else 'Tarn'", "'Ashby' if a > b else 'Tarn'"),
        ("Which pier is longer, Ashby or Tarn?", "'Ashby' if a < b else 'Tarn'", "'Ashby' if a > b else 'Tarn'"),
        ("Which pier is longer, Ashby or Tarn?", "'Tarn' if a > b else 'Ashby'", "'Ashby' if a > b else 'Tarn'"),
        ("Which pier is shorter, Ashby or Tarn?", "'Tarn' if a > b else 'Ashby'", "'Ashby' if a < b else 'Tarn'"),
        ("Which pier is longer, and which shorter?", "'Tarn' if a > b else 'Ashby'", "'Tarn' if a > b else 'Ashby'"),
        ("Which pier is longer, Ashby or Tarn?", "'one' if a > b else 'two'", "'one' if a > b else 'two'"),
        ("Which pier is longer, and by how much?", "'Tarn' if a < b else 'Ashby', abs(a - b)",
         "'Ashby' if a > b else 'Tarn', abs(a - b)"),
        ("Grey Ashby or the Tarn: which pier is longer?", "'Ashby' if a < b else 'Tarn'",
         "'Grey Ashby' if a > b else 'Tarn'"),
        ("How far apart are both lengths?", "'Ashby' if a > b else 'Tarn', abs(a - b)", "abs(a - b)"),
        ("How far apart are both lengths?", "'Ashby' if a > b else 'Tarn'", "'Ashby' if a > b else 'Tarn'"),
        ("How long are both together?", "a + b", "a + b"),
    ],
)  # fmt: skip
def test_the_host_knows_which_of_two_is_asked_for(question: str, formula: str, meant: str) -> None:
    """From the word that compares them, and from the question that each name stands in."""
    assert chosen(Split(OF, f"print({formula})"), question) == f"print({meant})"


@pytest.mark.parametrize(
    ("given", "parts", "expected"),
    [
        ([15], [15], True),
        ([-15], ["Tarn", 15], True),
        (["tarn", 15.0], ["Tarn", 15], True),
        (["Ashby", 15], ["Tarn", 15], False),
        ([14], ["Tarn", 15], False),
        ([], ["Tarn", 15], False),
        (["Tarn"], ["Tarn"], False),
        ([True], [1], False),
    ],
)
def test_a_program_confirms_the_numbers_of_the_parts(
    given: list[JsonValue], parts: list[JsonValue], expected: bool
) -> None:
    """It may leave out which one it is, but name no other."""
    assert confirms(given, parts) is expected


READ = "I have read them."


def vouching(monkeypatch: pytest.MonkeyPatch, doubted: str = "") -> None:
    """Have judges vouch for every sentence but one that begins so."""

    async def score(_: object, question: str, cited: Sequence[Source], every: Sequence[Source]) -> float:
        return 0.3 if doubted and cited[0].text.startswith(doubted) else 0.9

    async def given(*_: object) -> float:
        return 0.7

    monkeypatch.setattr(AnswerJudge, "score", score)
    monkeypatch.setattr(AnswerJudge, "given", given)


@pytest.mark.requirement("T2d", "G4a")
def test_parts_are_read_in_whole_texts_and_need_no_program_where_judges_vouch_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The texts are a turn that all parts share; the plan quotes what was read, and the likelihood is the least one."""
    vouching(monkeypatch)
    made, model = plan(tmp_path, QUESTION, PARTS, "41 euros", "26 euros", twice=True)
    assert does(made) == BY_PARTS and made.vouched == 0.7 and not made.doubts and made.agreement is None
    asked = [request.messages for request in model.requests]
    assert [len(one) for one in asked[1:]] == [4, 4] and asked[1][:3] == asked[2][:3] and asked[1][2].content == READ


@pytest.mark.requirement("T2d")
@pytest.mark.parametrize(
    ("replies", "steps"),
    [
        (("41 euros", "26 euros", WRONG, WRONG), BY_PARTS),
        (("41 euros", "not stated", SOUTH, WRONG, WRONG), BY_PARTS),
        (("41 euros or 42", NORTH, "26 euros", WRONG, WRONG), BY_PARTS),
    ],
)
def test_what_nobody_vouches_for_is_held_against_a_program(
    replies: Sequence[str], steps: list[tuple[str, JsonValue]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that is not read as one value is asked of a program; what a judge doubts is quoted, not vouched for."""
    vouching(monkeypatch, doubted="A berth at the south quay")
    made, _ = plan(tmp_path, QUESTION, PARTS, *replies, calls=12, twice=True)
    assert does(made) == steps and made.vouched is None


@pytest.mark.requirement("T2d", "G4a")
def test_a_formula_with_a_number_that_nobody_said_is_not_vouched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three nights are said; twelve are not."""
    vouching(monkeypatch)
    question = "For 3 nights: how many euros more is a berth at the north quay than one at the south quay?"
    for factor, vouched in ((3, 0.7), (12, None)):
        parts = PARTS.replace("print(a - b)", f"print({factor} * (a - b))")
        made, _ = plan(tmp_path, question, parts, "41 euros", "26 euros", RIGHT, RIGHT, calls=12, twice=True)
        assert made.vouched == vouched


@pytest.mark.requirement("T2d", "G4")
def test_parts_that_do_not_differ_are_not_vouched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both may have been read out of one sentence."""
    vouching(monkeypatch)
    made, _ = plan(tmp_path, QUESTION, PARTS, "26 euros", "26 euros", RIGHT, RIGHT, calls=12, twice=True)
    assert made.vouched is None and made.doubts


@pytest.mark.requirement("T2d")
def test_a_day_of_a_part_has_the_year_of_its_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever words are around it."""
    vouching(monkeypatch)
    parts = "a = When does the regatta begin?\nb = When is the market?\nprint(days_between(a, b))"
    question = "How many days are there between the market and the regatta?"
    made, _ = plan(tmp_path, question, parts, "The regatta begins on July 3", "It is on 19 June 2027", twice=True)
    assert does(made)[:2] == [("quote", "2027-07-03"), ("quote", "2027-06-19")] and made.vouched == 0.7


@pytest.mark.requirement("T2d", "G4a")
@pytest.mark.parametrize(
    ("north", "south", "vouched"),
    [
        ("41 euros a night", "26 euros a night", 0.7),
        ("41 euros", "26 euro", 0.7),
        ("41", "26", 0.7),
        ("41 euros a night", "26 euros", None),
        ("41 pounds", "26 euros", None),
        ("41 pm", "26 am", None),
        ("41", "26 euros", None),
        ("about 41 euros", "about 26 euros", None),
    ],
)
def test_parts_that_count_different_things_are_not_vouched_for(
    north: str, south: str, vouched: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Euros a week and euros a day cannot be subtracted; nor is it known of a number with words before it."""
    vouching(monkeypatch)
    made, _ = plan(tmp_path, QUESTION, PARTS, north, south, *[RIGHT] * 4, calls=12, twice=True)
    assert made.vouched == vouched


@pytest.mark.requirement("T2d", "G4a")
@pytest.mark.parametrize(("formula", "vouched"), [("3 * (a + b)", 0.7), ("a + b", None), ("a + b * True", None)])
def test_a_number_in_words_has_to_be_in_the_formula(
    formula: str, vouched: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What three of us pay is not what one does; what is no number at all is nobody's."""
    vouching(monkeypatch)
    question = "What do three of us pay for a berth at the north quay and one at the south quay together?"
    parts = PARTS.replace("print(a - b)", f"print({formula})")
    made, _ = plan(tmp_path, question, parts, "41 euros", "26 euros", *[RIGHT] * 4, calls=12, twice=True)
    assert made.vouched == vouched


@pytest.mark.requirement("T2d")
def test_no_judge_is_asked_where_there_are_too_few_calls_for_all_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What judges would spend is left for the parts: all are read, and the plan is theirs."""
    vouching(monkeypatch)
    for calls, vouched in ((7, 0.7), (6, None)):
        made, _ = plan(tmp_path, QUESTION, PARTS, "41 euros", "26 euros", *[RIGHT] * 4, calls=calls, twice=True)
        assert does(made) == BY_PARTS and made.vouched == vouched


@pytest.mark.requirement("T2d")
def test_a_context_is_seen_by_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are asked without it: a program is written first, and nobody vouches for it."""
    vouching(monkeypatch)
    context = "This year the north quay is free for us."
    _, model = plan(tmp_path, QUESTION, *[RIGHT] * 8, twice=True, context=context)
    assert context in model.requests[0].messages[-1].content


@pytest.mark.requirement("T2d")
def test_a_range_of_days_is_no_day() -> None:
    """Neither end of it is what was read."""
    assert is_range("8 to 10 April 2026") and is_range("8-10 April 2026") and not is_range("8 April 2026")


@pytest.mark.requirement("T2b")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT name FROM people WHERE age > (SELECT age FROM people WHERE name = 'Ada')",
        "SELECT b.name FROM people a JOIN people b ON a.boss = b.id WHERE a.name = 'Ada'",
        "SELECT name FROM members WHERE \"First name\" = 'Ada'",
        "SELECT name, age FROM people WHERE name = 'Ada'",
    ],
)
def test_a_query_that_finds_something_is_no_echo(query: str) -> None:
    """Its condition is of another row, another column, or not all that it selects."""
    assert not echoes(query) and echoes("SELECT name FROM people WHERE name = 'Ada'")
