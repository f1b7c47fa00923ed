"""What holds for every file: sizes, complexity, complete ``__all__``, tests that say what they test."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from scripts.checks.sources import Source, functions, sources

__all__ = ["complexity", "file_sizes", "function_sizes", "public_names", "test_docstrings", "warnings_are_errors"]

FOLDERS = ("aeon", "scripts")
MOST_FILE_LINES = 399
MOST_FUNCTION_LINES = 50
MOST_COMPLEXITY = 10


def file_sizes(root: Path) -> list[str]:
    """Files stay under 400 lines."""
    lengths = ((source, len(source.text.splitlines())) for source in sources(root, *FOLDERS))
    return [
        source.at(length, f"the file has {length} lines, at most {MOST_FILE_LINES}")
        for source, length in lengths
        if length > MOST_FILE_LINES
    ]


def function_sizes(root: Path) -> list[str]:
    """Functions have at most 50 lines."""
    return [
        source.at(function, f"{function.name} has {length} lines, at most {MOST_FUNCTION_LINES}")
        for source in sources(root, *FOLDERS)
        for function in functions(source.tree)
        if (length := (function.end_lineno or function.lineno) - function.lineno + 1) > MOST_FUNCTION_LINES
    ]


def complexity(root: Path) -> list[str]:
    """Functions have a cyclomatic complexity of at most 10."""
    return [
        source.at(line, f"{name} has complexity {found}, at most {MOST_COMPLEXITY}")
        for source in sources(root, *FOLDERS)
        for name, line, found in source.complexities()
        if found > MOST_COMPLEXITY
    ]


def public_names(root: Path) -> list[str]:
    """``__all__`` names each public function and class of its module, and nothing that is not there."""
    checked = (source for source in sources(root, "aeon") if Path(source.name).name != "__main__.py")
    return [problem for source in checked for problem in _unlisted(source)]


def _unlisted(source: Source) -> Iterator[str]:
    listed = _all(source.tree)
    bound = {name: node for node in _top(source.tree.body) for name in _bound(node)}
    for name, node in bound.items():
        defines = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if defines and not name.startswith("_") and name not in listed:
            yield source.at(node, f"{name} is public and not in __all__: list it, or begin its name with _")
    for name in listed:
        if name not in bound:
            yield source.at(1, f"__all__ names {name}, which the module does not have")


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements at the top of a module, and those under a condition there, such as ``TYPE_CHECKING``."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _top(node.body + node.orelse)


def _all(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and _bound(node) == ["__all__"]:
            names = ast.literal_eval(node.value)
            return [str(name) for name in names]
    return []


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement at the top of a module binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case _:
            return []


def test_docstrings(root: Path) -> list[str]:
    """Every test says in its docstring which behaviour it holds to."""
    return [
        source.at(function, f"{function.name} has no docstring")
        for source in sources(root, "tests")
        if Path(source.name).name.startswith("test_")
        for function in functions(source.tree)
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]


def warnings_are_errors(root: Path) -> list[str]:
    """Pytest is told to turn warnings into errors."""
    settings = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    found = settings.get("filterwarnings", [])
    return [] if found[:1] == ["error"] else ['pyproject.toml:1: filterwarnings of pytest has to begin with "error"']
