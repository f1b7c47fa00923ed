"""Turns of a model with tools: natively, as a JSON action, and as models and endpoints spoil them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from aeon.errors import (
    AeonError,
    AllowanceExhausted,
    CompletionError,
    EmptyCompletion,
    EndpointRejected,
    Malformed,
    ModelNotFound,
    RateLimited,
    Refused,
    RequestRefused,
    Truncated,
)
from aeon.llm.scripted import Reply as Scripts
from aeon.llm.scripted import Scripted, calling
from aeon.runtime.ledger import Ledger
from aeon.schema.llm import CallRequest, Capabilities, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Allowance
from aeon.supervisor.supervisor import Reply, Supervisor
from aeon.supervisor.turns import Spoken, arguments_of

pytestmark = pytest.mark.requirement("P1")

NATIVE = Capabilities(json_schema=True, json_mode=True, tools=True)
ENFORCING = Capabilities(json_schema=True, json_mode=True)
PLAIN = Capabilities()
PARAMETERS: dict[str, Any] = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
SQL = ToolSpec(name="sql", description="Rows of a table.", parameters=PARAMETERS)
READ = ToolSpec(name="read", description="A whole text.", parameters={"type": "object"})
TOOLS = (SQL, READ)
ASKED = (Message(role="system", content="You work."), Message(role="user", content="How many?"))
QUERY = {"query": "select 1"}
CALL = {"tool": "sql", "arguments": QUERY}
EARLIER = (
    *ASKED,
    Message(role="assistant", content="Let me look.", calls=(
        CallRequest(id="a", name="sql", arguments='{"query": "select 1"}'),
        CallRequest(id="b", name="read", arguments="{bad"),
    )),
    Message(role="tool", content="[1] 1 row", call_id="a"),
    Message(role="tool", content="[2] not valid", call_id="b"),
)  # fmt: skip


def turn(
    llm: Scripted,
    messages: Sequence[Message] = ASKED,
    tools: Sequence[ToolSpec] = TOOLS,
    supervisor: Supervisor | None = None,
    **options: Any,
) -> Reply[Spoken] | AeonError:
    """One turn under a roomy ledger, or what it raised."""

    async def body() -> Reply[Spoken] | AeonError:
        with Ledger(Allowance(calls=9)) as ledger:
            try:
                options.setdefault("max_tokens", 200)
                reply = await (supervisor or Supervisor(llm)).turn(messages, tools, **options)
            except AeonError as error:
                return error
            assert ledger.spent.mended == int(reply.value.mended)
            return reply

    return asyncio.run(body())


def spoken(reply: Reply[Spoken] | AeonError) -> tuple[str, list[tuple[str, str]]]:
    """The text and the calls of a reply."""
    assert isinstance(reply, Reply), reply
    return reply.value.text, [(call.name, call.arguments) for call in reply.value.calls]


WRITTEN = ("sql", json.dumps(QUERY))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (calling(("sql", QUERY)), ("", [WRITTEN])),
        (calling(("sql", QUERY), text="Let me look."), ("Let me look.", [WRITTEN])),
        (calling(("sql", QUERY), text="<think>Hm.</think>\n"), ("", [WRITTEN])),
        (calling(*[("sql", QUERY)] * 40), ("", [WRITTEN] * 40)),
        (calling(("nothing", {})), ("", [("nothing", "{}")])),
        (LLMResponse(text="", calls=(CallRequest(id="a", name="sql", arguments="{bad"),)), ("", [("sql", "{bad")])),
        ("<think>Well.</think>It is 42.", ("It is 42.", [])),
        ('I would call {"name": "sql", "arguments": {}}', ('I would call {"name": "sql", "arguments": {}}', [])),
        ('{"name": "nothing", "arguments": {}}', ('{"name": "nothing", "arguments": {}}', [])),
        ('{"total": 42}', ('{"total": 42}', [])),
        ("```sql\nselect 1\n```", ("```sql\nselect 1\n```", [])),
    ],
    ids=[
        "call", "text too", "thoughts", "forty", "no such tool", "bad arguments", "answer", "in prose",
        "not offered", "other JSON", "code",
    ],
)  # fmt: skip
def test_a_native_turn_is_what_the_model_said(reply: Scripts, said: tuple[str, list[tuple[str, str]]]) -> None:
    """Calls as written, whatever they name; text without thoughts, and no call where it says more than that."""
    llm = Scripted([reply], NATIVE)
    taken = turn(llm)
    assert spoken(taken) == said
    assert isinstance(taken, Reply) and (taken.value.form, taken.value.mended, taken.attempts) == ("native", False, 1)
    assert llm.requests[0].tools == TOOLS and llm.requests[0].messages == ASKED
    assert llm.requests[0].json_schema is None


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"name": "sql", "arguments": QUERY}),
        json.dumps({"name": "sql", "arguments": json.dumps(QUERY)}),
        json.dumps({"name": "sql", "parameters": QUERY}),
        json.dumps({"tool_calls": [{"id": "x", "type": "function", "function": {"name": "sql", "arguments": QUERY}}]}),
        json.dumps({"calls": [CALL]}),
        json.dumps([{"name": "sql", "arguments": QUERY}]),
        f"```json\n{json.dumps(CALL)}\n```",
        f"<think>I need rows.</think>\n\n{json.dumps(CALL)}",
        f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>",
        "{'name': 'sql', 'arguments': {'query': 'select 1'}}",
    ],
)
def test_a_text_that_is_nothing_but_a_call_is_one(text: str) -> None:
    """As servers let it through that do not know how their model calls tools; the turn says that it was mended."""
    taken = turn(Scripted([text], NATIVE))
    assert spoken(taken) == ("", [WRITTEN])
    assert isinstance(taken, Reply) and taken.value.mended and taken.mended
    assert taken.value.calls[0].id == "call_1"


def test_several_calls_in_tags_are_several_calls() -> None:
    """Their ids go on from those of the conversation."""
    text = f"<tool_call>{json.dumps(CALL)}</tool_call>\n<tool_call>{json.dumps(CALL)}</tool_call>"
    taken = turn(Scripted([text], NATIVE), EARLIER)
    assert isinstance(taken, Reply) and [call.id for call in taken.value.calls] == ["call_3", "call_4"]


def test_a_call_that_a_template_leaks_is_one_whatever_stands_beside_it() -> None:
    """Also of a tool that there is not: the host says so to the model, instead of taking the call for the answer."""
    leaked = json.dumps({"name": "invented", "arguments": {}})
    taken = turn(Scripted([f"Let me see.\n<tool_call>{leaked}</tool_call><|im_end|>"], NATIVE))
    assert spoken(taken) == ("Let me see.", [("invented", "{}")])
    assert isinstance(taken, Reply) and taken.value.mended


def test_a_leaked_call_that_cannot_be_read_is_asked_for_again() -> None:
    """Neither the call nor what stands beside it is taken."""
    llm = Scripted(['Let me see. <tool_call>{"name": "sql", "argum', "It is 42."], NATIVE)
    assert spoken(turn(llm)) == ("It is 42.", [])


def test_without_tools_a_leaked_call_is_no_answer() -> None:
    """Where nothing else is said, it is asked for again."""
    llm = Scripted([f"<tool_call>{json.dumps(CALL)}</tool_call>", "It is 42."], NATIVE)
    taken = turn(llm, tools=())
    assert spoken(taken) == ("It is 42.", []) and len(llm.requests) == 2


@pytest.mark.parametrize("empty", ["", " \n", "<think>Hm.</think>", "\u200b"])
def test_nothing_is_asked_for_again_once(empty: str) -> None:
    """A second answer is taken; nothing twice is a failure of its own."""
    llm = Scripted([empty, calling(("read", {}))], NATIVE)
    assert spoken(turn(llm)) == ("", [("read", "{}")])
    assert "empty" in llm.requests[1].messages[-1].content
    assert isinstance(turn(Scripted([empty, empty], NATIVE)), EmptyCompletion)


def test_a_note_never_stands_in_a_result() -> None:
    """What a tool gave is sent again as it was, and the note is a message of its own."""
    llm = Scripted(["", "42"], NATIVE)
    turn(llm, EARLIER)
    assert llm.requests[1].messages[:-1] == EARLIER
    assert llm.requests[1].messages[-1].role == "user"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (LLMResponse(text="It is", finish_reason="length"), Truncated),
        (calling(("sql", QUERY)).changed(finish_reason="length"), Truncated),
        (calling(("sql", QUERY)).changed(finish_reason="other"), Truncated),
        (LLMResponse(text="no", finish_reason="refusal"), Refused),
        (LLMResponse(text="", calls=(CallRequest(id="a", name="sql", arguments="x" * 10_000_000),)), Malformed),
        ("x" * 200_001, Malformed),
        (RateLimited("wait"), RateLimited),
    ],
)
def test_what_is_no_whole_turn_is_a_typed_failure(reply: Scripts, error: type[AeonError]) -> None:
    """Calls that were cut off are no calls; 10 MB of arguments are not kept and not repeated to the model."""
    llm = Scripted([reply, reply, reply], NATIVE)
    assert type(turn(llm)) is error
    assert sum(len(message.content) for message in llm.requests[-1].messages) < 5_000


@pytest.mark.parametrize("can", [NATIVE, ENFORCING, PLAIN])
def test_a_turn_without_tools_is_plain_text(can: Capabilities) -> None:
    """Calls that come all the same are ignored: what stands beside them is taken, else it is asked once more."""
    llm = Scripted([calling(("sql", QUERY), text="It is 42.")], can)
    assert spoken(turn(llm, EARLIER, ())) == ("It is 42.", [])
    assert (llm.requests[0].tools, llm.requests[0].json_schema, llm.requests[0].json_mode) == ((), None, False)
    again = Scripted([calling(("sql", QUERY)), "It is 42."], can)
    assert spoken(turn(again, EARLIER, ())) == ("It is 42.", [])
    never = Scripted([calling(("sql", QUERY))] * 2, can)
    assert isinstance(turn(never, EARLIER, ()), EmptyCompletion) and len(never.requests) == 2


@pytest.mark.parametrize("can", [ENFORCING, Capabilities(json_mode=True), PLAIN])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps({"calls": [CALL, CALL]}), ("", [WRITTEN, WRITTEN])),
        (json.dumps({"answer": "It is 42."}), ("It is 42.", [])),
        (json.dumps({"calls": [CALL], "answer": "Soon."}), ("Soon.", [WRITTEN])),
        (json.dumps({"calls": [], "answer": 42}), ("42", [])),
        (json.dumps({"calls": [CALL] * 40}), ("", [WRITTEN] * 40)),
        (json.dumps({"calls": [{"tool": "nothing"}]}), ("", [("nothing", "{}")])),
        (json.dumps({"calls": [{"tool": "sql", "arguments": "{bad"}]}), ("", [("sql", "{bad")])),
        (json.dumps({"name": "sql", "arguments": QUERY}), ("", [WRITTEN])),
        (f"I look it up. {json.dumps(CALL)} That is all.", ("", [WRITTEN])),
        (f"<think>Hm.</think>```json\n{json.dumps({'calls': [CALL]})}\n```", ("", [WRITTEN])),
    ],
    ids=[
        "calls", "answer", "both", "number", "forty", "no such tool", "bad arguments", "envelope", "in prose", "fence"
    ],
)  # fmt: skip
def test_without_native_calls_a_turn_is_one_json_action(
    can: Capabilities, text: str, said: tuple[str, list[tuple[str, str]]]
) -> None:
    """The shape is enforced where the endpoint can, and the tools are described in the prompt."""
    llm = Scripted([text], can)
    taken = turn(llm)
    assert spoken(taken) == said and isinstance(taken, Reply) and taken.value.form == "action"
    asked = llm.requests[0]
    assert not asked.tools and (asked.json_schema is not None) == can.json_schema
    assert asked.json_mode == (can.json_mode and not can.json_schema)
    system = asked.messages[0].content
    assert system.startswith("You work.\n\n") and "JSON" in system
    assert "- sql: Rows of a table." in system and json.dumps(PARAMETERS) in system


def test_the_enforced_action_names_the_tools_and_their_arguments() -> None:
    """A tool whose schema cannot stand inside another one takes any object."""
    loop: dict[str, Any] = {"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}}
    llm = Scripted([json.dumps({"answer": "x"})], ENFORCING)
    turn(llm, tools=(SQL, ToolSpec(name="tree", description="", parameters=loop)))
    schema: Any = llm.requests[0].json_schema
    first, second = schema["anyOf"][0]["properties"]["calls"]["items"]["anyOf"]
    assert first["properties"] == {"tool": {"const": "sql"}, "arguments": PARAMETERS}
    assert second["properties"] == {"tool": {"const": "tree"}, "arguments": {"type": "object"}}


@pytest.mark.parametrize("tools", [TOOLS, ()])
def test_earlier_calls_and_results_are_plain_messages_of_an_action(tools: Sequence[ToolSpec]) -> None:
    """Roles alternate, and no message has calls or is a tool's."""
    llm = Scripted(['{"answer": "42"}'], PLAIN)
    turn(llm, (*EARLIER, Message(role="user", content="Go on.")), tools)
    messages = llm.requests[0].messages
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert not any(message.calls or message.call_id for message in messages)
    said, _, action = messages[2].content.partition("\n")
    assert said == "Let me look."
    assert json.loads(action) == {"calls": [CALL, {"tool": "read", "arguments": "{bad"}]}
    assert messages[3].content == "Result of sql:\n[1] 1 row\n\nResult of read:\n[2] not valid\n\nGo on."


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("I would look it up.", Malformed),
        ('{"total": 42}', Malformed),
        ('{"calls": ["sql"]}', Malformed),
        ("[1, 2]", Malformed),
        ('{"calls": []}', EmptyCompletion),
        ('{"answer": ""}', EmptyCompletion),
    ],
)
def test_what_is_no_action_is_asked_for_again(text: str, error: type[CompletionError]) -> None:
    """With what was wrong; no action twice is a typed failure."""
    llm = Scripted([text, json.dumps({"answer": "42"})], PLAIN)
    assert spoken(turn(llm)) == ("42", [])
    assert isinstance(turn(Scripted([text, text], PLAIN)), error)


