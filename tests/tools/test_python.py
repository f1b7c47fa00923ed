"""Programs in the sandbox."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_monty")

from aeon.errors import ToolFailed
from aeon.tools import ToolRegistry
from aeon.tools.python import MODULES, python

INPUTS = {"s1": [{"a": 1}], "s2": "a,b\n1,2.5\n", "class": 3}


def run(code: str) -> object:
    """Run a program as a step would."""
    return asyncio.run(ToolRegistry([python(seconds=0.5)]).call("python", {"code": code}, inputs=INPUTS)).value


def test_what_the_tool_declares() -> None:
    """Its argument is written late, it changes nothing, and its inputs are not the model's to fill."""
    tool = python()
    assert (tool.late_arguments, tool.side_effects, tool.parallel_safe) == (True, False, True)
    assert list(tool.parameters["properties"]) == ["code"]  # type: ignore[arg-type]
    assert tool.host_filled == ("inputs",)


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
        ("s1[0]['a']", 1),
        ("$s1[0]['a'] + 1", 2),
        ("csv_rows(s2)", [{"a": 1, "b": 2.5}]),
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
        ("csv_rows('')", "ValueError: the file holds no table"),
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
