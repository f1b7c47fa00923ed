"""The adapter for Google's Gemini API against a server that answers as the public reference says."""

from __future__ import annotations

import asyncio
import time
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
from aeon.llm.gemini import UNSIGNED, Gemini
from aeon.schema.llm import CallRequest, LLMRequest, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Usage

pytestmark = pytest.mark.requirement("P1a")
KEY = "AIza-secret-123"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
WEATHER = ToolSpec(name="weather", description="The weather in a city.", parameters=SCHEMA)
COUNTS = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}


def adapter(endpoint: Endpoint, **settings: Any) -> Gemini:
    return Gemini("gemini-x", endpoint.root, KEY, **settings)


def ask(endpoint: Endpoint, asked: LLMRequest | None = None, **settings: Any) -> LLMResponse:
    return asyncio.run(adapter(endpoint, **settings).complete(asked or request()))


def part(*parts: dict[str, Any], finish: str | None = None, **usage: int) -> dict[str, Any]:
    """What a stream adds; the counts are told with every part, and the last ones are those of the whole."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    candidate |= {"finishReason": finish} if finish else {}
    return {"candidates": [candidate], "usageMetadata": {**COUNTS, **usage}, "modelVersion": "gemini-x-001"}


def call(name: str, arguments: dict[str, Any] | None = None, id: str = "", **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name} | ({"args": arguments} if arguments else {}) | ({"id": id} if id else {})
    return {"functionCall": made, **more}


def failure(status: int, state: str, *details: dict[str, Any], message: str = "no", **headers: str) -> Step:
    error = {"code": status, "message": message, "status": state, "details": list(details)}
    return send(status, {"error": error}, **headers)


def hello() -> Step:
    return sse(part({"text": "hel"}), part({"text": "lo"}, finish="STOP"))


def test_a_streamed_answer_is_joined_and_counted(endpoint: Endpoint) -> None:
    """Text, model and counts come from the stream; the key goes in its own header, never in the address."""
    last = part({"text": "lo"}, finish="STOP", cachedContentTokenCount=5, candidatesTokenCount=4)
    endpoint.play(sse(part({"text": "hel"}), last))
    response = ask(endpoint)
    assert (response.text, response.finish_reason, response.model) == ("hello", "stop", "gemini-x-001")
    assert response.usage == Usage(calls=1, prompt_tokens=7, cached_tokens=5, generated_tokens=4)
    assert not response.thought and response.unmetered == 0 and not adapter(endpoint).free
    sent = endpoint.headers[0]
    assert sent["x-goog-api-key"] == KEY and "authorization" not in sent and KEY not in repr(adapter(endpoint))
    assert endpoint.paths == ["/v1beta/models/gemini-x:streamGenerateContent?alt=sse"]


def test_a_request_is_sent_as_the_reference_says(endpoint: Endpoint) -> None:
    """The system prompt stands apart, one side's messages are one, and the model's role is ``model``."""
    endpoint.play(hello())
    ask(endpoint, LLMRequest(messages=TALK, temperature=1.5, max_tokens=9, seed=2**31 + 4))
    assert endpoint.bodies[0] == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "One."}, {"text": "Two."}]},
            {"role": "model", "parts": [{"text": "Three."}]},
            {"role": "user", "parts": [{"text": "Four."}]},
        ],
        "generationConfig": {"maxOutputTokens": 9, "temperature": 1.5, "seed": 4},
    }


def test_a_server_that_ignores_streaming_is_understood(endpoint: Endpoint) -> None:
    """A whole reply has the same shape as a streamed one."""
    endpoint.play(send(200, part({"text": "hi"}, finish="STOP")))
    assert ask(endpoint).text == "hi"


def test_tools_are_called_in_parallel_and_results_go_back(endpoint: Endpoint) -> None:
    """Calls without an id get one; each goes back with its signature, and its result under its function's name."""
    calls = (
        call("weather", {"a": 1}, thoughtSignature="c2ln"),
        call("clock", id="fc_2"),
    )
    endpoint.play(sse(part({"text": "I look."}), part(*calls, finish="STOP")), hello())
    first = ask(endpoint, request(tools=(WEATHER,)))
    assert first.calls == (
        CallRequest(id="call_1", name="weather", arguments='{"a": 1}', signature="c2ln"),
        CallRequest(id="fc_2", name="clock", arguments="{}"),
    )
    assert (first.text, first.finish_reason) == ("I look.", "stop")
    declared = {"name": "weather", "description": "The weather in a city.", "parametersJsonSchema": SCHEMA}
    assert endpoint.bodies[0]["tools"] == [{"functionDeclarations": [declared]}]
    messages = (
        *request().messages,
        Message(role="assistant", content=first.text, calls=first.calls),
        Message(role="tool", content="sunny", call_id="call_1"),
        Message(role="tool", content="noon", call_id="fc_2"),
    )
    ask(endpoint, LLMRequest(messages=messages))
    assert endpoint.bodies[1]["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {"functionCall": {"id": "call_1", "name": "weather", "args": {"a": 1}}, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "fc_2", "name": "clock", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "call_1", "name": "weather", "response": {"output": "sunny"}}},
                {"functionResponse": {"id": "fc_2", "name": "clock", "response": {"output": "noon"}}},
            ],
        },
    ]


