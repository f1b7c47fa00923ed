"""The OpenAI-compatible adapter against a server that plays every kind of endpoint."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from played_endpoint import (
    USAGE,
    Endpoint,
    Step,
    chunk,
    failure,
    hang,
    hello,
    request,
    send,
    stream,
    whole,
)

from aeon.errors import (
    AeonError,
    AllowanceExhausted,
    CassetteMiss,
    EndpointFailed,
    EndpointMoved,
    EndpointRejected,
    EndpointTimeout,
    EndpointUnreachable,
    FieldRefused,
    MalformedResponse,
    ModelError,
    ModelNotFound,
    NotPermitted,
    RateLimited,
    RequestRefused,
    ServerBroken,
)
from aeon.llm.adapter import Permit
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.probe import PROBE_CALLS, PROBES
from aeon.llm.spending import lost, most_usage, true_usage
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse
from aeon.schema.usage import Usage

KEY = "secret-key-123"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}


def adapter(endpoint: Endpoint, **settings: Any) -> OpenAICompatible:
    return OpenAICompatible(endpoint.model, endpoint.base_url, KEY, **settings)


def ask(endpoint: Endpoint, asked: LLMRequest | None = None, **settings: Any) -> LLMResponse:
    return asyncio.run(adapter(endpoint, **settings).complete(asked or request()))


def test_a_streamed_answer_is_joined_and_counted(endpoint: Endpoint) -> None:
    """Text, model and usage come from the stream; what it costs is not the adapter's to say."""
    endpoint.play(hello())
    response = ask(endpoint)
    assert (response.text, response.finish_reason, response.model) == ("hello", "stop", "real")
    assert response.usage.model_dump(exclude={"cost", "tool_calls", "mended", "estimated", "put_off", "surplus"}) == {
        "calls": 1,
        "prompt_tokens": 7,
        "cached_tokens": 5,
        "generated_tokens": 3,
    }
    assert response.usage.cost == 0 and not adapter(endpoint).free
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


def test_without_a_key_no_authorization_is_sent(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another endpoint's key in the environment is never sent here."""
    monkeypatch.setenv("OPENAI_API_KEY", "not-yours")
    endpoint.play(hello())
    asyncio.run(OpenAICompatible(endpoint.model, endpoint.base_url).complete(request()))
    assert "authorization" not in endpoint.headers[0]


def test_a_proxy_does_not_get_between_loopback(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxy settings of the environment do not matter for an endpoint on this machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    endpoint.play(hello())
    assert ask(endpoint).text == "hello"


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (failure(401), EndpointRejected),
        (failure(403), NotPermitted),
        (failure(404), ModelNotFound),
        (failure(429), RateLimited),
        (failure(500), EndpointFailed),
        (failure(503), EndpointFailed),
        (failure(504), EndpointTimeout),
        (failure(400), RequestRefused),
        (failure(413), RequestRefused),
        (failure(418), RequestRefused),
        (send(200, "<html>Welcome</html>"), MalformedResponse),
        (send(502, "<html>Bad gateway</html>"), EndpointFailed),
        (send(200, {"hello": "world"}), MalformedResponse),
        (send(200, {"choices": [{"message": 3}]}), MalformedResponse),
        (send(200, []), MalformedResponse),
        (stream(chunk("hel"), done=False), EndpointFailed),
        (stream({"error": {"message": "out of memory"}}), EndpointFailed),
        (stream(chunk("hello"), chunk(finish="stop"), usage=None), MalformedResponse),
    ],
)
def test_failures_are_typed_and_name_the_endpoint(endpoint: Endpoint, step: Step, error: type[AeonError]) -> None:
    """Each way to fail gives its error, in one line that names the endpoint and never the key."""
    endpoint.play(step)
    with pytest.raises(error) as caught:
        ask(endpoint, retries=0)
    text = str(caught.value)
    assert type(caught.value) is error
    assert endpoint.base_url in text and endpoint.model in text
    assert "\n" not in text and KEY not in text


