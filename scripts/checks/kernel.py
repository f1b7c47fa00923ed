"""What keeps the kernel a kernel: its size, the size of its functions, and what it may not know of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from radon.raw import analyze

from scripts.checks.sources import FunctionNode, Source, functions, sources

__all__ = ["bans", "function_limits", "lines"]

FOLDER = "aeon/kernel"
MOST_LINES = 799
MOST_FUNCTION_LINES = 30
MOST_PARAMETERS = 5
MOST_COMPLEXITY = 8

PACKAGES = ("aeon.schema", "aeon.kernel", "pydantic")
STDLIB = {
    "__future__", "collections", "collections.abc", "dataclasses", "enum", "functools", "hashlib", "itertools", "json",
    "math", "re", "typing",
}  # fmt: skip
NAMES = {
    "Any": "no Any",
    "hasattr": "no hasattr",
    "print": "no printing",
    "open": "no files",
    "input": "no I/O",
    "logger": "no logger",
    **dict.fromkeys(("asyncio", "time", "datetime", "random", "uuid", "os", "logging"), "nothing from outside"),
}
EXEMPTIONS = ("noqa", "type: ignore")


def lines(root: Path) -> list[str]:
    """All files of the kernel together stay under 800 lines, comments and blank lines included."""
    counts = {source.name: int(analyze(source.text).loc) for source in sources(root, FOLDER)}
    total = sum(counts.values())
    if total <= MOST_LINES:
        return []
    each = ", ".join(f"{Path(name).stem} {count}" for name, count in counts.items())
    return [f"{FOLDER}: {total} lines, at most {MOST_LINES} are allowed ({each})"]


def function_limits(root: Path) -> list[str]:
    """Functions of the kernel: at most 30 lines, 5 parameters, complexity 8."""
    return [problem for source in sources(root, FOLDER) for problem in _over_limits(source)]


def bans(root: Path) -> list[str]:
    """What the kernel may not import, name or do."""
    return [problem for source in sources(root, FOLDER) for problem in _banned(source)]


def _over_limits(source: Source) -> Iterator[str]:
    for function in functions(source.tree):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > MOST_FUNCTION_LINES:
            yield source.at(function, f"{function.name} has {length} lines, at most {MOST_FUNCTION_LINES}")
        if (count := _parameters(function)) > MOST_PARAMETERS:
            yield source.at(function, f"{function.name} has {count} parameters, at most {MOST_PARAMETERS}")
    for name, line, complexity in source.complexities():
        if complexity > MOST_COMPLEXITY:
            yield source.at(line, f"{name} has complexity {complexity}, at most {MOST_COMPLEXITY}")


def _parameters(function: FunctionNode) -> int:
    """How many parameters a caller sees: ``self`` and ``cls`` are none."""
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    return len([argument for argument in named if argument.arg not in ("self", "cls")])


def _banned(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if problem := _problem(node):
            yield source.at(node, problem)
    for function in functions(source.tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield source.at(node, "no import inside a function")
    for number, line in enumerate(source.text.splitlines(), 1):
        if any(f"# {word}" in line for word in EXEMPTIONS):
            yield source.at(number, "no exemption from a check")


def _problem(node: ast.AST) -> str:
    """Why this node may not stand in the kernel, or nothing."""
    match node:
        case ast.Import(names=names):
            return next((_import(alias.name) for alias in names if _import(alias.name)), "")
        case ast.ImportFrom(module=module, level=level):
            return "no relative import" if level else _import(module or "")
        case ast.Name(id=name):
            return NAMES.get(name, "")
        case ast.Call(func=ast.Name(id="getattr"), args=[_, _, _]):
            return "no getattr with a default"
        case ast.ExceptHandler(type=None | ast.Name(id="Exception" | "BaseException")):
            return "no except for everything"
        case _:
            return ""


def _import(module: str) -> str:
    allowed = module in STDLIB or any(module == known or module.startswith(f"{known}.") for known in PACKAGES)
    return "" if allowed else f"the kernel does not import {module}"