def test_calls_whose_signature_is_lost_are_sent_as_the_reference_says(endpoint: Endpoint) -> None:
    """Of several at once, the first is signed; a call after others gets an id that none of them has."""
    calls = tuple(CallRequest(id=f"s1.{number}", name="not a tool", arguments="[1") for number in (1, 2))
    endpoint.play(sse(part(call("weather"), finish="STOP")))
    results = tuple(Message(role="tool", content="no such tool", call_id=one.id) for one in calls)
    asked = LLMRequest(messages=(*request().messages, Message(role="assistant", content="", calls=calls), *results))
    assert [one.id for one in ask(endpoint, asked).calls] == ["call_3"]
    first, second = endpoint.bodies[0]["contents"][1]["parts"]
    assert first["thoughtSignature"] == UNSIGNED and "thoughtSignature" not in second
    assert second["functionCall"] == {"id": "s1.2", "name": "not_a_tool", "args": {"malformed": "[1"}}


def test_a_schema_is_enforced_by_the_api(endpoint: Endpoint) -> None:
    """It goes as JSON Schema, with the type of the answer."""
    endpoint.play(sse(part({"text": '{"a": 1}'}, finish="STOP")))
    assert ask(endpoint, request(json_schema=SCHEMA)).text == '{"a": 1}'
    config = endpoint.bodies[0]["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", SCHEMA)


def test_a_refused_schema_is_asked_for_as_arguments(endpoint: Endpoint) -> None:
    """A function must be called, and its arguments are the answer."""
    refused = failure(400, "INVALID_ARGUMENT", message="The specified schema has too many states for serving.")
    endpoint.play(refused, sse(part(call("answer", {"a": 1}), finish="STOP")))
    response = ask(endpoint, request(json_schema=SCHEMA))
    assert (response.text, response.calls, response.usage.calls) == ('{"a": 1}', (), 2)
    body = endpoint.bodies[1]
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["answer"]}}
    assert "responseMimeType" not in body["generationConfig"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("MALFORMED_FUNCTION_CALL", "other"),
        ("OTHER", "other"),
        ("WHATEVER_COMES_NEXT", "other"),
    ],
)
def test_only_reasons_known_to_be_an_end_are_one(endpoint: Endpoint, said: str, reason: str) -> None:
    """A filter and a cut are told apart from an end."""
    endpoint.play(sse(part({"text": "a"}, finish=said)))
    assert ask(endpoint).finish_reason == reason


def test_a_blocked_prompt_is_a_refusal(endpoint: Endpoint) -> None:
    """It has no candidates, and counts of its prompt only."""
    usage = {"promptTokenCount": 7, "totalTokenCount": 7}
    endpoint.play(sse({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage}))
    response = ask(endpoint)
    assert (response.text, response.finish_reason) == ("", "refusal")
    assert response.usage == Usage(calls=1, prompt_tokens=7)


