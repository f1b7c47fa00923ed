"""Programs in the sandbox."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_monty")

from aeon.errors import ToolFailed
from aeon.tools import ToolRegistry
from aeon.tools.csvrows import csv_rows
from aeon.tools.python import MODULES, python


def run(code: str) -> object:
    """Run a program as a step would."""
    return asyncio.run(ToolRegistry([python(seconds=0.5)]).call("python", {"code": code})).value


def test_what_the_tool_declares() -> None:
    """It takes a program, and changes nothing."""
    tool = python()
    assert (tool.side_effects, tool.parallel_safe) == (False, True)
    assert list(tool.parameters["properties"]) == ["code"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("x = 5\nx * 2", 10),
        ("print('a')\nprint('b')", "a\nb"),
        ("print('a')\n5", {"printed": "a", "value": 5}),
        ("result = {'a': (1, 2)}", {"a": [1, 2]}),
        ("print('a')\ny = 5", "a"),
        ("if False: y = 1\nelse: y = 2\ny", 2),
        ("csv_rows('a,b\\n1,2.5\\n')", [{"a": 1, "b": 2.5}]),
        ("```python\nx = 1\nx + 1\n```", 2),
        ("import math\nmath.floor(2.5)", 2),
    ],
)
def test_results(code: str, value: object) -> None:
    """The result is the last line's value, or what was printed, or both."""
    assert run(code) == value


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("while True: pass", "TimeoutError"),
        ("import time\ntime.sleep(100)", "TimeoutError"),
        ("a = [0] * 10**9", "line 1: MemoryError"),
        ("print('x' * 20000000)", "MemoryError"),
        ("def f(n): return f(n + 1)\nf(0)", "RecursionError"),
        ("\nopen('/etc/passwd').read()", "line 2: PermissionError"),
        ("import os\nos.listdir('/')", "line 2: PermissionError"),
        ("import os\nos.getenv('HOME')", "line 2: RuntimeError"),
        ("import socket", "ModuleNotFoundError: No module named 'socket'"),
        ("import subprocess", "ModuleNotFoundError"),
        ("1 +", "line 1: SyntaxError"),
        ("x = 1\nx / 0", "line 2: ZeroDivisionError"),
        ("s9", "NameError: name 's9'"),
        ("x = 1\ncsv_rows('')", "line 2: ValueError: it holds no table"),
        ('csv_rows("a,b\\n\\"x,1\\ny,2\\n\\"z,3\\n")', "a quote is opened and not closed"),
        ('csv_rows("a,b\\n\\"x,1\\ny,2\\n")', "a quote is opened and not closed"),
        ('csv_rows("a,b\\n\\"x,1\\ny,2\\"\\n")', "a quote is opened and not closed"),
        ("csv_rows('a\\n' + '1\\n' * 5000000)", "MemoryError"),
        ("while True: csv_rows('a\\n' + '1\\n' * 1000)", "TimeoutError"),
        ("csv_rows(','.join(f'c{n}' for n in range(3000)) + '\\n' + '1\\n' * 2000)", "most of its 2000 rows lack"),
        ("for i in range(3):\n    pass", "gave no result"),
        ("10 ** 5000", "4300 digits"),
        ("float('nan')", "no JSON form"),
        ("'\ud800'", "surrogates"),
    ],
)
def test_failures_are_one_line(code: str, text: str) -> None:
    """Whatever a program does wrong or tries to reach is a typed failure with its line."""
    with pytest.raises(ToolFailed, match=text) as caught:
        run(code)
    assert "\n" not in str(caught.value)


def test_the_modules_in_the_description_exist() -> None:
    """What the description promises can be imported."""
    assert run(f"import {MODULES}\n1") == 1
    assert MODULES in python().description


def test_nothing_is_kept_between_calls() -> None:
    """Each call starts afresh."""
    assert run("left = 1") == 1
    with pytest.raises(ToolFailed, match="left"):
        run("left")


@pytest.mark.parametrize("where", ["here", "in the sandbox"])
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        *((f"a{mark}b\n1{mark}2\n3{mark}x\n", [{"a": 1, "b": 2}, {"a": 3, "b": "x"}]) for mark in ",;\t|"),
        ("city;price, EUR\nRome;1,5\n", [{"city": "Rome", "price, EUR": "1,5"}]),
        ("\ufeffid,n,t\r\n007,1.5,x\r\n7,-2,1e5", [{"id": "007", "n": 1.5, "t": "x"}, {"id": 7, "n": -2, "t": "1e5"}]),
        ("a,a,,a_2\n1\n1,2,3,4,5\n", [
            {"a": 1, "a_2": "", "column_3": "", "a_2_2": ""}, {"a": 1, "a_2": 2, "column_3": 3, "a_2_2": 4},
        ]),
        ('a,b\n\n"x ""y""","l1\nl2"\n', [{"a": 'x "y"', "b": "l1\nl2"}]),
        ('a,b\n"x" ,5" disk\n', [{"a": "x", "b": '5" disk'}]),
        ("a,b\n1,2\x0b3\n", [{"a": 1, "b": "2\x0b3"}]),
    ],
)  # fmt: skip
def test_rows_of_csv(text: str, rows: list[dict[str, object]], where: str) -> None:
    """The delimiter is found, names are made unique, and only what is plainly written as a number becomes one."""
    if where == "here":
        assert csv_rows(text) == rows
    else:
        assert str(run(f"csv_rows({text!r})")).replace("\ufffd", "\\x0b") == str(rows)


def test_a_header_that_repeats_a_name_is_read_in_one_go() -> None:
    """Each column gets a name of its own, however many of a name there are; trying all numbers anew took minutes."""
    header = [*["x"] * 100_000, *[f"a_{n}" for n in range(50_000)], *["a"] * 50_000]
    (row,) = csv_rows(",".join(header) + "\n1")
    assert (len(row), row["x"], list(row)[-1]) == (200_000, 1, "a_99998")


def test_no_function_of_the_host_can_be_called_from_a_program() -> None:
    """What a program does is bounded by the limits of the sandbox, and ends with it."""
    with pytest.raises(ToolFailed, match="NameError"):
        run("_csv_rows('a')")
    assert run("t = 'a,b' + chr(10) + '1,2'\nlen(csv_rows(t))") == 1
