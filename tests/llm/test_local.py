"""The embedded model in its child process; the tests marked ``tiny`` run a real one."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from played_endpoint import request

from aeon.errors import EndpointFailed, InputFileError, MissingExtraError, ModelError, ServerBroken
from aeon.llm import weights
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.llm.local_process import ServerProcess
from aeon.schema.llm import Capabilities, LLMRequest, Message

TINY = CATALOGUE["smollm2-135m"]
LONG = LLMRequest(messages=(Message(role="user", content="Write a story of 3000 words."),), max_tokens=1500)


@pytest.fixture(scope="module")
def tiny() -> Path:
    """The tiny model's file, fetched once."""
    return weights.pull(TINY)


@pytest.fixture
def model(tiny: Path) -> Iterator[Local]:
    """The tiny model, not started yet; stopped afterwards."""
    local = Local(TINY, context_tokens=2048)
    yield local
    asyncio.run(local.aclose())


def test_what_it_can_do_is_known_without_starting_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Capabilities name the context length, at most the trained one, and no process runs."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path))
    local = Local(TINY, context_tokens=1 << 20)
    known = Capabilities(json_schema=True, json_mode=True, logprobs=True, context_tokens=TINY.context_tokens)
    assert asyncio.run(local.capabilities()) == known
    assert local.pid is None and local.name == "smollm2-135m"


def test_without_llama_cpp_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the command that installs it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'aeon-orchestrator\[local\]'"):
        asyncio.run(Local(tmp_path / "a.gguf").complete(request()))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path is in the error."""
    with pytest.raises(InputFileError, match=r"a\.gguf"):
        asyncio.run(Local(tmp_path / "a.gguf").complete(request()))


@pytest.mark.tiny
def test_a_file_that_is_no_model_is_told_with_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """llama.cpp's own words are in the log that the error names, not on the terminal."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path))
    (tmp_path / "a.gguf").write_bytes(b"not a model")
    with pytest.raises(ServerBroken, match=r"see .*\.log") as caught:
        asyncio.run(Local(tmp_path / "a.gguf").complete(request()))
    assert "\n" not in str(caught.value)
    assert caught.value.fatal and caught.value.attempts == 0


@pytest.mark.tiny
def test_it_answers_in_the_schema(model: Local) -> None:
    """A real completion fits the schema, and its tokens and probabilities are told."""
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    response = asyncio.run(model.complete(request(json_schema=schema, top_logprobs=3, max_tokens=64)))
    assert isinstance(json.loads(response.text)["ok"], bool)
    assert response.finish_reason == "stop" and len(response.first_token) == 3
    assert response.usage.calls == 1 and response.usage.prompt_tokens > 0 and response.usage.generated_tokens > 0


@pytest.mark.tiny
def test_a_killed_server_is_an_error_and_then_works_again(model: Local) -> None:
    """A child that dies in the middle of a call gives a typed error with its log; the next call restarts it."""

    async def scenario() -> None:
        await model.complete(request(max_tokens=1))
        first = model.pid
        assert first is not None
        call = asyncio.create_task(model.complete(LONG))
        await asyncio.sleep(0.3)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(EndpointFailed, match=r"died during the call; see .*\.log"):
            await call
        assert (await model.complete(request(max_tokens=1))).usage.calls == 1
        assert model.pid not in (None, first)

    asyncio.run(scenario())


@pytest.mark.requirement("T3a")
def test_a_loading_that_is_interrupted_ends_its_server_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the patience that a server gets which has something to finish."""
    children: list[subprocess.Popen[bytes]] = []

    def interrupted(_: ServerProcess, child: subprocess.Popen[bytes], __: str) -> str:
        children.append(child)
        raise KeyboardInterrupt

    monkeypatch.setattr(ServerProcess, "_handshake", interrupted)
    monkeypatch.setenv("AEON_HOME", str(tmp_path))
    (tmp_path / "small.gguf").touch()
    process = ServerProcess(tmp_path / "small.gguf", 512)
    with pytest.raises(KeyboardInterrupt):
        process.address()
    assert children[0].returncode == -signal.SIGKILL and process.pid is None and not process.log_path.exists()


@pytest.mark.requirement("T3a")
def test_a_loading_that_nobody_waits_for_ends_at_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a command ends because its folder cannot be read: it waits neither for the model nor for the server."""
    began, held = threading.Event(), threading.Event()

    def endless(_: int, __: float) -> bytes:
        began.set()
        held.wait(60)
        return b""

    monkeypatch.setattr("aeon.llm.local_process._first_line", endless)
    process = ServerProcess(tiny, 512)

    def load() -> None:
        with contextlib.suppress(ServerBroken):
            process.address()

    loading = threading.Thread(target=load, daemon=True)
    loading.start()
    assert began.wait(60)
    child = process._child
    assert child is not None
    threading.Timer(0.2, held.set).start()  # as the end of its output does
    process.stop()
    loading.join(60)
    assert child.returncode == -signal.SIGKILL and process.pid is None and not process.log_path.exists()


