"""The Python files of a tree, parsed once, and how a problem in one is told."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from radon.complexity import cc_visit
from radon.visitors import Function

__all__ = ["Gate", "Source", "functions", "sources"]

Gate: TypeAlias = Callable[[Path], list[str]]
"""A check of the tree at a path; gives one line per problem, none where all is well."""

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file. ``name`` is its path below the root, with slashes."""

    name: str
    text: str

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def package(self) -> str:
        """The package that it is in."""
        return self.name.rpartition("/")[0].replace("/", ".")

    @cached_property
    def tree(self) -> ast.Module:
        """The file's syntax tree."""
        return ast.parse(self.text, self.name)

    def at(self, node: ast.AST | int, problem: str) -> str:
        """The line that tells a problem and where it is."""
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        return f"{self.name}:{line}: {problem}"

    def lines(self, node: ast.stmt) -> str:
        """The lines that a statement stands on, with the comments in them."""
        return "\n".join(self.text.splitlines()[node.lineno - 1 : node.end_lineno])

    def complexities(self) -> Iterator[tuple[str, int, int]]:
        """Name, line and cyclomatic complexity of each function and method."""
        for block in cc_visit(self.text):
            if isinstance(block, Function):
                yield block.name, block.lineno, block.complexity


def sources(root: Path, *folders: str) -> list[Source]:
    """The Python files below these folders of the tree, in order of their names."""
    paths = (path for folder in folders for path in (root / folder).rglob("*.py"))
    return [Source(path.relative_to(root).as_posix(), path.read_text()) for path in sorted(paths)]


def functions(tree: ast.AST) -> Iterator[FunctionNode]:
    """Every function and method, nested ones included."""
    return (node for node in ast.walk(tree) if isinstance(node, FunctionNode))
