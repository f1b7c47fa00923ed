"""``aeon chat``: turns that know the ones before them, each a saved run."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from aeon.assembly.proofs import proof_of
from aeon.assembly.runs import replay
from aeon.proof.document import proof_bytes
from aeon.runtime.journal import Journal
from tests.wordings import results_of

from .conftest import Outcome
from .played_model import Model, reply
from .terminal import Terminal

pytestmark = pytest.mark.requirement("E3l")

Aeon = Callable[..., Outcome]
FIRST, SECOND = "How many eggs are in 3 boxes of 6?", "And if one egg breaks?"


def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
    """Count the eggs, one less if one breaks."""
    told = body["messages"][-1]["content"]
    if body.get("response_format") or body.get("logprobs"):
        return False
    results = results_of(told)
    said = f"There are {results} eggs." if results else f"So.\nAnswer: {17 if 'breaks' in told else 18}"
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    payload = {
        "id": "1",
        "model": "played",
        "choices": [choice],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5},
    }
    reply(handler, 200, json.dumps(payload).encode(), Content_Type="application/json")
    return True


def repeating(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
    """Say the same whatever is asked."""
    if body.get("response_format") or body.get("logprobs"):
        return False
    said = "The total is 40.8 euros for pens of 99 cents."
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    payload = {"id": "1", "model": "played", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}
    reply(handler, 200, json.dumps(payload).encode(), Content_Type="application/json")
    return True


@pytest.fixture
def counting(model: Model) -> Model:
    """A model that counts."""
    model.before = answer
    return model


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let this be standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_turn_is_shown_the_ones_before_it(
    aeon: Aeon, counting: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As data; each is a journal that replays; /show lists them, /quit leaves what follows unread."""
    typed(monkeypatch, FIRST, "", SECOND, "/show", "/quit", "Never asked")
    folder = tmp_path / "chat"
    done = aeon("chat", "--preset", "fast", "--save", str(folder))
    assert done.code == 0 and "There are 18 eggs." in done.shown and "There are 17 eggs." in done.shown
    assert [path.name for path in sorted(folder.iterdir())] == ["turn-01.jsonl", "turn-02.jsonl"]
    first, second = (json.loads(path.read_text().splitlines()[0])["task"] for path in sorted(folder.iterdir()))
    assert not first["context"] and second["text"] == SECOND
    assert f"asked: {FIRST}" in second["context"] and "answered: There are 18 eggs." in second["earlier"]
    assert aeon("replay", str(folder / "turn-02.jsonl")).code == 0
    shown = done.out.partition("turn-01.jsonl  ")[2]
    assert FIRST in shown and "turn-02.jsonl" in shown and "Never asked" not in done.shown


def test_any_engine_can_chat(aeon: Aeon, counting: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the multi-pass one; the end of input leaves."""
    typed(monkeypatch, "Name a bird.", "And another one.")
    done = aeon("chat", "--engine", "multi-pass", "--save", str(tmp_path / "chat"))
    assert done.code == 0 and len([*(tmp_path / "chat").iterdir()]) == 2
    assert any("Name a bird." in str(body) and "And another one." in str(body) for body in counting.bodies)


@pytest.mark.parametrize("engine", ["multi-pass", "loop", "graph", "contractive"])
def test_an_answer_proves_nothing_in_a_later_turn(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """A model that repeats an unproved value is shown it, and it stays unproved; what the user said counts."""
    model.before = repeating
    typed(monkeypatch, "Write one sentence about pens of 99 cents.", "And again, please.")
    folder = tmp_path / "chat"
    assert aeon("chat", "--engine", engine, "--save", str(folder)).code == 0
    assert any("asked: Write one" in str(one) and "answered: The total is 40.8" in str(one) for one in model.bodies)
    for path in sorted(folder.iterdir()):
        (written := tmp_path / "proof.json").write_bytes(proof_bytes(proof_of(replay(Journal.read(path)), [], path)))
        proof = json.loads(written.read_bytes())
        verdicts = {claim["text"].split()[0]: claim["verdict"] for claim in proof["claims"]}
        assert verdicts["99"] == "supported" and verdicts["40.8"] != "supported", verdicts
        assert "40.8" not in json.dumps(proof["task"])
        assert aeon("verify", str(written), "--journal", str(path)).code == 0


def test_a_command_that_is_none_is_explained(aeon: Aeon, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """And asks no model; nor does /show before the first turn. The folder is in Aeon's own for data."""
    typed(monkeypatch, "/shwo", "/show")
    done = aeon("chat")
    assert done.code == 0 and "/show lists the turns so far, /quit leaves" in done.err and not model.bodies
    assert "nothing was answered so far" in done.shown


def test_a_turn_that_fails_ends_no_chat(
    aeon: Aeon, counting: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is taken, and what failed is said."""
    typed(monkeypatch, FIRST, SECOND)
    counting.fails(401)
    done = aeon("chat", "--save", str(tmp_path / "chat"))
    assert done.code == 0 and len([*(tmp_path / "chat").iterdir()]) == 2 and "401" in done.err


def test_ctrl_c_ends_the_turn_and_then_the_chat(counting: Model, tmp_path: Path) -> None:
    """During a run it ends the run; at the prompt it leaves."""
    counting.hangs(lambda body: "3 boxes" in body["messages"][-1]["content"])
    terminal = Terminal("chat", "--save", str(tmp_path / "chat"), AEON_MODEL=counting.url)
    terminal.until("> ")
    terminal.types(f"{FIRST}\n")
    terminal.until("1 sample")
    terminal.process.send_signal(signal.SIGINT)
    terminal.until("interrupted")
    terminal.until("aeon resume")
    terminal.until("turn-01.jsonl >")
    counting.before = answer
    terminal.types("\x03")
    assert terminal.ended() == 0 and "Traceback" not in terminal.screen


WRONG = {
    "an unknown engine": (("--engine", "nobody"), "engine 'nobody' is not installed"),
    "an unknown preset": (("--preset", "slow"), "'contractive' has no preset 'slow'"),
    "files that are not read": (("--files", "."), "uses the task and its --context alone"),
    "a folder that is there": (("--save", "."), ".: exists already; name a new folder for the runs (--save)"),
    "an unknown setting": (("--set", "colour=red"), "colour"),
    "an unknown model": (("--model", "nobody"), "no model is called 'nobody'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_one_clear_line(
    aeon: Aeon, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Before anything is asked, and no folder is left behind."""
    typed(monkeypatch, FIRST)
    arguments, words = WRONG[what]
    aeon("chat", *arguments).complains(2, words)
    assert not model.bodies and not (tmp_path / "home" / "chats").exists()
