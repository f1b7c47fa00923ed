"""Wrong command lines: each is one line on standard error that says what is wrong, exit code 2, and nothing is done."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aeon.assembly.build import build
from aeon.cli.options import COMMANDS, parsers
from aeon.errors import InputFileError, MissingExtraError
from aeon.llm import weights
from aeon.llm.local import Local

from .conftest import Outcome

pytestmark = pytest.mark.requirement("P3a")
Aeon = Callable[..., Outcome]


def _options() -> Iterator[tuple[str, argparse.Action]]:
    """Every option of every command."""
    for name, command in parsers().items():
        for action in command._actions:
            if action.option_strings and action.dest != "help":
                yield name, action


VALUED = [(name, action) for name, action in _options() if action.nargs != 0]
TYPED = [(name, one) for name, one in VALUED if one.choices or getattr(one.type, "__name__", "name") != "name"]


@pytest.mark.parametrize(
    "line",
    [
        (), ("--foo",), ("-x",), ("--",), ("-",), ("frob",), ("--json",), ("--foo", "run", "x"), ("-x", "frob"),
        ("Run", "x"), ("run",), ("run", ""), ("run", "a", "b"), ("research",), ("research", "x"), ("report",),
        ("resume",), ("fork", "x"), ("diff", "a"), ("history",), ("replay",), ("verify",), ("inspect",), ("collect",),
        ("metrics",), ("calibrate",), ("jobs",), ("submit",), ("worker",), ("mcp",), ("mcp", "frob"), ("bench",),
        ("models", "frob"), ("models", "pull"), ("models", "path", "frob"), ("models", "list", "x"), ("config", "frob"),
        ("config", "check"), ("engines", "x"), ("run", "x", "--engine", "frob"), ("run", "x", "--tools", "frob"),
        ("run", "x", "--set", "frob=1"), ("run", "x", "--set", "frob"), ("run", "x", "--roles", "frob=m"),
        ("run", "x", "--model", "frob"), ("run", "x", "--model", "anthropic:frob"), ("run", "x", "--model", "no.gguf"),
        ("run", "x", "--config", "no.toml"), ("run", "x", "--context", "no.txt"), ("run", "x", "--schema", "no.json"),
        ("run", "x", "--files", "no"), ("run", "x", "--sign", "k"), ("research", "x", "--in", "no"),
        ("replay", "no"), ("history", "no"), ("resume", "no"), ("fork", "no", "--at", "1"), ("diff", "no", "no"),
        ("doctor", "--cases", "x"), ("simulate", "--faults", "frob"), ("simulate", "--engine", "frob"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    aeon: Aeon, line: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such command or argument; a file, an engine, a tool or a key that is not there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    outcome = aeon(*line)
    outcome.complains(2)
    assert len(outcome.err.splitlines()) == 1
    assert "bug" not in outcome.err and (outcome.out == "" or "--json" in line)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_named(aeon: Aeon, command: str) -> None:
    """Whatever else the command lacks, or before it, the line names the option or what is missing."""
    for line in ((command, "--frobnicate"), ("--frobnicate", command)):
        outcome = aeon(*line)
        outcome.complains(2)
        assert "--frobnicate" in outcome.err or "required" in outcome.err, outcome.err
        assert outcome.out == ""


@pytest.mark.parametrize(("command", "action"), VALUED, ids=lambda one: getattr(one, "dest", one))
def test_an_option_without_its_value_is_named(aeon: Aeon, command: str, action: argparse.Action) -> None:
    """Where the value is left out, the line names the option."""
    outcome = aeon(command, action.option_strings[-1])
    outcome.complains(2, action.option_strings[-1], "expected")


@pytest.mark.parametrize(("command", "action"), TYPED, ids=lambda one: getattr(one, "dest", one))
def test_a_value_of_the_wrong_type_is_named(aeon: Aeon, command: str, action: argparse.Action) -> None:
    """A word where a number or one of some choices belongs: the line names the option."""
    outcome = aeon(command, f"{action.option_strings[-1]}=frob")
    outcome.complains(2, action.option_strings[-1])


def test_a_value_without_end_is_not_repeated_whole(aeon: Aeon) -> None:
    """The line that refuses it stays one that can be read."""
    outcome = aeon("run", "What is 2 + 2?", "--budget-calls", "9" * 5_000)
    outcome.complains(2, "--budget-calls")
    assert len(outcome.err) < 1_200


@pytest.mark.parametrize("line", [("--version",), ("-V",), ("-V", "run")])
def test_the_version_is_an_answer(aeon: Aeon, line: tuple[str, ...]) -> None:
    """Both spellings print one line on standard output."""
    outcome = aeon(*line)
    assert outcome.code == 0 and outcome.out.startswith("aeon ") and outcome.err == ""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A machine without llama.cpp, on which nothing may be fetched; gives what was tried to be fetched."""
    fetched: list[object] = []
    found = importlib.util.find_spec

    def pull(entry: object, *_: object) -> Any:
        fetched.append(entry)
        raise AssertionError("something is fetched")

    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *of: None if name == "xllamacpp" else found(name, *of)
    )
    monkeypatch.setattr(weights, "_pull", pull)
    return fetched


@pytest.mark.requirement("P3")
@pytest.mark.parametrize(
    "line", [("run", "What is 2 + 2?"), ("doctor",), ("run", "x", "--roles", "verifier=smollm2-135m")]
)
def test_without_llama_cpp_nothing_is_fetched(aeon: Aeon, bare: list[object], line: tuple[str, ...]) -> None:
    """The command that installs it stands in one line, the exit code is 2, and no byte came."""
    aeon(*line).complains(2, "pip install 'aeon-orchestrator[local]'")
    assert not bare


@pytest.mark.requirement("P3")
def test_build_raises_what_a_model_lacks(bare: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without llama.cpp, and for a file that is not there, `build` raises; no run begins whose answer is a hint."""
    with pytest.raises(MissingExtraError, match="aeon-orchestrator"):
        build()
    with pytest.raises(MissingExtraError, match="aeon-orchestrator"):
        build("http://127.0.0.1:9/v1#m", roles={"verifier": "smollm2-135m"})
    assert not bare
    monkeypatch.undo()
    with pytest.raises(InputFileError, match=r"a\.gguf"):
        build(Local(tmp_path / "a.gguf"))
