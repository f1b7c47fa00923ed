"""The adapter for Anthropic's Messages API against a server that answers as the public reference says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from played_endpoint import TALK, Endpoint, Step, request, send, sse

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
from aeon.llm.anthropic import Anthropic
from aeon.llm.spending import lost
from aeon.llm.strictness import strict
from aeon.schema.llm import CallRequest, LLMRequest, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Usage

pytestmark = pytest.mark.requirement("P1a")
KEY = "sk-ant-secret-123"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": "array", "items": {"type": "string"}}},
    "required": ["a"],
    "additionalProperties": False,
}
STRICT = {**SCHEMA, "properties": {**SCHEMA["properties"], "a": {"type": "integer"}}}
OPEN = {"type": "object", "properties": {"facts": {"type": "object"}}}
COUNTS = {"input_tokens": 7, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 5, "output_tokens": 1}
WEATHER = ToolSpec(name="weather", description="The weather in a city.", parameters=SCHEMA)


def adapter(endpoint: Endpoint, **settings: Any) -> Anthropic:
    return Anthropic("claude-x", endpoint.root, KEY, **settings)


def ask(endpoint: Endpoint, asked: LLMRequest | None = None, **settings: Any) -> LLMResponse:
    return asyncio.run(adapter(endpoint, **settings).complete(asked or request()))


def began(**usage: int) -> dict[str, Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-20300101", "content": []}
    stops = {"stop_reason": None, "stop_sequence": None}
    return {"type": "message_start", "message": {**message, **stops, "usage": {**COUNTS, **usage}}}


def block(index: int, begins: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": begins},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *parts: str) -> list[dict[str, Any]]:
    deltas = [{"type": "text_delta", "text": part} for part in parts]
    return block(index, {"type": "text", "text": ""}, *deltas)


def tool(index: int, name: str, *parts: str, id: str = "toolu_1") -> list[dict[str, Any]]:
    deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    return block(index, {"type": "tool_use", "id": id, "name": name, "input": {}}, *deltas)


def thought(index: int) -> list[dict[str, Any]]:
    deltas = [
        {"type": "thinking_delta", "thinking": "Let me "},
        {"type": "thinking_delta", "thinking": "see."},
        {"type": "signature_delta", "signature": "c2ln"},
    ]
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas)


def ended(reason: str = "end_turn", tokens: int = 3) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}}, {"type": "message_stop"}]


def reply(*blocks: list[dict[str, Any]], reason: str = "end_turn", tokens: int = 3, pause: float = 0.0) -> Step:
    inner = [event for one in blocks for event in one]
    return sse(began(), {"type": "ping"}, *inner, *ended(reason, tokens), pause=pause)


def failure(status: int, kind: str, message: str = "no", **headers: str) -> Step:
    error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return send(status, error, **headers)


def hello() -> Step:
    return reply(text(0, "hel", "lo"))


def test_a_streamed_answer_is_joined_and_counted(endpoint: Endpoint) -> None:
    """Prompt tokens are those read anew, put into the cache and read from it; the key goes in its own header."""
    endpoint.play(hello())
    response = ask(endpoint)
    assert (response.text, response.finish_reason, response.model) == ("hello", "stop", "claude-x-20300101")
    assert response.usage == Usage(calls=1, prompt_tokens=14, cached_tokens=5, generated_tokens=3)
    assert not response.thought and response.unmetered == 0 and not adapter(endpoint).free
    sent = endpoint.headers[0]
    assert (sent["x-api-key"], sent["anthropic-version"]) == (KEY, "2023-06-01") and "authorization" not in sent
    assert endpoint.paths == ["/v1/messages"] and KEY not in repr(adapter(endpoint))


def test_a_request_is_sent_as_the_reference_says(endpoint: Endpoint) -> None:
    """The system prompt stands apart, one side's messages are one, and temperatures end at 1."""
    endpoint.play(hello())
    ask(endpoint, LLMRequest(messages=TALK, temperature=1.5, max_tokens=9))
    said = {name: [{"type": "text", "text": f"{name}."}] for name in ("One", "Two", "Three", "Four")}
    assert endpoint.bodies[0] == {
        "model": "claude-x",
        "max_tokens": 9,
        "temperature": 1.0,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": said["One"] + said["Two"]},
            {"role": "assistant", "content": said["Three"]},
            {"role": "user", "content": said["Four"]},
        ],
    }