def test_thoughts_are_counted_and_not_shown(endpoint: Endpoint) -> None:
    """Their tokens are generated ones; hidden ones are told by their count alone."""
    shown = part({"text": "Let me see.", "thought": True}, thoughtsTokenCount=20)
    endpoint.play(sse(shown, part({"text": "hello"}, finish="STOP", thoughtsTokenCount=20)))
    used = adapter(endpoint)
    response = asyncio.run(used.complete(request()))
    assert (response.text, response.thought, response.usage.generated_tokens) == ("hello", True, 23)
    assert asyncio.run(used.capabilities()).hidden_reasoning
    endpoint.play(sse(part({"text": "hello"}, finish="STOP", thoughtsTokenCount=20)))
    assert ask(endpoint).thought


WRONG_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (failure(400, "INVALID_ARGUMENT", WRONG_KEY, message=f"API key {KEY} not valid."), EndpointRejected),
        (failure(401, "UNAUTHENTICATED"), EndpointRejected),
        (failure(403, "PERMISSION_DENIED", message=f"no {KEY}"), NotPermitted),
        (failure(404, "NOT_FOUND", message="models/gemini-x is not found"), ModelNotFound),
        (failure(400, "INVALID_ARGUMENT"), RequestRefused),
        (failure(429, "RESOURCE_EXHAUSTED"), RateLimited),
        (failure(500, "INTERNAL"), EndpointFailed),
        (failure(503, "UNAVAILABLE", message="The model is overloaded."), EndpointFailed),
        (failure(504, "DEADLINE_EXCEEDED"), EndpointTimeout),
        (send(200, "<html>Welcome</html>"), MalformedResponse),
        (send(200, {"hello": "world"}), MalformedResponse),
        (send(200, []), MalformedResponse),
        (sse(part({"text": "hel"})), EndpointFailed),
        (
            sse(part({"text": "a"}), {"error": {"code": 503, "message": "gone", "status": "UNAVAILABLE"}}),
            EndpointFailed,
        ),
    ],
)
def test_failures_are_typed_and_name_the_endpoint(endpoint: Endpoint, step: Step, error: type[AeonError]) -> None:
    """Each way to fail gives its error, in one line that names the endpoint and never the key."""
    endpoint.play(step)
    with pytest.raises(error) as caught:
        ask(endpoint, retries=0)
    said = str(caught.value)
    assert type(caught.value) is error and endpoint.root in said and "gemini-x" in said
    assert "\n" not in said and KEY not in said


@pytest.mark.parametrize("headers", [{"retry_after": "0.2"}, {}])
def test_a_rate_limit_is_waited_for_and_is_no_attempt(endpoint: Endpoint, headers: dict[str, str]) -> None:
    """How long is told in a header, or beside the message."""
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.2s"}
    endpoint.play(failure(429, "RESOURCE_EXHAUSTED", *([] if headers else [delay]), **headers), hello())
    start = time.monotonic()
    response = ask(endpoint, request(attempts=1))
    assert time.monotonic() - start >= 0.2
    assert (response.usage.calls, response.usage.put_off) == (1, 1)


def test_an_endpoint_without_counts_is_asked_again_whole_and_then_refused(endpoint: Endpoint) -> None:
    """Without any token counts no budget can be kept."""
    bare = {"candidates": part({"text": "hello"}, finish="STOP")["candidates"]}
    endpoint.play(sse(bare), send(200, bare))
    with pytest.raises(MalformedResponse, match="no budget"):
        ask(endpoint, request(attempts=2))
    assert endpoint.paths[1] == "/v1beta/models/gemini-x:generateContent"


def test_capabilities_are_those_that_the_page_of_the_model_states(endpoint: Endpoint) -> None:
    """No completion is asked for; without such a page they are those of the reference."""
    assert asyncio.run(adapter(endpoint).capabilities()).json_schema
    page = {"name": "models/gemini-x", "inputTokenLimit": 1_048_576, "thinking": True}
    endpoint.pages["/v1beta/models/gemini-x"] = send(200, page)
    found = asyncio.run(adapter(endpoint).capabilities())
    assert (found.json_schema, found.json_mode, found.tools, found.logprobs) == (True, True, True, False)
    assert (found.context_tokens, found.hidden_reasoning) == (1_048_576, True) and endpoint.bodies == []
