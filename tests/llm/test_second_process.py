"""What a second process asks an endpoint that an earlier one has probed: nothing but its own question."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hosted_endpoint import Hosted
from played_endpoint import Endpoint, chunk, send, stream

from aeon.llm.profiles import Profile, Told, save
from aeon.llm.responses import Responses
from aeon.schema.llm import Capabilities

pytestmark = [pytest.mark.requirement("P1", "P3b")]
PROGRAM = """
import asyncio, sys
from aeon.llm.select import select
from aeon.schema.llm import LLMRequest, Message

async def body():
    llm = select(sys.argv[1])
    await llm.capabilities()
    asked = Message(role="user", content="How many? Answer in JSON.")
    await llm.complete(LLMRequest(messages=(asked,), max_tokens=4_000, json_mode=True))
    await llm.aclose()

asyncio.run(body())
"""


def calls(endpoint: Endpoint, spec: str = "") -> int:
    """How often a process of its own calls the model for what the endpoint can do and one answer."""
    before = len(endpoint.bodies)
    subprocess.run([sys.executable, "-c", PROGRAM, spec or f"{endpoint.base_url}#{endpoint.model}"], check=True)
    return len(endpoint.bodies) - before


def lists(endpoint: Endpoint, *models: str) -> None:
    """Have the endpoint list these models, which only their ids say anything of."""
    endpoint.pages["/v1/models"] = send(200, {"data": [{"id": name} for name in models]})


@pytest.mark.parametrize("listed", [True, False])
def test_the_second_process_asks_its_question_alone(endpoint: Endpoint, listed: bool) -> None:
    """Whether the endpoint lists its models or not: three processes, one set of probes."""
    Hosted(endpoint)
    if listed:
        lists(endpoint, endpoint.model)
    assert calls(endpoint) > 1
    assert [calls(endpoint), calls(endpoint)] == [1, 1]


def test_models_beside_this_one_may_come_and_go(endpoint: Endpoint) -> None:
    """A hosted endpoint lists hundreds, and others every day: what was found out about this one holds."""
    Hosted(endpoint)
    lists(endpoint, endpoint.model, "one")
    calls(endpoint)
    lists(endpoint, "another", endpoint.model, "two")
    assert calls(endpoint) == 1


def test_where_the_model_is_gone_from_the_list_it_is_probed_anew(endpoint: Endpoint) -> None:
    """The server lists another model under the same address: what was found out is of no use."""
    Hosted(endpoint)
    lists(endpoint, endpoint.model)
    calls(endpoint)
    lists(endpoint, "another")
    assert calls(endpoint) > 1


def test_another_name_in_the_answers_of_an_endpoint_without_a_list_is_another_model(endpoint: Endpoint) -> None:
    """Its answers are the only ones to say which model it serves: the process after the change probes."""

    def named(name: str) -> None:
        says = {**chunk('{"answer": 42}'), "model": name}
        endpoint.play(stream(says, {**chunk(finish="stop"), "model": name}))

    named("first")
    calls(endpoint)
    assert calls(endpoint) == 1
    named("second")
    assert calls(endpoint) == 1
    assert calls(endpoint) > 1 and calls(endpoint) == 1


def test_another_body_is_another_endpoint(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user adds to each request may change what the endpoint does; each body is probed once."""
    Hosted(endpoint)
    calls(endpoint)
    monkeypatch.setenv("AEON_BODY", '{"reasoning": {"effort": "low"}}')
    assert calls(endpoint) > 1 and calls(endpoint) == 1


def test_a_measured_endpoint_without_a_list_is_asked_for_its_name_once(endpoint: Endpoint) -> None:
    """After ``aeon doctor`` one token tells which model answers there, once and not in every process."""
    Hosted(endpoint, thoughts=0, picky=False)
    can = Capabilities(json_mode=True, measured=True)
    save(
        Profile(
            endpoint=endpoint.base_url, model=endpoint.model, measured_at="2026-11-21T08:00:00+00:00", told=Told(),
            answered_as="real", capabilities=can,
        )
    )  # fmt: skip
    assert [calls(endpoint), calls(endpoint)] == [2, 1]


def test_the_other_protocol_at_the_same_address_has_probes_of_its_own() -> None:
    """What chat completions can do says nothing of the Responses API."""
    by = Responses("m", "http://127.0.0.1:9/v1", None)
    assert by.place != "http://127.0.0.1:9/v1" and by.place.startswith("http://127.0.0.1:9/v1")
