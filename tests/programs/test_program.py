"""Programs as the calls of tools that they are: what is read, and what no call can do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.programs.calls import Text
from aeon.programs.evidence import Evidence
from aeon.programs.reading import Read, read_program
from aeon.schema.turns import Call
from aeon.tools import Tool, ToolRegistry, tool
from aeon.tools.algebra import algebra
from aeon.tools.calculator import calculator
from aeon.tools.dates import dates
from aeon.tools.references import references, substitute

pytestmark = pytest.mark.requirement("W3a")


@tool(side_effects=False)
def lookup(place: str, limit: int = 3) -> str:
    """Look something up."""
    return place * limit


@tool(side_effects=False)
def opened(name: str = "all") -> int:
    """Count something."""
    return len(name)


anything = Tool("anything", "Count.", {"type": "object"}, lambda: 7, side_effects=False)
REGISTRY = ToolRegistry([calculator(), *algebra(), *dates(), lookup, opened, anything])
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


def found(code: str) -> Read:
    """What a program is read as, for a task without files."""
    return read_program(code, REGISTRY, Evidence(), "", "How much is it?")


def steps_of(code: str) -> tuple[Call, ...]:
    """The calls of a program that can be made; none where anything keeps it from running."""
    read = found(code)
    return () if read.fault else tuple(one for one in read.calls.made if isinstance(one, Call))


def calls(made: Sequence[Call]) -> list[tuple[str, object]]:
    """Each call's tool and arguments; a formula as such."""
    return [(one.tool, one.arguments.get("expression", one.arguments)) for one in made]


def value(code: str) -> object:
    """What the last step of a program's plan gives when its steps are run."""
    outputs: dict[str, object] = {}
    for one in steps_of(code):
        arguments = substitute(one.arguments, outputs)  # type: ignore[arg-type]
        outputs[one.id] = asyncio.run(REGISTRY.call(one.tool, arguments, "key")).value
    return outputs[f"s{len(outputs)}"]


def test_calculations_become_steps_that_lead_to_what_is_printed() -> None:
    """Numbers are written out, names become references, and what leads nowhere is left out."""
    steps = steps_of(PROGRAM)
    assert calls(steps) == [
        ("calculator", "240 * 0.45"), ("calculator", "75 * 3.2"), ("calculator", "$s1 + $s2"),
        ("calculator", "round($s3, 2)"),
    ]  # fmt: skip
    assert [one.id for one in steps] == ["s1", "s2", "s3", "s4"] and found(PROGRAM).calls.printed == ("s4",)


@pytest.mark.parametrize(
    ("code", "gives"),
    [
        ("x = 5\nx += 12 * 3\nprint(x)", 41),
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
        ("N = 12\nn = 5\nprint(N - n)", 7),
        ("def mean(a, b):\n    return a * b\nprint(mean(12, 5))", 60),
        ("x = 12 / 18\nprint(f'{x:.2f}')", 0.67),
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
        ("print(opened() + anything())", 10),
        ("def each(all, n):\n    'Share.'\n    n = n * 2\n    return all / n\nn = 3\nprint(each(18, n=n) + n)", 6),
        ("def f(x):\n    return x + 1\ndef g(x):\n    y = f(x)\n    return f(y)\ny = g(12)\nprint(y)", 14),
        ("def main():\n    x = 12 * 3\n    print(x)\nmain()", 36),
        ("def both(n):\n    return n * 2, n * 3\nb = both(12)\nprint(b[1] - b[0])", 12),
    ],
)
def test_the_steps_give_what_the_program_would(code: str, gives: object) -> None:
    """Assignments, functions, conversions, dates and calls of tools mean the same as in the program."""
    assert value(code) == gives


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
        "print(anything(12))",
        "a = b = 12 * 3\nprint(a)",
        "print(True + 12)",
        "print(12 * 3",
        "n = [12, 3]\nprint(n[2] * 2)",
        "n = [12, 3]\nprint(n * 2)",
        "print(" + "-" * 5_000 + "12)",
        "print('\x00', 12 * 3)",
    ],
)
def test_what_no_call_can_do_does_not_run(code: str) -> None:
    """Of texts, loops, conditions, unknown names and wrong arguments nothing runs."""
    assert steps_of(code) == ()


@pytest.mark.requirement("S1")
def test_functions_that_call_each_other_over_and_over_are_no_plan() -> None:
    """What would be read in 2 to the power of 60 calls is given up at once; as many calls as a plan needs are read."""
    doubling = "\n".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x)" for n in range(60))
    assert steps_of(f"{doubling}\ndef f60(x):\n    return x\nprint(f0(12))") == ()
    assert len(steps_of("def f(x):\n    return x * 2\n" + "x = 12\n" + "x = f(x)\n" * 12 + "print(x)")) == 12


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(("times", "runs"), [(24, True), (25, False)])
def test_a_program_makes_24_calls_at_most(times: int, runs: bool) -> None:
    """The limit counts the calls that what is printed rests on, not the lines."""
    code = "unused = 7 * 12\nx = 12\n" + "x = x * 2\n" * times + "print(x)"
    assert len(steps_of(code)) == (times if runs else 0) and ("24 calls" in found(code).fault) is not runs


@pytest.mark.requirement("S1")
@given(st.text(max_size=200) | st.builds(str.join, st.just("\n"), st.lists(st.sampled_from(PROGRAM.splitlines()))))
def test_any_text_is_a_sound_plan_or_none(text: str) -> None:
    """Nothing that a model writes raises, and what is read refers to earlier steps only."""
    before: list[str] = []
    for one in found(text).calls.made:
        assert {*references(one.task if isinstance(one, Text) else one.arguments)} <= {*before}
        before.append(one.id)
    assert {*found(text).calls.printed} <= {*before} and len({*before}) == len(before)