def test_temperature_zero_is_sent(endpoint: Endpoint) -> None:
    """The API's own default is 1."""
    endpoint.play(hello())
    ask(endpoint)
    assert endpoint.bodies[0]["temperature"] == 0


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"type": "string", "maxLength": 9, "format": "date"}, {"type": "string", "format": "date"}),
        ({"type": "string", "format": "regex"}, {"type": "string"}),
        ({"type": "array", "minItems": 2, "items": {"type": "null"}}, {"type": "array", "items": {"type": "null"}}),
        (
            {"oneOf": [{"type": "integer", "maximum": 1}, {"const": "a"}]},
            {"anyOf": [{"type": "integer"}, {"const": "a"}]},
        ),
        ({"$ref": "#/$defs/A", "$defs": {"A": STRICT}}, {"$ref": "#/$defs/A", "$defs": {"A": STRICT}}),
        ({"$ref": "#/$defs/A", "$defs": {"A": OPEN}}, None),
        ({"type": "array", "items": OPEN}, None),
        ({"type": "array", "items": {}}, None),
        ({**STRICT, "additionalProperties": {"type": "string"}}, None),
    ],
)
def test_a_schema_is_cut_to_what_can_be_enforced(schema: dict[str, Any], sent: dict[str, Any] | None) -> None:
    """Bounds are left to the host; an object with fields that nobody named cannot be enforced."""
    assert strict(schema) == sent


def test_a_server_that_ignores_streaming_is_understood(endpoint: Endpoint) -> None:
    """A whole message has the same parts as a streamed one."""
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Look: "},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"a": 1}},
    ]
    message = {"type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use"}
    endpoint.play(send(200, {**message, "usage": {"input_tokens": 7, "output_tokens": 3}}))
    response = ask(endpoint)
    assert (response.text, response.finish_reason, response.thought) == ("Look: ", "stop", True)
    assert [call.arguments for call in response.calls] == ['{"a": 1}'] and "Hm." in response.calls[0].signature
    assert response.usage == Usage(calls=1, prompt_tokens=7, generated_tokens=3)


def test_tools_are_called_in_parallel(endpoint: Endpoint) -> None:
    """Each call has its id, name and arguments, which come in pieces or not at all."""
    endpoint.play(
        reply(
            text(0, "I look."),
            tool(1, "weather", "", '{"a": ', "1}"),
            tool(2, "clock", id="toolu_2"),
            reason="tool_use",
        )
    )
    response = ask(endpoint, request(tools=(WEATHER,)))
    assert response.calls == (
        CallRequest(id="toolu_1", name="weather", arguments='{"a": 1}'),
        CallRequest(id="toolu_2", name="clock", arguments="{}"),
    )
    assert (response.text, response.finish_reason) == ("I look.", "stop")
    assert endpoint.bodies[0]["tools"] == [
        {"name": "weather", "description": "The weather in a city.", "input_schema": SCHEMA}
    ]


def test_results_and_thoughts_go_back_with_the_calls(endpoint: Endpoint) -> None:
    """The next request holds the thoughts as they were, the calls and, before any text, all results in one message."""
    endpoint.play(
        reply(
            thought(0),
            text(1, "I look."),
            tool(2, "weather", '{"a": 1}'),
            tool(3, "x", id="toolu_2"),
            reason="tool_use",
        ),
        hello(),
    )
    first = ask(endpoint)
    assert first.thought and "Let me" not in first.text
    messages = (
        *request().messages,
        Message(role="assistant", content=first.text, calls=first.calls),
        Message(role="tool", content="sunny", call_id="toolu_1"),
        Message(role="tool", content="", call_id="toolu_2"),
        Message(role="user", content="Go on."),
    )
    ask(endpoint, LLMRequest(messages=messages))
    assert endpoint.bodies[1]["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"a": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "x", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": ""},
                {"type": "text", "text": "Go on."},
            ],
        },
    ]


def test_calls_of_any_origin_are_sent_as_the_api_takes_them(endpoint: Endpoint) -> None:
    """Ids and names with other characters, arguments that are no object and signatures of another vendor do no harm."""
    endpoint.play(hello())
    call = CallRequest(id="s1.1", name="not a tool", arguments="[1", signature="sealed-by-others")
    messages = (
        *request().messages,
        Message(role="assistant", content="", calls=(call,)),
        Message(role="tool", content="no such tool", call_id="s1.1"),
    )
    ask(endpoint, LLMRequest(messages=messages))
    made, result = (one["content"] for one in endpoint.bodies[0]["messages"][1:])
    assert made == [{"type": "tool_use", "id": "s1_2e_1", "name": "not_a_tool", "input": {"malformed": "[1"}}]
    assert result[0]["tool_use_id"] == "s1_2e_1"


def test_a_schema_is_enforced_by_the_api(endpoint: Endpoint) -> None:
    """It goes without the bounds that structured outputs do not take; the host checks those."""
    endpoint.play(reply(text(0, '{"a": 1}')))
    assert ask(endpoint, request(json_schema=SCHEMA)).text == '{"a": 1}'
    assert endpoint.bodies[0]["output_config"] == {"format": {"type": "json_schema", "schema": STRICT}}


