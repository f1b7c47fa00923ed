"""Aeon as an MCP server, asked by the SDK's own client: over HTTP and standard streams, in both kinds of protocol."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cli.played_model import served as played_model
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from aeon.assembly.runs import replay
from aeon.runtime.journal import Journal
from aeon.server.tokens import Tokens
from tests.second import agreeing

from .conftest import PRICE, PRICES, QUOTED, TASK, WORDS_TASK, Gated
from .mcp_hosts import EITHER, MODES, Host, Start, asked, calling, over_stdio, saying


@pytest.mark.requirement("E7d")
@pytest.mark.parametrize("mode", MODES)
def test_a_task_is_run_with_progress_and_a_result_that_fits_its_schema(host: Host, mode: str) -> None:
    """The answer, its value, why it ended and the bound; what it does is told on the way; the journal replays."""
    told: list[tuple[float, str]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message or ""))

    result = asked(host.url, lambda c: c.call_tool("run", {"task": TASK}, progress_callback=note), mode)
    data = result.structured_content
    assert not result.is_error and data["state"] == "ended" and data["stop_reason"] == "converged"
    assert "40.8" in data["answer"] == result.content[0].text
    assert 0 < data["calls"] <= data["most_calls"] and 0 < data["tokens"] <= data["most_tokens"]
    assert [number for number, _ in told] == [*range(1, len(told) + 1)] and len(told) >= 3
    assert replay(Journal.read(host.folder / f"{data['run']}.jsonl")).answer == data["answer"]


@pytest.mark.requirement("E7d")
def test_the_tools_say_what_there_is(start: Start, tmp_path: Path) -> None:
    """Engines and collections are the choices; every result has a schema; nothing asks for a path."""
    (tmp_path / "shop").mkdir()
    tools = {
        one.name: one for one in asked(start(folders={"shop": tmp_path / "shop"}).url, lambda c: c.list_tools()).tools
    }
    assert [*tools] == ["run", "research", "answer", "verify"]
    properties = tools["run"].input_schema["properties"]
    assert "shorten" in properties["engine"]["enum"] and properties["files"]["items"]["enum"] == ["shop"]
    assert all(tool.output_schema and tool.output_schema["type"] == "object" for tool in tools.values())
    assert tools["verify"].annotations.read_only_hint and str(tmp_path) not in str(tools)


@pytest.mark.requirement("E7d")
def test_an_answer_from_files_is_proved_and_its_proof_verified(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sources are asked for by the name of a collection; the proof verifies; a changed one does not."""
    monkeypatch.delenv("AEON_THOROUGH")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prices.txt").write_text(PRICES)
    url = start(agreeing(QUOTED * 9), folders={"shop": tmp_path / "shop"}).url

    async def both(client: Client) -> tuple[Any, Any, Any]:
        ran = await client.call_tool("run", {"task": PRICE, "files": ["shop"], "proof": True})
        proof = ran.structured_content["proof"]
        good = await client.call_tool("verify", {"proof": proof})
        return ran, good, await client.call_tool("verify", {"proof": proof.replace("300.4", "301.4", 1)})

    ran, good, bad = asked(url, both)
    assert "300.4" in ran.structured_content["answer"]
    assert [one["title"] for one in ran.structured_content["sources"]] == ["prices.txt"]
    assert good.structured_content["verified"] and good.structured_content["checked"]
    assert not bad.structured_content["verified"] and bad.structured_content["problems"]


