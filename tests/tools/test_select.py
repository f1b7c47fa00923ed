"""Tools by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.errors import InputFileError, MissingExtraError, UnknownNameError, UsageError
from aeon.tools import ToolRegistry, tool
from aeon.tools.files import Files
from aeon.tools.select import folder_specs, opened, portable, resolve


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def folder_of(root: Path, **texts: str) -> Path:
    """Make a folder of text files."""
    root.mkdir(parents=True)
    for name, text in texts.items():
        (root / f"{name}.txt").write_text(text)
    return root


@tool(side_effects=False)
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


def test_calculator_and_files(tmp_path: Path) -> None:
    """Names become tools in order; a path may contain an equals sign."""
    folder = tmp_path / "a=b"
    folder.mkdir()
    (folder / "table.csv").write_text("n\n1\n")
    tools = resolve(f" calculator , files={folder}")
    assert ToolRegistry(tools).offered == ("calculator", "sql", "lookup", "list_files", "search_files")


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
        ("calculater", UnknownNameError, r"there are: calculator, .*python, .*; did you mean calculator\?"),
        ("files", UsageError, "files=DIR"),
        ("files=", UsageError, "files=DIR"),
        ("calculator=3", UsageError, "takes no value"),
        ("calculator,calculator", UsageError, "given twice"),
        ("calculator,=x", UnknownNameError, "no tool is named ''"),
        ("files=/no/such/folder", InputFileError, "No such file"),
    ],
)
def test_wrong_specifications(spec: str, error: type[Exception], text: str) -> None:
    """A wrong specification says what is right."""
    with pytest.raises(error, match=text):
        resolve(spec)


@pytest.mark.requirement("T3")
def test_several_folders_are_one_set_of_tools(tmp_path: Path) -> None:
    """Wherever they are named, they are opened as one, and their tools stand where the first was named."""
    a, b, c = (folder_of(tmp_path / name, **{name: "bread"}) for name in "abc")
    tools = resolve(["dates", f"calculator,files={a},files={b}", shout, f"files={c}"])
    names = ToolRegistry(tools).offered
    assert names[-5:] == ("calculator", "lookup", "list_files", "search_files", "shout")
    (listing,) = (tool for tool in tools if tool.name == "list_files")
    assert [each["path"] for each in listing.call()] == ["a/a.txt", "b/b.txt", "c/c.txt"]  # type: ignore[attr-defined]


@pytest.mark.requirement("T3")
def test_an_opened_folder_may_be_given_itself(tmp_path: Path) -> None:
    """It is used as it is, and its specification opens the same folder again."""
    files = Files.open([folder_of(tmp_path / "a,b", note="x"), folder_of(tmp_path / "c", note="x")])
    assert ToolRegistry(resolve([files])).offered == ("lookup", "list_files", "search_files")
    (again,) = opened([portable(files)])
    assert isinstance(again, Files) and again.folder == files.folder


@pytest.mark.requirement("T3")
@pytest.mark.parametrize("name", ["a,b", "a,,b", ",", ",,,", "a,", "a=b", "ä ö", "a,calculator", "files=x,dates"])
def test_a_folder_of_any_name_is_found_again(tmp_path: Path, name: str) -> None:
    """Its specification survives being kept, read and kept again, alone and between other entries."""
    root = folder_of(tmp_path / name, note="x").resolve()
    (spec,) = folder_specs(root)
    assert portable(spec) == spec
    for whole in (spec, f" calculator , {spec}", f"{spec},calculator", f"{spec},{spec}"):
        assert portable(portable(whole)) == portable(whole)
        (files,) = (each for each in opened([whole]) if isinstance(each, Files))
        assert files.folder == Folder(root)


@pytest.mark.requirement("T3")
def test_specifications_hold_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path and one from the home folder become absolute; other names stay as they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert portable("calculator,,files=x,dates") == f"calculator,files={tmp_path / 'x'},dates"
    assert folder_specs(["x", Path("~/x")]) == [f"files={tmp_path / 'x'}"] * 2
    with pytest.raises(InputFileError, match="no journal can keep"):
        folder_specs("\udcff")


@pytest.mark.requirement("T3")
def test_names_are_checked_before_a_folder_is_read(tmp_path: Path) -> None:
    """What is wrong with another entry is said at once."""

    def read(paths: list[str]) -> Files:
        raise AssertionError(paths)

    with pytest.raises(UnknownNameError, match="did you mean calculator"):
        opened([f"files={tmp_path}", "calculater"], read)


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
