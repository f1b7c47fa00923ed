"""What a program may say beyond calculations: choices, texts to be written, and values copied from sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.programs.calls import Calls, Text
from aeon.programs.evidence import Evidence
from aeon.programs.parse import misfits, read
from aeon.programs.stated import stands_in
from aeon.schema import JsonObject, JsonValue, Source
from aeon.schema.turns import Call
from aeon.tools import tool
from aeon.tools.calculator import calculator
from aeon.tools.choose import CHOOSE, choose
from aeon.tools.dates import dates
from aeon.tools.quote import QUOTE
from aeon.tools.references import references, substitute
from aeon.tools.registry import ToolRegistry

pytestmark = pytest.mark.requirement("T1")


@tool(side_effects=False)
def sql(query: str) -> JsonValue:
    """Ask the tables."""
    return 7 if "staff" in query else "Cork"


@tool(name=QUOTE, side_effects=False, offered=False)
def quote(value: str | int | float, source: str, start: int, end: int) -> str | int | float:
    """A value that stands in a text."""
    return value


REGISTRY = ToolRegistry([calculator(), choose(), sql, quote, *dates()])
SAID = (
    "Rex weighs 18.5 kg.",
    "Mimi weighs 4.2 kg.",
    "The vet, Dr. Adler, opens at 8:30.",
    "Leave is 30 days of the year.",
)


def evidence() -> Evidence:
    """Four numbered sentences."""
    text, spans = "\n".join(SAID), list[JsonValue]()
    for said in SAID:
        spans.append([text.index(said), text.index(said) + len(said)])
    found: JsonObject = {"source": "vet.txt", "start": 0, "end": len(text), "text": text, "sentences": spans}
    return Evidence([found])


def actions(calls: Calls) -> list[object]:
    """What each call does: the value that it quotes, the text that is to be written, or its tool with its arguments."""
    done: list[object] = []
    for one in calls.made:
        if isinstance(one, Text):
            done.append(one.task)
        else:
            done.append(one.arguments["value"] if one.tool == QUOTE else [one.tool, *one.arguments.values()])
    return done


def values(calls: Calls) -> list[object]:
    """What is printed when the calls are made."""
    outputs: dict[str, JsonValue] = {}
    for one in calls.made:
        assert isinstance(one, Call)
        arguments = substitute(one.arguments, outputs)
        outputs[one.id] = asyncio.run(REGISTRY.call(one.tool, arguments, "key")).value
    return [outputs[name] for name in calls.printed]


def is_sound(calls: Calls) -> bool:
    """Whether each call has an id of its own and refers to earlier ones alone, and what is printed is among them."""
    before: list[str] = []
    for one in calls.made:
        named = references(one.task if isinstance(one, Text) else one.arguments)
        if one.id in before or any(name not in before for name in named):
            return False
        before.append(one.id)
    return {*calls.printed} <= {*before} and bool(calls.printed) is bool(before)


@pytest.mark.parametrize(
    ("code", "gives"),
    [
        ('print("3/8" if 3/8 > 2/5 else "2/5")', ["2/5"]),
        ("a = 12\nb = 5\nprint(a if a < b else b)", [5]),
        ('x = "more" if 12 >= 12 else "less"\nprint(x)', ["more"]),
        ('print("same" if 12 == 3 * 4 else "not", 12 - 5)', ["same", 7]),
        ('print("a" if 12 != 12 else "b" if 5 <= 4 else "c")', ["c"]),
        ('print("between" if 3 < 5 < 12 else "outside")', ["between"]),
        ('n = [12, 5]\nprint("first" if n[0] > n[1] else "second", abs(n[0] - n[1]))', ["first", 7]),
        ("print(12 * 2 if 5 > 3 else -4)", [24]),
        ("print(-4 if 5 > 12 / 2 else -5)", [-5]),
        ("print((12 if 5 > 3 else 4) * 2)", None),
        ('print("yes" if sql("staff") > 5 else "no")', ["yes"]),
        ('print(sql("city") if sql("staff") > 5 else "none")', ["Cork"]),
        ('def larger(a, b):\n    return "a" if a > b else "b"\nprint(larger(5, 12))', ["b"]),
        ('print(f"It is {max(12, 5) if 5 > 3 else 0} now")', [12]),
        ('print("late" if days_between("2024-01-01", "2024-02-01") > 30 else "in time")', ["late"]),
    ],
)
def test_one_of_two_values_is_chosen_by_a_comparison(code: str, gives: Sequence[object] | None) -> None:
    """The comparison is a call of its own, and so is the choice; one inside of a formula cannot be read."""
    calls = read(code, REGISTRY)
    if gives is None:
        assert calls == Calls()
        return
    assert values(calls) == gives
    assert not [*misfits(calls, REGISTRY)] and is_sound(calls)
    assert any(isinstance(one, Call) and one.tool == CHOOSE for one in calls.made)


@pytest.mark.parametrize(
    "code",
    [
        'print("a" if True else "b")',
        'x = 12\nprint("a" if x else "b")',
        'print("a" if 12 > 3 and 5 > 3 else "b")',
        'print("a" if not 12 > 3 else "b")',
        'print("a" if "x" == "x" else "b")',
        'print("a" if 12 in [12, 5] else "b")',
        'print("a" if 12 is 12 else "b")',
        'print("a" if [12] > [5] else "b")',
        'print("a" if nobody > 5 else "b")',
        'if 12 > 5:\n    print("a")',
        'print(__import__("os") if 12 > 5 else "b")',
    ],
)
def test_another_condition_is_no_call(code: str) -> None:
    """Only numbers are compared, and only a number or a text is chosen."""
    assert read(code, REGISTRY) == Calls()


def test_a_choice_without_its_tool_cannot_run() -> None:
    """It is told like any other call that does not fit."""
    calls = read('print("a" if 12 > 5 else "b")', ToolRegistry([calculator()]))
    assert [*misfits(calls, ToolRegistry([calculator()]))] == [f"there is no function {CHOOSE}"]


@pytest.mark.requirement("T4")
@pytest.mark.parametrize(
    ("code", "tasks"),
    [
        ('print(write("Say hello."))', ["Say hello."]),
        ('print(write("Say " + "hello."))', ["Say hello."]),
        ('t = "Say hello."\nprint(write(t))', ["Say hello."]),
        ("n = 12 * 2\nprint(write(f'A poem of {n} lines.'))", [["calculator", "12 * 2"], "A poem of $s1 lines."]),
        ('x = write("A poem.")\nprint(write(f"Translate: {x}"))', ["A poem.", "Translate: $s1"]),
        ("print(write(f'A poem of {12} lines.'))", ["A poem of 12 lines."]),
        ("def write(task):\n    return task\nprint(write('Say hello.'))", ["Say hello."]),
    ],
)
def test_a_text_is_wanted_behind_what_it_speaks_of(code: str, tasks: Sequence[object]) -> None:
    """Its task may refer to earlier results."""
    calls = read(code, REGISTRY)
    assert actions(calls) == tasks and isinstance(calls.made[-1], Text) and is_sound(calls)
    assert not [*misfits(calls, REGISTRY)]


@pytest.mark.requirement("T4")
@pytest.mark.parametrize(
    "code",
    [
        "print(write())",
        "print(write(12))",
        "print(write(nobody))",
        "print(write(a='b'))",
        "print(write('a') * 2 + 'b')",
        "print(write('a', 'b'))",
        "print(write(''))",
        "print(write(' '))",
    ],
)
def test_what_is_no_task_for_a_text_is_not_written(code: str) -> None:
    """A number, an unknown name, two texts and none cannot be written."""
    assert read(code, REGISTRY) == Calls()


def test_arguments_may_be_texts_with_results_in_them() -> None:
    """An f-string refers to what its braces name."""
    code = "year = 2024 + 1\ncity = 'Cork'\nprint(sql(f\"SELECT 1 FROM t WHERE y = {year} AND c = '{city}'\"))"
    assert actions(read(code, REGISTRY)) == [
        ["calculator", "2024 + 1"], ["sql", "SELECT 1 FROM t WHERE y = $s1 AND c = 'Cork'"],
    ]  # fmt: skip
    assert read("print(sql(f'SELECT {nobody}'))", REGISTRY) == Calls()


@pytest.mark.requirement("T2")
@pytest.mark.parametrize(
    ("code", "done"),
    [
        ("dog = 18.5  # 1\ncat = 4.2  # 2\nprint(dog - cat)", [18.5, 4.2, ["calculator", "$s1 - $s2"]]),
        ('print("8:30", "Dr. Adler")  # 3', ["8:30", "Dr. Adler"]),
        ("print(18.5)  # 1", [18.5]),
        ("days = 30  # 4\nprint(days)", [30]),
        ("print(18.5 * 12)  # 1", [18.5, ["calculator", "$s1 * 12"]]),
        ("print(f'{18.5 - 4.2} kg')  # 1, 2", [18.5, 4.2, ["calculator", "$s1 - $s2"]]),
        ("print(f'In all: {18.5 + 4.2}')", [18.5, 4.2, ["calculator", "$s1 + $s2"]]),
        ("print(18.5 * 6)", [18.5, ["calculator", "$s1 * 6"]]),
        (
            'print("Rex" if 18.5 > 4.2 else "Mimi")  # 1, 2',
            [18.5, 4.2, "Mimi", ["calculator", "$s1 > $s2"], [CHOOSE, "$s4", "Rex", "$s3"]],
        ),
        (
            'print("yes" if 18.5 > 4.2 else "No")  # 1, 2',
            [18.5, 4.2, ["calculator", "$s1 > $s2"], [CHOOSE, "$s3", "yes", "No"]],
        ),
        ('print(f"Dr. Adler")', ["Dr. Adler"]),
        ("print(str(18.5))  # 1", [18.5]),
    ],
)
def test_what_is_copied_from_a_sentence_is_quoted(code: str, done: Sequence[object]) -> None:
    """Numbers and names become calls that say where they stand; what the task says and usual numbers do not."""
    calls = read(code, REGISTRY, evidence(), "Rex has 6 meals")
    assert actions(calls) == done
    assert not [*misfits(calls, REGISTRY)] and is_sound(calls)


@pytest.mark.requirement("T2")
@pytest.mark.parametrize(
    ("code", "start"),
    [
        ("x = 30  # 4\nprint(x)", 75),
        ("x = 30  # 3\nprint(x)", 75),
        ("print('Mimi')  # 3", 20),
        ("print(18.5)", 0),
    ],
)
def test_a_quotation_says_where_it_stands(code: str, start: int) -> None:
    """In the cited sentence if that holds it, else in one beside it, else in the first that does."""
    (call,) = read(code, REGISTRY, evidence()).made
    assert isinstance(call, Call)
    assert (call.tool, call.arguments["source"], call.arguments["start"]) == (QUOTE, "vet.txt", start)


@pytest.mark.requirement("T2", "G5")
@pytest.mark.parametrize(
    "code",
    [
        "print(17)",
        "print(18.5 + 17)  # 1",
        "x = 4711  # 1\nprint(x * 12)",
        'print("Dr. Evil")',
        'print("Dr. Adler", "the password is 4711")  # 3',
        'print("8:45")  # 3',
        "print(4711 if 18.5 > 4.2 else 18.5)",
        "print(-4711 if 18.5 > 4.2 else 18.5)",
        'print(f"Dr. Evil")',
        'print("not stated")',
        'print("")',
        "print(12)",
        "print(True)",
        "print(1e999)",
        "print(" + "9" * 5_000 + ")",
        "print(b'Rex')",
        "print(None)",
    ],
)
def test_what_stands_nowhere_is_no_call(code: str) -> None:
    """A number or a name that is neither in a sentence nor in the task is not taken from a model."""
    assert read(code, REGISTRY, evidence(), "Which is heavier?") == Calls()


def test_what_the_task_says_needs_no_sentence() -> None:
    """Its numbers, as per cent too, and its words are the program's to use."""
    plan = read("print(17 * 0.19 + 18.5)  # 1", REGISTRY, evidence(), "17 meals with 19% tax")
    assert actions(plan) == [18.5, ["calculator", "17 * 0.19 + $s1"]]
    plan = read('print("Whiskers" if 17 > 18.5 else "Rex")', REGISTRY, evidence(), "Is Whiskers, of 17 kg, heavier?")
    assert actions(plan) == [18.5, "Rex", ["calculator", "17 > $s1"], [CHOOSE, "$s3", "Whiskers", "$s2"]]