REFUSING = [
    RequestRefused("HTTP 400: tools are not supported"),
    RequestRefused("HTTP 422: bad request"),
    ModelNotFound("HTTP 404: no endpoints found that support tool use"),
    EndpointRejected("HTTP 403: no"),
]


@pytest.mark.parametrize("refusal", REFUSING)
def test_an_endpoint_that_refuses_tools_is_asked_for_an_action(refusal: AeonError) -> None:
    """Within the same two calls, and from then on at once."""
    action = json.dumps({"calls": [CALL]})
    llm = Scripted([refusal, action, action], NATIVE)
    supervisor = Supervisor(llm)
    first = turn(llm, supervisor=supervisor)
    assert spoken(first) == ("", [WRITTEN]) and isinstance(first, Reply) and first.attempts == 2
    assert spoken(turn(llm, supervisor=supervisor)) == ("", [WRITTEN]) and len(llm.requests) == 3
    assert [bool(request.tools) for request in llm.requests] == [True, False, False]


@pytest.mark.parametrize("refusal", REFUSING)
def test_a_refusal_that_has_nothing_to_do_with_tools_is_not_held_against_them(refusal: AeonError) -> None:
    """The same failure without tools is the failure of the turn, after two calls; the next turn offers tools again."""
    llm = Scripted([refusal, refusal, calling(("read", {}))], NATIVE)
    supervisor = Supervisor(llm)
    assert turn(llm, supervisor=supervisor) is refusal
    assert spoken(turn(llm, supervisor=supervisor)) == ("", [("read", "{}")])
    assert llm.requests[2].tools == TOOLS