@pytest.mark.parametrize("refuses", [True, False])
def test_a_schema_that_is_not_enforced_is_asked_for_as_arguments(endpoint: Endpoint, refuses: bool) -> None:
    """One that the API refuses, or that has open objects: a tool must be called, and its arguments are the answer."""
    answer = reply(tool(0, "answer", '{"a"', ": 1}"), reason="tool_use")
    refused = failure(400, "invalid_request_error", "output_config.format.schema: too complex")
    endpoint.play(*([refused] if refuses else []), answer)
    schema = SCHEMA if refuses else OPEN
    response = ask(endpoint, request(json_schema=schema))
    assert (response.text, response.calls, response.finish_reason) == ('{"a": 1}', (), "stop")
    body = endpoint.bodies[-1]
    assert body["tool_choice"] == {"type": "tool", "name": "answer"} and body["tools"][0]["input_schema"] == schema
    assert response.usage.calls == len(endpoint.bodies) == 1 + refuses and "output_config" not in body


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        ("whatever comes next", "other"),
    ],
)
def test_only_reasons_known_to_be_an_end_are_one(endpoint: Endpoint, said: str, reason: str) -> None:
    """A refusal and a cut are told apart from an end; a paused turn is none."""
    endpoint.play(reply(text(0, "a"), reason=said))
    assert ask(endpoint).finish_reason == reason


def test_thoughts_are_reported_and_not_shown(endpoint: Endpoint) -> None:
    """Sealed ones count, too; from then on the capabilities say that answers are preceded by reasoning."""
    sealed = block(0, {"type": "redacted_thinking", "data": "ZGF0YQ=="})
    endpoint.play(reply(sealed, text(1, "hello")))
    used = adapter(endpoint)
    assert not asyncio.run(used.capabilities()).hidden_reasoning
    response = asyncio.run(used.complete(request()))
    assert (response.text, response.thought) == ("hello", True)
    assert asyncio.run(used.capabilities()).hidden_reasoning


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (failure(401, "authentication_error", f"invalid x-api-key {KEY}"), EndpointRejected),
        (failure(403, "permission_error"), NotPermitted),
        (failure(404, "not_found_error", "model: claude-x"), ModelNotFound),
        (failure(413, "request_too_large"), RequestRefused),
        (failure(400, "invalid_request_error"), RequestRefused),
        (failure(429, "rate_limit_error"), RateLimited),
        (failure(500, "api_error"), EndpointFailed),
        (failure(504, "timeout_error"), EndpointTimeout),
        (failure(529, "overloaded_error", "Overloaded"), EndpointFailed),
        (send(200, "<html>Welcome</html>"), MalformedResponse),
        (send(200, {"hello": "world"}), MalformedResponse),
        (send(200, []), MalformedResponse),
        (sse(began(), *text(0, "hel")), EndpointFailed),
        (sse(began(), {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}), EndpointFailed),
    ],
)
def test_failures_are_typed_and_name_the_endpoint(endpoint: Endpoint, step: Step, error: type[AeonError]) -> None:
    """Each way to fail gives its error, in one line that names the endpoint and never the key."""
    endpoint.play(step)
    with pytest.raises(error) as caught:
        ask(endpoint, retries=0)
    said = str(caught.value)
    assert type(caught.value) is error and endpoint.root in said and "claude-x" in said
    assert "\n" not in said and KEY not in said


def test_an_overloaded_endpoint_is_asked_again(endpoint: Endpoint) -> None:
    """It turned the request away, so that nothing is charged for the attempt but the call."""
    endpoint.play(failure(529, "overloaded_error"), hello())
    response = ask(endpoint)
    assert (response.text, response.usage.calls, response.unmetered) == ("hello", 2, 0)
    endpoint.play(failure(529, "overloaded_error"))
    with pytest.raises(EndpointFailed) as caught:
        ask(endpoint)
    assert lost(request(), caught.value) == Usage(calls=3)


def test_a_temperature_that_a_model_does_not_take_is_left_out(endpoint: Endpoint) -> None:
    """It is refused once; the next request knows."""
    endpoint.play(failure(400, "invalid_request_error", "`temperature` is deprecated for this model."), hello())
    used = adapter(endpoint)
    assert asyncio.run(used.complete(request())).usage.calls == 2
    assert asyncio.run(used.complete(request())).usage.calls == 1
    assert ["temperature" in body for body in endpoint.bodies] == [True, False, False]


def test_counts_that_cannot_be_leave_the_attempt_unmetered(endpoint: Endpoint) -> None:
    """A text of no tokens is not believed."""
    endpoint.play(reply(text(0, "hello"), tokens=0))
    response = ask(endpoint)
    assert (response.usage, response.unmetered, response.metered) == (Usage(calls=1), 0, False)


def test_capabilities_are_those_that_the_page_of_the_model_states(endpoint: Endpoint) -> None:
    """No completion is asked for; without such a page they are those of the reference."""
    used = adapter(endpoint)
    assert asyncio.run(used.capabilities()).json_schema and asyncio.run(used.capabilities()).context_tokens is None
    page = {"id": "claude-x", "max_input_tokens": 200_000, "capabilities": {"structured_outputs": {"supported": False}}}
    endpoint.pages["/v1/models/claude-x"] = send(200, page)
    found = asyncio.run(adapter(endpoint).capabilities())
    assert (found.json_schema, found.tools, found.logprobs, found.context_tokens) == (False, True, False, 200_000)
    assert endpoint.bodies == [] and json.dumps(endpoint.headers).count(KEY) == len(endpoint.headers)