@pytest.mark.tiny
@pytest.mark.requirement("T3b")
def test_it_loads_while_something_else_is_done(tiny: Path) -> None:
    """Whoever needs it waits for the same server; without its file nothing begins, and `load` says why."""
    model = Local(tiny, context_tokens=512)
    model.begin_loading()
    model.load()
    pid = model.pid
    model.load()
    assert pid is not None and model.pid == pid
    asyncio.run(model.aclose())
    absent = Local(tiny.with_name("absent.gguf"))
    absent.begin_loading()
    with pytest.raises(InputFileError, match="no model file"):
        absent.load()


@pytest.mark.tiny
def test_one_server_is_shared_and_stopped_by_the_last(model: Local) -> None:
    """Two adapters of one file use one process, which ends when both are closed."""
    other = Local(TINY, context_tokens=2048)
    asyncio.run(model.complete(request(max_tokens=1)))
    asyncio.run(other.complete(request(max_tokens=1)))
    pid = model.pid
    assert pid is not None and other.pid == pid
    asyncio.run(other.aclose())
    assert Path(f"/proc/{pid}").exists()
    asyncio.run(model.aclose())
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.tiny
def test_a_prompt_beyond_the_context_is_told(model: Local) -> None:
    """The error says that the prompt is too long."""
    asked = LLMRequest(messages=(Message(role="user", content="long " * 3000),))
    with pytest.raises(ModelError, match="prompt is longer than the context"):
        asyncio.run(model.complete(asked))


@pytest.mark.tiny
def test_strangers_on_this_machine_are_rejected(model: Local) -> None:
    """The key of the server is in neither its arguments nor its environment."""
    asyncio.run(model.complete(request(max_tokens=1)))
    assert model._endpoint is not None
    key = model._endpoint[1]._api_key
    assert key is not None
    for name in ("cmdline", "environ"):
        assert key.encode() not in Path(f"/proc/{model.pid}/{name}").read_bytes()


@pytest.mark.tiny
def test_the_server_ends_with_its_parent(tiny: Path) -> None:
    """A parent that is killed, and can clean up nothing, leaves no server behind."""
    program = (
        "import asyncio, time; from aeon.llm.local import Local; from aeon.schema.llm import *\n"
        f"model = Local({str(tiny)!r}, context_tokens=512)\n"
        "asyncio.run(model.complete(LLMRequest(messages=(Message(role='user', content='hi'),), max_tokens=1)))\n"
        "print(model.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = Path(f"/proc/{int(parent.stdout.readline())}")
        assert child.exists()
        parent.kill()
    deadline = time.monotonic() + 10
    while child.exists() and "zombie" not in (child / "status").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not child.exists() or "zombie" in (child / "status").read_text()


@pytest.mark.tiny
@pytest.mark.parametrize("gone", ["stdin", "stdout", "both"])
def test_the_server_ends_with_a_parent_that_dies_while_the_model_loads(tiny: Path, gone: str) -> None:
    """Whichever end of its pipes it notices first: it neither hangs nor serves nobody."""
    command = [sys.executable, "-m", "aeon.llm.local_server", "--model", str(tiny), "--context", "512"]
    command += ["--states", str(tiny.parent), "--parent", str(os.getpid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(b"a key\n")
        child.stdin.flush()
        for pipe in (child.stdin, child.stdout):
            if gone in ("both", "stdin" if pipe is child.stdin else "stdout"):
                pipe.close()
        assert child.wait(timeout=30) == 0
