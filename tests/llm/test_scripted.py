"""The scripted model."""

from __future__ import annotations

import asyncio

import pytest
from played_endpoint import request

from aeon.errors import EndpointFailed, RateLimited
from aeon.llm.scripted import Scripted, calling
from aeon.schema.llm import CallRequest, Capabilities, LLMResponse, Message
from aeon.schema.usage import Usage


def test_replies_come_in_order_and_requests_are_kept() -> None:
    """Texts, responses and errors are used one by one, and what was asked can be looked at."""
    model = Scripted(["one two", LLMResponse(text="three"), RateLimited("slow down")])
    assert asyncio.run(model.complete(request())).text == "one two"
    assert asyncio.run(model.complete(request(seed=1))).text == "three"
    with pytest.raises(RateLimited, match="slow down"):
        asyncio.run(model.complete(request()))
    assert [asked.seed for asked in model.requests] == [0, 1, 0]


def test_tokens_are_words() -> None:
    """The usage of a text is the same each time: one call, and the words of prompt and reply."""
    response = asyncio.run(Scripted(["one two three"]).complete(request()))
    assert response.usage == Usage(calls=1, prompt_tokens=2, generated_tokens=3)


def test_a_function_can_choose_the_reply() -> None:
    """The function sees the request."""
    model = Scripted(lambda asked: f"seed {asked.seed}")
    assert asyncio.run(model.complete(request(seed=7))).text == "seed 7"


def test_running_out_names_the_prompt() -> None:
    """One request too many says how many there were and for what a reply is missing."""
    model = Scripted(["only"], name="short")
    asyncio.run(model.complete(request()))
    with pytest.raises(EndpointFailed, match=r"'short' has 1 replies and was asked 2 times.*Say hello"):
        asyncio.run(model.complete(request()))


def test_capabilities_are_as_given() -> None:
    """By default it can do JSON; a test may say otherwise."""
    assert asyncio.run(Scripted([]).capabilities()).json_schema
    assert asyncio.run(Scripted([], Capabilities(logprobs=True)).capabilities()) == Capabilities(logprobs=True)


def test_a_reply_can_call_tools() -> None:
    """Name and arguments become a call with an id; its words and those of earlier calls are counted."""
    model = Scripted([calling(("sql", {"query": "a b"}), ("read", {}), text="Look"), calling(("read", {}))])
    response = asyncio.run(model.complete(request()))
    assert response.calls == (
        CallRequest(id="call_1", name="sql", arguments='{"query": "a b"}'),
        CallRequest(id="call_2", name="read", arguments="{}"),
    )
    assert response.usage == Usage(calls=1, prompt_tokens=2, generated_tokens=7)
    called = Message(role="assistant", content="", calls=response.calls)
    asked = request().changed(messages=(*request().messages, called))
    assert asyncio.run(model.complete(asked)).usage == Usage(calls=1, prompt_tokens=8, generated_tokens=2)


def test_running_out_names_the_call_that_ends_the_prompt() -> None:
    """Also where the last message says nothing."""
    last = Message(role="assistant", content="", calls=calling(("sql", {"query": "x"})).calls)
    with pytest.raises(EndpointFailed, match=r'sql \{"query": "x"\}'):
        asyncio.run(Scripted([]).complete(request().changed(messages=(last,))))