def test_the_key_is_blotted_out_of_the_endpoints_words(endpoint: Endpoint) -> None:
    """An endpoint that echoes the key does not get it into the error."""
    endpoint.play(failure(401, f"key {KEY} is\nwrong"))
    with pytest.raises(EndpointRejected, match=r"key \*\*\* is wrong"):
        ask(endpoint)


def test_a_context_overflow_is_told_as_such(endpoint: Endpoint) -> None:
    """A 400 about the context length says that the prompt is too long."""
    endpoint.play(failure(400, "This model's maximum context length is 4096 tokens"))
    with pytest.raises(RequestRefused, match="prompt is longer than the context"):
        ask(endpoint)


def test_a_failure_is_cured_by_another_attempt(endpoint: Endpoint) -> None:
    """500 and then an answer is an answer that took two calls."""
    endpoint.play(failure(500), hello())
    assert ask(endpoint).usage.calls == 2


@pytest.mark.parametrize(("retries", "attempts", "made"), [(2, 9, 3), (9, 2, 2), (0, 9, 1)])
def test_attempts_are_bounded_by_both_limits(endpoint: Endpoint, retries: int, attempts: int, made: int) -> None:
    """The error says how many calls were made, at most the adapter's retries and the request's attempts."""
    endpoint.play(failure(500))
    with pytest.raises(EndpointFailed) as caught:
        ask(endpoint, request(attempts=attempts), retries=retries)
    assert caught.value.attempts == made == len(endpoint.bodies)


def test_what_no_retry_can_cure_is_not_retried(endpoint: Endpoint) -> None:
    """A rejected key is asked about once."""
    endpoint.play(failure(401))
    with pytest.raises(EndpointRejected) as caught:
        ask(endpoint)
    assert caught.value.attempts == 1 == len(endpoint.bodies)


def test_retry_after_is_honoured(endpoint: Endpoint) -> None:
    """The wait that a 429 asks for is kept before the next attempt."""
    endpoint.play(failure(429, Retry_After="0.2"), hello())
    start = time.monotonic()
    assert ask(endpoint).text == "hello"
    assert time.monotonic() - start >= 0.2


def test_what_a_rate_limit_puts_off_is_no_attempt(endpoint: Endpoint) -> None:
    """However often it says how long to wait: the waits are on record, and the calls are those that were worked on."""
    endpoint.play(*[failure(429, Retry_After="0.001")] * 4, failure(500), failure(429, Retry_After="0.001"), hello())
    response = ask(endpoint, request(attempts=2, timeout=60), retries=1)
    assert len(endpoint.bodies) == 7 and response.text == "hello"
    assert (response.usage.calls, response.usage.put_off, response.unmetered) == (2, 5, 1)


def test_a_wait_beyond_the_deadline_is_not_begun(endpoint: Endpoint) -> None:
    """Retry-After of an hour gives the error at once, with the waits before it, also without a deadline."""
    endpoint.play(failure(429, Retry_After="0.001"), failure(429, Retry_After="3600"), hello())
    for asked in (request(timeout=5), request()):
        endpoint.bodies.clear()
        with pytest.raises(RateLimited, match="asks to wait 3600 s") as caught:
            ask(endpoint, asked)
        assert len(endpoint.bodies) == 2
        assert (caught.value.attempts, caught.value.put_off) == (1, 1)
        assert lost(asked, caught.value) == Usage(calls=1, put_off=1)