def test_a_conversation_with_calls_is_refused_natively_and_told_plainly() -> None:
    """Some endpoints take no calls in a conversation that offers no tools; tools are offered again all the same."""
    llm = Scripted([RequestRefused("tools="), "42", calling(("read", {}))], NATIVE)
    supervisor = Supervisor(llm)
    assert spoken(turn(llm, EARLIER, (), supervisor)) == ("42", [])
    assert not any(message.calls for message in llm.requests[1].messages)
    assert spoken(turn(llm, supervisor=supervisor)) == ("", [("read", "{}")])


@pytest.mark.parametrize("replies", [[RequestRefused("no")], ["", RequestRefused("no")]])
def test_calls_are_never_more_than_the_repairs_allow(replies: list[Scripts]) -> None:
    """Where none is left for an action, the refusal stands; so it does of an endpoint that took the tools before."""
    llm = Scripted([*replies, json.dumps({"answer": "42"})], NATIVE)
    assert isinstance(turn(llm, repairs=len(replies) - 1), RequestRefused)
    assert len(llm.requests) == len(replies)


def test_a_prompt_with_tools_that_are_too_long_is_not_sent() -> None:
    """Tools count like the rest of the prompt."""
    wide = SQL.changed(description="x" * 20_000)
    llm = Scripted([], NATIVE)
    assert isinstance(turn(llm, tools=(wide,)), AllowanceExhausted) and llm.requests == []


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"query": "a"}', {"query": "a"}),
        ("{'query': 'a',}", {"query": "a"}),
        ("", {}),
        (" ", {}),
    ],
)
def test_arguments_are_read_strictly_and_mended_in_their_syntax(written: str, arguments: dict[str, object]) -> None:
    """Punctuation is put right; no arguments are none."""
    assert arguments_of(CallRequest(id="a", name="sql", arguments=written)) == arguments


@pytest.mark.parametrize("written", ["[1]", "select 1", '{"query"}', '{"a": 1, "a": 2}', '{"a": "' + "x" * 10_000_000])
def test_what_is_no_object_of_arguments_is_malformed(written: str) -> None:
    """Nothing is guessed, and 10 MB are not read."""
    with pytest.raises(Malformed):
        arguments_of(CallRequest(id="a", name="sql", arguments=written))
