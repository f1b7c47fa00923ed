"""The shipped HTTP adapter in the simulated world: the model answers in bytes, and the world counts each request."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from random import Random
from typing import Any

import httpx2
import openai
from openai._base_client import get_platform

from aeon.errors import RateLimited
from aeon.llm.connections import Connections
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.replies import guard
from aeon.runtime.ledger import current_ledger
from aeon.schema import LLMRequest, LLMResponse, Usage
from aeon.simulation import endpoint
from aeon.simulation.clock import QUANTUM
from aeon.simulation.endpoint import Endpoint
from aeon.simulation.scene import MODEL, capabilities
from aeon.simulation.world import World

__all__ = ["Wired"]

_URL = "http://model.simulated/v1"
_FINISHES = {"stop": "stop", "length": "length", "refusal": "content_filter"}
_FAILS = ("refused", "limited", "put off", "broken", "garbled", "uncounted", "unreachable", "failed", "late")


@dataclass
class _Asked:
    """The completion that is asked for, how many requests were made for it, and whether the last was put off."""

    request: LLMRequest
    requests: int = 0
    put_off: bool = False


_asked: ContextVar[_Asked] = ContextVar("asked")


class Wired(Endpoint):
    """The simulated model behind the shipped adapter. A request that fails is made again by that, not here."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._adapter = OpenAICompatible(MODEL, _URL, capabilities=capabilities(world.scenario))
        self._adapter._connections = _Wires(self)

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The completion, as the adapter understands it. What was put off for too long is a call after all."""
        self._world.ask()
        self._check(request)
        asked = _Asked(request)
        _asked.set(asked)
        try:
            response = await self._adapter.complete(request)
        except RateLimited:
            self._world.spend(Usage(calls=asked.put_off))
            raise
        self._world.texts[current_ledger().number].append(response.text)
        self._lean(request, response)
        return response

    async def reply(self, body: dict[str, Any]) -> httpx2.Response:
        """What comes back for one request; the world counts what it takes."""
        asked, world = _asked.get(), self._world
        asked.requests += 1
        identity = endpoint._identity(world.scenario.seed, asked.request)
        chance = Random(f"{identity}:{asked.requests}")
        response = self._response(asked.request, Random(identity))
        one = self._counting.usage(asked.request, response.text)
        seconds = chance.randint(1, 64) * QUANTUM * (100 if world.fails("endpoint_slow", chance) else 1)
        failing = chance.choice(_FAILS) if world.fails("endpoint_dead", chance, 0.3) else ""
        if asked.requests == 1 and world.fails("retried", chance, 0.5):
            failing = "failed"
        worked = failing not in ("refused", "limited", "put off", "unreachable")
        asked.put_off = failing == "put off"
        if not asked.put_off:
            world.spend(one if worked else Usage(calls=1))
        await asyncio.sleep(seconds)
        return self._bytes(failing, body, response, one)

    def _bytes(self, failing: str, body: dict[str, Any], response: LLMResponse, one: Usage) -> httpx2.Response:
        match failing:
            case "refused":
                return _error(400)
            case "limited":
                return _error(429)
            case "put off":
                return _error(429, {"Retry-After": "2"})
            case "failed":
                return _error(503)
            case "late":
                return _error(504)
            case "unreachable":
                raise httpx2.ConnectError("nobody listens there")
            case "garbled":
                return httpx2.Response(200, headers={"Content-Type": "application/json"}, content=b'{"choices": 7')
        usage = {"prompt_tokens": one.prompt_tokens, "completion_tokens": one.generated_tokens}
        if failing == "uncounted":
            usage = {"prompt_tokens": 0, "completion_tokens": 0}
        return _stream(response, usage, broken=failing == "broken") if body.get("stream") else _whole(response, usage)


class _Wires(Connections):
    """A client whose transport is the simulated model."""

    def __init__(self, wired: Wired) -> None:
        super().__init__(_URL, None)
        http = httpx2.AsyncClient(transport=_Transport(wired), event_hooks={"response": [guard(_URL)]})
        self._client = openai.AsyncOpenAI(base_url=_URL, api_key="none", max_retries=0, http_client=http)
        self._client._platform = get_platform()

    async def client(self) -> openai.AsyncOpenAI:
        """The one client."""
        return self._client


class _Transport(httpx2.AsyncBaseTransport):
    """Hands each request to the simulated model."""

    def __init__(self, wired: Wired) -> None:
        self._wired = wired

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The model's reply."""
        return await self._wired.reply(json.loads(await request.aread()))


class _Events(httpx2.AsyncByteStream):
    """A stream of events, a moment apart."""

    def __init__(self, events: list[bytes]) -> None:
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            await asyncio.sleep(QUANTUM)
            yield event

    async def aclose(self) -> None:
        """Nothing is held."""


def _error(status: int, headers: dict[str, str] | None = None) -> httpx2.Response:
    return httpx2.Response(status, headers=headers or {}, json={"error": {"message": "no"}})


def _choice(response: LLMResponse, part: str, text: str, finish: str | None) -> dict[str, Any]:
    top = [
        {"token": one.token, "logprob": math.log(max(one.probability, 1e-9)), "bytes": None}
        for one in response.first_token
    ]
    scores = {"content": [{"token": "x", "logprob": 0.0, "top_logprobs": top}]} if top else None
    return {"index": 0, part: {"role": "assistant", "content": text}, "finish_reason": finish, "logprobs": scores}


def _whole(response: LLMResponse, usage: dict[str, int]) -> httpx2.Response:
    choice = _choice(response, "message", response.text, _FINISHES[response.finish_reason])
    return httpx2.Response(200, json={"id": "1", "model": MODEL, "choices": [choice], "usage": usage})


def _stream(response: LLMResponse, usage: dict[str, int], broken: bool) -> httpx2.Response:
    half = len(response.text) // 2
    chunks: list[dict[str, Any]] = [
        {"choices": [_choice(response, "delta", response.text[:half], None)]},
        {"choices": [_choice(response, "delta", response.text[half:], None)]},
    ]
    if not broken:
        chunks.append({"choices": [_choice(response, "delta", "", _FINISHES[response.finish_reason])]})
        chunks.append({"choices": [], "usage": usage})
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    return httpx2.Response(
        200, headers={"Content-Type": "text/event-stream"}, stream=_Events([*events, b"data: [DONE]\n\n"])
    )