def test_waits_of_an_endless_rate_limit_end(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits grow, and where no budget of time bounds them, their sum is bounded."""
    monkeypatch.setattr("aeon.llm.endpoint.LONGEST_WAIT", 0.2)
    endpoint.play(failure(429, Retry_After="0.0001"))
    with pytest.raises(RateLimited) as caught:
        ask(endpoint)
    assert 3 <= caught.value.put_off <= 8 and caught.value.attempts == 3


def test_an_unreachable_endpoint_says_so() -> None:
    """A refused connection is retried and then reported."""
    with pytest.raises(EndpointUnreachable, match="check the base URL") as caught:
        asyncio.run(OpenAICompatible("m", "http://127.0.0.1:1/v1").complete(request()))
    assert caught.value.attempts == 3


def test_a_silent_endpoint_meets_the_idle_deadline(endpoint: Endpoint) -> None:
    """No token for the idle time is a timeout, which is retried."""
    endpoint.play(hang(), hello())
    assert ask(endpoint, idle_timeout=1).usage.calls == 2


def test_a_slow_stream_meets_the_total_deadline(endpoint: Endpoint) -> None:
    """Tokens that keep coming do not extend the request's deadline, and the part is not returned."""
    endpoint.play(stream(*[chunk("x")] * 100, pause=0.02))
    start = time.monotonic()
    with pytest.raises(EndpointTimeout):
        ask(endpoint, request(timeout=0.2), idle_timeout=5)
    assert time.monotonic() - start < 1


def test_a_stream_without_counts_is_asked_again_whole(endpoint: Endpoint) -> None:
    """Token counts are never estimated: the call is repeated without streaming, and later ones do so at once."""
    endpoint.play(stream(chunk("hello"), chunk(finish="stop"), usage=None), whole(), whole())
    used = adapter(endpoint)
    first, second = asyncio.run(used.complete(request())), asyncio.run(used.complete(request()))
    assert (first.usage.calls, second.usage.calls) == (2, 1)
    assert [body.get("stream", False) for body in endpoint.bodies] == [True, False, False]
    assert second.usage.generated_tokens == 3


def test_an_endpoint_without_counts_is_refused(endpoint: Endpoint) -> None:
    """Without any token counts no budget can be kept, which is an error."""
    endpoint.play(whole(usage=None))
    with pytest.raises(MalformedResponse, match="no budget"):
        ask(endpoint)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 2**64, "completion_tokens": 3},
        {"prompt_tokens": 7, "completion_tokens": 2**64},
        {"prompt_tokens": -5, "completion_tokens": 3},
        {"prompt_tokens": 7, "completion_tokens": -1},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 7, "completion_tokens": 0},
        {"prompt_tokens": 7},
        {"completion_tokens": 3},
        {"prompt_tokens": "many", "completion_tokens": 3},
        {"prompt_tokens": 1.5, "completion_tokens": 3},
        {"prompt_tokens": None, "completion_tokens": 3, "total_tokens": 3},
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
def test_counts_that_cannot_be_are_not_believed(endpoint: Endpoint, usage: dict[str, Any], streamed: bool) -> None:
    """The answer is taken, charged with the most that it can have used, and marked as estimated."""
    endpoint.play(stream(chunk("hello"), chunk(finish="stop"), usage=usage) if streamed else whole(usage=usage))
    asked = request(attempts=1, max_tokens=99)
    response = ask(endpoint, asked)
    assert (response.text, response.unmetered, response.metered) == ("hello", 0, False)
    assert true_usage(asked, response) == most_usage(asked) and most_usage(asked).estimated == 1


