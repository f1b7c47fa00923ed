"""What keeps the kernel a kernel, and programs pure: sizes, what they may not know of, and decisions in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from radon.raw import analyze

from scripts.checks.pure import KERNEL, importable, kernel_sources, pure_sources
from scripts.checks.sources import FunctionNode, Source, functions, sources

__all__ = ["bans", "decisions", "function_limits", "lines"]

MOST_LINES = 799
MOST_FUNCTION_LINES = 30
MOST_PARAMETERS = 5
MOST_COMPLEXITY = 8
SCHEMA = "aeon/schema"
MOST_SCHEMA_COMPLEXITY = 3
NO_DATA = ("value.py", "frozen.py", "effects.py")

STDLIB = {
    "__future__",
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "typing",
}
NAMES = {
    "Any": "no Any",
    "hasattr": "no hasattr",
    "print": "no printing",
    "open": "no files",
    "input": "no I/O",
    "logger": "no logger",
    **dict.fromkeys(("asyncio", "time", "datetime", "random", "uuid", "os", "logging"), "nothing from outside"),
}


def lines(root: Path) -> list[str]:
    """All files of the kernel together stay under 800 source lines: comments, docstrings and blank lines are free."""
    counts = {source.name: int(analyze(source.text).sloc) for source in kernel_sources(root)}
    total = sum(counts.values())
    if total <= MOST_LINES:
        return []
    each = ", ".join(f"{Path(name).stem} {count}" for name, count in counts.items())
    return [f"{KERNEL}: {total} source lines, at most {MOST_LINES} are allowed ({each})"]


def function_limits(root: Path) -> list[str]:
    """Functions of the kernel and of programs: at most 30 lines, 5 parameters, complexity 8."""
    return [problem for source in pure_sources(root) for problem in _over_limits(source)]


def bans(root: Path) -> list[str]:
    """What the kernel and every engine's program may not import, name or do."""
    pure = pure_sources(root)
    return [problem for source in pure for problem in _banned(source, importable(source, pure))]


def decisions(root: Path) -> list[str]:
    """The schema is data: what it computes of its own fields is one expression, and it decides nothing.

    Decisions belong where they are counted, in the kernel and in programs. They crept into the schema before: when a
    run is confident, how a budget is shared, what makes a plan unusable, 300 lines in all. Whether a function decides
    cannot be told from its shape, but one that does has branches or loops. So a function here has a complexity of at
    most 3 (a filter over the fields, a fallback) and no loop. Validators are exempt: what is refused at a border is
    refused with a reason for each case. So are the bases of all values, which have no fields of their own.
    """
    data = (source for source in sources(root, SCHEMA) if Path(source.name).name not in NO_DATA)
    return [problem for source in data for problem in _deciding(source)]


def _deciding(source: Source) -> Iterator[str]:
    complexities = {line: complexity for _, line, complexity in source.complexities()}
    for function in functions(source.tree):
        if any("validator" in ast.unparse(decorator) for decorator in function.decorator_list):
            continue
        first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        complexity = complexities.get(function.lineno, complexities.get(first, 0))
        if complexity > MOST_SCHEMA_COMPLEXITY:
            yield source.at(
                function, f"{function.name} has complexity {complexity}, at most {MOST_SCHEMA_COMPLEXITY} in the schema"
            )
        if any(isinstance(node, ast.For | ast.While) for node in ast.walk(function)):
            yield source.at(function, f"{function.name} has a loop: move what it decides to the kernel or a program")


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
    arguments = function.args
    starred = filter(None, (arguments.vararg, arguments.kwarg))
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]
    return len([argument for argument in named if argument.arg not in ("self", "cls")])


def _banned(source: Source, packages: tuple[str, ...]) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if problem := _problem(node, packages):
            yield source.at(node, problem)
    yield from _hidden_imports(source)
    for number, line in enumerate(source.text.splitlines(), 1):
        if "# noqa" in line or "# type: ignore" in line:
            yield source.at(number, "no exemption from a check")


def _hidden_imports(source: Source) -> Iterator[str]:
    """Imports that a reader may overlook: inside a function, or packed."""
    inside = {id(node) for function in functions(source.tree) for node in ast.walk(function)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if id(node) in inside:
                yield source.at(node, "no import inside a function")
            if "# fmt: skip" in source.lines(node):
                yield source.at(node, "no import packed with fmt: skip: one name a line is for readers")


def _problem(node: ast.AST, packages: tuple[str, ...]) -> str:
    """Why this node may not stand in a pure file that may import from these packages, or nothing."""
    match node:
        case ast.Import(names=names):
            return next(filter(None, (_import(alias.name, packages) for alias in names)), "")
        case ast.ImportFrom(module=module, level=level):
            return "no relative import" if level else _import(module or "", packages)
        case ast.Name(id=name):
            return NAMES.get(name, "")
        case ast.Call(func=ast.Name(id="getattr"), args=[_, _, _]):
            return "no getattr with a default"
        case ast.ExceptHandler(type=None | ast.Name(id="Exception" | "BaseException")):
            return "no except for everything"
        case _:
            return ""


def _import(module: str, packages: tuple[str, ...]) -> str:
    allowed = module in STDLIB or any(module == package or module.startswith(f"{package}.") for package in packages)
    return "" if allowed else f"the kernel and programs do not import {module}"
