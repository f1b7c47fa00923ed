"""The process ``aeon``: interrupts, closed pipes, a full disk, a bug; and what importing costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aeon as package
from aeon.assembly.build import build
from aeon.cli.interrupts import interruptible
from aeon.llm import scripted

from .conftest import Outcome
from .played_model import Model
from .prepared import command

Aeon = Callable[..., Outcome]
JUDGED = "Is what the task asks for"
TASK = "What do 17 pens at 2.40 cost?"


def start(*arguments: str, ready: dict[str, Any] | None = None, **more: Any) -> subprocess.Popen[str]:
    """The command line in a process of its own, made `prepared`."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command(*arguments, **(ready or {})), stdout=pipe, stderr=pipe, text=True, encoding="utf-8", env=env, **more
    )


def ended(process: subprocess.Popen[str]) -> Outcome:
    out, err = process.communicate(timeout=30)
    return Outcome(process.returncode, out, err)


def until(what: Callable[[], bool]) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + 20
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def about(word: str) -> Callable[[dict[str, Any]], bool]:
    """Whether a request's last message holds this word."""
    return lambda body: word in body["messages"][-1]["content"]


@pytest.mark.usefixtures("thorough")
def test_ctrl_c_ends_the_run_with_what_there_is(model: Model) -> None:
    """While the results are judged for ever, one Ctrl-C gives an answer, the reason interrupted and exit code 3."""
    model.was_measured()
    model.hangs(about(JUDGED))
    process = start("run", TASK, "--model", model.url)
    until(lambda: any(map(about(JUDGED), model.bodies)))
    process.send_signal(signal.SIGINT)
    done = ended(process)
    assert done.code == 3, done
    assert "interrupted" in done.shown and "Answer" in done.shown and "stopping at the next boundary" in done.shown


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.usefixtures("thorough")
def test_a_run_without_standard_streams(model: Model, tmp_path: Path, closed: tuple[int, ...]) -> None:
    """Where the shell closed some, nothing but the run gets into its journal, and it ends as any other."""
    saving = ("--save", str(tmp_path / "saved"))
    done = ended(start("run", TASK, "--model", model.url, *saving, ready={"closed": closed}))
    assert done.code == 0 and ("converged" in done.err) == (2 not in closed) and bool(done.out) == (1 not in closed)
    assert ended(start("replay", str(tmp_path / "saved"))).code == 0


@pytest.mark.usefixtures("thorough")
def test_the_second_ctrl_c_breaks_off_the_synthesis(model: Model) -> None:
    """Where the wording of the answer hangs too, another Ctrl-C leaves the results as they are."""
    model.was_measured()
    model.hangs(lambda body: any(map(about(JUDGED), model.bodies)))
    process = start("run", TASK, "--model", model.url)
    until(lambda: any(map(about(JUDGED), model.bodies)))
    process.send_signal(signal.SIGINT)
    until(lambda: not about(JUDGED)(model.bodies[-1]))
    process.send_signal(signal.SIGINT)
    done = ended(process)
    assert done.code == 3 and "no model worded this answer" in done.shown, done


def test_the_third_ctrl_c_ends_the_program() -> None:
    """What two cannot end the third one does, in Python's own way."""
    orchestrator = build(scripted.Scripted([]))
    before = signal.getsignal(signal.SIGINT)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt), interruptible(orchestrator.driver, said.append):
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)
    assert said == ["stopping at the next boundary", "breaking off"] and signal.getsignal(signal.SIGINT) == before


def test_ctrl_c_before_the_run_is_one_line(model: Model, tmp_path: Path) -> None:
    """While it is asked which model the endpoint serves: exit code 130, and nothing is saved."""
    model.lists_models = False
    process = start("run", TASK, "--model", f"{model.root}/v1", "--save", str(tmp_path / "saved"))
    until(lambda: model.listings > 0)
    process.send_signal(signal.SIGINT)
    ended(process).complains(130, "interrupted")
    assert not (tmp_path / "saved").exists()


def test_a_full_disk_ends_the_run_with_one_line(model: Model, tmp_path: Path) -> None:
    """The journal cannot grow: exit code 1, and what was saved before is whole."""
    done = ended(start("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"), ready={"bytes": 3_000}))
    done.complains(1, "saved", "cannot be written", "what was saved before is whole")
    assert (tmp_path / "saved").read_bytes().endswith(b"}\n")


def test_a_full_disk_from_the_start_leaves_no_file(model: Model, tmp_path: Path) -> None:
    """Not even the opening line fits: the file is taken back."""
    done = ended(start("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"), ready={"bytes": 100}))
    done.complains(1, "saved", "nothing was saved")
    assert not (tmp_path / "saved").exists()


@pytest.mark.requirement("K13")
@pytest.mark.usefixtures("thorough")
def test_a_disk_that_is_full_at_the_very_end_costs_no_answer(model: Model, tmp_path: Path) -> None:
    """Only the line that the run has ended does not fit: the answer is shown, and that is said; resuming adds it."""
    whole = tmp_path / "whole"
    assert ended(start("run", TASK, "--model", model.url, "--save", str(whole))).code == 0
    assert ended(start("run", TASK, "--model", model.url, "--save", str(tmp_path / "again"))).code == 0
    size = len((tmp_path / "again").read_bytes()) - 40
    saved = tmp_path / "saved"
    done = ended(start("run", TASK, "--model", model.url, "--save", str(saved), ready={"bytes": size}))
    assert done.code == 0 and "The total is 40.8." in done.shown, done
    (line,) = done.errors
    assert line.startswith("aeon: ") and "cannot be written" in line and "continue with: aeon resume" in line
    assert b'"line":"ended"' not in saved.read_bytes()
    assert ended(start("resume", str(saved))).code == 0 and b'"line":"ended"' in saved.read_bytes()