def test_counts_that_can_be_are_the_endpoints_own(endpoint: Endpoint) -> None:
    """An empty answer has no tokens; no more tokens come from a cache than the prompt has."""
    details = {"prompt_tokens_details": {"cached_tokens": 10**9}}
    endpoint.play(whole("", usage={"prompt_tokens": 7, "completion_tokens": 0, **details}))
    response = ask(endpoint)
    assert response.usage == Usage(calls=1, prompt_tokens=7, cached_tokens=0) and response.unmetered == 0
    endpoint.play(
        whole(usage={"prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}})
    )
    assert ask(endpoint).usage.cached_tokens == 7


def test_a_server_that_ignores_streaming_is_understood(endpoint: Endpoint) -> None:
    """A whole JSON answer to a streaming request is taken as it is."""
    endpoint.play(whole("hi"))
    assert ask(endpoint).text == "hi"


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (stream(chunk("a"), chunk(finish="length")), "length"),
        (stream(chunk(refusal="I can't"), chunk(finish="stop")), "refusal"),
        (stream(chunk("a"), chunk(finish="content_filter")), "refusal"),
        (whole(None, refusal="I can't"), "refusal"),
    ],
)
def test_refusals_and_cuts_are_told_apart(endpoint: Endpoint, step: Step, reason: str) -> None:
    """Length, refusals and filters are no normal end."""
    endpoint.play(step)
    assert ask(endpoint).finish_reason == reason


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("stop", "stop"),
        ("STOP", "stop"),
        ("eos_token", "stop"),
        ("end_turn", "stop"),
        ("tool_calls", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("abort", "other"),
        ("error", "other"),
        ("insufficient_system_resource", "other"),
        ("whatever comes next", "other"),
    ],
)
def test_only_reasons_known_to_be_an_end_are_one(endpoint: Endpoint, said: str, reason: str, streamed: bool) -> None:
    """What servers call the end of an answer is one; of a reason that nobody knows, that is not assumed."""
    endpoint.play(stream(chunk("a"), chunk(finish=said)) if streamed else whole("a", finish=said))
    response = ask(endpoint)
    assert (response.text, response.finish_reason) == ("a", reason)


@pytest.mark.parametrize("said", [None, ""])
def test_a_whole_answer_without_a_reason_is_not_taken_as_ended(endpoint: Endpoint, said: str | None) -> None:
    """Nothing says that it was not cut off."""
    endpoint.play(whole("a", finish=said))
    assert ask(endpoint).finish_reason == "other"


@pytest.mark.parametrize("said", [None, ""])
def test_a_stream_without_a_reason_has_broken_off(endpoint: Endpoint, said: str | None) -> None:
    """Also where it says that it is done: servers say so of an answer that they gave up, too."""
    endpoint.play(stream(chunk("a"), chunk("b", finish=said)))
    with pytest.raises(EndpointFailed, match="broke off in the middle"):
        ask(endpoint, retries=0)


def test_first_token_probabilities_are_read(endpoint: Endpoint) -> None:
    """Log-probabilities become probabilities; missing tokens and values do no harm."""
    top = [
        {"token": "Yes", "logprob": -0.5},
        {"token": None, "bytes": [195, 164], "logprob": -1.0},
        {"token": "x", "logprob": None},
        {"token": "No", "logprob": -9999.0},
    ]
    endpoint.play(hello(logprobs={"content": [{"token": "Yes", "top_logprobs": top}]}))
    found = ask(endpoint, request(top_logprobs=4), capabilities=Capabilities(logprobs=True)).first_token
    assert [each.token for each in found] == ["Yes", "ä", "No"]
    assert [round(each.probability, 3) for each in found] == [0.607, 0.368, 0.0]


def _token(text: str, logprob: object) -> dict[str, object]:
    return {"token": text, "logprob": logprob, "top_logprobs": []}


def likely(endpoint: Endpoint, text: str, tokens: object, **more: object) -> float | None:
    """How likely a text is said to be, whose tokens are told so."""
    choice = {"message": {"content": text, **more}, "finish_reason": "stop", "logprobs": {"content": tokens}}
    endpoint.play(send(200, {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}))
    return ask(endpoint, request(likelihood=True), capabilities=Capabilities(logprobs=True)).likelihood


