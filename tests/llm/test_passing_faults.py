"""What is not needed cannot break a reply, what is complete is taken, and what passes is asked again: each adapter."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from played_endpoint import USAGE, Endpoint, Step, chunk, event, failure, hang, hello, request, send, spoken, whole
from played_responses import message, response

from aeon.errors import EndpointFailed, EndpointTimeout, ModelError, RateLimited, RequestRefused
from aeon.llm import probe_records, translation
from aeon.llm.anthropic import Anthropic
from aeon.llm.gemini import Gemini
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.responses import Responses
from aeon.schema.llm import Capabilities, LLMResponse, Message
from aeon.waiting import MOST_RESET, asked_wait

pytestmark = pytest.mark.requirement("P2")

TEXT = "The kettle is green."
NOW = datetime(2030, 1, 1, tzinfo=UTC)
GEMINI = {
    "candidates": [{"content": {"parts": [{"text": TEXT}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
}  # fmt: skip
CLAUDE: dict[str, Any] = {
    "type": "message", "content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn",
    "usage": {"input_tokens": 7, "output_tokens": 3},
}  # fmt: skip
CLAUDE_EVENTS = (
    {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": TEXT}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
)
CHAT_EVENTS = (chunk(TEXT), chunk(finish="stop"), {"choices": [], "usage": USAGE})
DONE = {"type": "response.completed", "response": response(message(TEXT))}
KINDS: dict[str, tuple[Callable[..., Any], tuple[dict[str, Any], ...]]] = {
    "chat": (OpenAICompatible, CHAT_EVENTS),
    "responses": (Responses, (DONE,)),
    "anthropic": (Anthropic, CLAUDE_EVENTS),
    "gemini": (Gemini, (GEMINI,)),
}
EACH = pytest.mark.parametrize("kind", KINDS)


def adapter(endpoint: Endpoint, kind: str = "chat", **settings: Any) -> Any:
    url = endpoint.base_url if kind in ("chat", "responses") else endpoint.root
    return KINDS[kind][0](endpoint.model, url, "key", **settings)


def ask(endpoint: Endpoint, kind: str = "chat", asked: Any = None, **settings: Any) -> LLMResponse:
    answer: LLMResponse = asyncio.run(adapter(endpoint, kind, **settings).complete(asked or request()))
    return answer


def events_of(kind: str) -> list[str]:
    return [event(one) for one in KINDS[kind][1]]


@pytest.mark.parametrize(
    "fault",
    [
        send(200, {"id": None, "model": None, "choices": None, "usage": None}),
        send(200, {"choices": [], "usage": USAGE}),
        spoken(event({"choices": None}), "data: [DONE]\n\n"),
    ],
)
def test_a_completion_with_nothing_in_it_is_asked_for_again(endpoint: Endpoint, fault: Step) -> None:
    """It passes: after a backoff the answer is there. One that goes on so is a failing endpoint, not a wrong URL."""
    endpoint.play(fault, hello())
    answer = ask(endpoint)
    assert (answer.text, answer.usage.calls, answer.unmetered) == ("hello", 2, 1)
    endpoint.bodies.clear()
    endpoint.play(fault)
    with pytest.raises(EndpointFailed, match="nothing in it; try again") as caught:
        ask(endpoint)
    assert caught.value.attempts == 3 and "base URL" not in str(caught.value)


def test_an_empty_reply_of_gemini_is_asked_for_again(endpoint: Endpoint) -> None:
    """Counts, and no candidate."""
    endpoint.play(send(200, {"usageMetadata": {"promptTokenCount": 7}}), spoken(*events_of("gemini")))
    assert ask(endpoint, "gemini").text == TEXT


@EACH
@pytest.mark.parametrize("again", ["", ": still here\n\n"], ids=["silent", "commenting"])
def test_a_stream_that_stays_open_after_its_end_is_whole(endpoint: Endpoint, kind: str, again: str) -> None:
    """Reason and counts are there: it is taken after a moment, whatever else keeps the connection alive."""
    endpoint.play(spoken(*events_of(kind), open_for=6, again=again))
    start = time.monotonic()
    answer = ask(endpoint, kind)
    assert time.monotonic() - start < 4
    assert (answer.text, answer.finish_reason, answer.usage.calls) == (TEXT, "stop", 1)


def test_counts_that_come_a_moment_after_the_reason_are_waited_for(endpoint: Endpoint) -> None:
    """The end is not there before them."""
    endpoint.play(spoken(*events_of("chat"), pause=0.3))
    assert ask(endpoint).usage.prompt_tokens == USAGE["prompt_tokens"]


def test_a_stream_that_stays_open_without_counts_is_asked_for_as_a_whole(endpoint: Endpoint) -> None:
    """The answer ended, but nobody knows what it cost: that is the endpoint without counts in streams."""
    endpoint.play(spoken(*events_of("chat")[:2], open_for=6), whole(TEXT))
    assert ask(endpoint, idle_timeout=1).text == TEXT and "stream" not in endpoint.bodies[1]


@EACH
def test_comments_are_a_sign_of_life(endpoint: Endpoint, kind: str) -> None:
    """An endpoint that says it is at work is not silent; the total deadline holds all the same."""
    endpoint.play(spoken(*[": at work\n\n"] * 12, *events_of(kind), pause=0.2))
    assert ask(endpoint, kind, idle_timeout=1).text == TEXT
    endpoint.bodies.clear()
    endpoint.play(spoken(*[": at work\n\n"] * 100, pause=0.2))
    with pytest.raises(EndpointTimeout, match="within the deadline"):
        ask(endpoint, kind, request(timeout=1), idle_timeout=1)


@EACH
def test_an_event_that_says_nothing_is_passed_over(endpoint: Endpoint, kind: str) -> None:
    """No data, null, or an empty object."""
    endpoint.play(spoken("data:\n\n", "data: null\n\n", event({}), "event: ping\n\n", *events_of(kind), "data: \n\n"))
    assert ask(endpoint, kind).text == TEXT


PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "The kettle "},
    {"type": "image_url", "image_url": {}}, "is ", {"type": "output_text", "text": "green."}, 7,
]  # fmt: skip


@pytest.mark.parametrize(
    "step",
    [whole(PARTS), spoken(event(chunk(PARTS)), *events_of("chat")[1:])],
    ids=["whole", "streamed"],
)
def test_a_content_of_parts_is_its_texts(endpoint: Endpoint, step: Step) -> None:
    """Thoughts among them are reasoning beside the text, and other kinds are no text."""
    endpoint.play(step)
    answer = ask(endpoint)
    assert (answer.text, answer.thought, answer.finish_reason) == (TEXT, True, "stop")


def test_a_part_that_is_a_refusal_is_one(endpoint: Endpoint) -> None:
    """As the field of that name is."""
    endpoint.play(whole([{"type": "refusal", "refusal": "No."}]))
    assert ask(endpoint).finish_reason == "refusal"


ODD = {"prompt_tokens_details": [], "completion_tokens_details": "none"}


@pytest.mark.parametrize(
    ("changes", "choice"),
    [
        ({"usage": {**USAGE, **ODD}}, {}),
        ({"model": 7}, {}),
        ({}, {"logprobs": []}),
        ({}, {"logprobs": [1, 2]}),
        ({}, {"logprobs": {"content": [{"top_logprobs": {}}]}}),
        ({}, {"index": "first"}),
    ],
)
def test_what_is_not_needed_cannot_break_a_reply(
    endpoint: Endpoint, changes: dict[str, Any], choice: dict[str, Any]
) -> None:
    """Details of counts, probabilities, names and places of another kind than expected."""
    said = {"message": {"content": TEXT}, "finish_reason": "stop", **choice}
    endpoint.play(send(200, {"choices": [said], "usage": USAGE, **changes}))
    answer = ask(endpoint)
    assert (answer.text, answer.usage.prompt_tokens) == (TEXT, 7)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("responses", {**response(message(TEXT)), "model": [], "incomplete_details": [], "usage": {
            "input_tokens": 7, "output_tokens": 3, "input_tokens_details": [], "output_tokens_details": [],
        }}),
        ("anthropic", {**CLAUDE, "model": None, "content": [{"type": "text", "text": TEXT, "id": None}]}),
        ("gemini", {**GEMINI, "modelVersion": 7, "promptFeedback": None}),
    ],
)  # fmt: skip
def test_the_other_apis_are_read_as_leniently(endpoint: Endpoint, kind: str, body: dict[str, Any]) -> None:
    """Nulls and lists where something else is due."""
    endpoint.play(send(200, body))
    answer = ask(endpoint, kind)
    assert (answer.text, answer.usage.prompt_tokens, answer.finish_reason) == (TEXT, 7, "stop")


def test_to_be_asked_again_at_once_is_to_be_asked_again_after_a_backoff(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endpoint that says 0 gets no three requests in a tenth of a second."""
    monkeypatch.setattr(translation, "BACKOFF_SECONDS", 0.4)
    endpoint.play(failure(429, retry_after="0"))
    start = time.monotonic()
    with pytest.raises(RateLimited):
        ask(endpoint)
    assert len(endpoint.bodies) == 3 and time.monotonic() - start >= 0.6


