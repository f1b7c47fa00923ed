"""The tool ``python``: a program in a sandbox without files or network. Needs the extra ``python``."""

from __future__ import annotations

import inspect
import keyword
import re
from itertools import takewhile
from textwrap import dedent

from pydantic_monty import CollectString, Monty, MontyError, MontyRuntimeError, MontySyntaxError, ResourceLimits

from aeon.errors import ToolFailed
from aeon.schema.frozen import JsonValue
from aeon.text import one_line
from aeon.tools import csvrows
from aeon.tools.tool import Tool, tool

__all__ = ["python"]

MODULES = "math, json, re, datetime, decimal, collections, itertools, functools, random, bisect, csv, base64, hashlib"
"""Modules that a program may import; there are a few more, and none reaches the outside."""

_DESCRIPTION = f"""Run a Python program and give the value of its last line or what it prints.
csv_rows(text) gives a CSV text as a list of dicts with numbers converted.
No files, no network, no input(). It may import only: {MODULES}.

Args:
    code: the whole program; its last line is the result's name
"""

_FENCED = re.compile(r"\s*```[a-zA-Z]*\n(.*?)\n?\s*```\s*", re.DOTALL)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*(?::[^=]+)?[-+*/%]?=(?!=)")
_PRINTED_BYTES = 1_000_000
_PRELUDE = f"{inspect.getsource(csvrows)}\nNone"
"""What runs before each program, within the same limits: no function of the host is called from inside."""


def python(seconds: float = 5.0, memory: int = 100_000_000) -> Tool:
    """Return the tool ``python``, which runs a program for up to some seconds of time and bytes of memory.

    The program may call ``csv_rows(text)``. The result is the value of its last line (of the variable, if that line is
    an assignment), or what it printed, or an object with both as ``printed`` and ``value``. It runs in a process of its
    own and can reach no file and no network.
    """
    limits = ResourceLimits(max_feed_duration_secs=seconds, max_memory=memory, max_total_sleep_secs=seconds)

    def run(code: str) -> JsonValue:
        program, asked = _program(code)
        printed = CollectString(max_bytes=_PRINTED_BYTES)
        try:
            with Monty(max_processes=1, request_timeout=3 * seconds + 5) as pool, pool.checkout(limits=limits) as one:
                one.feed_run(_PRELUDE)
                value = one.feed_run(program, print_callback=printed)
        except (MontyError, ValueError, TimeoutError) as error:
            raise ToolFailed(_message(error)) from None
        return _result(printed.output.rstrip("\n"), value, asked)

    run.__doc__ = _DESCRIPTION
    return tool(name="python", side_effects=False, parallel_safe=True, timeout=4 * seconds + 10)(run)


def _program(code: str) -> tuple[str, bool]:
    """Return the code without fences, and whether a last line asking for a value was added."""
    fenced = _FENCED.fullmatch(code)
    text = dedent(fenced[1] if fenced else code).rstrip()
    assigned = _ASSIGNED.match(text.splitlines()[-1]) if text else None
    if assigned is None or keyword.iskeyword(assigned[1]):
        return text, False
    return f"{text}\n{assigned[1]}", True


def _result(printed: str, value: JsonValue, asked: bool) -> JsonValue:
    if printed and (value is None or asked):
        return printed
    if printed:
        return {"printed": printed, "value": value}
    if value is None:
        raise ToolFailed("the program gave no result: end it with the result's name or print it")
    return value


def _message(error: Exception) -> str:
    """Return what went wrong in one line, with the program's line number where there is one."""
    if not isinstance(error, MontyRuntimeError | MontySyntaxError):
        return one_line(f"{type(error).__name__}: {error}")
    frames = list(takewhile(lambda frame: frame.function_name != csvrows.csv_rows.__name__, error.traceback()))
    line = f"line {frames[-1].line}: " if frames else ""
    return one_line(f"{line}{error.display('type-msg')}")
