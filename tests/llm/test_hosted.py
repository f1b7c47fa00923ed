"""What the supervisor gets from hosted endpoints with habits of their own, and in how many calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hosted_endpoint import ANSWER, Hosted
from played_endpoint import Endpoint, chunk, failure, request, send, stream
from pydantic import Field, JsonValue, RootModel

from aeon.errors import CompletionError, ConfigError, EndpointRejected, ModelError, RequestRefused
from aeon.llm import probe_records
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.probe import PROBE_CALLS
from aeon.llm.select import select
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.schema.frozen import Frozen
from aeon.schema.llm import Capabilities, LLMResponse, Message, ToolSpec
from aeon.schema.usage import Allowance
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("P1")

T = TypeVar("T")
KEY = "secret-key-123"
PROMPT = Prompt(system="", user="How many?")
ASKED = (Message(role="user", content="How many?"),)
SQL = ToolSpec(
    name="sql", description="Rows.", parameters={"type": "object", "properties": {"query": {"type": "string"}}}
)


class Count(Frozen):
    """An answer with a key that may be left out."""

    unit: str
    count: int = 7
    note: str | None = None


class Counts(Frozen):
    """One that holds others."""

    best: Count = Field(description="the first one")
    others: tuple[Count, ...] = ()


class Anything(RootModel[JsonValue]):
    """Whatever a schema lets through."""


def under(endpoint: Endpoint, work: Callable[[Supervisor], Awaitable[T]], **settings: Any) -> tuple[T, int]:
    """What a supervisor of the endpoint gives in a process that knows nothing of it but by the disk; and the calls."""
    probe_records._KNOWN.clear()
    before = len(endpoint.bodies)

    async def body() -> tuple[T, int]:
        llm = OpenAICompatible(endpoint.model, endpoint.base_url, KEY, **settings)
        with Ledger(Allowance(calls=30)) as ledger:
            value = await work(Supervisor(llm, thought_tokens=4_096))
        assert ledger.spent.calls == len(endpoint.bodies) - before
        return value, ledger.spent.calls

    return asyncio.run(body())


async def everything(supervisor: Supervisor) -> tuple[Count, str, list[str], str]:
    """An object, a text, a turn with tools, and the turn behind it."""
    count = (await supervisor.structured(PROMPT, Count)).value
    text = (await supervisor.text(PROMPT, max_tokens=50)).value
    first = (await supervisor.turn(ASKED, (SQL,), max_tokens=50)).value
    results = tuple(Message(role="tool", content="42", call_id=call.id) for call in first.calls)
    said = Message(role="assistant", content=first.text, calls=first.calls)
    last = (await supervisor.turn((*ASKED, said, *results), (SQL,), max_tokens=50)).value
    return count, text, [f"{first.form} {call.name}" for call in first.calls], last.text


def test_a_reasoning_model_behind_a_strict_api_works_unmeasured(endpoint: Endpoint) -> None:
    """Its thoughts are found in the first probe, and lift every cap; what it refuses is left out from then on."""
    hosted = Hosted(endpoint)
    found, calls = under(endpoint, everything)
    assert found == (Count(unit="word"), ANSWER, ["native sql", "native sql"], ANSWER)
    assert calls <= PROBE_CALLS + 2 + 4  # two fields that no probe sends are refused once
    assert {"max_completion_tokens"} == {key for key in hosted.bodies[-1] if "tokens" in key}
    assert not {"temperature", "seed"} & set(hosted.bodies[-1])


def test_a_second_process_needs_no_probes(endpoint: Endpoint) -> None:
    """Capabilities and habits are on disk, without the key: four answers take four calls."""
    Hosted(endpoint)
    first, _ = under(endpoint, everything)
    second, calls = under(endpoint, everything)
    assert second == first and calls == 4
    (file,) = (Path(os.environ["AEON_HOME"]) / "probes").iterdir()
    assert KEY not in file.read_text() and file.stat().st_mode & 0o077 == 0


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(("thoughts", "calls"), [(1_000, (1, 1)), (8_000, (2, 1)), (30_000, (2, 2))])
def test_a_model_that_thinks_at_length_gets_to_its_answer(
    endpoint: Endpoint, thoughts: int, calls: tuple[int, int]
) -> None:
    """One call more with a larger limit, within what the run's bound counts; a later process asks so at once."""
    hosted = Hosted(endpoint, thoughts=thoughts)
    taken: list[list[int]] = []

    async def text(supervisor: Supervisor) -> str:
        await supervisor.capabilities()
        before, asked = current_ledger().spent, len(hosted.bodies)
        said = (await supervisor.text(PROMPT, max_tokens=50)).value
        spent = current_ledger().spent - before
        assert spent.tokens <= spent.calls * (20_000 + 1_024 + 4_096)
        taken.append([body["max_completion_tokens"] for body in hosted.bodies[asked:] if "seed" not in body])
        return said

    assert {under(endpoint, text)[0], under(endpoint, text)[0]} == {ANSWER}
    for limits, expected in zip(taken, calls, strict=True):
        whole = [limit for limit in limits if limit > thoughts]
        assert len(limits) - len(whole) == expected - 1 and whole


