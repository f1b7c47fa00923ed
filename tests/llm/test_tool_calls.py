"""Native tool calls over the wire, from and to endpoints of every kind."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from played_endpoint import Endpoint, Step, chunk, hello, request, send, stream, whole

from aeon.errors import MalformedResponse
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.spending import most_prompt_tokens
from aeon.llm.tool_calls import MOST_ARGUMENTS
from aeon.schema.llm import CallRequest, LLMResponse, Message, ToolSpec

SQL = ToolSpec(
    name="sql",
    description="Rows of a table.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
QUERY = '{"query": "select 1"}'


def ask(endpoint: Endpoint, *messages: Message, tools: tuple[ToolSpec, ...] = (SQL,), **changes: Any) -> LLMResponse:
    asked = request(tools=tools, **changes)
    adapter = OpenAICompatible(endpoint.model, endpoint.base_url, retries=0)
    return asyncio.run(adapter.complete(asked.changed(messages=(*asked.messages, *messages))))


def told(response: LLMResponse) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in response.calls]


def call(arguments: object = QUERY, name: object = "sql", **more: object) -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


def part(**fields: Any) -> dict[str, object]:
    """A chunk that holds one fragment of a call."""
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return chunk(tool_calls=[{**fields, "function": function}])


END = chunk(finish="tool_calls")


@pytest.mark.requirement("P1")
def test_tools_calls_and_results_are_sent_as_the_protocol_has_them(endpoint: Endpoint) -> None:
    """The tool with its schema; the call with its id; the result with the id that it answers."""
    endpoint.play(hello())
    asked = Message(role="assistant", content="", calls=(CallRequest(id="c1", name="sql", arguments=QUERY),))
    ask(endpoint, asked, Message(role="tool", content="1 row", call_id="c1"))
    body = endpoint.bodies[0]
    function = {"name": "sql", "description": "Rows of a table.", "parameters": SQL.parameters}
    assert body["tools"] == [{"type": "function", "function": function}]
    sent = {"id": "c1", "type": "function", "function": {"name": "sql", "arguments": QUERY}}
    assert body["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [sent]},
        {"role": "tool", "content": "1 row", "tool_call_id": "c1"},
    ]


@pytest.mark.requirement("P1")
def test_without_tools_nothing_of_them_is_sent(endpoint: Endpoint) -> None:
    """Endpoints that know none take the request."""
    endpoint.play(hello())
    ask(endpoint, tools=())
    assert "tools" not in endpoint.bodies[0]
    assert endpoint.bodies[0]["messages"] == [{"role": "user", "content": "Say hello."}]


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(
    ("name", "arguments", "sent"),
    [
        ("sql", "", ("sql", {})),
        ("sql", "{bad", ("sql", {"malformed": "{bad"})),
        ("sql", "[1]", ("sql", {"malformed": "[1]"})),
        ("my tool.é", "{}", ("my_tool__", {})),
        ("", "{}", ("unnamed", {})),
    ],
)
def test_a_call_that_servers_would_refuse_does_not_end_the_conversation(
    endpoint: Endpoint, name: str, arguments: str, sent: tuple[str, object]
) -> None:
    """What is sent back is a name of letters and an object, whatever the model wrote."""
    endpoint.play(hello())
    ask(endpoint, Message(role="assistant", content="", calls=(CallRequest(id="c", name=name, arguments=arguments),)))
    function = endpoint.bodies[0]["messages"][1]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == sent


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(
    ("step", "calls"),
    [
        (whole(None, "tool_calls", tool_calls=[call(id="a"), call(id="b")]), [("a", QUERY), ("b", QUERY)]),
        (whole("", "tool_calls", tool_calls=[call(), call()]), [("call_1", QUERY), ("call_2", QUERY)]),
        (whole("", "stop", tool_calls=[call(id="a"), call(id="a")]), [("a", QUERY), ("call_2", QUERY)]),
        (whole("", "tool_calls", tool_calls=[call({"query": "é"}, id="a")]), [("a", '{"query": "é"}')]),
        (whole("", "function_call", function_call={"name": "sql", "arguments": QUERY}), [("call_1", QUERY)]),
        (whole("", "tool_use", tool_calls=[call(None, id=None, index="0")]), [("call_1", "")]),
        (
            stream(
                part(index=0, id="a", name="sql", arguments=""), part(index=0, arguments='{"query":'),
                part(index=1, id="b", name="sql", arguments="{}"), part(index=0, arguments=' "x"}'), END,
            ),
            [("a", '{"query": "x"}'), ("b", "{}")],
        ),
        (
            stream(
                part(index=0, id="a", name="sql", arguments='{"query"'),
                part(index=0, id="a", name="sql", arguments=': "x"}'), END,
            ),
            [("a", '{"query": "x"}')],
        ),
        (
            stream(
                part(index=0, id="a", name="sql", arguments="{}"), part(index=0, id="b", name="sql", arguments=QUERY),
                END,
            ),
            [("a", "{}"), ("b", QUERY)],
        ),
        (
            stream(part(name="sql", arguments="{}"), part(name="sql", arguments="{"), part(arguments="}"), END),
            [("call_1", "{}"), ("call_2", "{}")],
        ),
        (
            stream(chunk(function_call={"name": "sql"}), chunk(function_call={"arguments": "{}"}), END),
            [("call_1", "{}")],
        ),
    ],
    ids=[
        "whole", "no ids", "one id twice", "object", "of old", "nulls",
        "interleaved", "id and name repeated", "one index for two", "no index", "of old, streamed",
    ],
)  # fmt: skip
def test_calls_are_read_as_every_server_sends_them(
    endpoint: Endpoint, step: Step, calls: list[tuple[str, str]]
) -> None:
    """Whole and in fragments, with or without index and id; it is a normal end, and each call has an id of its own."""
    endpoint.play(step)
    response = ask(endpoint)
    assert told(response) == [(number, "sql", arguments) for number, arguments in calls]
    assert (response.text, response.finish_reason, response.unmetered) == ("", "stop", 0)


@pytest.mark.requirement("P1")
def test_ids_that_are_made_go_on_from_those_of_the_conversation(endpoint: Endpoint) -> None:
    """So that no result can answer two calls."""
    endpoint.play(whole("", "tool_calls", tool_calls=[call()]))
    earlier = tuple(CallRequest(id=f"call_{number}", name="sql", arguments="{}") for number in (1, 2))
    assert told(ask(endpoint, Message(role="assistant", content="", calls=earlier)))[0][0] == "call_3"


@pytest.mark.requirement("P1")
def test_text_and_calls_come_together_as_they_are(endpoint: Endpoint) -> None:
    """Calls of tools that do not exist too, forty of them, and where none were offered."""
    forty = [call(id=str(number), name="nothing") for number in range(40)]
    endpoint.play(whole("Let me look.", "tool_calls", tool_calls=forty))
    response = ask(endpoint, tools=())
    assert response.text == "Let me look." and len(response.calls) == 40
    assert {each.name for each in response.calls} == {"nothing"}


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("size", [MOST_ARGUMENTS + 1, 10_000_000])
@pytest.mark.parametrize("streamed", [True, False])
def test_arguments_beyond_any_use_are_refused(endpoint: Endpoint, size: int, streamed: bool) -> None:
    """10 MB in one piece or in many, in one call or in two: a typed failure, and nothing of it is kept."""
    half = "x" * (size // 2 + 1)
    fragments = [part(index=number % 2, id=f"c{number % 2}", name="sql", arguments=half) for number in range(2)]
    small = [part(index=0, arguments="x" * 50_000) for _ in range(size // 50_000)]
    endpoint.play(
        stream(*fragments, *small, END)
        if streamed
        else whole("", "tool_calls", tool_calls=[call(half, id="a"), call(half, id="b")])
    )
    with pytest.raises(MalformedResponse) as caught:
        ask(endpoint)
    assert len(str(caught.value)) < 1_000 and caught.value.unmetered == 1


@pytest.mark.requirement("P1")
def test_calls_without_end_are_refused(endpoint: Endpoint) -> None:
    """More than a thousand are no answer."""
    endpoint.play(whole("", "tool_calls", tool_calls=[call("{}")] * 1_001))
    with pytest.raises(MalformedResponse, match="1,000 tool calls"):
        ask(endpoint)


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("junk", ["calls", [None], ["sql"], {"name": "sql"}])
def test_what_is_no_list_of_calls_is_a_typed_failure(endpoint: Endpoint, junk: object) -> None:
    """Nothing is guessed."""
    endpoint.play(whole("", "tool_calls", tool_calls=junk))
    with pytest.raises(MalformedResponse):
        ask(endpoint)


@pytest.mark.requirement("P1")
def test_calls_without_counted_tokens_are_charged_with_the_most(endpoint: Endpoint) -> None:
    """An endpoint that says that calls took no tokens is not believed."""
    message = {"content": None, "tool_calls": [call(id="a")]}
    usage = {"prompt_tokens": 9, "completion_tokens": 0}
    endpoint.play(send(200, {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage}))
    assert not ask(endpoint).metered


@pytest.mark.requirement("K12")
def test_tools_and_calls_count_into_the_most_that_a_prompt_can_be() -> None:
    """Every byte of them may be a token."""
    plain = most_prompt_tokens(request().messages, None)
    made = CallRequest(id="c1", name="sql", arguments=json.dumps({"query": "x" * 1_000}))
    messages = (
        *request().messages,
        Message(role="assistant", content="", calls=(made,)),
        Message(role="tool", content="y" * 500, call_id="c1"),
    )
    assert most_prompt_tokens(messages, None) > plain + 1_500
    wide = SQL.changed(description="é" * 1_000)
    assert most_prompt_tokens(request().messages, None, (wide,)) > plain + 2_000
