"""Requirements and their tests.

A line ``- **K1** …`` of a ``spec.md`` below ``specs/`` states a requirement; ``@pytest.mark.requirement("K1", "K4")``
on a test function, a test class or as a module's ``pytestmark`` says that the test covers it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from scripts.checks.sources import FunctionNode, Source, sources

__all__ = ["untested"]

LINE = re.compile(r"^- \*\*([A-Z]+[0-9]+[a-z]?)\*\*")


def untested(root: Path) -> list[str]:
    """Every requirement has a test, and every test that names a requirement names one that is stated."""
    stated, covered = requirements(root), tests(root)
    problems = [f"{where}: {name} has no test" for name, where in stated.items() if name not in covered]
    for name, found in covered.items():
        if name not in stated:
            problems.append(f"{found[0]}: the requirement {name} is stated in no specs/*/spec.md")
    return problems or ([] if stated else ["specs: no spec.md states a requirement"])


def requirements(root: Path) -> dict[str, str]:
    """Where each requirement is stated."""
    found: dict[str, str] = {}
    for path in sorted(root.glob("specs/*/spec.md")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := LINE.match(line):
                found.setdefault(match[1], f"{path.relative_to(root).as_posix()}:{number}")
    return found


def tests(root: Path) -> dict[str, list[str]]:
    """The tests that cover each requirement, as pytest names them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for source in sources(root, "tests"):
        for test, marks in _marked(source):
            for name in marks:
                found[name].append(f"{source.name}::{test}")
    return found


def _marked(source: Source) -> Iterator[tuple[str, list[str]]]:
    """Each test with the requirements that it, its class or its module names."""
    module = [name for node in source.tree.body if _is_pytestmark(node) for name in _named(node)]
    yield from _tests_in(source.tree, "", module)


def _tests_in(parent: ast.Module | ast.ClassDef, path: str, shared: list[str]) -> Iterator[tuple[str, list[str]]]:
    for node in parent.body:
        if isinstance(node, ast.ClassDef):
            yield from _tests_in(node, f"{path}{node.name}::", shared + _of_decorators(node))
        elif isinstance(node, FunctionNode) and node.name.startswith("test_"):
            yield f"{path}{node.name}", shared + _of_decorators(node)


def _is_pytestmark(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets)


def _of_decorators(node: FunctionNode | ast.ClassDef) -> list[str]:
    return [name for decorator in node.decorator_list for name in _named(decorator)]


def _named(node: ast.AST) -> list[str]:
    """The requirements named by the marks inside this node."""
    return [
        argument.value
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "requirement"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def main() -> int:
    """Print each requirement with where it is stated and its tests; 1 if something is missing."""
    root = Path.cwd()
    covered = tests(root)
    for name, where in requirements(root).items():
        print(f"{name:4} {where}")
        for test in covered.get(name, ["(no test)"]):
            print(f"       {test}")
    problems = untested(root)
    print("\n".join(problems) or f"{len(requirements(root))} requirements, each with a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