@pytest.mark.requirement("E7d")
def test_research_answers_from_a_collection(start: Start, tmp_path: Path) -> None:
    """A question is researched with the model of the server, and the run is one of the research engine."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prices.txt").write_text(PRICES)
    url = start(folders={"shop": tmp_path / "shop"}).url
    result = asked(url, calling("research", question=PRICE, files=["shop"], tier="simple"))
    assert result.structured_content["engine"].startswith("research/") and result.structured_content["answer"]


@pytest.mark.requirement("E7e")
@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_asks_is_answered_by_the_person_at_the_client(host: Host, mode: str) -> None:
    """The question reaches them in the way of each protocol, and the run goes on with what they say."""
    questions, answer = saying("front")
    ask = calling("run", task=EITHER, engine="shorten")
    data = asked(host.url, ask, mode, elicitation_callback=answer).structured_content
    assert (questions, data["state"], data["answer"]) == (["Which end?"], "ended", "please now")


@pytest.mark.requirement("E7e")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("there", [True, False])
def test_where_nobody_answers_the_run_waits_and_is_answered_later(host: Host, mode: str, there: bool) -> None:
    """A client without forms, or a person who declines, gets the question; the tool answer continues the run."""
    options = {"elicitation_callback": saying("-")[1]} if there else {}

    async def later(client: Client) -> tuple[Any, Any]:
        waits = (await client.call_tool("run", {"task": EITHER, "engine": "shorten"})).structured_content
        return waits, (await client.call_tool("answer", {"run": waits["run"], "answer": "1"})).structured_content

    waits, ended = asked(host.url, later, mode, **options)
    assert (waits["state"], waits["question"]["text"]) == ("waiting", "Which end?")
    assert waits["question"]["options"] == ["front", "back"]
    assert (ended["run"], ended["state"], ended["answer"]) == (waits["run"], "ended", "please now")


@pytest.mark.requirement("E7e")
def test_a_run_that_waits_is_answered_after_a_restart(start: Start) -> None:
    """Its journal is all that it takes."""
    first = start()
    waits = asked(first.url, calling("run", task=EITHER, engine="shorten")).structured_content
    ended = asked(start().url, calling("answer", run=waits["run"], answer="front")).structured_content
    assert (ended["run"], ended["answer"]) == (waits["run"], "please now")


@pytest.mark.requirement("E7e")
def test_the_state_of_a_question_cannot_be_forged(host: Host) -> None:
    """What a client sends back of a question is sealed: another run's id is refused."""
    url = host.url

    async def forged(client: Client) -> Any:
        arguments = {"task": EITHER, "engine": "shorten"}
        first = await client.session.call_tool("run", arguments, allow_input_required=True)
        answers = {"answer": ElicitResult(action="accept", content={"answer": "front"})}
        with pytest.raises(MCPError, match="Invalid or expired"):
            await client.session.call_tool(
                "run", arguments, input_responses=answers, request_state="0" * 32, allow_input_required=True
            )
        return await client.session.call_tool(
            "run", arguments, input_responses=answers, request_state=first.request_state
        )

    assert asked(url, forged, elicitation_callback=saying()[1]).structured_content["answer"] == "please now"


@pytest.mark.requirement("E7e")
@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_is_cancelled_interrupts_its_run(start: Start, mode: str) -> None:
    """The run ends at its next boundary, and its journal says so."""
    model = Gated()
    host = start(model)

    async def cancelled(client: Client) -> None:
        task = asyncio.create_task(client.call_tool("run", {"task": TASK}))
        while not model.waiting:
            await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        while not ended():
            await asyncio.sleep(0.01)

    def ended() -> bool:
        (path,) = host.folder.glob("*.jsonl")
        return Journal.read(path).ended is not None

    asked(host.url, cancelled, mode)
    (path,) = host.folder.glob("*.jsonl")
    assert replay(Journal.read(path)).stop_reason == "interrupted" and not model.waiting


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("run", {}, "task"),
    ("run", {"task": ""}, "task"),
    ("run", {"task": TASK, "files": ["/etc"]}, "there is no collection '/etc'"),
    ("run", {"task": TASK, "engine": "none"}, "engine 'none' is not installed"),
    ("run", {"task": TASK, "path": "/etc"}, "path: is no field"),
    ("run", {"task": TASK, "budget": {"calls": 0}}, "budget.calls"),
    ("run", {"task": TASK, "answer_schema": {"type": "what"}}, "schema"),
    ("research", {"question": "x", "tier": "most"}, "tier"),
    ("answer", {"run": "../../etc/passwd", "answer": "x"}, "no such run"),
    ("answer", {"run": "0" * 32, "answer": "x"}, "no such run"),
)


