"""Headers and fields of the body that a user adds to each request, for every adapter that speaks HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from pathlib import Path
from typing import Any

import played_responses
import pytest
from played_endpoint import Endpoint, Step, failure, request, send, stream, whole

from aeon.errors import AeonError, ConfigError, EndpointFailed, FieldRefused
from aeon.llm import probe_records
from aeon.llm.anthropic import Anthropic
from aeon.llm.extras import merged
from aeon.llm.gemini import Gemini
from aeon.llm.listing import only_model
from aeon.llm.local import Local
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.responses import Responses
from aeon.llm.select import select
from aeon.schema.llm import Capabilities

pytestmark = pytest.mark.requirement("P1", "P1b")
SECRET = "tok-9f8e7d6c"
HEADERS = {"Authorization": f"Bearer {SECRET}", "X-Gate": "x y"}
JSON = Capabilities(json_schema=True)

ADAPTERS: dict[str, tuple[Any, Step, str]] = {
    "chat": (OpenAICompatible, whole("hello"), "max_tokens"),
    "responses": (Responses, played_responses.whole(played_responses.message("hello")), "max_output_tokens"),
    "anthropic": (
        Anthropic,
        send(200, {"type": "message", "model": "m", "content": [{"type": "text", "text": "hello"}],
                   "stop_reason": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 3}}),
        "max_tokens",
    ),
    "gemini": (
        Gemini,
        send(200, {"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}],
                   "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3}}),
        "generationConfig.maxOutputTokens",
    ),
}  # fmt: skip

any_adapter = pytest.mark.parametrize("name", ADAPTERS)


def made(name: str, endpoint: Endpoint, **settings: Any) -> Any:
    return ADAPTERS[name][0](endpoint.model, endpoint.base_url, "key", **{"capabilities": JSON, **settings})


def ask(adapter: Any, **changes: Any) -> Any:
    return asyncio.run(adapter.complete(request(**changes)))


@any_adapter
def test_headers_and_body_go_with_each_request(endpoint: Endpoint, name: str) -> None:
    """A header replaces one of the same name, and objects are merged, so that what Aeon sets stays."""
    endpoint.play(ADAPTERS[name][1])
    body = {"provider": {"order": ["x"]}, "generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}
    assert ask(made(name, endpoint, headers=HEADERS, body=body)).text == "hello"
    sent, head = endpoint.bodies[0], endpoint.headers[0]
    assert (head["authorization"], head["x-gate"]) == (f"Bearer {SECRET}", "x y")
    assert sent["provider"] == {"order": ["x"]} and sent["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}
    if name == "gemini":
        assert sent["generationConfig"]["maxOutputTokens"] == 512 and sent["generationConfig"]["temperature"] == 0


@any_adapter
def test_what_the_user_sets_goes_before_what_was_left_out(endpoint: Endpoint, name: str) -> None:
    """A null leaves a field out of every request."""
    field = {"generationConfig": {"temperature": None}} if name == "gemini" else {"temperature": None}
    endpoint.play(ADAPTERS[name][1])
    ask(made(name, endpoint, body=field))
    assert "temperature" not in json.dumps(endpoint.bodies[0])


@any_adapter
@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_field_of_the_user_that_is_refused_is_not_left_out(endpoint: Endpoint, name: str, status: int) -> None:
    """The call ends with the endpoint's words, at once and for good, in one line that says what to change."""
    endpoint.play(failure(status, "Unknown parameter: 'reasoning_effort'."), ADAPTERS[name][1])
    with pytest.raises(FieldRefused, match=r"refuses reasoning_effort, .*AEON_BODY.* Unknown parameter") as caught:
        ask(made(name, endpoint, body={"reasoning_effort": "low"}))
    assert caught.value.fatal and "\n" not in str(caught.value) and len(endpoint.bodies) == 1


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"temperature": 0.7}, {"error": {"message": "no", "param": "temperature"}}),
        ({"text": {"verbosity": "low"}}, {"error": {"message": "no", "param": "text.verbosity"}}),
        ({"reasoning": {"effort": "x"}}, {"error": {"message": "no", "param": "reasoning.effort"}}),
        ({"provider": {"order": [1]}}, {"detail": [{"loc": ["body", "provider", "order", 0], "msg": "no"}]}),
        ({"text": {"verbosity": "low"}}, {"error": {"message": "verbosity is not supported"}}),
    ],
)
def test_a_refusal_is_held_against_the_field_that_it_names(
    endpoint: Endpoint, body: dict[str, Any], refusal: dict[str, Any]
) -> None:
    """By name, inside another field, by place or in words, and also where Aeon would leave a field of its own out."""
    endpoint.play(send(400, refusal))
    with pytest.raises(FieldRefused):
        ask(made("responses", endpoint, body=body), json_schema={"type": "object", "properties": {}})
    assert len(endpoint.bodies) == 1


