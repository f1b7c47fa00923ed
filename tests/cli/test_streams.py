"""What is asked for goes to standard output, everything else to standard error; ``--quiet`` leaves the answer alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.cli.options import COMMANDS

from .conftest import Outcome
from .played_model import Model

pytestmark = pytest.mark.requirement("P3c")
Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"


@pytest.fixture
def saved(aeon: Aeon, model: Model, tmp_path: Path) -> str:
    """A saved run, which has ended."""
    path = str(tmp_path / "saved")
    assert aeon("run", TASK, "--save", path, "--quiet").code in (0, 3)
    return path


def answer_of(aeon: Aeon, saved: str) -> str:
    """The answer of a saved run, as standard output has it."""
    return f"{aeon('resume', saved, '--json').document['answer']}\n"


@pytest.mark.parametrize("engine", ["multi-pass", "loop", "graph", "contractive", "auto"])
@pytest.mark.parametrize("quiet", [True, False])
def test_a_run_prints_its_answer_alone_on_standard_output(aeon: Aeon, model: Model, engine: str, quiet: bool) -> None:
    """The story, the reason and the costs stand on standard error; with --quiet nothing stands there."""
    document = aeon("run", TASK, "--engine", engine, "--json").document
    done = aeon("run", TASK, "--engine", engine, *(["--quiet"] if quiet else []))
    assert done.out == f"{document['answer']}\n"
    assert done.err == "" if quiet else document["stop_reason"].replace("_", " ") in done.err and TASK in done.err


@pytest.mark.parametrize("how", [(), ("--quiet",)])
def test_a_run_that_has_ended_is_resumed_to_its_answer(aeon: Aeon, saved: str, how: tuple[str, ...]) -> None:
    """How it ended stands on standard error, or nowhere."""
    done = aeon("resume", saved, *how)
    assert done.out == answer_of(aeon, saved)
    assert ("model call" in done.err) is not bool(how)


def test_a_fork_prints_its_answer(aeon: Aeon, saved: str) -> None:
    """Where it was forked and saved, and how it ended, stands on standard error."""
    done = aeon("fork", saved, "--at", "0")
    assert done.out == answer_of(aeon, saved) and "forked before effect 0" in done.err


def test_research_prints_its_answer_with_the_sources_that_it_cites(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """Searches, checks and costs stand on standard error."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "pens.txt").write_text("The total is 40.8. A pen costs 2.40.\n")
    done = aeon("research", "What is the total?", "--in", str(tmp_path / "texts"))
    assert "model call" in done.err and "model call" not in done.out and done.out.strip()
    quiet = aeon("research", "What is the total?", "--in", str(tmp_path / "texts"), "--quiet")
    assert quiet.out == done.out and quiet.err == ""


def test_a_quiet_run_says_what_goes_wrong(aeon: Aeon, model: Model) -> None:
    """A run that fails has its one line on standard error all the same."""
    model.fails(500)
    done = aeon("run", TASK, "--quiet")
    done.complains(1)
    assert done.out == "" and len(done.err.splitlines()) == 1


def test_a_quiet_run_that_waits_says_for_what(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The question is the one line on standard error; the exit code says that the run waits."""
    model.finds_unclear()
    done = aeon("run", TASK, "--quiet", "--unattended", "suspend", "--save", str(tmp_path / "saved"))
    done.complains(4, "Which pens are meant?")


def test_models_as_one_json_document(aeon: Aeon) -> None:
    """The catalogue with sizes in bytes, paths, and what is there."""
    done = aeon("models", "--json")
    assert {one["name"]: (one["state"], one["default"]) for one in done.document} == {
        "qwen2.5-coder-1.5b": ("not cached", True), "smollm2-135m": ("not cached", False),
    }  # fmt: skip
    assert all(one["bytes"] > 0 and one["path"].endswith(".gguf") for one in done.document) and done.err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_name_every_command_and_option(aeon: Aeon, shell: str) -> None:
    """The script of each shell is made of the options as they are."""
    done = aeon("completions", shell)
    assert done.code == 0 and done.err == ""
    assert all(command in done.out for command in COMMANDS)
    assert "budget-calls" in done.out and "T0 T1 T2 T3" in done.out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["aeon", "rep"], ["report", "replay"]),
        (["aeon", "run", "--model-t"], ["--model-tier"]),
        (["aeon", "run", "--model-tier", "T"], ["T0", "T1", "T2", "T3"]),
        (["aeon", "history", "--format", "m"], ["mermaid"]),
        (["aeon", "run", "x"], []),
    ],
)
def test_bash_completes_commands_options_and_choices(
    aeon: Aeon, tmp_path: Path, words: list[str], found: list[str]
) -> None:
    """What bash itself makes of the script."""
    script = tmp_path / "aeon.bash"
    script.write_text(aeon("completions", "bash").out)
    line = f'. {script}; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _aeon; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.split() == found


def test_json_is_one_document(aeon: Aeon, model: Model, saved: str) -> None:
    """Of a run and of commands that show something, standard output is one JSON document."""
    for line in (
        ("run", TASK), ("resume", saved), ("replay", saved), ("diff", saved, saved), ("models",), ("engines",),
        ("config",), ("metrics", saved), ("run", TASK, "--bound"),
    ):  # fmt: skip
        json.loads(aeon(*line, "--json").out)