@pytest.mark.requirement("G4")
@pytest.mark.parametrize("streamed", [False, True])
def test_how_likely_a_text_is_is_the_product_over_its_tokens(endpoint: Endpoint, streamed: bool) -> None:
    """Whole or in pieces; white space does not count. llama.cpp tells it only where an alternative is asked for."""
    tokens = [_token("a", -0.5), _token("\n", -9.0), _token("b", -0.25)]
    if streamed:
        parts = [chunk(str(one["token"]), logprobs={"content": [one]}) for one in tokens]
        endpoint.play(stream(*parts, chunk(finish="stop")))
        found = ask(endpoint, request(likelihood=True), capabilities=Capabilities(logprobs=True)).likelihood
    else:
        found = likely(endpoint, "a\nb", tokens)
    assert found == 0.4724
    assert (endpoint.bodies[-1]["logprobs"], endpoint.bodies[-1]["top_logprobs"]) == (True, 1)


@pytest.mark.requirement("G4")
@pytest.mark.parametrize(
    ("tokens", "likelihood"),
    [
        ([_token("a", -0.5), _token("b", 0.0)], 0.6065),
        ([{"token": "?", "bytes": [97], "logprob": -0.5}, _token("b", 0)], 0.6065),
        ([_token("a", -1e308), _token("b", -1e308)], 0.0),
        ([_token("ab", 7)], 1.0),
        ([], None),
        (None, None),
        ([_token("a", None), _token("b", 0)], None),
        ([_token("a", -0.5)], None),
        ([_token("a", -0.5), "junk"], None),
        ([_token("a", -0.5), _token("b", "much")], None),
        ([_token("thoughts", -9), _token("ab", -0.5)], None),
        ([{"token": "a", "bytes": [999], "logprob": -0.5}], None),
        ([_token("ab", -0.5)] * 9_000, None),
    ],
)
def test_what_is_not_told_of_each_token_is_not_said_of_the_text(
    endpoint: Endpoint, tokens: object, likelihood: float | None
) -> None:
    """A part of the product would be too high, and thoughts are no part of the text."""
    assert likely(endpoint, "ab", tokens) == likelihood


@pytest.mark.requirement("G4")
def test_a_stream_that_tells_some_of_its_tokens_says_nothing_of_the_text(endpoint: Endpoint) -> None:
    """Its first part may be sure and the rest not."""
    endpoint.play(stream(chunk("a", logprobs={"content": [_token("a", -0.5)]}), chunk(" b"), chunk(finish="stop")))
    assert ask(endpoint, request(likelihood=True), capabilities=Capabilities(logprobs=True)).likelihood is None


@pytest.mark.requirement("G4")
def test_an_endpoint_that_tells_no_probabilities_is_not_asked_for_any(endpoint: Endpoint) -> None:
    """It might refuse the request."""
    endpoint.play(hello())
    assert ask(endpoint, request(likelihood=True), capabilities=Capabilities()).likelihood is None
    assert "logprobs" not in endpoint.bodies[-1]


@pytest.mark.parametrize(
    ("known", "sent"),
    [
        (Capabilities(json_schema=True, json_mode=True), "json_schema"),
        (Capabilities(json_mode=True), "json_object"),
        (Capabilities(), None),
    ],
)
def test_a_schema_is_sent_as_far_as_it_is_enforced(endpoint: Endpoint, known: Capabilities, sent: str | None) -> None:
    """The response format is the best one that the endpoint can do."""
    endpoint.play(hello())
    ask(endpoint, request(json_schema=SCHEMA), capabilities=known)
    assert endpoint.bodies[0].get("response_format", {}).get("type") == sent


