"""Questions of a run: asked at a terminal, decided by the policy without one, answered when the run is resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model
from .terminal import Terminal

pytestmark = pytest.mark.usefixtures("thorough")

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"
QUESTION = "Which pens are meant?"


def answers_of(path: Path) -> list[dict[str, object]]:
    """The answers in a journal."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line["value"] for line in lines if line.get("phase") == "ask"]


@pytest.mark.requirement("O6")
@pytest.mark.parametrize(
    ("typed", "meant"),
    [("2\n", "the red ones"), ("\n", "the blue ones"), ("The RED ones\n", "the red ones"), ("green\n", "green")],
)
def test_a_question_is_asked_at_the_terminal(model: Model, tmp_path: Path, typed: str, meant: str) -> None:
    """It takes an option's number or words, nothing for the default, or words of one's own; none of it is assumed."""
    model.finds_unclear()
    terminal = Terminal("run", TASK, "--model", model.url, "--save", str(tmp_path / "saved"))
    terminal.until("your answer [the blue ones]: ")
    terminal.types(typed)
    assert terminal.ended() == 0, terminal.screen
    assert answers_of(tmp_path / "saved") == [{"text": meant, "assumed": False}]
    for words in (QUESTION, "1  the blue ones", "2  the red ones", f"answered {meant}", "converged"):
        assert words in terminal.screen
    assert "assumed" not in terminal.screen