@pytest.mark.requirement("K13")
@pytest.mark.usefixtures("thorough")
def test_a_log_that_takes_no_more_does_not_end_the_run(model: Model, tmp_path: Path) -> None:
    """One line says where the log ends; the answer comes all the same."""
    log = tmp_path / "log"
    done = ended(start("run", TASK, "--model", model.url, "--log", str(log), ready={"bytes": 3_000}))
    assert done.code == 0 and "The total is 40.8." in done.shown, done
    (line,) = done.errors
    assert line.startswith(f"aeon: {log}: the log ends here: ")


@pytest.mark.requirement("K13")
def test_a_view_with_a_bug_does_not_end_the_run(aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names it, without a traceback; the answer comes all the same."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("aeon.cli.passes.PassNarrator.lines", broken)
    done = aeon("run", TASK, "--model", model.url)
    assert done.code == 0 and "The total is 40.8." in done.shown
    (line,) = done.errors
    assert line.startswith("aeon: an observer raised") and "ZeroDivisionError: division by zero" in line


def test_a_reader_that_leaves_early_is_no_error() -> None:
    """With the pipe closed, nothing is printed about it."""
    process = start("models")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(timeout=30)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("models",), ("run", TASK), ("run", TASK, "--json")])
def test_output_that_takes_no_more_is_one_line(model: Model, arguments: tuple[str, ...]) -> None:
    """Standard output on a full disk is exit code 1, and no bug."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    given = [*arguments, "--model", model.url] if arguments[0] == "run" else arguments
    command = [sys.executable, "-m", "aeon.cli.main", *given]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    Outcome(done.returncode, "", done.stderr).complains(1, "No space left")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("stderr", ["kept", "full"])
def test_a_log_on_a_full_disk_does_not_end_the_run(model: Model, stderr: str) -> None:
    """The answer is there, and one line says where the log ends, unless standard error is on the full disk too."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "aeon.cli.main", "run", TASK, "--model", model.url, "--log", "/dev/full"]
    with Path("/dev/full").open("w") as full:
        errors = full if stderr == "full" else subprocess.PIPE
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=errors, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "The total is 40.8.\n"
    said = [line for line in (done.stderr or "").splitlines() if line.startswith("aeon: ")]
    assert said == ([] if stderr == "full" else ["aeon: /dev/full: the log ends here: No space left on device"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_complaint_that_nobody_can_be_told_has_its_exit_code() -> None:
    """Where standard error takes no more, wrong usage is exit code 2 all the same."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "aeon.cli.main", "rum"], env=env, stderr=full, check=False)
    assert done.returncode == 2


@pytest.mark.usefixtures("thorough")
def test_a_reader_that_leaves_during_a_run_is_no_error(model: Model, tmp_path: Path) -> None:
    """The run goes to its end and is saved; that nobody took its answer is the exit code alone."""
    saved = tmp_path / "saved"
    process = start("run", TASK, "--model", model.url, "--save", str(saved))
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert "aeon: " not in process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=30) == 141
    assert ended(start("resume", str(saved))).out == "The total is 40.8.\n"


@pytest.mark.usefixtures("thorough")
def test_a_terminal_without_unicode_gets_plain_marks(model: Model) -> None:
    """Aeon's own marks become ASCII, any other character its code."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "aeon.cli.main", "run", "Wie viel ist 17 × 2.40?", "--model", model.url]  # noqa: RUF001
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout == b"The total is 40.8.\n"
    assert b"+ 40.8  step s1.1" in done.stderr and b"17 \\xd7 2.40" in done.stderr


def test_a_bug_is_one_line(aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw names its type and how to see more."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("aeon.cli.run.build", broken)
    done = aeon("run", TASK, "--model", model.url)
    done.complains(1, "ZeroDivisionError: division by zero", "this is a bug", "AEON_DEBUG=1")


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("--version",)])
def test_help_and_version_are_no_errors(aeon: Aeon, arguments: tuple[str, ...]) -> None:
    """They print on standard output and exit with 0."""
    done = aeon(*arguments)
    assert (done.code, done.err) == (0, "") and "aeon" in done.shown


def test_importing_loads_nothing_that_is_not_needed() -> None:
    """``import aeon`` brings no vendor's package; each public name is there when it is used."""
    script = (
        "import sys, aeon; heavy = {'pydantic', 'openai', 'rich', 'structlog'} & set(sys.modules); assert not heavy;"
        "from aeon import *; assert callable(build) and set(aeon.__all__) <= set(dir(aeon))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_name_that_is_none_of_the_package_is_an_attribute_error() -> None:
    """A mistyped import fails as in any other package."""
    with pytest.raises(AttributeError, match="has no attribute 'biuld'"):
        _ = package.biuld