def test_a_refusal_of_another_field_is_dealt_with_as_ever(endpoint: Endpoint) -> None:
    """A field that Aeon sets is left out, also where the words mention one of the user's."""
    endpoint.play(failure(400, "temperature is not supported with reasoning_effort"), ADAPTERS["chat"][1])
    assert ask(made("chat", endpoint, body={"reasoning_effort": "low"})).text == "hello"
    assert ["temperature" in body for body in endpoint.bodies] == [True, False]
    assert [body["reasoning_effort"] for body in endpoint.bodies] == ["low", "low"]


def test_a_refused_field_ends_the_probing_too(endpoint: Endpoint) -> None:
    """It is not taken for something that the endpoint cannot do, and nothing is kept of it."""
    endpoint.play(failure(400, "Unknown parameter: 'reasoning_effort'."))
    with pytest.raises(FieldRefused):
        asyncio.run(made("chat", endpoint, body={"reasoning_effort": "low"}, capabilities=None).capabilities())
    assert not (Path(os.environ["AEON_HOME"]) / "probes").exists()


@any_adapter
def test_what_aeon_decides_is_not_the_users(endpoint: Endpoint, name: str) -> None:
    """Each reserved field is refused in one line, however it is spelt, and so is an object that would replace it."""
    for field in ADAPTERS[name][0].reserved:
        path = field.split(".")
        spelt = [path, [part.title() for part in path], *([path[:1]] if len(path) > 1 else [])]
        for names in spelt:
            body: Any = 1
            for part in reversed(names):
                body = {part: body}
            with pytest.raises(ConfigError, match=f"may not set {path[0]}.*, which Aeon decides") as caught:
                made(name, endpoint, body=body)
            assert "\n" not in str(caught.value)
    assert ADAPTERS[name][2] in ADAPTERS[name][0].reserved


@any_adapter
@pytest.mark.parametrize("body", [[1], "x", {"a": float("nan")}, {"a": object()}, {1: {2}}])
def test_a_body_that_is_no_json_object_is_refused(endpoint: Endpoint, name: str, body: Any) -> None:
    """In one line."""
    with pytest.raises(ConfigError, match=r"the extra body .* write a JSON object"):
        made(name, endpoint, body=body)


@any_adapter
@pytest.mark.parametrize(
    ("headers", "text"),
    [
        ({"": SECRET}, "the name of header 1"),
        ({"A": "b", f"a: {SECRET}": "b"}, "the name of header 2"),
        ({"Content-Length": SECRET}, "may not set Content-Length"),
        ({"host": SECRET}, "may not set host"),
        ({"Transfer-Encoding": SECRET}, "may not set Transfer-Encoding"),
        ({"X-A": f"{SECRET}\r\nX-B: 1"}, "the value of X-A"),
        ({"X-A": f" {SECRET}"}, "the value of X-A"),
        ({"X-A": f"{SECRET}é"}, "the value of X-A"),
        ({"X-A": [SECRET]}, "the value of X-A"),
        ([SECRET], "an object of names and values"),
    ],
)
def test_headers_that_cannot_be_are_refused(endpoint: Endpoint, name: str, headers: Any, text: str) -> None:
    """In one line, which repeats no value."""
    with pytest.raises(ConfigError, match=text) as caught:
        made(name, endpoint, headers=headers)
    assert SECRET not in str(caught.value) and "\n" not in str(caught.value)


