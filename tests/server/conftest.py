"""A server of the service in this process, over loopback, and what tests ask it with."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
import uvicorn
from cli.played_model import WORDS, text_for

from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse, TokenProbability, Usage
from aeon.server.app import application
from aeon.server.equipment import Equipment
from aeon.server.runs import Runs
from aeon.server.service import Limits, Service
from aeon.server.serving import configured, listening
from aeon.server.tokens import Tokens
from tests.second import agreeing

from .mcp_hosts import Host, Start

TASK = "What do 17 pens at 2.40 cost?"
WORDS_TASK = "one two three four five six"
_YES = (TokenProbability(token="yes", probability=0.99), TokenProbability(token="no", probability=0.01))


def played(request: LLMRequest) -> LLMResponse:
    """What a model says that computes the price of 17 pens."""
    shape: dict[str, Any] = {}
    if request.json_schema is not None:
        shape = {"response_format": {"json_schema": {"schema": request.json_schema}}}
    messages = [message.model_dump() for message in request.messages]
    text = text_for({"messages": messages, "logprobs": bool(request.top_logprobs), **shape}, dict(WORDS))
    usage = Usage(calls=1, prompt_tokens=20, generated_tokens=5)
    return LLMResponse(text=text, usage=usage, first_token=_YES if request.top_logprobs else (), model="scripted")


class Gated(Scripted):
    """A scripted model that answers only while its gate is open."""

    def __init__(self) -> None:
        super().__init__(played)
        self.gate = threading.Event()
        self.waiting = 0

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The reply, once the gate is open."""
        self.waiting += 1
        try:
            while not self.gate.is_set():
                await asyncio.sleep(0.005)
        finally:
            self.waiting -= 1
        return await super().complete(request)


PRICE = "What is the price of article A300?"
PRICES = "\n".join(f"The price of article A{number} is {number}.40 euros." for number in range(400))
QUOTED = ("300.40", "price = 300.4\nprint(price)", "The price is 300.40 euros.")
"""What a model says that reads a price in a text and words it."""


class Sent(NamedTuple):
    """An event as a client reads it."""

    id: str
    type: str
    data: Any


def events_of(text: str) -> list[Sent]:
    """The events of a stream."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append(Sent(fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return found


def lasting(text: str) -> str:
    """The events of a stream that have ids, as they came."""
    return "".join(f"{block}\n\n" for block in text.split("\n\n") if block.startswith("id: "))


def until(what: Callable[[], object]) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + 20
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Server:
    """The service over loopback, in a thread with a loop of its own. ``get`` and ``post`` ask it."""

    def __init__(
        self, folder: Path, equipment: Equipment, limits: Limits, tokens: Tokens | None, observers: Any, app: Any
    ) -> None:
        self.runs = Runs(folder)
        self.service = Service(self.runs, equipment, limits, observers)
        self.socket = listening("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        asgi = application(self.service, tokens, **app)
        self._server = uvicorn.Server(configured(asgi))
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self.client = httpx2.Client(base_url=self.url, timeout=20)
        until(lambda: self._server.started)

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        await self.service.start()
        await self.service.make_ready()
        serving = asyncio.create_task(self._server.serve(sockets=[self.socket]))
        while not self._server.should_exit:
            await asyncio.sleep(0.01)
        self.service.close_streams()
        await serving
        await self.service.close()

    def stop(self) -> None:
        """Stop it, in order."""
        if self._thread.is_alive():
            self._server.should_exit = True
            self._thread.join()
            self.client.close()
            self.socket.close()

    def get(self, path: str, **headers: str) -> httpx2.Response:
        """Ask for a page."""
        return self.client.get(path, headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> httpx2.Response:
        """Send a JSON body."""
        return self.client.post(path, json=body, headers=headers)

    def job(self, **body: object) -> str:
        """The id of a new job."""
        reply = self.post("/run", {"task": TASK, "async": True, **body})
        assert reply.status_code == 202, reply.text
        return str(reply.json()["id"])

    def over(self, name: str) -> dict[str, Any]:
        """The job when it does no more."""
        until(lambda: self.get(f"/jobs/{name}").json()["state"] not in ("queued", "running"))
        job: dict[str, Any] = self.get(f"/jobs/{name}").json()
        return job

    def events(self, name: str, after: str = "") -> str:
        """The stream of a job to its end."""
        reply = self.get(f"/jobs/{name}/events", **({"Last-Event-ID": after} if after else {}))
        assert reply.status_code in (200, 204), reply.text
        return reply.text


Serve = Callable[..., Server]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers over the same folder of runs, one after the other."""
    servers: list[Server] = []

    def start(
        model: Scripted | None = None, limits: Limits | None = None, tokens: Tokens | None = None, **more: Any
    ) -> Server:
        for one in servers:
            one.stop()
        observers, app = more.pop("observers", ()), more.pop("application", {})
        equipment = Equipment(model or Scripted(played), **more)
        servers.append(Server(tmp_path / "runs", equipment, limits or Limits(), tokens, observers, app))
        return servers[-1]

    yield start
    for one in servers:
        one.stop()


@pytest.fixture
def priced(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server over a folder with prices, whose model reads one of them and words the answer."""
    monkeypatch.delenv("AEON_THOROUGH")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prices.txt").write_text(PRICES)
    return serve(agreeing(QUOTED * 9), folders={"shop": tmp_path / "shop"})


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty home, no settings from outside but that a run has all its phases, and the engine of another package."""
    monkeypatch.setenv("AEON_THOROUGH", "true")
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))
    for name in ("AEON_MODEL", "AEON_BASE_URL", "AEON_JOURNAL_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    info = tmp_path / "site" / "shortener-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shortener\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[aeon.engines]\nshorten = cli.shortener:PLUGIN\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


def complains(reply: httpx2.Response, status: int, kind: str, *words: str) -> None:
    """Whether an answer is a problem of this status and kind, in words that say so, and gives nothing away."""
    assert reply.status_code == status, (reply.status_code, reply.text)
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.json()
    assert (body["status"], body["error"]["type"]) == (status, kind), body
    assert body["error"]["message"] == body["detail"] and isinstance(body["error"]["retryable"], bool)
    for word in words:
        assert word in body["detail"], body
    assert "Traceback" not in reply.text and "/tmp/" not in reply.text


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """An MCP server without files."""
    one = Host(tmp_path_factory.mktemp("shared") / "runs", Equipment(Scripted(played)))
    yield one
    one.stop()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts MCP servers over one folder, which are stopped at the end, if they are not yet."""
    hosts: list[Host] = []

    def begin(model: Scripted | None = None, tokens: Tokens | None = None, **more: Any) -> Host:
        hosts.append(Host(tmp_path / "runs", Equipment(model or Scripted(played), **more), tokens))
        return hosts[-1]

    yield begin
    for host in hosts:
        host.stop()