def test_what_cut_off_probes_did_not_show_is_not_remembered(endpoint: Endpoint) -> None:
    """A model that thinks for longer than any probe has room is no endpoint without schemas: it is asked anew."""
    hosted = Hosted(endpoint, thoughts=9_000)

    async def can(supervisor: Supervisor) -> Capabilities:
        return await supervisor.capabilities()

    found, _ = under(endpoint, can)
    assert found.hidden_reasoning and not found.json_schema
    hosted.thoughts = 1_000
    found, _ = under(endpoint, can)
    assert found.hidden_reasoning and found.json_schema and found.tools
    hosted.thoughts = 9_000
    assert under(endpoint, can) == (found, 0)


def test_another_process_finds_what_this_one_kept(endpoint: Endpoint) -> None:
    """A real one: it asks once for its one answer."""
    Hosted(endpoint)
    under(endpoint, everything)
    asked = len(endpoint.bodies)
    script = f"""
import asyncio
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.runtime.ledger import Ledger
from aeon.schema.llm import Message
from aeon.schema.usage import Allowance
from aeon.supervisor.supervisor import Supervisor

async def body():
    supervisor = Supervisor(OpenAICompatible({endpoint.model!r}, {endpoint.base_url!r}), thought_tokens=4_096)
    with Ledger(Allowance(calls=9)):
        print((await supervisor.turn([Message(role="user", content="How many?")], max_tokens=50)).value.text)

asyncio.run(body())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ANSWER and len(endpoint.bodies) == asked + 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "{",
        lambda text: text.replace("true", '"perhaps"').replace("max_completion_tokens", "x" * 9_000_000 + "}"),
        lambda text: json.dumps({**json.loads(text), "version": 2}),
        lambda text: json.dumps({**json.loads(text), "model": "another"}),
        lambda text: json.dumps(
            {**json.loads(text), "probed_at": (datetime.now(UTC) - timedelta(days=30, seconds=1)).isoformat()}
        ),
        lambda text: json.dumps({**json.loads(text), "probed_at": "2999-01-01T00:00:00Z"}),
        lambda text: json.dumps({**json.loads(text), "probed_at": "2026-01-01T00:00:00"}),
        lambda text: json.dumps({**json.loads(text), "told": {"models": ["another"]}}),
    ],
    ids=["cut off", "damaged", "version", "another model", "old", "future", "no zone", "another server"],
)
def test_what_cannot_be_relied_on_is_probed_anew(endpoint: Endpoint, spoil: Callable[[str], str]) -> None:
    """A file that is damaged, too old, or of what the server no longer is costs probes and no run."""
    Hosted(endpoint, thoughts=0)
    under(endpoint, everything)
    (file,) = (Path(os.environ["AEON_HOME"]) / "probes").iterdir()
    file.write_text(spoil(file.read_text()))
    found, calls = under(endpoint, everything)
    assert found[1] == ANSWER and calls > 4
    assert under(endpoint, everything)[1] == 4


def test_where_nothing_can_be_kept_it_works_all_the_same(endpoint: Endpoint, tmp_path: Path) -> None:
    """A cache folder that cannot be made costs probes in each process."""
    (tmp_path / "home").write_text("no folder")
    Hosted(endpoint, thoughts=0)
    assert under(endpoint, everything)[0][1] == ANSWER
    assert under(endpoint, everything)[1] > 4


def test_what_this_process_found_out_serves_all_of_its_adapters(endpoint: Endpoint) -> None:
    """Also at once: a field that is refused is refused once."""
    hosted = Hosted(endpoint, thoughts=0)

    async def twice() -> None:
        for _ in range(2):
            await OpenAICompatible(endpoint.model, endpoint.base_url).complete(request(attempts=9))

    asyncio.run(twice())
    assert len(hosted.bodies) == 5


def test_a_403_that_names_a_field_is_no_rejected_key(endpoint: Endpoint) -> None:
    """Probabilities that a model may not tell are not asked for again; a 403 of another kind is a rejected key."""
    hosted = Hosted(endpoint, thoughts=0)
    llm = OpenAICompatible(endpoint.model, endpoint.base_url)
    can = asyncio.run(llm.capabilities())
    assert can == Capabilities(json_schema=True, json_mode=True, tools=True)
    assert len(hosted.bodies) == PROBE_CALLS
    told = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=Capabilities(logprobs=True))
    asked = request(attempts=9, top_logprobs=2)
    with pytest.raises(RequestRefused, match="HTTP 403"):
        asyncio.run(told.complete(asked))
    assert not asyncio.run(told.capabilities()).logprobs
    assert asyncio.run(told.complete(asked)).text == ANSWER and "logprobs" not in hosted.bodies[-1]
    endpoint.play(failure(403, "You are not allowed to use this project"))
    with pytest.raises(EndpointRejected):
        asyncio.run(told.complete(request()))


FORBIDDEN = "This feature is not enabled for your organization. Contact your administrator."
"""What a 403 may say: a permission for something, and no field."""


def forbidding(*fields: str) -> Callable[..., None]:
    """A model whose API answers with such a 403 where one of these fields is sent, and otherwise as it should."""

    def step(handler: Any, body: dict[str, Any]) -> None:
        if any(name in body for name in fields):
            error = {"message": FORBIDDEN, "type": "permission_error", "param": None, "code": "forbidden"}
            send(403, {"error": error})(handler, body)
            return
        asks = "Answer with one JSON object" in str(body["messages"][-1]["content"])
        text = '{"unit": "words", "count": 42, "note": null}' if asks or "response_format" in body else ANSWER
        stream(chunk(text), chunk(finish="stop"), usage={"prompt_tokens": 50, "completion_tokens": 9})(handler, body)

    return step


@pytest.mark.parametrize(
    "fields", [("seed",), ("temperature", "seed"), ("response_format",), ("logprobs",), ("response_format", "seed")]
)
def test_a_403_that_names_no_field_is_asked_without_what_it_may_mean(
    endpoint: Endpoint, fields: tuple[str, ...]
) -> None:
    """The run goes on without it, the key is not blamed, and what helped is known to other processes, too."""
    endpoint.play(forbidding(*fields))

    async def both(supervisor: Supervisor) -> tuple[Count, str]:
        count = (await supervisor.structured(PROMPT, Count)).value
        return count, (await supervisor.text(PROMPT, max_tokens=50)).value

    for most in (PROBE_CALLS + 4, 2):
        found, calls = under(endpoint, both)
        assert found == (Count(unit="words", count=42), ANSWER) and calls <= most
    assert not {*fields} & endpoint.bodies[-1].keys()


def test_a_form_that_was_allowed_and_is_not_any_more_is_left_out(endpoint: Endpoint) -> None:
    """Where the capabilities were found before; the schema is asked for in words from then on."""
    endpoint.play(forbidding("response_format"))
    can = Capabilities(json_schema=True, json_mode=True)

    async def twice(supervisor: Supervisor) -> list[int]:
        counts: list[int] = []
        for _ in range(2):
            before = current_ledger().spent.calls
            assert (await supervisor.structured(PROMPT, Count)).value == Count(unit="words", count=42)
            counts.append(current_ledger().spent.calls - before)
        return counts

    assert under(endpoint, twice, capabilities=can)[0] == [3, 1]


def test_a_key_that_may_do_nothing_ends_the_run_in_few_calls(endpoint: Endpoint) -> None:
    """The error quotes what the endpoint said; an invalid key, a 401, is asked once."""
    endpoint.play(failure(403, FORBIDDEN))
    with pytest.raises(EndpointRejected, match="This feature is not enabled"):
        under(endpoint, everything)
    assert len(endpoint.bodies) <= PROBE_CALLS
    endpoint.play(failure(401, "no such key"))
    before = len(endpoint.bodies)
    with pytest.raises(EndpointRejected, match="rejected the API key"):
        under(endpoint, everything)
    assert len(endpoint.bodies) == before + 1


def test_an_organization_that_may_not_stream_is_answered_whole(endpoint: Endpoint) -> None:
    """OpenAI names the field ``stream`` there; then one whole reply is asked for."""
    message = "Your organization must be verified to stream this model."

    def step(handler: Any, body: dict[str, Any]) -> None:
        if body.get("stream"):
            error = {"message": message, "type": "invalid_request_error", "param": "stream"}
            send(400, {"error": error})(handler, body)
            return
        choice = {"index": 0, "message": {"content": ANSWER}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 4}
        send(200, {"choices": [choice], "usage": usage})(handler, body)

    endpoint.play(step)
    text, _ = under(endpoint, lambda supervisor: supervisor.text(PROMPT, max_tokens=50))
    assert text.value == ANSWER and "stream" not in endpoint.bodies[-1]


class Names(RootModel[list[str]]):
    """A list at the root."""


@pytest.mark.parametrize("strict", [True, False])
def test_a_list_at_the_root_is_asked_for_within_an_object(endpoint: Endpoint, strict: bool) -> None:
    """Hosted endpoints take no other root, with strict mode or without; the list is taken out of there."""

    def step(handler: Any, body: dict[str, Any]) -> None:
        shape = (body.get("response_format") or {}).get("json_schema")
        root = shape["schema"].get("type") if shape else ""
        if shape and (root != "object" or (shape["strict"] and not strict)):
            said = f"Invalid schema for response_format 'answer': schema must be of 'type: \"object\"', got '{root}'."
            error = {"message": said, "type": "invalid_request_error", "param": "response_format"}
            send(400, {"error": error})(handler, body)
            return
        code = {"code": "zq7"} if "code" in json.dumps(body) else {"answer": ["Ann", "Bo"]}
        usage = {"prompt_tokens": 50, "completion_tokens": 9}
        stream(chunk(json.dumps(code)), chunk(finish="stop"), usage=usage)(handler, body)

    endpoint.play(step)
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    can = Capabilities(json_schema=True, json_mode=True)
    found, calls = under(
        endpoint, lambda supervisor: supervisor.structured(PROMPT, Names, schema=schema), capabilities=can
    )
    assert found.value.root == ["Ann", "Bo"] and calls == (2 if strict else 3)
    assert endpoint.bodies[-1]["response_format"]["json_schema"]["strict"] is strict


@pytest.mark.parametrize("status", [400, 403, 404, 422, 501])
@pytest.mark.parametrize("tools", ["refuses", "mumbles"])
def test_an_endpoint_that_claims_tools_and_rejects_them_gives_actions(
    endpoint: Endpoint, tools: str, status: int
) -> None:
    """Within two calls, with or without a word about tools; from then on none are offered."""
    hosted = Hosted(endpoint, thoughts=0, tools=tools, status=status, picky=False)

    async def turns(supervisor: Supervisor) -> list[tuple[str, int]]:
        taken = [await supervisor.turn(ASKED, (SQL,), max_tokens=50) for _ in range(2)]
        return [(f"{each.value.form} {each.value.text}", each.attempts) for each in taken]

    said, calls = under(endpoint, turns, capabilities=Capabilities(json_mode=True, tools=True), retries=0)
    assert said == [(f"action {ANSWER}", 2), (f"action {ANSWER}", 1)] and calls == 3
    assert ["tools" in body for body in hosted.bodies] == [True, False, False]


def test_refused_fields_are_not_held_against_tools(endpoint: Endpoint) -> None:
    """A request whose attempts are used up by other fields is made again, with tools."""
    hosted = Hosted(endpoint, thoughts=0)
    claims = Capabilities(tools=True)
    taken, calls = under(
        endpoint, lambda supervisor: supervisor.turn(ASKED, (SQL,), max_tokens=50), capabilities=claims
    )
    assert (taken.value.form, len(taken.value.calls), calls) == ("native", 2, 4)
    assert all("tools" in body for body in hosted.bodies)


@pytest.mark.parametrize("tools", ["refuses", "mumbles"])
def test_a_probe_finds_out_who_rejects_tools(endpoint: Endpoint, tools: str) -> None:
    """What the endpoint does counts, not what it says; and the turn is an action at once."""
    hosted = Hosted(endpoint, tools=tools)
    taken, _ = under(endpoint, lambda supervisor: supervisor.turn(ASKED, (SQL,), max_tokens=50))
    assert taken.value.form == "action" and taken.attempts == 1
    assert sum("tools" in body for body in hosted.bodies) == 1


def test_a_tool_that_is_refused_says_nothing_of_the_others(endpoint: Endpoint) -> None:
    """A fault in one schema is that of this request; the next one offers tools again."""
    claims = Capabilities(tools=True)
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=claims)
    fault = {"error": {"message": "Invalid schema for function 'sql'", "param": "tools[0].function.parameters"}}
    endpoint.play(send(400, fault))
    for _ in range(2):
        with pytest.raises(RequestRefused):
            asyncio.run(llm.complete(request(tools=(SQL,))))
    assert len(endpoint.bodies) == 2 and asyncio.run(llm.capabilities()).tools


def test_an_endpoint_that_takes_no_tools_is_not_offered_any_again(endpoint: Endpoint) -> None:
    """The refusal comes without a call, and the capability is gone."""
    claims = Capabilities(tools=True)
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=claims)
    endpoint.play(failure(400, "This model does not support function calling"))
    attempts = []
    for _ in range(2):
        with pytest.raises(RequestRefused) as caught:
            asyncio.run(llm.complete(request(tools=(SQL,))))
        attempts.append(caught.value.attempts)
    assert attempts == [1, 0] and len(endpoint.bodies) == 1
    assert not asyncio.run(llm.capabilities()).tools


def test_schemas_of_every_kind_cost_one_call_each(endpoint: Endpoint) -> None:
    """An endpoint that validates strict schemas refuses one probe, and no schema after it, whatever is in it."""
    hosted = Hosted(endpoint, thoughts=0)
    text: dict[str, Any] = {"type": "string"}
    parts: list[dict[str, Any]] = [
        {**text, "maxLength": 9}, {**text, "format": "uri"}, {"const": "x"}, {"enum": [1, "a", None]},
        {"type": "array", "items": text, "uniqueItems": True}, {"type": "object", "additionalProperties": text},
        {"type": "array"}, {}, {"oneOf": [text, {"type": "integer"}]}, {"allOf": [{"$ref": "#/$defs/P"}]},
        {"$ref": "#/$defs/P", "description": "one"}, {"type": "object", "properties": {"b": text}, "default": {}},
    ]  # fmt: skip
    definitions = {"P": {"type": "object", "properties": {"c": text}}}
    schemas = [{"type": "object", "properties": {"a": part}, "$defs": definitions} for part in parts]

    async def all_of_them(supervisor: Supervisor) -> int:
        await supervisor.capabilities()
        before = len(hosted.bodies)
        for schema in schemas:
            with contextlib.suppress(CompletionError):  # what is not enforced is not always what was asked for
                await supervisor.structured(PROMPT, Anything, schema=schema, repairs=0)
        return len(hosted.bodies) - before

    refused_once = 2  # temperature and seed, which no probe sends
    assert under(endpoint, all_of_them, retries=0)[0] == len(schemas) + refused_once
    assert under(endpoint, all_of_them, retries=0)[0] == len(schemas)


def test_a_pydantic_models_own_schema_is_met(endpoint: Endpoint) -> None:
    """With its definitions, defaults and bounds, as a task may ask for it."""
    hosted = Hosted(endpoint, thoughts=0)
    schema = Counts.model_json_schema()
    assert "$defs" in schema

    async def counted(supervisor: Supervisor) -> Counts:
        return (await supervisor.structured(PROMPT, Counts, schema=schema, repairs=0)).value

    assert under(endpoint, counted)[0] == Counts(best=Count(unit="word"))
    sent = hosted.bodies[-1]["response_format"]["json_schema"]
    assert sent["strict"] and "$defs" not in sent["schema"]


def ask(endpoint: Endpoint, schema: dict[str, Any], **settings: Any) -> tuple[LLMResponse, list[dict[str, Any]]]:
    """The answer to a request with a schema, and the response formats that were asked for."""
    settings.setdefault("capabilities", Capabilities(json_schema=True, json_mode=True))
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, **settings)
    before = len(endpoint.bodies)
    response = asyncio.run(llm.complete(request(json_schema=schema, attempts=9)))
    return response, [body.get("response_format") for body in endpoint.bodies[before:]]


OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}


def test_a_schema_that_strict_mode_cannot_take_is_sent_without_it(endpoint: Endpoint) -> None:
    """An object with any keys has no strict form; the schema goes as it is, and is not enforced so strictly."""
    Hosted(endpoint, thoughts=0)
    _, shapes = ask(endpoint, OPEN)
    assert (shapes[-1]["json_schema"]["strict"], shapes[-1]["json_schema"]["schema"]) == (False, OPEN)


def test_where_no_schema_is_taken_it_stands_in_the_prompt(endpoint: Endpoint) -> None:
    """Any object is asked for, then, and the word JSON and the schema are in the prompt; the next time at once."""
    hosted = Hosted(endpoint, thoughts=0)
    taken = hosted.step

    def no_schemas(handler: Any, body: dict[str, Any]) -> None:
        if (body.get("response_format") or {}).get("type") == "json_schema":
            failure(400, "response_format: json_schema is not supported here")(handler, body)
        else:
            taken(handler, body)

    endpoint.play(no_schemas)
    llm = OpenAICompatible(
        endpoint.model, endpoint.base_url, capabilities=Capabilities(json_schema=True, json_mode=True)
    )
    asked = request(json_schema=OPEN, attempts=9)
    response = asyncio.run(llm.complete(asked))
    assert response.text == '{"answer": "It is 42."}'
    assert endpoint.bodies[-1]["response_format"] == {"type": "json_object"}
    said = endpoint.bodies[-1]["messages"][-1]["content"]
    assert "JSON" in said and json.dumps(OPEN, separators=(",", ":")) in said
    assert asyncio.run(llm.complete(asked)).usage.calls == 1


def test_a_limit_that_is_too_high_is_not_taken_for_another_name(endpoint: Endpoint) -> None:
    """Both names are refused then, and the next request is sent as it always was."""
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=Capabilities())
    endpoint.play(
        failure(400, "max_tokens is too large: 9000"), failure(400, "max_completion_tokens is too large: 9000")
    )
    with pytest.raises(RequestRefused):
        asyncio.run(llm.complete(request(max_tokens=9_000)))
    Hosted(endpoint, thoughts=0).thoughts = 0
    endpoint.play(send(200, {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": None}))
    with pytest.raises(ModelError):
        asyncio.run(llm.complete(request()))
    assert "max_tokens" in endpoint.bodies[-1]


def test_a_prompt_that_is_too_long_teaches_nothing(endpoint: Endpoint) -> None:
    """Its refusal names the limit of tokens only by the way."""
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=Capabilities())
    endpoint.play(failure(400, "This model's maximum context length is 4096 tokens; lower max_tokens or the prompt"))
    with pytest.raises(RequestRefused, match="longer than the context"):
        asyncio.run(llm.complete(request()))
    assert len(endpoint.bodies) == 1


def test_a_fault_is_found_by_its_place(endpoint: Endpoint) -> None:
    """As web frameworks report it, with the whole request quoted beside it."""
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=Capabilities())
    detail = [{"loc": ["body", "seed"], "msg": "extra fields not permitted", "input": {"max_tokens": 1}}]
    endpoint.play(send(422, {"detail": detail}), failure(500))
    with pytest.raises(ModelError):
        asyncio.run(llm.complete(request(attempts=2)))
    assert "seed" not in endpoint.bodies[1] and "max_tokens" in endpoint.bodies[1]


@pytest.mark.parametrize(("written", "seconds"), [("", 60.0), ("90", 90.0), ("0.5", 0.5)])
def test_the_wait_for_the_next_token_is_a_setting(endpoint: Endpoint, written: str, seconds: float) -> None:
    """In seconds; without it, it is a minute."""
    llm = select(f"{endpoint.base_url}#m", environ={"AEON_IDLE_TIMEOUT": written})
    assert isinstance(llm, OpenAICompatible) and llm._idle_timeout == seconds


@pytest.mark.parametrize("written", ["0", "-1", "soon", "nan", "inf", "1e9"])
def test_a_wait_that_is_none_is_refused(endpoint: Endpoint, written: str) -> None:
    """In one line that names the variable."""
    with pytest.raises(ConfigError, match="AEON_IDLE_TIMEOUT: write a number of seconds"):
        select(f"{endpoint.base_url}#m", environ={"AEON_IDLE_TIMEOUT": written})