@EACH
def test_both_deadlines_hold(endpoint: Endpoint, kind: str) -> None:
    """Silence meets the idle one, and signs of life that keep coming do not extend the total one."""
    endpoint.play(hang(), spoken(*events_of(kind)))
    assert ask(endpoint, kind, idle_timeout=1).usage.calls == 2
    endpoint.bodies.clear()
    endpoint.play(spoken(*[": still here\n\n"] * 100, pause=0.02))
    start = time.monotonic()
    with pytest.raises(EndpointTimeout):
        ask(endpoint, kind, request(timeout=0.2), idle_timeout=5)
    assert time.monotonic() - start < 1


@EACH
def test_the_wait_that_a_rate_limit_asks_for_is_no_attempt(endpoint: Endpoint, kind: str) -> None:
    """It is kept, and on record."""
    endpoint.play(failure(429, retry_after="0.2"), spoken(*events_of(kind)))
    start = time.monotonic()
    response = ask(endpoint, kind, request(attempts=1))
    assert time.monotonic() - start >= 0.2
    assert (response.usage.calls, response.usage.put_off) == (1, 1)


@EACH
@pytest.mark.parametrize("status", [429, 503])
def test_milliseconds_are_waited_for(endpoint: Endpoint, kind: str, status: int) -> None:
    """The finer header comes before the other one."""
    endpoint.play(failure(status, retry_after_ms="300", retry_after="60"), spoken(*events_of(kind)))
    start = time.monotonic()
    assert ask(endpoint, kind).text == TEXT
    assert 0.3 <= time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Tue, 01 Jan 2030 00:00:30 GMT"}, 30),
        ({"retry-after": "Tuesday, 01-Jan-30 00:00:30 GMT"}, 30),
        ({"retry-after": "Tue Jan  1 00:00:30 2030"}, 30),
        ({"retry-after": "Tue, 01 Jan 2029 00:00:30 GMT"}, 0),
        ({"retry-after": "2030-01-01T00:00:30Z"}, 30),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Wed, 99 Oct 2030 07:28:30 GMT"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"x-ratelimit-reset-requests": "1m2.5s", "retry-after": "3"}, 3),
        ({"x-ratelimit-reset-requests": "20ms"}, 0.02),
        ({"x-ratelimit-reset-tokens": "6m0s"}, MOST_RESET),
        ({"x-ratelimit-reset": "12"}, 12),
        ({"x-ratelimit-reset": f"{NOW.timestamp() + 7:.0f}"}, 7),
        ({"x-ratelimit-reset": f"{1000 * NOW.timestamp() + 7000:.0f}"}, 7),
        ({"ratelimit-reset": "5"}, 5),
        ({"anthropic-ratelimit-tokens-reset": "2030-01-01T00:00:09Z"}, 9),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "9s"}, 1),
        (
            {"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "0"},
            9,
        ),
    ],
)
def test_how_long_to_wait_is_read_in_every_form(headers: dict[str, str], wait: float | None) -> None:
    """Dates count by the response's own clock; of several budgets the one that is used up counts."""
    dated = headers | {"date": format_datetime(NOW, usegmt=True)}
    assert asked_wait(dated, True) == (None if wait is None else pytest.approx(wait))
    if not any("retry" in name for name in headers):
        assert asked_wait(dated, False) is None


