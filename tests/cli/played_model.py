"""An OpenAI-compatible server on the loopback interface that answers structured requests from their own schema."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = {
    "expression": "17 * 2.40", "goal": "multiply the price", "tool": "calculator",
    "completeness": 1, "coherence": 1, "consistency": 1,
}  # fmt: skip
VAGUE = "depend on the person's own situation"
UNCLEAR = {
    "ambiguity": 0.9, "question": "Which pens are meant?", "options": ["the blue ones", "the red ones"],
    "default": "the blue ones",
}  # fmt: skip


def value_of(schema: dict[str, Any], words: dict[str, Any], name: str = "") -> Any:
    """The simplest value of a schema; what has a name in ``words`` gets the word that makes sense there."""
    if "$ref" in schema or not schema:
        return {}
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return words[name] if words.get(name) in schema["enum"] else schema["enum"][0]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return value_of(schema[union][0], words, name)
    kind = schema.get("type")
    if kind == "object":
        return {key: value_of(each, words, key) for key, each in schema.get("properties", {}).items()}
    if kind == "array" and name == "needs":
        return []
    if kind == "array":
        return words.get(name) or [value_of(schema.get("items", {}), words, name)] * max(1, schema.get("minItems", 0))
    if kind in ("integer", "number"):
        return words.get(name, schema.get("minimum", 1))
    return True if kind == "boolean" else words.get(name, "the total is 40.8")


def text_for(body: dict[str, Any], words: dict[str, Any]) -> str:
    """What the model says to this request."""
    shape = body.get("response_format") or {}
    if "json_schema" in shape:
        return json.dumps(value_of(shape["json_schema"]["schema"], words))
    if shape.get("type") == "json_object":
        return '{"planet": "Jupiter"}'
    system = body["messages"][0]["content"]
    if "short Python program" in system:
        name = words["goal"].replace(" ", "_")
        return words.get("program") or f"{name} = {words['expression']}\nprint({name})"
    if "Then the answer." in system:
        return f"{words['expression']} = 40.8\nAnswer: 40.8"
    if not body.get("logprobs"):
        return "The total is 40.8."
    asked = body["messages"][-1]["content"]
    if "Answer with one digit" in asked:
        return "1"
    return "No" if VAGUE in asked and "ambiguity" not in words else "Yes"


class Model:
    """The server's side. ``before`` sees each request first and may answer it itself, by returning true."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.url = f"{root}/v1#played"
        self.closed = threading.Event()
        self.words: dict[str, Any] = dict(WORDS)
        self.bodies: list[dict[str, Any]] = []
        self.lists_models = True
        self.tells_probabilities = True
        self.listings = 0
        self.before: Callable[[BaseHTTPRequestHandler, dict[str, Any]], bool] = lambda handler, body: False

    def fails(self, status: int, text: str = '{"error": {"message": "no"}}', **headers: str) -> None:
        """Answer every request with this status and text from now on."""

        def fail(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> bool:
            kind = "application/json" if text.startswith("{") else "text/html"
            reply(handler, status, text.encode(), **{"Content-Type": kind, **headers})
            return True

        self.before = fail

    def finds_unclear(self) -> None:
        """Find every task ambiguous, as a model that was measured to tell that, and ask which pens are meant."""
        self.words |= UNCLEAR
        self.was_measured()

    def plans_in_steps(self) -> None:
        """Plan every task that is to be planned as two steps, the second of which needs the first."""
        self.words["steps"] = [{"goal": "the price of one pen", "needs": []}, {"goal": "the total", "needs": [1]}]

    def was_measured(self) -> None:
        """Go by the name of a model that was measured, so that its judgments decide."""
        self.url = f"{self.root}/v1#qwen2.5-coder-1.5b"

    def hangs(self, when: Callable[[dict[str, Any]], bool] = lambda body: True) -> None:
        """Never answer the requests that ``when`` picks."""

        def hang(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
            if when(body):
                self.closed.wait(30)
                handler.close_connection = True
                return True
            return False

        self.before = hang


def reply(handler: BaseHTTPRequestHandler, status: int, payload: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(payload)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(payload)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        model: Model = self.server.model  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model.bodies.append(body)
        with contextlib.suppress(ConnectionError):
            if not model.before(self, body):
                scored = model.tells_probabilities and bool(body.get("logprobs"))
                self._answer(text_for(body, model.words), scored)

    def do_GET(self) -> None:
        model: Model = self.server.model  # type: ignore[attr-defined]
        model.listings += 1
        if not model.lists_models:
            model.closed.wait(30)
        payload = json.dumps({"data": [{"id": "played"}]}).encode() if self.path == "/v1/models" else b"{}"
        reply(self, 200, payload, Content_Type="application/json")

    def _answer(self, text: str, scored: bool) -> None:
        message = {"role": "assistant", "content": text}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
        if scored:
            choice["logprobs"] = {"content": [{"token": text, "top_logprobs": [{"token": text, "logprob": -0.001}]}]}
        usage = {"prompt_tokens": 20, "completion_tokens": 5}
        payload = json.dumps({"id": "1", "model": "played", "choices": [choice], "usage": usage}).encode()
        reply(self, 200, payload, Content_Type="application/json")

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def served() -> Iterator[Model]:
    """A fresh server on a free port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        model = Model(f"http://127.0.0.1:{server.server_address[1]}")
        server.model = model  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield model
        finally:
            model.closed.set()
            server.shutdown()
            thread.join()
