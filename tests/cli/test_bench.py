"""``aeon bench engines``: what it prints and writes, how it goes on, and what it refuses."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from aeon.bench.scenarios import SCENARIOS

from .conftest import Outcome
from .played_model import Model, reply
from .terminal import Terminal

Aeon = Callable[..., Outcome]
SMALL = ("bench", "engines", "--families", "sums,order", "--sample", "1")


@pytest.fixture
def counting(model: Model) -> Model:
    """A model that answers in steps."""
    model.before = answer
    return model


def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
    """Answer all but what is asked by a schema or for probabilities."""
    if body.get("response_format") or body.get("logprobs"):
        return False
    said = "It is {r1}." if "{r1}" in body["messages"][-1]["content"] else "50 - 7.20 = 42.80\nAnswer: 42.80 euros"
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 5}
    payload = json.dumps({"id": "1", "model": "played", "choices": [choice], "usage": usage}).encode()
    reply(handler, 200, payload, Content_Type="application/json")
    return True


@pytest.mark.requirement("E8", "E8c", "E8d")
def test_a_bench_prints_figures_and_writes_rows(aeon: Aeon, counting: Model, tmp_path: Path) -> None:
    """Both tables, a sentence for each scenario; a line of JSON for each answer behind the one that says what it is."""
    path = tmp_path / "rows.jsonl"
    done = aeon(*SMALL, "--scenarios", "S0,S1", "--out", str(path))
    assert done.code == 0, done.err
    assert "S1 is not shown to beat self-consistency at equal tokens (on 2 questions)" in done.out
    assert done.out.count("thought") >= 3 and "sums-01  S1" in done.err
    opening, *rows = map(json.loads, path.read_text().splitlines())
    assert (opening["bench"], opening["model"], opening["seed"]) == ("engines/1", "played", 1)
    assert [(row["family"], row["system"], row["right"]) for row in rows] == [
        ("sums", "thought", True), ("sums", "S0", True), ("sums", "S1", True),
        ("order", "thought", False), ("order", "S0", False), ("order", "S1", False),
    ]  # fmt: skip
    assert rows[2]["consistency"]["prompt"] + rows[2]["consistency"]["generated"] >= rows[2]["prompt"]


@pytest.mark.requirement("E8f")
def test_a_bench_is_continued_with_more(aeon: Aeon, counting: Model, tmp_path: Path) -> None:
    """What is on record is not asked again, nor are the samples that a new scenario has in common with it."""
    path = str(tmp_path / "rows.jsonl")
    aeon(*SMALL, "--scenarios", "S1", "--out", path)
    asked = len(counting.bodies)
    again = aeon(*SMALL, "--scenarios", "S1", "--out", path, "--resume", "--json")
    assert again.code == 0 and len(counting.bodies) == asked
    assert {one["system"] for one in again.document} == {"thought", "S1"}
    assert aeon(*SMALL, "--scenarios", "S1,S2", "--out", path, "--resume").code == 0
    shared = [body for body in counting.bodies[asked:] if "Ann buys" in str(body) and body["temperature"]]
    assert {body["seed"] for body in shared} == {5, 6, 7, 8} | {body["seed"] for body in shared if body["seed"] > 8}


@pytest.mark.requirement("E8f")
def test_ctrl_c_loses_no_answer(counting: Model, aeon: Aeon, tmp_path: Path) -> None:
    """It says how to go on; then every answer is there once."""
    path = tmp_path / "rows.jsonl"
    counting.hangs(lambda body: "older than" in body["messages"][-1]["content"])
    terminal = Terminal(*SMALL, "--scenarios", "S0", "--out", str(path), AEON_MODEL=counting.url)
    terminal.until("sums-01 S0")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.ended() == 130 and "--resume" in terminal.screen and "Traceback" not in terminal.screen
    assert len(path.read_text().splitlines()) == 3
    counting.before = answer
    assert aeon(*SMALL, "--scenarios", "S0", "--out", str(path), "--resume").code == 0
    assert len(path.read_text().splitlines()) == 5


@pytest.mark.requirement("E8a")
def test_all_scenarios_but_those_without_their_peer(aeon: Aeon, counting: Model) -> None:
    """One line says which is left out, and what to do; with engines, only those that are named."""
    done = aeon("bench", "engines", "--families", "sums", "--sample", "1", "--json")
    systems = [one["system"] for one in done.document]
    assert systems == ["thought", *(name for name in SCENARIOS if name != "S4")]
    assert "S4 left out: it needs a second model as its peer; name one with --peer" in done.err
    only = aeon("bench", "engines", "--families", "sums", "--sample", "1", "--json", "--engines", "loop")
    assert [one["system"] for one in only.document] == ["thought", "loop"]


@pytest.mark.requirement("E8g")
def test_a_peer_that_is_down_is_an_error_on_record(aeon: Aeon, counting: Model, tmp_path: Path) -> None:
    """The bench goes on, and its exit code says that something failed; the next call asks that again."""
    path = str(tmp_path / "rows.jsonl")
    peer = ("--peer", "http://127.0.0.1:9/v1#reviewer", "--out", path)
    done = aeon(*SMALL, "--scenarios", "S4,S0", *peer)
    assert done.code == 1 and "(1 failed)" in done.out
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()[1:]]
    assert [bool(row["error"]) for row in rows] == [False, True, False] * 2 and "reviewer" in rows[1]["error"]
    assert aeon(*SMALL, "--scenarios", "S4,S0", *peer, "--resume").code == 1
    assert len(Path(path).read_text().splitlines()) == 9


@pytest.mark.requirement("E8g")
def test_a_model_that_is_not_there_is_one_line(aeon: Aeon, tmp_path: Path) -> None:
    """The bench ends with it at the first question: no row, no tables, nothing asked again."""
    path = tmp_path / "rows.jsonl"
    done = aeon(*SMALL, "--scenarios", "S0", "--model", "http://127.0.0.1:9/v1#nobody", "--out", str(path))
    opening, last = done.err.splitlines()
    assert done.code == 1 and done.out == "" and "2 questions" in opening
    assert last.startswith("aeon: cannot reach http://127.0.0.1:9/")
    assert len(path.read_text().splitlines()) == 1


@pytest.mark.requirement("E8g")
def test_a_model_that_goes_away_ends_the_bench(aeon: Aeon, counting: Model, tmp_path: Path) -> None:
    """What was answered before is on record, and no row says that the rest failed."""
    path = tmp_path / "rows.jsonl"

    def leave(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
        if "older than" in body["messages"][-1]["content"]:
            reply(handler, 401, b"{}", Content_Type="application/json")
            return True
        return answer(handler, body)

    counting.before = leave
    done = aeon(*SMALL, "--scenarios", "S0", "--out", str(path))
    assert done.code == 1 and done.out == "" and "401" in done.err.splitlines()[-1]
    assert [json.loads(line)["family"] for line in path.read_text().splitlines()[1:]] == ["sums", "sums"]


WRONG = {
    "an unknown scenario": (("--scenarios", "S1,S9"), "bench: there is no scenario S9; there are S0, S1, S2"),
    "no scenario": (("--scenarios", ","), "bench: there is no scenario ','; there are S0"),
    "an unknown engine": (("--engines", "nobody"), "engine 'nobody' is not installed; installed are: "),
    "an engine of sources": (("--engines", "research"), "the engine 'research' answers from sources"),
    "an unknown family": (("--families", "poems"), "bench: there is no family poems; there are sums, units, "),
    "a sample of 0": (("--sample", "0"), "--sample: '0' is not a whole number above 0"),
    "a peer that is the model": (
        ("--peer", "smollm2-135m", "--model", "smollm2-135m"), "--peer: smollm2-135m is the model itself",
    ),
    "an unknown peer": (("--peer", "nobody"), "no model is called 'nobody'"),
    "no second model": (("--scenarios", "S4"), "S4 needs a second model as its peer: name one with --peer"),
    "nothing to resume": (("--resume",), "--resume continues a file of answers; name it with --out FILE"),
    "no such folder": (("--scenarios", "S0", "--out", "/nowhere/rows.jsonl"), "/nowhere/rows.jsonl: cannot be written"),
}  # fmt: skip


@pytest.mark.requirement("E8h")
@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_one_clear_line(aeon: Aeon, model: Model, what: str) -> None:
    """With the exit code of wrong use, before any model is asked."""
    arguments, words = WRONG[what]
    done = aeon("bench", "engines", *arguments)
    done.complains(2, words)
    assert done.out == "" and not model.bodies


@pytest.mark.requirement("E8f", "E8h")
def test_a_file_of_another_run_is_refused(aeon: Aeon, counting: Model, tmp_path: Path) -> None:
    """It says what differs; one that is there is not written over without being asked to."""
    path = str(tmp_path / "rows.jsonl")
    aeon(*SMALL, "--scenarios", "S0", "--out", path)
    aeon(*SMALL, "--scenarios", "S0", "--out", path).complains(2, "exists already; continue with it (--resume)")
    aeon(*SMALL, "--out", path, "--resume", "--seed", "2").complains(2, "is of another run (seed 1, not 2)")
