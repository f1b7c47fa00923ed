"""An endpoint that plays a model, and lies about what it can do in every way that it is told to."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any, Literal

from played_endpoint import Endpoint, failure, send

PASSWORD = re.compile(r"The password is (\S+)\.")
BYTES_PER_TOKEN = 4


def value_of(schema: dict[str, Any]) -> Any:
    """The simplest value that fits the schema."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {key: value_of(each) for key, each in schema.get("properties", {}).items()}
        case "array":
            return [value_of(schema["items"])] * schema.get("minItems", 1)
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return "word"


class Liar:
    """How the endpoint behaves; every attribute can be set before it is asked.

    ``context`` is what it can read and ``advertised`` what it says, in tokens of four bytes; ``longer`` is what it does
    with a longer prompt. ``counts`` are its token counts: true, of what was sent although it read less, or constant.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.enforces = self.json_mode = self.logprobs = self.echoes = True
        self.context = 1 << 20
        self.longer: Literal["refuse", "cut", "fail"] = "refuse"
        self.counts: Literal["true", "sent", "constant"] = "true"
        self.thinks: Literal["", "tags", "field", "unseen"] = ""
        self.whims = 0.0
        self.slots = 4
        self.seconds = 0.0
        self.dies_after = 1 << 20
        self.asked = count(1)
        self._lock = threading.Semaphore(1)
        endpoint.play(self.step)
        self.advertise(4_096)

    def advertise(self, tokens: int | None) -> None:
        """List the model, with this context length."""
        listed: dict[str, Any] = {"id": self.endpoint.model}
        self.endpoint.pages["/v1/models"] = send(200, {"data": [{**listed, "max_model_len": tokens}]})

    def one_at_a_time(self, seconds: float) -> None:
        """Take this long for a request, and never work on two at once."""
        self.seconds, self.slots = seconds, 1

    def step(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        """Answer one request."""
        number = next(self.asked)
        if number > self.dies_after:
            failure(500, "the model has crashed")(handler, body)
            return
        if self.slots == 1:
            with self._lock:
                time.sleep(self.seconds)
        else:
            time.sleep(self.seconds)
        self._reply(handler, body, number)

    def _reply(self, handler: BaseHTTPRequestHandler, body: dict[str, Any], number: int) -> None:
        sent = "\n".join(message["content"] for message in body["messages"])
        read = sent
        if len(sent) > self.context * BYTES_PER_TOKEN:
            if self.longer == "refuse":
                failure(400, "the request exceeds the available context size")(handler, body)
                return
            if self.longer == "fail":
                failure(500, "out of memory")(handler, body)
                return
            read = sent[-self.context * BYTES_PER_TOKEN :]
        send(200, self._completion(body, sent, read, number))(handler, body)

    def _completion(self, body: dict[str, Any], sent: str, read: str, number: int) -> dict[str, Any]:
        shape = (body.get("response_format") or {}).get("type")
        if shape == "json_schema" and self.enforces:
            text = json.dumps(value_of(body["response_format"]["json_schema"]["schema"]))
        elif shape == "json_object" and self.json_mode:
            text = '{"planet": "Jupiter"}'
        else:
            text = self._said(read, number)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
        if self.thinks == "tags" and shape is None:
            message["content"] = f"<think>Well, well.</think>\n{text}"
        if self.thinks == "field":
            message["reasoning_content"] = "Well, well."
        if self.logprobs and body.get("logprobs"):
            choice["logprobs"] = {"content": [{"top_logprobs": self._alternatives(read, number)}]}
        return {"id": "1", "model": self.endpoint.model, "choices": [choice], "usage": self._usage(body, sent, read)}

    def _said(self, read: str, number: int) -> str:
        if "Answer with the password only" in read:
            found = PASSWORD.search(read) if self.echoes else None
            return found.group(1) if found else "I do not know."
        whim = f" {number}" if self.whims else ""
        return f"Yes, because {hashlib.sha256(read.encode()).hexdigest()[:12]}{whim}."

    def _alternatives(self, read: str, number: int) -> list[dict[str, Any]]:
        if self.thinks == "tags":
            return [{"token": "<think>", "logprob": -0.001}]
        seed = int(hashlib.sha256(read.encode()).hexdigest()[:4], 16) / 0xFFFF
        shift = self.whims * (number % 7)
        return [{"token": "Yes", "logprob": -0.1 - seed - shift}, {"token": "No", "logprob": -3.0}]

    def _usage(self, body: dict[str, Any], sent: str, read: str) -> dict[str, Any]:
        seen = {"true": read, "sent": sent, "constant": "x" * 80}[self.counts]
        usage: dict[str, Any] = {"prompt_tokens": len(seen) // BYTES_PER_TOKEN, "completion_tokens": body["max_tokens"]}
        if self.thinks == "unseen":
            usage["completion_tokens_details"] = {"reasoning_tokens": 64}
        return usage
