"""The verifier as one file that can be copied out of the project: its modules, joined."""

from __future__ import annotations

import ast
import inspect

from aeon.proof import again, canonical, inference, readings, tables, verify

__all__ = ["verifier"]

_MODULES = (readings, tables, canonical, again, inference, verify)
"""Each imports only the standard library and those before it."""


def verifier() -> str:
    """The text of a Python file that verifies proofs with the standard library alone: ``python verify.py FILE``."""
    imports: dict[str, None] = {}
    bodies: list[str] = []
    for module in _MODULES:
        source = inspect.getsource(module)
        lines = source.splitlines()
        for node in ast.parse(source).body:
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if isinstance(node, ast.Import | ast.ImportFrom):
                if not text.startswith(("from aeon", "from __future__")):
                    imports[text] = None
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
            elif _is_docstring(node) or _is_all(node):
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
        bodies.append("\n".join(lines).strip("\n"))
    bodies = [body.removesuffix("  # fmt: skip") for body in bodies]
    head = f'"""{inspect.getdoc(verify)}"""\n\nfrom __future__ import annotations\n\n'
    return head + "\n".join(sorted(imports)) + "\n\n" + "\n\n\n".join(bodies) + "\n"


def _is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is a text at the top of a module, such as its docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_all(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