def test_a_refused_schema_is_asked_for_more_plainly(endpoint: Endpoint) -> None:
    """As strict mode takes it, without strict mode, as any JSON object, in words: until one is taken, and then so."""
    refused = failure(400, "Invalid schema for response_format 'answer'")
    endpoint.play(refused, refused, refused, refused, hello())
    used = adapter(endpoint, capabilities=Capabilities(json_schema=True, json_mode=True))
    asked = request(json_schema=SCHEMA, attempts=9)
    assert asyncio.run(used.complete(asked)).usage.calls == 5
    shapes = [body.get("response_format", {}) for body in endpoint.bodies]
    assert [shape.get("type") for shape in shapes] == ["json_schema"] * 3 + ["json_object", None]
    assert [shape["json_schema"]["strict"] for shape in shapes[:3]] == [True, True, False]
    assert [shape["json_schema"]["schema"] == SCHEMA for shape in shapes[:3]] == [True, False, True]
    assert ["JSON Schema" in body["messages"][-1]["content"] for body in endpoint.bodies] == [False] * 3 + [True] * 2
    assert asyncio.run(used.complete(asked)).usage.calls == 1


def test_fields_that_an_endpoint_refuses_are_left_out_from_then_on(endpoint: Endpoint) -> None:
    """max_tokens is renamed and temperature dropped where the endpoint wants that; the next call knows."""
    endpoint.play(
        failure(400, "Unsupported parameter: 'max_tokens' is not supported with this model."),
        failure(400, "Unsupported value: 'temperature' does not support 0.0"),
        hello(),
    )
    used = adapter(endpoint)
    assert asyncio.run(used.complete(request())).usage.calls == 3
    assert asyncio.run(used.complete(request())).usage.calls == 1
    assert "temperature" not in endpoint.bodies[3] and endpoint.bodies[3]["max_completion_tokens"] == 512


def test_the_adapter_outlives_event_loops(endpoint: Endpoint) -> None:
    """It works in one loop after another, and many times within each, closed or not."""
    endpoint.play(hello())
    used = adapter(endpoint)

    async def twice() -> list[str]:
        return [each.text for each in await asyncio.gather(used.complete(request()), used.complete(request()))]

    assert asyncio.run(twice()) + asyncio.run(twice()) == ["hello"] * 4
    asyncio.run(used.aclose())
    assert asyncio.run(used.complete(request())).text == "hello"


ENFORCED = stream(chunk('{"code": "zq7"}'), chunk(finish="stop"))
ANY_JSON = stream(chunk('{"planet": "Jupiter"}'), chunk(finish="stop"))
NOTED = [{"index": 0, "function": {"name": "note_word", "arguments": '{"word": "Jupiter"}'}}]
CALLED = stream(chunk(tool_calls=NOTED), chunk(finish="tool_calls"))
SCORED = hello(logprobs={"content": [{"top_logprobs": [{"token": "Yes", "logprob": -0.1}]}]})


def probed(endpoint: Endpoint) -> Capabilities:
    return asyncio.run(adapter(endpoint).capabilities())


def test_capabilities_are_probed_once(endpoint: Endpoint) -> None:
    """Three calls find out what a capable endpoint can do; another adapter for it asks no more."""
    endpoint.play(ENFORCED, CALLED, SCORED)
    endpoint.pages["/v1/models"] = send(200, {"data": [{"id": endpoint.model, "max_model_len": 4096}]})
    can = Capabilities(json_schema=True, json_mode=True, logprobs=True, tools=True, context_tokens=4096)
    assert probed(endpoint) == can
    assert probed(endpoint).json_schema and len(endpoint.bodies) == 3
    assert not any({"temperature", "seed"} & set(body) for body in endpoint.bodies)


def test_a_lying_endpoint_is_found_out(endpoint: Endpoint) -> None:
    """A schema, or tools, that are accepted and ignored do not count; four calls find that out."""
    endpoint.play(ANY_JSON, ANY_JSON, hello(), hello())
    endpoint.pages["/props"] = send(200, {"default_generation_settings": {"n_ctx": 2048}})
    assert probed(endpoint) == Capabilities(json_mode=True, context_tokens=2048)
    assert len(endpoint.bodies) == 4


