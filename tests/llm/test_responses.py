"""The adapter for OpenAI's Responses API against a server that answers as the public reference says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from played_endpoint import TALK, Endpoint, Step, request, send, sse
from played_responses import COUNTS, bare, call, events, failure, hello, message, reply, thought, whole

from aeon.errors import (
    AeonError,
    EndpointFailed,
    EndpointRejected,
    EndpointTimeout,
    MalformedResponse,
    ModelNotFound,
    NotPermitted,
    RateLimited,
    RequestRefused,
)
from aeon.llm.responses import Responses
from aeon.schema.llm import CallRequest, Capabilities, LLMRequest, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Usage

pytestmark = pytest.mark.requirement("P1a")
KEY = "sk-secret-123"
ALL = Capabilities(json_schema=True, json_mode=True, logprobs=True, tools=True)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
OPTIONAL = {"type": "object", "properties": {"a": {"type": "integer"}}}
NULLABLE = {**SCHEMA, "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
WEATHER = ToolSpec(name="weather", description="The weather in a city.", parameters=OPTIONAL)


def adapter(endpoint: Endpoint, **settings: Any) -> Responses:
    return Responses(endpoint.model, endpoint.base_url, KEY, **{"capabilities": ALL, **settings})


def ask(endpoint: Endpoint, asked: LLMRequest | None = None, **settings: Any) -> LLMResponse:
    return asyncio.run(adapter(endpoint, **settings).complete(asked or request()))


def said(text: str) -> dict[str, Any]:
    return {
        "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}],
    }  # fmt: skip


def test_a_streamed_answer_is_joined_and_counted(endpoint: Endpoint) -> None:
    """Cached tokens are told apart; the key goes as a bearer token and is never shown."""
    endpoint.play(hello())
    response = ask(endpoint)
    assert (response.text, response.finish_reason, response.model) == ("hello", "stop", "gpt-x-2030")
    assert response.usage == Usage(calls=1, prompt_tokens=14, cached_tokens=5, generated_tokens=3)
    assert not response.thought and response.unmetered == 0 and not adapter(endpoint).free
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}" and KEY not in repr(adapter(endpoint))
    assert endpoint.paths == ["/v1/responses"]


def test_a_request_is_sent_as_the_reference_says(endpoint: Endpoint) -> None:
    """The whole conversation is sent each time, nothing is stored, and the system prompt stands apart."""
    endpoint.play(hello())
    ask(endpoint, LLMRequest(messages=TALK, temperature=0.5, max_tokens=9))
    assert endpoint.bodies[0] == {
        "model": endpoint.model,
        "store": False,
        "stream": True,
        "max_output_tokens": 9,
        "temperature": 0.5,
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": "One."},
            {"type": "message", "role": "user", "content": "Two."},
            said("Three."),
            {"type": "message", "role": "user", "content": "Four."},
        ],
    }


@pytest.mark.parametrize("streamed", [True, False])
def test_tools_are_offered_and_called_in_parallel(endpoint: Endpoint, streamed: bool) -> None:
    """Each call has its id, name and arguments, which come in pieces, with the end of the item, or not at all."""
    items = (message("I look."), call("weather", '{"a": ', "1}"), call("clock", id="call_2"))
    endpoint.play(reply(*items) if streamed else whole(*items))
    response = ask(endpoint, request(tools=(WEATHER,)))
    assert response.calls == (
        CallRequest(id="call_1", name="weather", arguments='{"a": 1}'),
        CallRequest(id="call_2", name="clock", arguments=""),
    )
    assert (response.text, response.finish_reason) == ("I look.", "stop")
    flat = {"type": "function", "name": "weather", "description": "The weather in a city.", "parameters": OPTIONAL}
    assert endpoint.bodies[0]["tools"] == [{**flat, "strict": False}]
    assert endpoint.bodies[0]["include"] == ["reasoning.encrypted_content"]


def test_results_and_reasoning_go_back_with_the_calls(endpoint: Endpoint) -> None:
    """The next request holds the sealed reasoning, the text, the calls and their results, in their order."""
    endpoint.play(
        reply(thought(), message("I look."), call("weather", '{"a": 1}'), thought("Mg=="), call("x", "{}", id="c2")),
        hello(),
    )
    first = ask(endpoint, request(tools=(WEATHER,)))
    assert first.thought and "c2VhbGVk" in first.calls[0].signature and "Mg==" in first.calls[1].signature
    messages = (
        *request().messages,
        Message(role="assistant", content=first.text, calls=first.calls),
        Message(role="tool", content="sunny", call_id="call_1"),
        Message(role="tool", content="", call_id="c2"),
        Message(role="user", content="Go on."),
    )
    ask(endpoint, LLMRequest(messages=messages))
    sealed = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert endpoint.bodies[1]["input"][1:] == [
        {**sealed, "encrypted_content": "c2VhbGVk"},
        said("I look."),
        {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"a": 1}'},
        {**sealed, "encrypted_content": "Mg=="},
        {"type": "function_call", "call_id": "c2", "name": "x", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
        {"type": "function_call_output", "call_id": "c2", "output": ""},
        {"type": "message", "role": "user", "content": "Go on."},
    ]


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        (thought(None), []),
        (thought("", content=[{"type": "reasoning_text", "text": "Hm."}]), ["Hm."]),
        (thought(None, summary=[{"type": "summary_text", "text": "It looked."}]), []),
    ],
)
def test_only_reasoning_that_can_be_read_again_goes_back(
    endpoint: Endpoint, item: dict[str, Any], kept: list[str]
) -> None:
    """What is named by its id alone is not stored there; open models tell the text itself."""
    endpoint.play(reply(item, call("weather", "{}")))
    (made,) = ask(endpoint, request(tools=(WEATHER,))).calls
    items = json.loads(made.signature or "[]")
    assert [part["text"] for item in items for part in item["content"]] == kept


def test_calls_of_any_origin_are_sent_as_the_api_takes_them(endpoint: Endpoint) -> None:
    """Names with other characters, arguments that are no object and signatures of another vendor do no harm."""
    endpoint.play(hello())
    foreign = json.dumps([{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}])
    made = tuple(
        CallRequest(id=f"s1.{number}", name="not a tool", arguments="[1", signature=signature)
        for number, signature in enumerate(("sealed", foreign, "7", ""))
    )
    results = tuple(Message(role="tool", content="none", call_id=one.id) for one in made)
    asked = Message(role="assistant", content="", calls=made)
    ask(endpoint, LLMRequest(messages=(*request().messages, asked, *results)))
    sent = endpoint.bodies[0]["input"][1:5]
    assert [(one["type"], one["name"], one["arguments"]) for one in sent] == [
        ("function_call", "not_a_tool", '{"malformed": "[1"}')
    ] * 4


@pytest.mark.parametrize(
    ("schema", "refused", "sent", "strict"),
    [
        (SCHEMA, 0, SCHEMA, True),
        (OPTIONAL, 0, OPTIONAL, True),
        (OPTIONAL, 1, NULLABLE, True),
        (OPTIONAL, 2, OPTIONAL, False),
        (SCHEMA, 1, SCHEMA, False),
    ],
)
def test_a_schema_is_strict_where_it_can_be(
    endpoint: Endpoint, schema: dict[str, Any], refused: int, sent: dict[str, Any], strict: bool
) -> None:
    """It goes as it is, in the form of strict mode, then without strict mode; what was refused is not tried again."""
    no = failure(400, "Invalid schema for response_format 'answer': in context=()", "text.format.schema")
    endpoint.play(*[no] * refused, reply(message('{"a": 1}')))
    used = adapter(endpoint)
    assert asyncio.run(used.complete(request(json_schema=schema))).text == '{"a": 1}'
    assert endpoint.bodies[-1]["text"] == {
        "format": {"type": "json_schema", "name": "answer", "strict": strict, "schema": sent}
    }
    asyncio.run(used.complete(request(json_schema=schema)))
    assert len(endpoint.bodies) == refused + 2 and endpoint.bodies[-1] == endpoint.bodies[-2]


def test_json_mode_comes_last_and_describes_the_schema(endpoint: Endpoint) -> None:
    """The API wants the word JSON in the input."""
    endpoint.play(*[failure(400, "'text.format' of type 'json_schema' is not supported")] * 2, reply(message("{}")))
    ask(endpoint, request(json_schema=SCHEMA))
    assert endpoint.bodies[-1]["text"] == {"format": {"type": "json_object"}}
    assert "JSON Schema" in endpoint.bodies[-1]["input"][-1]["content"]


def test_a_temperature_that_a_model_does_not_take_is_left_out(endpoint: Endpoint) -> None:
    """It is refused once; the next request knows."""
    endpoint.play(failure(400, "Unsupported parameter: 'temperature' is not supported.", "temperature"), hello())
    used = adapter(endpoint)
    assert [asyncio.run(used.complete(request())).usage.calls for _ in range(2)] == [2, 1]
    assert ["temperature" in body for body in endpoint.bodies] == [True, False, False]


def test_sealed_reasoning_that_an_endpoint_does_not_give_is_left_out(endpoint: Endpoint) -> None:
    """The field is refused once; probabilities, which the same field asks for, may still be had."""
    endpoint.play(failure(400, "Encrypted content is not supported with this model.", "include"), hello())
    used = adapter(endpoint)
    asyncio.run(used.complete(request(tools=(WEATHER,))))
    asyncio.run(used.complete(request(top_logprobs=2)))
    assert [body.get("include") for body in endpoint.bodies] == [
        ["reasoning.encrypted_content"], None, ["message.output_text.logprobs"],
    ]  # fmt: skip


@pytest.mark.parametrize("streamed", [True, False])
def test_probabilities_are_told_where_the_request_asks_for_them(endpoint: Endpoint, streamed: bool) -> None:
    """Those of the first token and its alternatives, and how likely the whole text was."""
    first = [{"token": "Ye", "logprob": -0.1}, {"token": "No", "logprob": -3}]
    scores = [{**first[0], "top_logprobs": first}, {"token": "s", "logprob": -0.2, "top_logprobs": []}]
    items = message("Ye", "s", scores=scores)
    endpoint.play(reply(items) if streamed else whole(items))
    response = ask(endpoint, request(top_logprobs=2, likelihood=True))
    assert [(one.token, round(one.probability, 2)) for one in response.first_token] == [("Ye", 0.9), ("No", 0.05)]
    assert response.likelihood == 0.7408
    assert endpoint.bodies[0]["top_logprobs"] == 2
    assert endpoint.bodies[0]["include"] == ["message.output_text.logprobs"]


def test_probabilities_that_a_model_does_not_tell_are_not_asked_for_again(endpoint: Endpoint) -> None:
    """A reasoning model refuses them; sealed reasoning is still asked for."""
    endpoint.play(failure(400, "logprobs are not supported with reasoning models.", "include"), hello())
    used = adapter(endpoint)
    with pytest.raises(RequestRefused):
        asyncio.run(used.complete(request(top_logprobs=2)))
    asyncio.run(used.complete(request(likelihood=True)))
    asyncio.run(used.complete(request(tools=(WEATHER,))))
    assert not asyncio.run(used.capabilities()).logprobs
    assert [body.get("include") for body in endpoint.bodies[1:]] == [None, ["reasoning.encrypted_content"]]


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    ("end", "reason", "finish"),
    [
        ("completed", None, "stop"),
        ("incomplete", "max_output_tokens", "length"),
        ("incomplete", "content_filter", "refusal"),
        ("incomplete", "whatever comes next", "other"),
        ("incomplete", None, "other"),
    ],
)
def test_only_reasons_known_to_be_an_end_are_one(
    endpoint: Endpoint, streamed: bool, end: str, reason: str | None, finish: str
) -> None:
    """A refusal and a cut are told apart from an end."""
    details = {"incomplete_details": {"reason": reason} if reason else None}
    endpoint.play(reply(message("a"), end=end, **details) if streamed else whole(message("a"), status=end, **details))
    assert (ask(endpoint).text, ask(endpoint).finish_reason) == ("a", finish)


@pytest.mark.parametrize(("most", "finish"), [(2, "stop"), (3, "length"), (4, "stop")])
def test_a_reply_that_took_all_its_tokens_counts_as_cut(endpoint: Endpoint, most: int, finish: str) -> None:
    """Some servers call it completed; one that does not keep to the limit was not cut by it."""
    endpoint.play(hello())
    assert ask(endpoint, request(max_tokens=most)).finish_reason == finish


@pytest.mark.parametrize("status", ["cancelled", "queued", None])
def test_a_whole_reply_that_did_not_end_is_no_end(endpoint: Endpoint, status: str | None) -> None:
    """Only a completed one is known to be whole."""
    endpoint.play(whole(message("a"), status=status))
    assert ask(endpoint).finish_reason == "other"


@pytest.mark.parametrize("streamed", [True, False])
def test_a_refusal_of_the_model_is_one(endpoint: Endpoint, streamed: bool) -> None:
    """Its words come as such, not as a text."""
    items = message(refusal="I cannot help.")
    endpoint.play(reply(items) if streamed else whole(items))
    response = ask(endpoint)
    assert (response.text, response.finish_reason) == ("I cannot help.", "refusal")


@pytest.mark.parametrize(
    "sent",
    [
        lambda told: [one for one in told if one["type"] in ("response.output_item.done", "response.completed")],
        lambda told: [one for one in told if not one["type"].endswith((".done", ".added")) or "item" in one],
        lambda told: [one for one in told if one["type"] != "response.output_item.done"],
        lambda told: [told[-1]],
        lambda told: [{name: part for name, part in one.items() if name != "output_index"} for one in told],
        lambda told: [{name: part for name, part in one.items() if name != "item_id"} for one in told],
        lambda told: [*(one for one in told[:-1] if "done" not in one["type"]), *(
            one for one in told[:-1] if "done" in one["type"]
        ), told[-1]],
        lambda told: [odd for one in told for odd in (one, {"type": "response.odd", "item": 7, "delta": {}})],
    ],
    ids=["ends only", "no inner ends", "no ends", "last only", "no places", "no ids", "ends last", "odd events"],
)  # fmt: skip
def test_events_that_servers_leave_out_or_add_change_nothing(endpoint: Endpoint, sent: Any) -> None:
    """What came once is not taken again, whichever of the events tell it."""
    told = events(message("I ", "look."), call("weather", '{"a": ', "1}"), call("clock", "{}", id="call_2"))
    endpoint.play(sse(*sent(told)))
    response = ask(endpoint, request(tools=(WEATHER,)))
    assert response.text == "I look."
    assert [(one.id, one.name, one.arguments) for one in response.calls] == [
        ("call_1", "weather", '{"a": 1}'), ("call_2", "clock", "{}"),
    ]  # fmt: skip


def test_reasoning_that_is_told_behind_its_calls_is_theirs(endpoint: Endpoint) -> None:
    """A server may end all items together."""
    told = events(thought(), call("weather", "{}"))
    late = [{"type": "response.output_item.done", "output_index": 0, "item": bare(thought())}, told[-1]]
    endpoint.play(sse(*(one for one in told[:-1] if one.get("item", {}).get("type") != "reasoning"), *late))
    (made,) = ask(endpoint, request(tools=(WEATHER,))).calls
    assert "c2VhbGVk" in made.signature


def test_reasoning_is_reported_and_not_shown(endpoint: Endpoint) -> None:
    """In items, in events or in the counts alone."""
    counted = {**COUNTS, "output_tokens_details": {"reasoning_tokens": 2}}
    summary = {"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0, "delta": "Hm."}
    told = events(message("hello"))
    steps = (
        reply(thought(), message("hello")),
        sse(told[0], summary, *told[1:]),
        whole(message("hello"), usage=counted),
    )
    for step in steps:
        endpoint.play(step)
        response = ask(endpoint)
        assert (response.text, response.thought) == ("hello", True)


@pytest.mark.parametrize("nothing", ["error", "incomplete_details", "model"])
def test_fields_that_are_null_are_none(endpoint: Endpoint, nothing: str) -> None:
    """Whole replies and parts have nulls where they have nothing to say."""
    empty = {"type": "message", "id": None, "role": "assistant", "status": None, "content": None}
    nulls = {"type": "message", "id": None, "content": [{"type": "output_text", "text": "a", "logprobs": None}]}
    endpoint.play(whole(empty, nulls, **{nothing: None}))
    assert ask(endpoint).text == "a"


def test_a_stream_without_counts_is_asked_for_as_a_whole(endpoint: Endpoint) -> None:
    """From then on at once."""
    endpoint.play(reply(message("a"), usage=None), whole(message("b")))
    assert ask(endpoint).text == "b"
    assert [body.get("stream") for body in endpoint.bodies] == [True, None]


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), EndpointRejected),
        (failure(403), NotPermitted),
        (failure(404, "The model does not exist", "model"), ModelNotFound),
        (failure(400, "Invalid 'max_output_tokens': expected a value >= 16.", "max_output_tokens"), RequestRefused),
        (failure(429), RateLimited),
        (failure(500), EndpointFailed),
        (failure(504), EndpointTimeout),
        (send(200, "<html>Welcome</html>"), MalformedResponse),
        (send(200, {"hello": "world"}), MalformedResponse),
        (send(200, []), MalformedResponse),
        (whole(status="failed", error={"code": "server_error", "message": f"later {KEY}"}), EndpointFailed),
        (reply(end="failed", error={"code": "server_error", "message": "later"}), EndpointFailed),
        (reply(message("hel"), end="failed", error=None), EndpointFailed),
        (sse(*events(message("hello"))[:-1]), EndpointFailed),
        (sse(events()[0], {"type": "error", "code": "x", "message": "later", "param": None}), EndpointFailed),
        (sse(events()[0], {"type": "error", "error": {"message": "later"}}), EndpointFailed),
    ],
)
def test_failures_are_typed_and_name_the_endpoint(endpoint: Endpoint, step: Step, error: type[AeonError]) -> None:
    """Each way to fail gives its error, in one line that names the endpoint and never the key."""
    endpoint.play(step)
    with pytest.raises(error) as caught:
        ask(endpoint, retries=0)
    told = str(caught.value)
    assert type(caught.value) is error and endpoint.base_url in told and endpoint.model in told
    assert "\n" not in told and KEY not in told


def test_what_chat_completions_can_at_the_same_address_is_not_taken_for_granted(endpoint: Endpoint) -> None:
    """Both APIs are told apart in what is kept of an endpoint."""
    endpoint.play(hello())
    used = adapter(endpoint, capabilities=None)
    found = asyncio.run(used.capabilities())
    assert found == Capabilities() and used.place != endpoint.base_url and used.base_url == endpoint.base_url
    asked = len(endpoint.bodies)
    assert asyncio.run(adapter(endpoint, capabilities=None).capabilities()) == found and len(endpoint.bodies) == asked


@pytest.mark.requirement("X4", "P1a")
def test_an_examination_asks_for_as_many_tokens_as_the_endpoint_takes_at_least(endpoint: Endpoint) -> None:
    """It counts what it spends; the request of a run goes as it is, for its bound was stated."""
    endpoint.play(hello())
    little = LLMRequest(messages=TALK, max_tokens=1)
    asyncio.run(adapter(endpoint).ask(little, "text"))
    asyncio.run(adapter(endpoint).ask(little.changed(max_tokens=40), "text"))
    ask(endpoint, little)
    assert [body["max_output_tokens"] for body in endpoint.bodies] == [16, 40, 1]
