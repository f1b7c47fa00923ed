"""Tools by name, as the command line takes them: ``calculator,algebra,dates,files=DIR,python``."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from pathlib import Path

from aeon.errors import MissingExtraError, UnknownNameError, UsageError
from aeon.text import one_line
from aeon.tools.algebra import algebra
from aeon.tools.calculator import calculator
from aeon.tools.dates import dates
from aeon.tools.files import files
from aeon.tools.tool import Tool

__all__ = ["AVAILABLE", "portable", "resolve"]


def _calculator(_: str) -> tuple[Tool, ...]:
    return (calculator(),)


def _python(_: str) -> tuple[Tool, ...]:
    try:
        module = importlib.import_module("aeon.tools.python")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "pydantic_monty":
            raise
        raise MissingExtraError(
            "the tool python needs the extra python: pip install 'aeon-orchestrator[python]'"
        ) from None
    tool: Tool = module.python()
    return (tool,)


# name: (what makes its tools, what stands behind its "=")
_MAKERS: dict[str, tuple[Callable[[str], tuple[Tool, ...]], str]] = {
    "calculator": (_calculator, ""),
    "files": (files, "DIR"),
    "algebra": (lambda _: algebra(), ""),
    "dates": (lambda _: dates(), ""),
    "python": (_python, ""),
}

AVAILABLE = tuple(f"{name}={operand}" if operand else name for name, (_, operand) in _MAKERS.items())
"""What may stand in a specification."""


def portable(spec: str) -> str:
    """The specification with its folder's path made absolute, so that it holds in another working directory too."""
    entries = (part.strip().partition("=") for part in spec.split(","))
    return ",".join(f"{name}={Path(operand).expanduser().resolve()}" if eq else name for name, eq, operand in entries)


def resolve(spec: str) -> list[Tool]:
    """Return the tools of a comma-separated specification, in its order; an empty one gives none.

    A folder's path may contain ``=`` but no comma. Raises ``UnknownNameError`` for a name that is not available,
    ``UsageError`` for a wrong or repeated entry, ``InputFileError`` for a folder that cannot be read and
    ``MissingExtraError`` for a tool whose optional dependency is not installed.
    """
    tools: list[Tool] = []
    seen: set[str] = set()
    for entry in filter(None, (part.strip() for part in spec.split(","))):
        name, equals, operand = entry.partition("=")
        if name not in _MAKERS:
            close = difflib.get_close_matches(name, _MAKERS, n=1)
            guess = f"; did you mean {close[0]}?" if close else ""
            raise UnknownNameError(f"no tool is named {one_line(name, 64)!r}; there are: {', '.join(AVAILABLE)}{guess}")
        make, placeholder = _MAKERS[name]
        if placeholder and not operand:
            raise UsageError(f"the tool {name} needs a value: {name}={placeholder}")
        if equals and not placeholder:
            raise UsageError(f"the tool {name} takes no value; write {name}")
        if name in seen:
            raise UsageError(f"the tool {name} is given twice")
        seen.add(name)
        tools += make(operand)
    return tools