def test_without_sentences_nothing_is_quoted() -> None:
    """Then texts belong to no calculation, and numbers are as good as the task."""
    assert actions(read("print('Dr. Evil', 12 * 3)", REGISTRY)) == [["calculator", "12 * 3"]]
    assert read("print('Dr. Evil')", REGISTRY) == Calls()


@pytest.mark.requirement("S1")
@given(
    st.lists(
        st.sampled_from(
            ["x = 18.5  # 1", "print(x)", "\n", "x = x if x > 4.2 else 5", "print(write(f'{x}'))", "x = write('a')",
             "print('Rex' if x < 3 else x)", "y = sql(f'{x} {y}')", "print(sql(x))", "x += 'a'", "print(f'{x}{y}')",
             "def f(x):\n    return 'a' if x > 1 else write(x)", "print(f(x))", "x = [x, 'Rex']", "print(x[0], str(y))"]
        ),
        max_size=12,
    ).map("\n".join),
    st.booleans(),
)  # fmt: skip
def test_any_program_is_sound_calls_or_none(text: str, sentences: bool) -> None:
    """Nothing raises, each call refers to earlier ones only, and what is printed is among them."""
    assert is_sound(read(text, REGISTRY, evidence() if sentences else None, "Rex"))


@pytest.mark.requirement("T2a")
@pytest.mark.parametrize(
    ("sign", "first"), [("<", "0 < $s3"), (">", "0 > $s3"), ("<=", "0 <= $s3"), ("==", "0 == $s3")]
)
@pytest.mark.parametrize(("one", "other"), [("2026-04-28", "2026-05-14"), ("28 April 2026", "14 May 2026")])
def test_days_are_compared_by_the_days_between_them(sign: str, first: str, one: str, other: str) -> None:
    """A date, be it in words, is no number: how many days lie between the two is, before and after nothing."""
    text = "The market is on 28 April 2026. The kites fly on 14 May 2026."
    spans: list[JsonValue] = [[0, 31], [32, 61]]
    found = Evidence([{"source": "a.md", "start": 0, "end": len(text), "text": text, "sentences": spans}])
    program = (
        f'market = "{one}"  # 1\nkites = "{other}"  # 2\nprint("the market" if market {sign} kites else "the kites")'
    )
    made = read(program, REGISTRY, found, "Is the market or are the kites earlier?")
    assert [one.tool for one in made.made if isinstance(one, Call)] == [
        QUOTE, QUOTE, "days_between", "calculator", CHOOSE,
    ]  # fmt: skip
    assert made.made[2] == Call(id="s3", tool="days_between", arguments={"first": "$s1", "last": "$s2"})
    assert made.made[3] == Call(id="s4", tool="calculator", arguments={"expression": first})


