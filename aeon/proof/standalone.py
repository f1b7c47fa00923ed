"""The verifier as one file that can be copied out of the project: its modules, each as it is, and what loads them."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from importlib import resources

from aeon.proof import verify

__all__ = ["verifier"]

_PACKAGE = "aeon"
_TABLES = "aeon.language.data"
"""The module that reads tables from files; in the one file they stand in its place."""
_HEAD = '''"""{about}"""

import sys
import types


def _load(name, source):
    """Make a module out of a part of this file."""
    module = types.ModuleType(name)
    parent, _, last = name.rpartition(".")
    if parent and parent not in sys.modules:
        _load(parent, "")
    sys.modules[name] = module
    if parent:
        setattr(sys.modules[parent], last, module)
    exec(compile(source, f"{{__file__}}: {{name}}", "exec"), module.__dict__)

'''
_TAIL = '\n\nif __name__ == "__main__":\n    sys.exit(sys.modules["{main}"].main(sys.argv[1:]))\n'


def verifier() -> str:
    """The text of a Python file that verifies proofs with the standard library alone: ``python verify.py FILE``."""
    sources: dict[str, str] = {}
    _gather(verify.__name__, sources)
    parts = [f"\n\n_load({name!r}, {_quoted(source)})\n" for name, source in sources.items()]
    head = _HEAD.format(about=inspect.getdoc(verify))
    return head + "".join(parts) + _TAIL.format(main=verify.__name__)


def _gather(name: str, sources: dict[str, str]) -> None:
    """Add a module's text behind those of the modules that it imports."""
    source = _of_tables() if name == _TABLES else inspect.getsource(importlib.import_module(name))
    for other in _imported(source):
        if other not in sources:
            _gather(other, sources)
    sources[name] = source


def _imported(source: str) -> Iterator[str]:
    """The modules of the package that a module imports when it is loaded, not only for its types."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == _PACKAGE:
            inner = [f"{node.module}.{one.name}" for one in node.names]
            packed = importlib.import_module(node.module or "").__spec__
            yield from inner if packed and packed.submodule_search_locations else [str(node.module)]


def _of_tables() -> str:
    """The module of tables with its files in it."""
    folder = resources.files(_PACKAGE).joinpath("language")
    texts = {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".toml")}
    entries = "".join(f"    {name!r}: {text!r},\n" for name, text in sorted(texts.items()))
    return (
        f'"""The tables of words."""\n\nimport tomllib\n\n_FILES = {{\n{entries}}}\n\n\n'
        "def table(name):\n"
        '    """The texts of a table, by their names."""\n'
        "    return tomllib.loads(_FILES[name])\n"
    )


def _quoted(source: str) -> str:
    """A text of several lines as Python has it, readable."""
    if "'''" in source or source.endswith("'"):
        return repr(source)
    return "'''" + source.replace("\\", "\\\\") + "'''"