def test_a_refusing_endpoint_can_do_little(endpoint: Endpoint) -> None:
    """A 400 on each feature means that it cannot do it."""
    endpoint.play(failure(400, "response_format is unknown"), failure(422), failure(400))
    assert probed(endpoint) == Capabilities()


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(
    ("name", "arguments"), [("other", "{}"), ("note_word", "Jupiter"), ("note_word", "[]"), ("note_word", "{")]
)
def test_only_the_call_that_was_asked_for_shows_that_tools_work(endpoint: Endpoint, name: str, arguments: str) -> None:
    """Another tool, or no arguments, show nothing."""
    calls = [{"index": 0, "function": {"name": name, "arguments": arguments}}]
    endpoint.play(ENFORCED, stream(chunk(tool_calls=calls), chunk(finish="tool_calls")), SCORED)
    assert not probed(endpoint).tools


def _thinking(**message: object) -> Step:
    return whole('{"code": "zq7"}', **message)


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(
    ("first", "calls"),
    [
        ([_thinking(reasoning_content="Hm.")], 2),
        ([_thinking(reasoning="Hm.")], 2),
        ([whole('{"code": "zq7"}', usage={**USAGE, "completion_tokens_details": {"reasoning_tokens": 9}})], 2),
        ([whole('<think>Hm.</think>{"code": "zq7"}')], 2),
        ([whole("", "length"), whole('{"code": "zq7"}')], 3),
        ([whole("<think>Hm.", "length"), whole('<think>Hm.</think>{"code": "zq7"}')], 3),
        ([whole(None, "length"), whole("", "length")], 4),
    ],
    ids=["field", "other field", "counted", "tags", "unseen", "unended", "without end"],
)
def test_thoughts_are_found_in_the_first_probe(endpoint: Endpoint, first: list[Step], calls: int) -> None:
    """One that they cut off is made again with far more room, which later probes have at once."""
    endpoint.play(*first, CALLED)
    can = probed(endpoint)
    assert can.hidden_reasoning and can.tools and not can.logprobs and len(endpoint.bodies) == calls
    assert can.json_schema == (calls < 4)
    limits = [body["max_tokens"] for body in endpoint.bodies]
    assert limits[0] == 256 and min(limits[1:]) >= 2_048


@pytest.mark.requirement("P1", "K12")
def test_probes_of_a_thinking_model_stay_within_what_is_permitted(endpoint: Endpoint) -> None:
    """Where little is permitted, little is asked for: all limits together are no more than that."""
    admitted: list[Usage] = []

    @asynccontextmanager
    async def permit(most: Usage) -> AsyncIterator[Callable[[Usage], None]]:
        if most.generated_tokens > 5 * 1_024:
            raise AllowanceExhausted("tokens", "no")
        admitted.append(most)
        yield lambda used: None

    cut_off = whole("", "length", usage={"prompt_tokens": 9, "completion_tokens": 256})
    endpoint.play(cut_off, whole('{"code": "zq7"}', usage={"prompt_tokens": 9, "completion_tokens": 1_500}), CALLED)
    assert asyncio.run(adapter(endpoint).capabilities(permit)).hidden_reasoning
    limits = [body["max_tokens"] for body in endpoint.bodies]
    assert limits[0] + limits[1] <= admitted[0].generated_tokens
    assert limits[0] + 1_500 + limits[2] <= admitted[0].generated_tokens


@pytest.mark.parametrize(("step", "error"), [(failure(401), EndpointRejected), (failure(404), ModelNotFound)])
def test_a_probe_that_cannot_ask_fails(endpoint: Endpoint, step: Step, error: type[AeonError]) -> None:
    """A wrong key or model is an error, not a lack of features."""
    endpoint.play(step)
    with pytest.raises(error):
        probed(endpoint)


@pytest.mark.requirement("J7")
def test_only_an_endpoint_that_cannot_be_used_is_fatal() -> None:
    """One failed request says nothing about the next one; a wrong key does."""
    fatal = {error for error in ModelError.__subclasses__() if error.fatal}
    assert fatal == {
        CassetteMiss, EndpointMoved, EndpointRejected, EndpointUnreachable, FieldRefused, ModelNotFound, ServerBroken,
    }  # fmt: skip
    assert not ModelError.fatal