@pytest.mark.requirement("T2a")
def test_a_day_is_not_compared_with_a_number_or_several() -> None:
    """Then the program is none."""
    for test in ('"2026-04-28" < 7', '"2026-04-28" < "2026-05-01" < "2026-06-01"', '"april" < "2026-05-01"'):
        assert read(f'print("yes" if {test} else "no")', REGISTRY).made == ()


@pytest.mark.requirement("T2")
@pytest.mark.parametrize(
    ("value", "stands"),
    [
        (9, True),
        ("9 metres", True),
        ("nine metres", True),
        (6, True),
        (7, False),
        (5, False),
        ("8 metres", False),
        ("until 17:30", True),
        ("17:30 metres", True),
        ("9:30 metres", False),
        ("9:30", False),
    ],
)
def test_a_number_may_stand_there_in_words(value: str | float, stands: bool) -> None:
    """Those up to twenty; a part of another word is none."""
    text = "Open until 17:30. The hall is nine metres wide and holds Six cars, a seventh one, and twenty-five bicycles."
    assert stands_in(value, Source(source="hall.md", start=0, end=len(text), text=text)) is stands


@pytest.mark.requirement("T2", "G5")
def test_a_number_that_the_task_says_in_words_needs_no_sentence() -> None:
    """It was said."""
    plan = read("print(18.5 * 8)", REGISTRY, evidence(), "What do eight meals weigh?")
    assert actions(plan) == [18.5, ["calculator", "$s1 * 8"]]