@any_adapter
def test_values_of_headers_are_told_to_nobody(endpoint: Endpoint, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither by errors that repeat what the endpoint says, nor by what is shown, logged or kept on disk."""
    caplog.set_level(logging.DEBUG)
    said = f"bad token {SECRET} in Bearer {SECRET}, behind x y"
    late = send(200, {"type": "error", "error": {"message": said}})
    for step in (failure(500, said), failure(400, said), failure(401, said), late):
        endpoint.play(step)
        adapter = made(name, endpoint, headers={"Authorization": f"Bearer {SECRET}", "X-Gate": "behind x y"}, retries=0)
        with pytest.raises(AeonError) as caught:
            ask(adapter)
        told = f"{caught.value} {adapter!r} {adapter.place}"
        assert "***" in str(caught.value) and SECRET not in told and "behind x y" not in told
    assert SECRET not in caplog.text and "x y" not in caplog.text.replace(said, "")
    assert not any(SECRET in path.read_text() for path in Path(os.environ["AEON_HOME"]).rglob("*.json"))


def test_what_is_known_of_an_endpoint_depends_on_the_body(endpoint: Endpoint) -> None:
    """Another body may make another model of it; other headers do not, and nothing of them is kept."""
    endpoint.play(whole("{}"))
    asked, low, high = [], {"reasoning_effort": "low"}, {"reasoning_effort": "high"}
    for settings in ({}, {"headers": HEADERS}, {"body": low}, {"body": high}):
        probe_records._KNOWN.clear()
        asyncio.run(made("chat", endpoint, capabilities=None, **settings).capabilities())
        asked.append(len(endpoint.bodies))
    assert asked[0] == asked[1] < asked[2] < asked[3]
    kept = [path.read_text() for path in (Path(os.environ["AEON_HOME"]) / "probes").iterdir()]
    assert len(kept) == 3 and not any(SECRET in text or "effort" in text for text in kept)


@pytest.mark.parametrize(
    ("body", "patch", "result"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
        ({"a": {"b": 1}}, {"a": None}, {}),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}),
        ({"a": 1}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
    ],
)
def test_a_body_is_merged_as_json_merge_patch_says(body: Any, patch: Any, result: Any) -> None:
    """RFC 7396: objects are merged, null removes, anything else replaces."""
    assert merged(body, patch) == result


@pytest.mark.parametrize("prefix", ["", "responses:m@", "anthropic:m@", "gemini:m@"])
def test_the_environment_sets_both_for_every_endpoint(endpoint: Endpoint, prefix: str) -> None:
    """The same settings as in Python."""
    name = {"": "chat"}.get(prefix, prefix.partition(":")[0])
    endpoint.play(ADAPTERS[name][1])
    environ = {"AEON_HEADERS": json.dumps(HEADERS), "AEON_BODY": '{"provider": {"order": ["x"]}}'}
    adapter = select(f"{prefix}{endpoint.base_url}" if prefix else f"{endpoint.base_url}#m", environ=environ)
    assert ask(adapter).text == "hello"
    assert endpoint.headers[-1]["authorization"] == f"Bearer {SECRET}"
    assert endpoint.bodies[-1]["provider"] == {"order": ["x"]}


def test_a_gateway_gets_the_headers_with_every_question(endpoint: Endpoint) -> None:
    """Also where it is asked which model it serves."""
    endpoint.pages["/v1/models"] = send(200, {"data": [{"id": "only"}]})
    assert select(endpoint.base_url, environ={"AEON_HEADERS": json.dumps(HEADERS)}).name == "only"
    assert endpoint.headers[0]["x-gate"] == "x y"
    endpoint.pages["/v1/models"] = failure(500, f"no {SECRET}")
    with pytest.raises(EndpointFailed) as caught:
        only_model(endpoint.base_url, None, HEADERS)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("variable", ["AEON_HEADERS", "AEON_BODY"])
@pytest.mark.parametrize("written", ["{", "[]", "7", '"x"', f'{{"a": "{SECRET}"', "nonsense", "[" * 100_000])
@pytest.mark.parametrize("model", ["http://127.0.0.1:9/v1#m", "responses:m@http://127.0.0.1:9/v1"])
def test_a_setting_that_is_no_json_object_is_one_line(variable: str, written: str, model: str) -> None:
    """It names the variable and repeats nothing of its value."""
    with pytest.raises(ConfigError, match=f"{variable} is no") as caught:
        select(model, environ={variable: written})
    assert SECRET not in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 120


def test_the_local_model_takes_neither(tmp_path: Path) -> None:
    """It is no endpoint of others, so that nothing is to be added for one."""
    (tmp_path / "mine.gguf").touch()
    environ = {"AEON_HEADERS": json.dumps(HEADERS), "AEON_BODY": '{"max_tokens": 1}'}
    assert isinstance(select(str(tmp_path / "mine.gguf"), environ=environ), Local)


def test_a_stream_takes_them_as_well(endpoint: Endpoint) -> None:
    """The stream itself is not the user's to switch."""
    endpoint.play(stream({"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}))
    assert ask(made("chat", endpoint, body={"top_k": 1})).text == "hi"
    assert endpoint.bodies[0]["top_k"] == 1 and endpoint.bodies[0]["stream"] is True