@pytest.mark.requirement("K12")
def test_an_attempt_that_may_have_been_worked_on_is_told(endpoint: Endpoint) -> None:
    """Nobody counts the tokens of an answer that broke off, so the response and the error say how many of them came."""
    endpoint.play(stream(chunk("hel"), done=False), failure(429), hello(), failure(500), failure(429), failure(400))
    response = ask(endpoint)
    assert (response.usage.calls, response.unmetered) == (3, 1)
    with pytest.raises(RequestRefused) as caught:
        ask(endpoint)
    assert (caught.value.attempts, caught.value.unmetered) == (3, 1)


def allowing(calls: int, admitted: list[Usage], used: list[Usage]) -> Permit:
    """A permit for so many calls, which notes what was admitted and what was used."""

    @asynccontextmanager
    async def permit(most: Usage) -> AsyncIterator[Callable[[Usage], None]]:
        if most.calls > calls:
            raise AllowanceExhausted("calls", "no")
        admitted.append(most)
        yield used.append

    return permit


@pytest.mark.requirement("K12")
def test_probing_asks_for_its_calls_and_reports_them(endpoint: Endpoint) -> None:
    """The permit is asked once, for more than is used, and each call is reported; a second adapter needs none."""
    admitted: list[Usage] = []
    used: list[Usage] = []
    endpoint.play(ENFORCED, failure(400, "no tools"), SCORED)
    asyncio.run(adapter(endpoint).capabilities(allowing(9, admitted, used)))
    (most,) = admitted
    spent = sum(used, Usage())
    assert spent.calls == 3 <= most.calls and (spent.prompt_tokens, spent.generated_tokens) == (14, 6)
    assert spent.tokens <= most.tokens
    asyncio.run(adapter(endpoint).capabilities(allowing(0, admitted, used)))
    assert len(admitted) == 1


@pytest.mark.requirement("K12")
def test_probes_that_are_not_permitted_are_not_made(endpoint: Endpoint) -> None:
    """Nothing is asked and nothing is remembered, so that it is probed as soon as it is permitted."""
    endpoint.play(ENFORCED, CALLED, SCORED)
    used = adapter(endpoint)
    with pytest.raises(AllowanceExhausted):
        asyncio.run(used.capabilities(allowing(4, [], [])))
    assert endpoint.bodies == []
    assert asyncio.run(used.capabilities()).json_schema


@pytest.mark.requirement("K12")
def test_probing_never_takes_more_calls_than_it_asks_for(endpoint: Endpoint) -> None:
    """An endpoint that refuses one field after the other uses up the spare calls, and what it cannot do stays out."""
    admitted: list[Usage] = []
    used: list[Usage] = []
    refused = ("max_tokens", "stream_options", "response_format")
    endpoint.play(*(failure(400, f"{field} is unknown") for field in refused), failure(400))
    found = asyncio.run(adapter(endpoint).capabilities(allowing(9, admitted, used)))
    assert found == Capabilities()
    assert sum(used, Usage()).calls == len(endpoint.bodies) == admitted[0].calls == 5


@pytest.mark.requirement("K12")
def test_what_is_asked_for_covers_the_largest_probe(endpoint: Endpoint) -> None:
    """Every probe fits in the share of one call."""
    admitted: list[Usage] = []
    endpoint.play(ENFORCED, CALLED, SCORED)
    asyncio.run(adapter(endpoint).capabilities(allowing(9, admitted, [])))
    for each in PROBES:
        most = most_usage(each.changed(attempts=PROBE_CALLS))
        assert most.prompt_tokens <= admitted[0].prompt_tokens
        assert most.generated_tokens <= admitted[0].generated_tokens
