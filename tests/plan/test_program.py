"""Plans out of programs: what is read, what is refused, and when a program is asked for at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import CompletionError
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import DraftPlan
from aeon.multipass.plans import draft_problems
from aeon.plan.program import numbers, planned
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, LLMResponse, Plan, Step, Task, TaskProfile, ToolCall
from aeon.tools import Tool, ToolRegistry
from aeon.tools.algebra import algebra
from aeon.tools.calculator import calculator
from aeon.tools.dates import dates
from aeon.tools.references import substitute
from plan.words import ENFORCING, lookup, planner, prompt, sums, thought, written

SOLD = "A bakery sells 240 rolls at 0.45 and 75 loaves at 3.20. What does it take in?"
REGISTRY = ToolRegistry([calculator(), *algebra(), *dates(), lookup])
PROGRAM = """```python
# Prices
rolls = 240
price = 0.45
from_rolls = rolls * price
from_loaves = 75 * 3.20
rest = 1000 - from_rolls
total_revenue = from_rolls + from_loaves
print(f"Total: {total_revenue:.2f} euros")
```"""


def read(code: str, given: str = "1 2 3 5 12 18 2021", most: int = 12) -> tuple[Step, ...]:
    """The steps of a program for a task with these numbers."""
    return planned(code, numbers(given), most, REGISTRY).steps


def calls(steps: Sequence[Step]) -> list[tuple[str, object]]:
    """Each step's tool and arguments; a formula as such."""
    actions = [step.action for step in steps if isinstance(step.action, ToolCall)]
    return [(a.tool, (a.arguments or {}).get("expression", a.arguments)) for a in actions]


def value(code: str) -> object:
    """What the last step of a program's plan gives when its steps are run."""
    outputs: dict[str, object] = {}
    for step in read(code):
        assert isinstance(step.action, ToolCall) and step.action.arguments is not None
        arguments = substitute(step.action.arguments, outputs)  # type: ignore[arg-type]
        outputs[step.id] = asyncio.run(REGISTRY.call(step.action.tool, arguments, "key", {})).value
    return outputs[f"s{len(outputs)}"]


def draft(text: str, *replies: Reply, tools: Sequence[Tool] = (calculator(),), cap: int = 4) -> tuple[Plan, Scripted]:
    """The plan for a task out of these replies, where so many calls are allowed, and the model."""
    made, model = planner(replies, ENFORCING, tools)

    async def drafted() -> Plan:
        with Ledger(Allowance(calls=cap)):
            return await made.draft(DraftPlan(task=Task(text=text), profile=TaskProfile(), most_steps=12))

    return asyncio.run(drafted()), model