@pytest.mark.requirement("E7f")
def test_wrong_arguments_are_a_result_that_says_what_is_wrong(host: Host) -> None:
    """Each is one line, without a trace or a path, and the server goes on; what is no proof is not verified."""

    async def work(client: Client) -> None:
        for name, arguments, words in WRONG:
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            assert result.is_error and words in text, (name, arguments, text)
            assert "\n" not in text and "Traceback" not in text and "/tmp/" not in text
        assert not (await client.call_tool("verify", {"proof": "{}"})).structured_content["verified"]

    asked(host.url, work)


@pytest.mark.requirement("E7f")
def test_an_unknown_tool_and_a_run_that_was_answered_are_refused(host: Host) -> None:
    """An unknown name is an error of the protocol; a run that waits for nothing takes no answer."""

    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="there is no tool"):
            await client.call_tool("delete", {})
        ran = (await client.call_tool("run", {"task": WORDS_TASK, "engine": "shorten"})).structured_content
        late = await client.call_tool("answer", {"run": ran["run"], "answer": "front"})
        assert late.is_error and "waits for no answer" in late.content[0].text

    asked(host.url, work)


@pytest.mark.requirement("E7f")
def test_other_hosts_pages_and_strangers_are_refused(start: Start) -> None:
    """Host, Origin and token are checked before the protocol; a run belongs to the owner of its token."""
    tokens = Tokens(["a-token-of-somebody name=one", "a-token-of-another name=two"], "tokens")
    url = start(tokens=tokens).url
    for headers, status in (
        ({}, 401), ({"authorization": "Bearer wrong-token-wrong"}, 401), ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
    ):  # fmt: skip
        assert httpx2.post(url, json={}, headers=headers).status_code == status

    async def by(token: str, work: Callable[[Client], Awaitable[Any]]) -> Any:
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as one,
        ):
            return await work(one)

    waits = asyncio.run(by("a-token-of-somebody", calling("run", task=EITHER, engine="shorten"))).structured_content
    answer = calling("answer", run=waits["run"], answer="front")
    assert asyncio.run(by("a-token-of-another", answer)).is_error
    assert asyncio.run(by("a-token-of-somebody", answer)).structured_content["answer"] == "please now"


@pytest.mark.requirement("E7d", "E7f")
@pytest.mark.parametrize("mode", MODES)
def test_over_standard_streams_a_task_is_run(tmp_path: Path, mode: str) -> None:
    """The SDK's client starts the command, negotiates each protocol, and gets the answer."""

    async def work(url: str) -> Any:
        async with over_stdio(tmp_path, url, mode) as client:
            assert client.protocol_version == MODES[mode]
            return (await client.call_tool("run", {"task": TASK})).structured_content

    with played_model() as model:
        data = asyncio.run(work(model.url))
    assert "40.8" in data["answer"] and (tmp_path / "runs" / f"{data['run']}.jsonl").is_file()


@pytest.mark.requirement("E7f")
def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    """Garbage gets no words on standard output, a request gets one line, and the end of the input ends the server."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    lines = f"not json\n{json.dumps(first)}\n"
    with played_model() as model:
        env = {**os.environ, "AEON_MODEL": model.url, "AEON_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-m", "aeon.cli.main", "mcp", "serve"],
            input=lines, capture_output=True, text=True, env=env, timeout=60, check=False,
        )  # fmt: skip
    every = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and any(one.get("id") == 1 and "result" in one for one in every)
    assert all(one["jsonrpc"] == "2.0" for one in every) and "Traceback" not in done.stderr


@pytest.mark.requirement("E7f")
def test_over_http_the_command_says_where_it_is_and_ends_in_order(tmp_path: Path) -> None:
    """The address is the only line on standard output; a client is served there; a request to stop ends it."""
    command = [sys.executable, "-m", "aeon.cli.main", "mcp", "serve", "--http", "0"]
    with played_model() as model:
        env = {**os.environ, "AEON_MODEL": model.url, "AEON_HOME": str(tmp_path)}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            tools = asked(url, lambda client: client.list_tools(), "legacy").tools
        finally:
            process.terminate()
            rest, _ = process.communicate(timeout=60)
    assert url.startswith("http://127.0.0.1:") and url.endswith("/mcp") and rest == ""
    assert len(tools) == 4 and process.returncode == 0