def test_without_a_date_of_the_response_a_date_counts_from_now() -> None:
    """The machine's own clock counts where the response has none."""
    asked = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert asked_wait({"retry-after": asked}, False) == pytest.approx(60, abs=5)


ROLES = (
    "System role not supported",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "Developer instruction is not enabled for models/gemma-x",
)
TALK = (Message(role="system", content="Be brief."), Message(role="user", content="Hello."))


@EACH
@pytest.mark.parametrize("words", ROLES)
@pytest.mark.parametrize("status", [400, 500])
def test_where_there_is_no_system_role_its_text_is_the_users(
    endpoint: Endpoint, kind: str, words: str, status: int
) -> None:
    """It goes before the user's first words, at once and, kept on disk, in later processes."""
    steps = (failure(status, words), spoken(*events_of(kind)))
    endpoint.play(*steps)
    asked = request().changed(messages=TALK)
    assert ask(endpoint, kind, asked).text == TEXT
    probe_records._KNOWN.clear()
    assert ask(endpoint, kind, asked).usage.calls == 1
    first, second, third = map(str, endpoint.bodies)
    assert second == third and "Be brief.\\n\\nHello." in second and "Be brief.\\n\\nHello." not in first
    assert "system" not in second.lower() and "instructions" not in second


def test_a_fault_that_has_nothing_to_do_with_the_system_role_teaches_nothing(endpoint: Endpoint) -> None:
    """A server that fails, and one that refuses something else."""
    endpoint.play(failure(500, "out of memory"), failure(400, "bad"))
    with pytest.raises(RequestRefused):
        ask(endpoint, "chat", request().changed(messages=TALK))
    assert [body["messages"][0]["role"] for body in endpoint.bodies] == ["system", "system"]