@pytest.mark.requirement("J4")
def test_calculations_become_steps_that_lead_to_what_is_printed() -> None:
    """Numbers are written out, names become goals and references, and what leads nowhere is left out."""
    steps = read(PROGRAM, SOLD)
    assert calls(steps) == [
        ("calculator", "240 * 0.45"), ("calculator", "75 * 3.2"), ("calculator", "$s1 + $s2"),
    ]  # fmt: skip
    assert [step.description for step in steps] == ["from rolls", "from loaves", "total revenue"]
    assert [step.dependencies for step in steps] == [(), (), ("s1", "s2")]
    assert draft_problems(Plan(steps=steps), 12) == ()


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("code", "gives"),
    [
        ("x = 5\nx += 12 * 3\nprint(x)", 41),
        ("Apples = 12\nprint(apples * 2)", 24),
        ("x = -12\nprint(abs(x) + 2)", 14),
        ("x = 12 - 18\nprint(2 - x, 'in all')", 8),
        ("x = 12 - 18\nprint(x ** 2)", 36),
        ("import math\ng = math.gcd(12, 18)\nprint(f'{12 // g}')", 2),
        ("print(sum([12, 18]))", 30),
        ("x = 12 / 5\nprint(int(x))", 2),
        ("x = (5 - 18) / 5\nprint(int(x))", -2),
        ("x = float(12)\nprint(round(x / 18, 2))", 0.67),
        ("print(greatest_common_divisor([12, 18]))", 6),
        ("equation = '3*x + 12 = 18'\nx = solve_equation(equation)\nprint(x * 5)", 10),
        ("then = add_days('2021-05-03', days=12)\nprint(weekday(then))", "Saturday"),
        ("print(weekday(add_days('2021-05-03', 5 + 12)))", "Thursday"),
        ("def greatest_common_divisor(n):\n    return gcd(*n)\nn = [12, 18]\nprint(greatest_common_divisor(n))", 6),
        ("n = [12, 18]\nprint(least_common_multiple(n[0], n[1]))", 36),
        ("n = (12, 18)\nprint(max(n) - min(*n))", 6),
        ("print(add_days('2021-05-03', -2))", "2021-05-01"),
        ("print(2 + greatest_common_divisor(numbers=[12, 18]))", 8),
        ("x = 12 * 3\nx", 36),
        ("x = 12 * 3\nprint(x)\nx + 1", 36),
        ("12 + 3\ngreatest_common_divisor(12, 18)", 6),
        ("from datetime import datetime\nd = datetime(2021, 5, 3)\nw = d.strftime('%A')\nprint(w)", "Monday"),
        ("d = datetime.strptime('2021-05-03', '%Y-%m-%d') + timedelta(days=12)\nprint(d)", "2021-05-15"),
        ("print(f'{date(2021, 5, 12):%A}')", "Wednesday"),
        ("n = datetime.timedelta(12)\nd = datetime.date(2021, 5, 3) - n\nd.strftime('%A')", "Wednesday"),
        ("a = date(2021, 5, 3)\nb = datetime(2021, 5, 18).date()\nprint((b - a).days + 2)", 17),
        ("print((date(2021, 5, 3) + timedelta(days=12 + 3)).strftime('%Y-%m-%d'))", "2021-05-18"),
        ("def f():\n    return 12\nprint(f() * 2)", 24),
        ("def each(all, n):\n    'Share.'\n    n = n * 2\n    return all / n\nn = 3\nprint(each(18, n=n) + n)", 6),
        ("def f(x):\n    return x + 1\ndef g(x):\n    y = f(x)\n    return f(y)\ny = g(12)\nprint(y)", 14),
        ("def main():\n    x = 12 * 3\n    print(x)\nmain()", 36),
        ("def both(n):\n    return n * 2, n * 3\nb = both(12)\nprint(b[1] - b[0])", 12),
    ],
)
def test_the_steps_give_what_the_program_would(code: str, gives: object) -> None:
    """Assignments, functions, conversions, dates and calls of tools mean the same as in the program."""
    assert value(code) == gives


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    "code",
    [
        "",
        "I cannot write that.",
        "print('Dear colleague, thank you for 12 years!')",
        "guests = 12 + 3\nprint('Dear all,')\nprint(guests)",
        "x = 12\nprint(x)",
        "x = 12 * 3",
        "x = 12\nx",
        "print(datetime(2021, 5, 3).strftime('%B') + 3)",
        "print(datetime(2021, 5, 12).weekday())",
        "n = timedelta(hours=12)\nprint(datetime(2021, 5, 3) + n)",
        "n = timedelta(days=12)\nn = 5\nprint(date(2021, 5, 3) + n)",
        "n = timedelta(days=12)\nprint(n)",
        "print(datetime.now().year - 2021)",
        "print(7 * 4)",
        "beside = 12 * 3\nprint(7 * 4)",
        "x = input()\nprint(12 * x)",
        "for x in range(12):\n    print(x * 2)",
        "if 12 > 3:\n    print(12 * 3)",
        "def f(n):\n    if n:\n        return 12\nprint(f(2) * 2)",
        "def f(n):\n    return f(n - 1) * 2\nprint(f(12))",
        "def f():\n    x = 12\nprint(f() * 2)",
        "def f():\n    return\nprint(f() * 12)",
        "def f(a, b):\n    return a * b\nprint(f(12))",
        "def f(a):\n    return a * 12\nprint(f(a=2, b=3))",
        "def f(*a):\n    return 12 * 2\nprint(f(2))",
        "def f(a):\n    y = 12 * a\n    return y\nf(2)\nprint(y)",
        "def f():\n    return [12, 3]\nprint(f() * 2)",
        "@twice\ndef f():\n    return 12 * 2\nprint(f())",
        "print(open('/etc/passwd').read() * 12)",
        "print(__import__('os').system('true') + 12)",
        "x = 'a' * 12\nprint(x)",
        "x = 12 / 0\nprint(x)",
        "print(weekday('2021-05-03', 12, 3))",
        "print(weekday(12))",
        "print(nobody(12) + 3)",
        "a = b = 12 * 3\nprint(a)",
        "print(True + 12)",
        "print(12 * 3",
        "n = [12, 3]\nprint(n[2] * 2)",
        "n = [12, 3]\nprint(n * 2)",
        "print(" + "-" * 5_000 + "12)",
        "print('\x00', 12 * 3)",
    ],
)
def test_what_no_step_can_do_is_no_plan(code: str) -> None:
    """Texts, loops, conditions, unknown names, wrong arguments, and sums without a number of the task give no steps."""
    assert read(code) == ()


