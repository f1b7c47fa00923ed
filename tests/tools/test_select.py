"""Tools by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aeon.errors import InputFileError, MissingExtraError, UnknownNameError, UsageError
from aeon.tools import ToolRegistry
from aeon.tools.select import resolve


def test_calculator_and_files(tmp_path: Path) -> None:
    """Names become tools in order; a path may contain an equals sign."""
    folder = tmp_path / "a=b"
    folder.mkdir()
    (folder / "table.csv").write_text("n\n1\n")
    tools = resolve(f" calculator , files={folder}")
    assert ToolRegistry(tools).names == ("calculator", "list_files", "read_file", "search_files", "table_query")


def test_empty_specification_gives_no_tools() -> None:
    """No names, no tools."""
    assert resolve("") == []


def test_python_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the optional dependency the error says what to install."""
    monkeypatch.setitem(sys.modules, "aeon.tools.python", None)
    monkeypatch.delitem(sys.modules, "aeon.tools.python")
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'aeon-orchestrator\[python\]'"):
        resolve("python")


def test_python_with_its_extra() -> None:
    """With the optional dependency the tool is there."""
    pytest.importorskip("pydantic_monty")
    assert [tool.name for tool in resolve("python")] == ["python"]


@pytest.mark.parametrize(
    ("spec", "error", "text"),
    [
        ("calculater", UnknownNameError, r"there are: calculator, .*python; did you mean calculator\?"),
        ("files", UsageError, "files=DIR"),
        ("files=", UsageError, "files=DIR"),
        ("calculator=3", UsageError, "takes no value"),
        ("calculator,calculator", UsageError, "given twice"),
        ("files=/no/such/folder", InputFileError, "No such file"),
    ],
)
def test_wrong_specifications(spec: str, error: type[Exception], text: str) -> None:
    """A wrong specification says what is right."""
    with pytest.raises(error, match=text):
        resolve(spec)


def test_a_hung_tool_does_not_keep_the_interpreter() -> None:
    """A program whose tool hangs forever still ends."""
    program = """
import asyncio, threading
from aeon.errors import ToolTimeout
from aeon.tools import ToolRegistry, tool

@tool(timeout=0.2, side_effects=False)
def hang() -> None:
    "Hang forever."
    threading.Event().wait()

try:
    asyncio.run(ToolRegistry([hang]).call("hang", {}))
except ToolTimeout as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "hang did not return within 0.2 s\n"
