"""Who hears a reply while it is written: each protocol hands on what it is told, as it is told, and nothing else."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import played_responses as responses
import pytest
from played_endpoint import Endpoint, chunk, event, failure, gated, request, spoken, stream, whole

from aeon.llm.anthropic import Anthropic
from aeon.llm.around import Around
from aeon.llm.endpoint import Endpoint as Adapter
from aeon.llm.gemini import Gemini
from aeon.llm.hearing import Hearing, heard_by, hearing
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.responses import Responses
from aeon.llm.scripted import Scripted
from aeon.schema.llm import Capabilities, LLMResponse

pytestmark = pytest.mark.requirement("P3f")
CAN = Capabilities()
PIECES = ("One ", "two ", "three.")


class Listener:
    """Notes what it hears; it opens the gate with the first piece."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.heard: list[str | None] = []

    def begin(self) -> None:
        self.heard.append(None)

    def hear(self, piece: str) -> None:
        self.heard.append(piece)
        self.gate.set()


def heard(adapter: Any, listener: Listener, times: int = 1) -> LLMResponse:
    """The last response of so many calls, heard by the listener."""

    async def go() -> LLMResponse:
        with heard_by(listener):
            for _ in range(times):
                response: LLMResponse = await adapter.complete(request())
        return response

    return asyncio.run(go())


def chat(pieces: tuple[str, ...]) -> list[str]:
    thought = {"id": "1", "choices": [{"index": 0, "delta": {"reasoning_content": "hush"}, "finish_reason": None}]}
    last = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    return [event(one) for one in (thought, *map(chunk, pieces), chunk(finish="stop"), last)]


def typed(pieces: tuple[str, ...]) -> list[str]:
    """The events of the Responses API, behind a thought."""
    return [event(one) for one in responses.events(responses.thought(), responses.message(*pieces))]


def messages(pieces: tuple[str, ...]) -> list[str]:
    """The events of Anthropic's Messages API, behind a thought."""
    begun = {"type": "message_start", "message": {"model": "claude", "usage": {"input_tokens": 7, "output_tokens": 1}}}
    thought = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
    hush = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hush"}}
    block = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}
    texts = [
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": one}} for one in pieces
    ]
    last = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}
    return [event(one) for one in (begun, thought, hush, block, *texts, last, {"type": "message_stop"})]


def candidates(pieces: tuple[str, ...]) -> list[str]:
    """The events of the Gemini API, behind a thought."""
    counts = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    parts = [{"text": "hush", "thought": True}, *({"text": one} for one in pieces)]
    made = [{"content": {"role": "model", "parts": [one]}, "index": 0} for one in parts]
    made[-1]["finishReason"] = "STOP"
    return [event({"candidates": [one], "usageMetadata": counts}) for one in made]


PROTOCOLS: dict[str, tuple[Callable[[Endpoint], Adapter], Callable[[tuple[str, ...]], list[str]]]] = {
    "chat": (lambda one: OpenAICompatible(one.model, one.base_url, capabilities=CAN), chat),
    "responses": (lambda one: Responses(one.model, one.base_url, capabilities=CAN), typed),
    "anthropic": (lambda one: Anthropic(one.model, one.root, "key", capabilities=CAN), messages),
    "gemini": (lambda one: Gemini(one.model, one.root, "key", capabilities=CAN), candidates),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pieces_are_heard_before_the_call_has_ended(endpoint: Endpoint, protocol: str) -> None:
    """The endpoint sends the rest only once the first piece was heard; thoughts are none of the text."""
    make, events = PROTOCOLS[protocol]
    listener, frames = Listener(), events(PIECES)
    at = next(number for number, frame in enumerate(frames) if PIECES[0] in frame) + 1
    endpoint.play(gated(listener.gate, frames[:at], frames[at:]))
    response = heard(make(endpoint), listener)
    assert listener.heard == [None, *PIECES]
    assert response.text == "".join(PIECES) and len(endpoint.bodies) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_another_attempt_begins_anew(endpoint: Endpoint, protocol: str) -> None:
    """An attempt that broke off after a piece is followed by one that is heard from its beginning."""
    make, events = PROTOCOLS[protocol]
    broken = events(PIECES)
    at = next(number for number, frame in enumerate(broken) if PIECES[0] in frame) + 1
    endpoint.play(spoken(*broken[:at]), failure(500), spoken(*events(("Whole.",))))
    listener = Listener()
    response = heard(make(endpoint), listener)
    assert listener.heard == [None, PIECES[0], None, None, "Whole."]
    assert response.text == "Whole."


def test_a_reply_that_comes_as_a_whole_is_one_piece(endpoint: Endpoint) -> None:
    """A server that knows no streaming is heard as well."""
    endpoint.play(whole("All of it."))
    listener = Listener()
    heard(PROTOCOLS["chat"][0](endpoint), listener)
    assert listener.heard == [None, "All of it."]


def test_further_choices_and_refusals_are_not_heard(endpoint: Endpoint) -> None:
    """The first choice is the reply; what declines to answer is none."""
    other = chunk("other")
    other["choices"][0]["index"] = 1  # type: ignore[index]
    endpoint.play(stream(chunk("one"), other, chunk(refusal="No."), chunk(finish="stop")))
    listener = Listener()
    assert heard(PROTOCOLS["chat"][0](endpoint), listener).finish_reason == "refusal"
    assert listener.heard == [None, "one"]


def test_a_listener_that_raises_is_dropped(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    """The call goes on and gives what it gives anyway; the fault is told once."""

    class Faulty(Listener):
        def hear(self, piece: str) -> None:
            super().hear(piece)
            raise LookupError("of its own")

    class Broken(Listener):
        def begin(self) -> None:
            raise LookupError("of its own")

    endpoint.play(spoken(*chat(PIECES)))
    for listener, number in ((Faulty(), 2), (Broken(), 0)):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "aeon"):
            assert heard(PROTOCOLS["chat"][0](endpoint), listener).text == "".join(PIECES)
        assert len(listener.heard) == number and len(caplog.records) == 1


def test_an_adapter_around_another_hands_nothing_in_between(endpoint: Endpoint) -> None:
    """What goes through it is heard; an adapter of one's own that hands on nothing is not, and works as before."""
    endpoint.play(spoken(*chat(PIECES)))
    listener, silent = Listener(), Listener()
    heard(Around(PROTOCOLS["chat"][0](endpoint)), listener)
    assert listener.heard == [None, *PIECES]
    assert heard(Scripted(["All."]), silent).text == "All." and silent.heard == []


def test_nobody_hears_what_is_said_outside() -> None:
    """The listener is heard in its block alone, and in the tasks that it starts."""

    async def go() -> list[Hearing | None]:
        async def inner() -> Hearing | None:
            return hearing()

        with heard_by(Listener()):
            own, started = hearing(), await asyncio.create_task(inner())
        return [own, started, hearing()]

    own, started, outside = asyncio.run(go())
    assert own is started is not None and outside is None