@pytest.mark.requirement("J4", "S1")
def test_functions_that_call_each_other_over_and_over_are_no_plan() -> None:
    """What would be read in 2 to the power of 60 calls is given up at once; as many calls as a plan needs are read."""
    doubling = "\n".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x)" for n in range(60))
    assert read(f"{doubling}\ndef f60(x):\n    return x\nprint(f0(12))") == ()
    assert len(read("def f(x):\n    return x * 2\n" + "x = 12\n" + "x = f(x)\n" * 12 + "print(x)")) == 12


@pytest.mark.requirement("J4")
def test_a_program_has_no_more_steps_than_a_plan_may() -> None:
    """The limit counts the steps that are left, not the lines."""
    assert len(read(PROGRAM, SOLD, most=3)) == 3
    assert read(PROGRAM, SOLD, most=2) == ()


@pytest.mark.requirement("J4", "S1")
@given(st.text(max_size=200) | st.builds(str.join, st.just("\n"), st.lists(st.sampled_from(PROGRAM.splitlines()))))
def test_any_text_is_a_sound_plan_or_none(text: str) -> None:
    """Nothing that a model writes raises, and what is read refers to earlier steps only."""
    if steps := planned(text, numbers(SOLD), 12, REGISTRY).steps:
        assert draft_problems(Plan(steps=steps), 12) == ()


@pytest.mark.requirement("J4")
def test_a_task_with_numbers_is_planned_as_a_program_in_one_call() -> None:
    """The program is the plan: nothing else is asked."""
    plan, model = draft(SOLD, PROGRAM)
    assert len(plan.steps) == 3 and len(model.requests) == 1
    assert model.requests[0].json_schema is None and "Python program" in prompt(model.requests[0])


@pytest.mark.requirement("J4")
@pytest.mark.parametrize("unfit", ["print('240 thanks')", "", LLMResponse(text="print(240 *", finish_reason="length")])
def test_where_the_program_is_no_plan_the_steps_are_asked_for(unfit: Reply) -> None:
    """It is not repaired; the plan comes out of the other form."""
    plan, model = draft(SOLD, unfit, written(thought()))
    assert [step.action.type for step in plan.steps] == ["reasoning"] and len(model.requests) == 2
    assert "Plans for other tasks" in prompt(model.requests[1])


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("text", "tools", "cap"),
    [("Write a note.", (calculator(),), 4), (SOLD, (lookup,), 4), (SOLD, (calculator(),), 1)],
    ids=["no number", "no calculator", "one call only"],
)
def test_no_program_is_asked_for_in_vain(text: str, tools: Sequence[Tool], cap: int) -> None:
    """Without a number or a calculator no program can be the plan, and the last call is kept for one that can."""
    _, model = draft(text, written(thought()), tools=tools, cap=cap)
    assert len(model.requests) == 1 and model.requests[0].json_schema is not None


@pytest.mark.requirement("J4")
def test_a_program_that_leaves_out_a_number_is_made_again_from_a_chain_of_thought() -> None:
    """The task is thought through in words, and the program made of these takes its place and says so."""
    partial, whole = "taken = 240 * 0.45\nprint(taken)", "taken_in = 240 * 0.45 + 75 * 3.20\nprint(taken_in)"
    plan, model = draft(SOLD, partial, "Rolls and loaves.\nAnswer: 348", whole)
    assert calls(plan.steps) == [("calculator", "240 * 0.45 + 75 * 3.2")]
    assert plan.steps[-1].description == "taken in (second derivation)"
    first, thinking, second = (prompt(request) for request in model.requests)
    assert "Think step by step" in thinking and "Python program" in first and "Python program" in second
    assert "<data thoughts>\nRolls and loaves.\nAnswer: 348\n</data>" in second