def test_an_endpoint_that_refuses_even_that_is_asked_no_more(endpoint: Endpoint) -> None:
    """Once without the role, and not again."""
    endpoint.play(failure(400, ROLES[0]))
    with pytest.raises(ModelError):
        ask(endpoint, "chat", request().changed(messages=TALK))
    assert len(endpoint.bodies) == 2


@pytest.mark.parametrize("status", [400, 403])
@pytest.mark.parametrize("kind", ["chat", "responses"])
def test_probabilities_that_are_not_told_are_no_wrong_key(endpoint: Endpoint, kind: str, status: int) -> None:
    """Whatever name the refusal gives them, they are left out from then on."""
    endpoint.play(failure(status, "You are not allowed to request logprobs from this model"), spoken(*events_of(kind)))
    can = Capabilities(logprobs=True)
    llm = adapter(endpoint, kind, capabilities=can)
    assert asyncio.run(llm.complete(request(likelihood=True))).text == TEXT
    assert asyncio.run(llm.capabilities()).logprobs is False


@pytest.mark.parametrize("kind", ["anthropic", "gemini"])
def test_where_a_vendor_takes_no_schema_the_prompt_says_it(endpoint: Endpoint, kind: str) -> None:
    """Refused in both forms, it stands in the prompt with the word JSON; the next process asks so at once."""
    words = "output_config is not supported; schema is not supported; tool_choice"
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    endpoint.play(failure(400, words), failure(400, words), spoken(*events_of(kind)))
    asked = request(json_schema=schema, attempts=9)
    assert ask(endpoint, kind, asked).usage.calls == 3
    probe_records._KNOWN.clear()
    assert ask(endpoint, kind, asked).usage.calls == 1
    sent = str(endpoint.bodies[-1])
    assert "JSON" in sent and '"required":["a"]' in sent and "Say hello." in sent
    assert all('"required":["a"]' not in str(body) for body in endpoint.bodies[:2])
