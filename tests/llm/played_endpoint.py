"""An HTTP server on the loopback interface whose every answer is a step of a script."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from aeon.schema.llm import LLMRequest, Message

Step = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
NUMBERS = count()
_PATIENCE = 20.0
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}


def request(**changes: Any) -> LLMRequest:
    return LLMRequest(messages=(Message(role="user", content="Say hello."),), **changes)


TALK = (
    Message(role="system", content="Be brief."),
    Message(role="user", content="One."),
    Message(role="user", content="Two."),
    Message(role="assistant", content="Three."),
    Message(role="user", content="Four."),
)


def send(status: int, body: object, **headers: str) -> Step:
    """Answer with a status and a body; a string is sent as HTML."""

    def step(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        kind = "text/html" if isinstance(body, str) else "application/json"
        payload = text.encode()
        handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(payload)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(payload)

    return step


def failure(status: int, message: str = "no", **headers: str) -> Step:
    return send(status, {"error": {"message": message}}, **headers)


def whole(text: str | None = "hello", finish: str | None = "stop", usage: object = USAGE, **message: object) -> Step:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return send(200, {"id": "1", "object": "chat.completion", "model": "real", "choices": [choice], "usage": usage})


def chunk(text: str | None = None, finish: str | None = None, **more: object) -> dict[str, object]:
    delta: dict[str, object] = {} if text is None else {"content": text}
    delta |= {name: more.pop(name) for name in ("refusal", "tool_calls", "function_call") if name in more}
    return {"id": "1", "model": "real", "choices": [{"index": 0, "delta": delta, "finish_reason": finish, **more}]}


def stream(*chunks: dict[str, object], pause: float = 0.0, usage: object = USAGE, done: bool = True) -> Step:
    """Answer with a stream of chunks, pausing before each."""

    def step(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        closed: threading.Event = handler.server.closed  # type: ignore[attr-defined]
        last: list[dict[str, object]] = [{"choices": [], "usage": usage}] if usage and done else []
        for each in [*chunks, *last]:
            if pause and closed.wait(pause):
                return
            handler.wfile.write(f"data: {json.dumps(each)}\n\n".encode())
            handler.wfile.flush()
        if done:
            handler.wfile.write(b"data: [DONE]\n\n")

    return step


def sse(*events: dict[str, Any], pause: float = 0.0) -> Step:
    """Answer with server-sent events, each with its type as its name where it has one, pausing before each."""
    names = (f"event: {event['type']}\n" if "type" in event else "" for event in events)
    return spoken(*(f"{name}data: {json.dumps(one)}\n\n" for name, one in zip(names, events, strict=True)), pause=pause)


def spoken(*pieces: str, pause: float = 0.0, open_for: float = 0.0, again: str = "") -> Step:
    """Answer with a stream of just these bytes, which stays open for a time, perhaps saying something ``again``."""

    def step(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        closed: threading.Event = handler.server.closed  # type: ignore[attr-defined]
        for piece in pieces:
            if pause and closed.wait(pause):
                return
            handler.wfile.write(piece.encode())
            handler.wfile.flush()
        for _ in range(round(open_for / 0.1)):
            if closed.wait(0.1):
                return
            handler.wfile.write(again.encode())
            handler.wfile.flush()

    return step


def gated(gate: threading.Event, first: Iterable[str], rest: Iterable[str]) -> Step:
    """Answer with a stream whose ``rest`` is sent when somebody opens the gate; where nobody does it breaks off."""

    def step(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        spoken(*first)(handler, body)
        if gate.wait(_PATIENCE):
            handler.wfile.write("".join(rest).encode())

    return step


def event(data: object) -> str:
    """A server-sent event."""
    return f"data: {json.dumps(data)}\n\n"


def hello(**more: object) -> Step:
    return stream(chunk("hel", **more), chunk("lo"), chunk(finish="stop"))


def hang() -> Step:
    def step(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.close_connection = True
        handler.server.closed.wait(5)  # type: ignore[attr-defined]

    return step


class Endpoint:
    """The server's side: ``steps`` answer POSTs in order (the last one repeats), ``pages`` answer GETs by path."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.base_url = f"{root}/v1"
        self.steps: list[Step] = []
        self.pages: dict[str, Step] = {}
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.model = f"model-{next(NUMBERS)}"

    def play(self, *steps: Step) -> None:
        self.steps = list(steps)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        endpoint: Endpoint = self.server.endpoint  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint.bodies.append(body)
        endpoint.paths.append(self.path)
        endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
        number = min(len(endpoint.bodies), len(endpoint.steps))
        try:
            endpoint.steps[number - 1](self, body)
        except ConnectionError:
            self.close_connection = True

    def do_GET(self) -> None:
        endpoint: Endpoint = self.server.endpoint  # type: ignore[attr-defined]
        endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
        try:
            endpoint.pages.get(self.path, failure(404))(self, {})
        except ConnectionError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def served() -> Iterator[Endpoint]:
    """A fresh endpoint on a free port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        played = Endpoint(f"http://127.0.0.1:{server.server_address[1]}")
        server.endpoint = played  # type: ignore[attr-defined]
        server.closed = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield played
        server.closed.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
