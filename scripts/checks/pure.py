"""Which files have to be pure: the kernel, and every engine's program with what it imports from its own package."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from scripts.checks.sources import Source, functions, sources

__all__ = ["KERNEL", "importable", "kernel_sources", "pure_sources"]

KERNEL = "aeon/kernel"
FOLDERS = (f"{KERNEL}/", "aeon/multipass/")
"""Folders in which every file is pure."""

DATA = ("aeon.errors", "aeon.schema", "aeon.kernel", "aeon.multipass", "pydantic")


def kernel_sources(root: Path) -> list[Source]:
    """The files of the kernel."""
    return sources(root, KERNEL)


def pure_sources(root: Path) -> list[Source]:
    """The files of the kernel and of the multi-pass engine, every other program, and what a program rests on.

    A program is told by what it is, so that an engine that is added later is noticed as well: ``program.py`` in a
    folder of ``aeon/engines``, a file that makes an ``Engine``, or one with a function that gives a ``Program``. What
    such a file imports from its own package runs inside the program, and is held to the same.
    """
    every = {source.module: source for source in sources(root, "aeon")}
    pure = {name for name, source in every.items() if source.name.startswith(FOLDERS) or _is_program(source)}
    waiting = list(pure)
    while waiting:
        own = set(_own_imports(every[waiting.pop()])) & every.keys() - pure
        pure |= own
        waiting += own
    return [every[name] for name in sorted(pure)]


def importable(source: Source, pure: Iterable[Source]) -> tuple[str, ...]:
    """What a pure file may import beside the standard library's pure modules; for a program, other programs too.

    Its own package is in it as a whole: what the file imports from there is among the ``pure`` ones already.
    """
    if source.name.startswith(KERNEL):
        return DATA
    return (*DATA, source.package, *(one.module for one in pure))


def _is_program(source: Source) -> bool:
    path = PurePosixPath(source.name)
    if path.name == "program.py" and path.parent.parent == PurePosixPath("aeon/engines"):
        return True
    return any(_makes_an_engine(node) for node in ast.walk(source.tree)) or any(
        _names(function.returns) == "Program" for function in functions(source.tree)
    )


def _makes_an_engine(node: ast.AST) -> bool:
    """Whether this is a call ``Engine(…)``, or ``Engine[…](…)``."""
    return isinstance(node, ast.Call) and _names(node.func) == "Engine"


def _names(node: ast.expr | None) -> str:
    """The name that an annotation or a callee begins with: ``Program`` for ``Program[int]`` and ``effects.Program``."""
    match node:
        case ast.Subscript(value=value):
            return _names(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Constant(value=str(text)):
            return text.partition("[")[0].rpartition(".")[2]
        case _:
            return ""


def _own_imports(source: Source) -> Iterator[str]:
    """The modules of its own package that a file imports, and the names that it imports from its package."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name.startswith(f"{source.package}."))
            case ast.ImportFrom(module=str(module), names=names, level=0) if module == source.package:
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom(module=str(module), level=0) if module.startswith(f"{source.package}."):
                yield module