@pytest.mark.requirement("J4", "S1")
@pytest.mark.parametrize("share", ["0.19", "1.19", "0.81", "19 / 100", "19"])
def test_a_percentage_is_not_left_out_where_it_is_written_as_a_share(share: str) -> None:
    """19 per cent are there as 0.19, as what is added to or taken from the whole, and as they are."""
    plan, model = draft("What are 240 rolls at 0.45 with 19% VAT?", f"taken = 240 * 0.45\nprint(taken * {share})")
    assert len(plan.steps) == 2 and len(model.requests) == 1


@pytest.mark.requirement("J4", "S1")
@pytest.mark.parametrize(
    "later",
    [
        ("",),
        (LLMResponse(text="So 240 rolls", finish_reason="length"),),
        (LLMResponse(text="", finish_reason="refusal"),),
        ("Answer: 348", "print('348')"),
        ("Answer: 348", LLMResponse(text="print(240 *", finish_reason="length")),
    ],
)
def test_without_a_usable_second_program_the_first_stays(later: Sequence[Reply]) -> None:
    """Nothing is asked again, and the plan is not lost."""
    plan, model = draft(SOLD, "print(240 * 0.45)", *later)
    assert calls(plan.steps) == [("calculator", "240 * 0.45")] and len(model.requests) == 1 + len(later)
    assert plan.steps[-1].description == "answer"


@pytest.mark.requirement("J4", "K12")
@pytest.mark.parametrize(("cap", "asked"), [(2, 1), (3, 3), (4, 3)])
def test_a_second_program_is_asked_for_only_within_the_calls_allowed(cap: int, asked: int) -> None:
    """It takes two calls more; where there are fewer, the first program is the plan."""
    plan, model = draft(SOLD, "print(240 * 0.45)", "Think.", "print(75 * 3.20 + 240 * 0.45)", cap=cap)
    assert len(model.requests) == asked and len(plan.steps) == 1


@pytest.mark.requirement("J4")
def test_a_plan_with_a_tool_of_its_own_is_not_derived_twice() -> None:
    """What such a tool is given says less about what was left out."""
    plan, model = draft("GCD of 12 and 18, rounded to 3 digits?", "print(greatest_common_divisor(12, 18))",
                        tools=(calculator(), *algebra()))  # fmt: skip
    assert len(plan.steps) == 1 and len(model.requests) == 1


@pytest.mark.requirement("J4")
def test_the_calls_of_a_plan_stay_within_their_cap() -> None:
    """The program counts as one of them."""
    bad = written(sums("$s9"))
    made, model = planner([PROGRAM.replace("print", "show"), *[bad] * 9])

    async def drafted() -> None:
        with Ledger(Allowance(calls=4)):
            await made.draft(DraftPlan(task=Task(text=SOLD), profile=TaskProfile(), most_steps=12))

    with pytest.raises(CompletionError):
        asyncio.run(drafted())
    assert len(model.requests) == 4


@pytest.mark.requirement("J4")
def test_a_plan_cannot_take_its_numbers_from_a_worked_example() -> None:
    """A sum of an example's numbers is told back; the same number is fine where the task gives it."""
    taken, own = written(sums("137 * 38.65", "price of the jars")), written(thought())
    plan, model = draft("Plan a party.", taken, own)
    assert plan.steps[0].action.type == "reasoning" and len(model.requests) == 2
    assert "works with 38.65, which is not in the task" in prompt(model.requests[1])
    plan, model = draft("137 jars cost 38.65 each.", "?", taken)
    assert plan.steps[0].action.type == "tool" and len(model.requests) == 2


@pytest.mark.requirement("J4")
def test_a_task_without_numbers_is_not_shown_a_calculation() -> None:
    """So that it cannot be planned as one."""
    _, model = draft("Plan a party.", written(thought()))
    assert "thank-you" in prompt(model.requests[0]) and "jars" not in prompt(model.requests[0])