@pytest.mark.requirement("O6")
def test_the_number_of_no_option_is_no_answer(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """At the terminal it is asked again; ``--answer`` is refused with the options, and the run goes on waiting."""
    model.finds_unclear()
    saved = tmp_path / "saved"
    terminal = Terminal("run", TASK, "--model", model.url, "--save", str(saved))
    terminal.until("your answer [the blue ones]: ")
    terminal.types("3\n")
    terminal.until("3 is none of the 2 options")
    terminal.types("\x04")
    assert terminal.ended() == 4, terminal.screen
    before = saved.read_bytes()
    for number in ("3", " 0 ", "99999999999999999999"):
        aeon("resume", str(saved), "--answer", number).complains(2, "none of the options", "1 the blue ones, 2 the red")
    assert saved.read_bytes() == before
    assert aeon("resume", str(saved), "--answer", "3 green ones").code == 0
    assert answers_of(saved) == [{"text": "3 green ones", "assumed": False}]


@pytest.mark.requirement("O6")
@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_a_question_can_be_left_open(aeon: Aeon, model: Model, tmp_path: Path, key: str) -> None:
    """Ctrl-C and Ctrl-D at the prompt suspend the run with exit code 4; an answer later continues it."""
    model.finds_unclear()
    saved = str(tmp_path / "saved")
    terminal = Terminal("run", TASK, "--model", model.url, "--save", saved)
    terminal.until("your answer")
    terminal.types(key)
    assert terminal.ended() == 4, terminal.screen
    assert f"continue with: aeon resume {saved} --answer" in terminal.screen.replace("\r\n", "")
    assert answers_of(tmp_path / "saved") == []
    assert aeon("resume", saved, "--answer", "2").code == 0
    assert answers_of(tmp_path / "saved") == [{"text": "the red ones", "assumed": False}]


@pytest.mark.requirement("O6")
def test_a_run_that_is_resumed_at_a_terminal_asks_there(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """Without --answer the open question is put again; the past is told in brief."""
    model.finds_unclear()
    saved = str(tmp_path / "saved")
    assert aeon("run", TASK, "--model", model.url, "--save", saved, "--unattended", "suspend").code == 4
    terminal = Terminal("resume", saved)
    terminal.until("your answer")
    terminal.types("1\n")
    assert terminal.ended() == 0, terminal.screen
    assert "Resumed after 4 effects" in terminal.screen and "answered the blue ones" in terminal.screen


@pytest.mark.requirement("O6")
def test_without_a_terminal_the_default_is_assumed_and_listed(aeon: Aeon, model: Model) -> None:
    """The answer is followed by what was assumed."""
    model.finds_unclear()
    done = aeon("run", TASK, "--model", model.url)
    assert (done.code, done.errors) == (0, [])
    assert f"assumed: {QUESTION} → the blue ones" in done.shown
    assert all(len(line) <= 80 for line in done.shown.splitlines() if "pens are meant" in line)


@pytest.mark.requirement("O6")
def test_without_a_terminal_a_run_can_be_suspended(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """Exit code 4, the question with its options and default, and how to continue; history and replay know it too."""
    model.finds_unclear()
    saved = str(tmp_path / "saved")
    done = aeon("run", TASK, "--model", model.url, "--save", saved, "--unattended", "suspend")
    assert (done.code, done.out, done.errors) == (4, "", [])
    for words in (QUESTION, "1  the blue ones", "default: the blue ones", f'aeon resume {saved} --answer "…"'):
        assert words in done.shown
    assert "Answer" not in done.shown
    assert QUESTION in aeon("history", saved).out
    replayed = aeon("replay", saved)
    assert replayed.code == 0 and "replayed 4 effects" in replayed.out and QUESTION in replayed.out


@pytest.mark.requirement("O6")
def test_a_suspended_run_that_is_not_saved_says_so(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """The policy can also stand in the configuration; nothing is promised that cannot be kept."""
    model.finds_unclear()
    (tmp_path / "c.toml").write_text('[questions]\nunattended = "suspend"\n')
    done = aeon("run", TASK, "--model", model.url, "--config", str(tmp_path / "c.toml"))
    assert done.code == 4 and "was not saved" in done.shown and "aeon resume" not in done.shown
    done = aeon("run", TASK, "--model", model.url, "--unattended", "suspend", "--json")
    assert (done.code, done.document["question"]["text"]) == (4, QUESTION)


@pytest.mark.requirement("O6")
def test_what_was_answered_is_never_asked_again(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """A run that was answered is over: another answer is refused, and the history lists question and answer."""
    model.finds_unclear()
    saved = str(tmp_path / "saved")
    aeon("run", TASK, "--model", model.url, "--save", saved, "--unattended", "suspend")
    assert aeon("resume", saved, "--answer", "the red ones").code == 0
    before = Path(saved).read_bytes()
    aeon("resume", saved, "--answer", "the blue ones").complains(2, "--answer", "nothing was asked")
    assert Path(saved).read_bytes() == before
    assert f"asked: {QUESTION} → the red ones" in aeon("history", saved).out


@pytest.mark.requirement("O6")
def test_an_empty_answer_takes_the_default(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """As at the prompt; it counts as said, not as assumed."""
    model.finds_unclear()
    saved = tmp_path / "saved"
    aeon("run", TASK, "--model", model.url, "--save", str(saved), "--unattended", "suspend")
    assert aeon("resume", str(saved), "--answer", " ").code == 0
    assert answers_of(saved) == [{"text": "the blue ones", "assumed": False}]


@pytest.mark.requirement("O6")
def test_a_waiting_run_is_resumed_under_another_policy(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """With --unattended assume the default is taken and listed; without it the run's own policy has it wait again."""
    model.finds_unclear()
    saved = tmp_path / "saved"
    aeon("run", TASK, "--model", model.url, "--save", str(saved), "--unattended", "suspend")
    assert aeon("resume", str(saved)).code == 4 and answers_of(saved) == []
    done = aeon("resume", str(saved), "--unattended", "assume")
    assert (done.code, done.errors) == (0, [])
    assert f"assumed: {QUESTION} → the blue ones" in done.shown
    assert answers_of(saved) == [{"text": "the blue ones", "assumed": True}]
    assert aeon("replay", str(saved)).code == 0


@pytest.mark.requirement("O6")
def test_a_run_that_would_assume_can_be_resumed_to_wait(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """With --unattended suspend the question that comes up is left open; an answer in words comes before any policy."""
    model.finds_unclear()
    saved = tmp_path / "saved"
    aeon("run", TASK, "--model", model.url, "--save", str(saved))
    lines = saved.read_bytes().splitlines(keepends=True)
    asked = next(number for number, line in enumerate(lines) if b'"phase":"ask"' in line)
    saved.write_bytes(b"".join(lines[:asked]))  # as a kill before the default was taken leaves it
    assert aeon("resume", str(saved), "--unattended", "suspend").code == 4
    assert aeon("resume", str(saved), "--unattended", "assume", "--answer", "2").code == 0
    assert answers_of(saved) == [{"text": "the red ones", "assumed": False}]
