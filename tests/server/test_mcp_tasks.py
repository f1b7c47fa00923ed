"""Tasks of the MCP server: calls that are worked on while nobody waits, in both revisions and over both transports."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import httpx2
import pytest
from anyio import ClosedResourceError
from cli.played_model import served as played_model
from mcp import Client, MCPError
from mcp.client import ClaimContext, ClientExtension, ResultClaim, advertise
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, GetTaskRequestParams, Request, Result
from pydantic import TypeAdapter

from aeon.assembly.runs import replay
from aeon.runtime.journal import Journal
from aeon.server.mcp import task_methods, tasks
from aeon.server.mcp.shapes import Asked
from aeon.server.mcp.tasks import TaskState
from aeon.server.problems import Problem
from aeon.server.tokens import Tokens
from aeon.tools.mcp.approvals import Approvals
from aeon.tools.mcp.servers import Servers
from aeon.tools.registry import ToolRegistry

from .conftest import TASK, WORDS_TASK, Gated
from .mcp_hosts import EITHER, EXTENSION, MODES, Host, Start, TaskClient, asked, calling, over_stdio, saying

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
RELATED = "io.modelcontextprotocol/related-task"


def tasking(url: str, work: Callable[[TaskClient], Awaitable[Any]], mode: str = "auto", **options: Any) -> Any:
    """What somebody does with a client that declares tasks."""
    return asked(url, lambda client: work(TaskClient(client)), mode, extensions=[advertise(EXTENSION)], **options)


async def waiting(model: Gated) -> None:
    """Wait until the model is asked."""
    while not model.waiting:
        await asyncio.sleep(0.01)


def journal_of(host: Host) -> Journal:
    """The journal of the only run."""
    (path,) = host.folder.glob("*.jsonl")
    return Journal.read(path)


class GetTask(Request[GetTaskRequestParams, Literal["tasks/get"]]):
    """As a client asks for a task, with the header that names it."""

    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class Created(Result):
    """The task that answers a call."""

    result_type: Literal["task"] = "task"
    task_id: str


class Polling(ClientExtension):
    """The extension in the SDK's own client: a call that is answered with a task is finished by asking for it."""

    identifier = EXTENSION

    def __init__(self) -> None:
        self.polls = 0

    def claims(self) -> list[ResultClaim[Created]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self._finished)]

    async def _finished(self, created: Created, context: ClaimContext) -> CallToolResult:
        any_result: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
        while True:
            self.polls += 1
            request = GetTask(params=GetTaskRequestParams(task_id=created.task_id))
            task = await context.session.send_request(request, any_result)
            if task["status"] == "completed":
                return CallToolResult.model_validate(task["result"])
            await asyncio.sleep(0.02)


@pytest.mark.requirement("E7h")
def test_the_client_of_the_sdk_gets_the_result_of_a_task_as_that_of_a_call(host: Host) -> None:
    """Its extension polls, and the call gives what it gives without tasks; what takes no time is no task."""
    extension = Polling()
    ran = asked(host.url, calling("run", task=TASK), extensions=[extension])
    plain = asked(host.url, calling("run", task=TASK))
    assert extension.polls and "40.8" in ran.structured_content["answer"]
    assert {**ran.structured_content, "run": ""} == {**plain.structured_content, "run": ""}
    before = extension.polls
    asked(host.url, calling("verify", proof="{}"), extensions=[extension])
    assert extension.polls == before


@pytest.mark.requirement("E7h")
@pytest.mark.parametrize("mode", MODES)
def test_a_call_is_answered_with_a_task_at_once_and_its_result_is_asked_for(start: Start, mode: str) -> None:
    """While the model does not answer there is a task that works; what the run does is its message; then the result."""
    model = Gated()
    url = start(model).url

    async def work(client: TaskClient) -> Any:
        first = await client.begin("run", task=TASK)
        await waiting(model)
        during = await client.get(first["taskId"])
        model.gate.set()
        result = await client.result(first["taskId"])
        return first, during, await client.get(first["taskId"]), result

    first, during, last, result = tasking(url, work, mode)
    assert first["status"] == during["status"] == "working" and last["status"] == "completed"
    assert re.fullmatch("[0-9a-f]{32}", first["taskId"]) and during["statusMessage"]
    assert during["createdAt"] == first["createdAt"] and TIME.fullmatch(last["lastUpdatedAt"])
    modern = mode == "auto"
    assert first["ttlMs" if modern else "ttl"] == 86_400_000 and first["pollIntervalMs" if modern else "pollInterval"]
    assert "40.8" in result["structuredContent"]["answer"] and not result.get("isError")
    assert modern or result["_meta"][RELATED] == {"taskId": first["taskId"]}


@pytest.mark.requirement("E7h")
@pytest.mark.parametrize("mode", MODES)
def test_over_standard_streams_a_task_is_asked_for(tmp_path: Path, mode: str) -> None:
    """The same there, in a process of its own; the next process knows its result, too, and where it can, lists it."""

    async def work(url: str) -> Any:
        async with over_stdio(tmp_path, url, mode, extensions=[advertise(EXTENSION)]) as client:
            name = (await TaskClient(client).begin("run", task=TASK))["taskId"]
            result = await TaskClient(client).result(name)
        async with over_stdio(tmp_path, url, mode, extensions=[advertise(EXTENSION)]) as client:
            again = TaskClient(client)
            assert await again.result(name) == result
            listed = [] if again.modern else (await again.send("tasks/list"))["tasks"]
            return name, result["structuredContent"], [entry["taskId"] for entry in listed]

    with played_model() as model:
        name, data, listed = asyncio.run(work(model.url))
    assert "40.8" in data["answer"] and (tmp_path / "runs" / f"{data['run']}.jsonl").is_file()
    assert listed == ([] if mode == "auto" else [name])


@pytest.mark.requirement("E7h")
def test_tasks_are_declared_in_the_way_of_each_revision(host: Host) -> None:
    """An extension from 2026-07-28 on; before, a capability, and what each tool says of itself."""

    async def declared(client: Client) -> Any:
        tools = {tool.name: tool.execution for tool in (await client.list_tools()).tools}
        return client.server_capabilities, tools

    now, _ = asked(host.url, declared)
    then, tools = asked(host.url, declared, "legacy")
    assert now.extensions == {EXTENSION: {}} and now.tasks is None
    assert then.tasks.cancel is not None and then.tasks.requests.tools.call is not None and not then.extensions
    assert {name for name, one in tools.items() if one and one.task_support == "optional"} == {
        "run", "research", "answer",
    }  # fmt: skip


@pytest.mark.requirement("E7h")
def test_who_does_not_declare_tasks_gets_none_and_methods_belong_to_their_revision(host: Host) -> None:
    """Such a client gets the result itself; its requests name what it lacks; other methods are not found."""

    async def undeclared(client: Client) -> None:
        assert (await client.call_tool("run", {"task": TASK})).structured_content["state"] == "ended"
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            with pytest.raises(MCPError) as raised:
                await TaskClient(client).send(method, taskId="0" * 32, inputResponses={})
            assert raised.value.code == -32021
            assert raised.value.data == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}

    async def elsewhere(client: TaskClient) -> None:
        for method in ("tasks/list", "tasks/result") if client.modern else ("tasks/list", "tasks/update"):
            with pytest.raises(MCPError) as raised:
                await client.send(method, taskId="0" * 32, inputResponses={})
            assert raised.value.code == -32601, method
        if not client.modern:
            with pytest.raises(MCPError, match="not worked on as a task") as raised:
                await client.begin("verify", proof="{}")
            assert raised.value.code == -32601

    asked(host.url, undeclared)
    for mode in MODES:
        tasking(host.url, elsewhere, mode)


@pytest.mark.requirement("E7h")
@pytest.mark.parametrize("mode", MODES)
def test_what_is_wrong_with_a_call_is_the_result_of_its_task(host: Host, mode: str) -> None:
    """In 2025-11-25 such a task has failed; in the extension it is completed, with a result that says so."""

    async def work(client: TaskClient) -> None:
        task = await client.begin("run", task=TASK, files=["/etc"])
        assert (await client.until(task["taskId"]))["status"] == ("completed" if client.modern else "failed")
        result = await client.result(task["taskId"])
        assert result["isError"] and "there is no collection '/etc'" in result["content"][0]["text"]

    tasking(host.url, work, mode)


@pytest.mark.requirement("E7i")
@pytest.mark.parametrize("mode", MODES)
def test_a_task_that_is_cancelled_interrupts_its_run_and_stays_cancelled(start: Start, mode: str) -> None:
    """The journal says so; once more is refused in 2025-11-25, and changes nothing in the extension."""
    model = Gated()
    host = start(model)

    async def work(client: TaskClient) -> None:
        name = (await client.begin("run", task=TASK))["taskId"]
        await waiting(model)
        answer = await client.send("tasks/cancel", taskId=name)
        assert client.modern or answer["status"] == "cancelled"
        assert (await client.get(name))["status"] == "cancelled"
        while journal_of(host).ended is None:
            await asyncio.sleep(0.01)
        if client.modern:
            await client.send("tasks/cancel", taskId=name)
        else:
            for method, code in (("tasks/cancel", -32602), ("tasks/result", -32800)):
                with pytest.raises(MCPError) as raised:
                    await client.send(method, taskId=name)
                assert raised.value.code == code
        assert (await client.get(name))["status"] == "cancelled"

    tasking(host.url, work, mode)
    assert replay(journal_of(host)).stop_reason == "interrupted" and not model.waiting


@pytest.mark.requirement("E7i")
@pytest.mark.parametrize("mode", MODES)
def test_a_task_goes_on_without_its_client_and_is_known_after_a_restart(start: Start, mode: str) -> None:
    """Another connection gets the result, and so does one to the next server over the same runs, once it has ended."""
    model = Gated()
    first = start(model)
    name = tasking(first.url, lambda client: client.begin("run", task=TASK), mode)["taskId"]
    other = start()
    with pytest.raises((MCPError, ExceptionGroup)) as raised:
        tasking(other.url, lambda client: client.get(name), mode)
    assert raised.group_contains(MCPError, match="no such task") or "no such task" in str(raised.value)
    other.stop()
    model.gate.set()
    result = tasking(first.url, lambda client: client.result(name), mode)
    first.stop()
    again = start()
    assert tasking(again.url, lambda client: client.result(name), mode) == result
    assert "40.8" in result["structuredContent"]["answer"]


@pytest.mark.requirement("E7i")
def test_a_server_that_stops_ends_its_tasks(start: Start) -> None:
    """Runs under way are interrupted, one that asks waits, one in the queue is not begun; each is told later."""
    model = Gated()
    first = start(model)

    async def begun(client: TaskClient) -> list[str]:
        model.gate.set()
        asks = (await client.begin("run", task=EITHER, engine="shorten"))["taskId"]
        await client.until(asks, "input_required")
        model.gate.clear()
        names = [(await client.begin("run", task=TASK))["taskId"] for _ in range(2)]
        while model.waiting < 2:
            await asyncio.sleep(0.01)
        return [asks, *names, (await client.begin("run", task=TASK))["taskId"]]

    names = tasking(first.url, begun, elicitation_callback=saying()[1])
    first.stop()
    again = start()

    async def told(client: TaskClient) -> list[Any]:
        return [await client.result(name) for name in names]

    asks, one, two, queued = tasking(again.url, told)
    assert asks["structuredContent"]["state"] == "waiting"
    assert {one["structuredContent"]["stop_reason"], two["structuredContent"]["stop_reason"]} == {"interrupted"}
    assert queued["isError"] and "the server is ending" in queued["content"][0]["text"]
    run = asks["structuredContent"]["run"]
    assert asked(again.url, calling("answer", run=run, answer="front")).structured_content["answer"] == "please now"


@pytest.mark.requirement("E7i")
def test_a_task_belongs_to_its_token(start: Start) -> None:
    """Another token gets the error of an unknown task, and no entry of a list; without tokens nothing is listed."""
    url = start(tokens=Tokens(["a-token-of-somebody name=one", "a-token-of-another name=two"], "tokens")).url

    async def by(token: str, mode: str, work: Callable[[TaskClient], Awaitable[Any]]) -> Any:
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
            Client(
                streamable_http_client(url, http_client=http), mode=mode, extensions=[advertise(EXTENSION)]
            ) as client,
        ):
            return await work(TaskClient(client))

    async def foreign(client: TaskClient) -> None:
        methods = ("tasks/update",) if client.modern else ("tasks/result",)
        for method in ("tasks/get", "tasks/cancel", *methods):
            with pytest.raises(MCPError, match="no such task") as raised:
                await client.send(method, taskId=name, inputResponses={})
            assert raised.value.code == -32602
        assert client.modern or (await client.send("tasks/list"))["tasks"] == []

    async def own(client: TaskClient) -> None:
        await client.until(name)
        if not client.modern:
            assert [one["taskId"] for one in (await client.send("tasks/list"))["tasks"]] == [name]
            with pytest.raises(MCPError, match="no such cursor"):
                await client.send("tasks/list", cursor="x")

    for mode in MODES:
        task = asyncio.run(by("a-token-of-somebody", mode, lambda one: one.begin("run", task=TASK)))
        name = task["taskId"]
        asyncio.run(by("a-token-of-another", mode, foreign))
        asyncio.run(by("a-token-of-somebody", "auto", own))
        asyncio.run(by("a-token-of-another", mode, foreign))
    assert len(asyncio.run(by("a-token-of-somebody", "legacy", lambda one: one.send("tasks/list")))["tasks"]) == 2


@pytest.mark.requirement("E7i")
@pytest.mark.parametrize("mode", MODES)
def test_a_task_is_forgotten_after_its_time_and_a_torn_file_is_no_task(start: Start, mode: str) -> None:
    """The time that a client asks for is kept within bounds; then its id is as unknown as any, and its file goes."""
    host = start()
    now = [1_000_000.0]

    async def work(client: TaskClient) -> None:
        host.work.tasks.clock = lambda: now[0]
        times = {60_000: 600_000, 3_600_000: 3_600_000, 10**12: 86_400_000} if not client.modern else {None: 86_400_000}
        for wanted, kept in times.items():
            task = await client.begin("run", wanted, task=WORDS_TASK, engine="shorten")
            assert task["ttlMs" if client.modern else "ttl"] == kept
            await client.result(task["taskId"])
            now[0] += kept / 1000 - 1
            assert (await client.get(task["taskId"]))["status"] == "completed"
            now[0] += 1
            for name in (task["taskId"], "0" * 32, "", "../x", "*", "x" * 10_000):
                with pytest.raises(MCPError, match="there is no such task, or its time is over") as raised:
                    await client.get(name)
                assert raised.value.code == -32602
        task = await client.begin("run", task=WORDS_TASK, engine="shorten")
        await client.until(task["taskId"])
        (file,) = (host.folder / "tasks").glob(f"*-{task['taskId']}.json")
        file.write_text(file.read_text()[:100])
        with pytest.raises(MCPError, match="no such task"):
            await client.get(task["taskId"])

    tasking(host.url, work, mode)


@pytest.mark.requirement("E7i")
@pytest.mark.parametrize("mode", MODES)
def test_that_a_task_has_ended_is_told_when_it_is_kept(start: Start, mode: str) -> None:
    """Were it told before, a server that is killed in between would not know the task that it said was done."""
    host = start()
    begun, go = threading.Event(), threading.Event()

    async def work(client: TaskClient) -> None:
        write = host.work.tasks._write

        def slow(owner: str, state: TaskState) -> None:
            begun.set()
            assert go.wait(60)
            write(owner, state)

        host.work.tasks._write = slow  # type: ignore[method-assign]  # as a disk that is slow
        task = await client.begin("run", task=WORDS_TASK, engine="shorten")
        assert await asyncio.to_thread(begun.wait, 60)
        told = asyncio.ensure_future(client.get(task["taskId"]))
        await asyncio.sleep(0.2)
        assert not told.done() and not [*(host.folder / "tasks").glob("*.json")]
        go.set()
        assert (await told)["status"] == "completed"
        assert len([*(host.folder / "tasks").glob(f"*-{task['taskId']}.json")]) == 1

    tasking(host.url, work, mode)


@pytest.mark.requirement("E7i")
@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_takes_longer_than_its_task_was_to_be_kept_is_still_told(start: Start, mode: str) -> None:
    """It is kept for ten minutes after its end, and says so."""
    model = Gated()
    host = start(model)
    now = [1_000_000.0]

    async def work(client: TaskClient) -> dict[str, Any]:
        host.work.tasks.clock = lambda: now[0]
        task = await client.begin("run", 600_000, task=TASK)
        await waiting(model)
        now[0] += 100_000
        assert (await client.get(task["taskId"]))["status"] == "working"
        model.gate.set()
        return await client.until(task["taskId"])

    ended = tasking(host.url, work, mode)
    assert (ended["status"], ended["ttlMs" if mode == "auto" else "ttl"]) == ("completed", 100_600_000)


@pytest.mark.requirement("E7i")
@pytest.mark.parametrize("mode", MODES)
def test_tasks_are_bounded_in_number(start: Start, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many that have not ended are refused until one has; of those that have ended the latest are kept."""
    monkeypatch.setattr(tasks, "_MOST_OPEN", 3)
    monkeypatch.setattr(tasks, "_MOST_ENDED", 2)
    model = Gated()
    url = start(model).url

    async def work(client: TaskClient) -> None:
        names = [(await client.begin("run", task=TASK))["taskId"] for _ in range(3)]
        with pytest.raises(MCPError, match="3 tasks have not ended: wait for one, or cancel one"):
            await client.begin("run", task=TASK)
        await client.send("tasks/cancel", taskId=names[2])
        names.append((await client.begin("run", task=TASK))["taskId"])
        model.gate.set()
        for name in (names[0], names[1], names[3]):
            await client.until(name)
        last = (await client.begin("run", task=TASK))["taskId"]
        await client.until(last)
        known = 0
        for name in names:
            try:
                known += (await client.get(name))["status"] != "working"
            except MCPError as error:
                assert "no such task" in error.message
        assert known == 2

    tasking(url, work, mode)


async def worked(task: tasks.UnderWay) -> tasks.Outcome:
    """Work that is done at once."""
    return tasks.Outcome({"said": task.state.id})


@pytest.mark.requirement("E7i")
def test_the_latest_that_ended_are_kept_however_long_the_others_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is kept for ten minutes is not pushed out by older ones that are kept for a day."""
    monkeypatch.setattr(tasks, "_MOST_ENDED", 2)
    all_of = tasks.Tasks(lambda owner: tmp_path / owner)

    async def ended(ttl: int | None) -> str:
        name = (await all_of.begin("", ttl, worked)).id
        await all_of.settle(5)
        return name

    async def done() -> None:
        first, second, short = await ended(None), await ended(None), await ended(600_000)
        await ended(None)  # the oldest two are one too many before it, and then one more
        assert (await all_of.state("", short)).status == "completed"
        await all_of.of("")
        assert (await all_of.state("", short)).status == "completed"
        for name in (first, second):
            with pytest.raises(Problem, match="no such task"):
                await all_of.state("", name)

    asyncio.run(done())


@pytest.mark.requirement("E7i")
def test_where_no_file_can_be_written_tasks_that_ended_hold_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stay in memory, the latest of them, until their time is over."""
    monkeypatch.setattr(tasks, "_MOST_OPEN", 2)
    monkeypatch.setattr(tasks, "_MOST_ENDED", 3)
    (tmp_path / "file").write_text("no folder")
    now = [1_000_000.0]
    all_of = tasks.Tasks(lambda owner: tmp_path / "file" / owner, lambda: now[0])

    async def done() -> None:
        names = []
        for _ in range(6):
            now[0] += 1
            names.append((await all_of.begin("", None, worked)).id)
            await all_of.settle(5)
        assert [(await all_of.state("", name)).status for name in names[-4:]] == ["completed"] * 4
        with pytest.raises(Problem, match="no such task"):
            await all_of.state("", names[0])
        now[0] += 100_000
        await all_of.begin("", None, worked)
        assert len(await all_of.of("")) == 1
        await all_of.settle(5)

    asyncio.run(done())


@pytest.mark.requirement("E7i")
def test_a_task_whose_work_breaks_has_failed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Else who asks for it would wait for ever; what broke is in the log, not in the answer."""
    all_of = tasks.Tasks(lambda owner: tmp_path / owner)

    async def breaks(task: tasks.UnderWay) -> tasks.Outcome:
        raise RuntimeError("secret")

    async def done() -> tasks.TaskState:
        name = (await all_of.begin("", None, breaks)).id
        await all_of.settle(5)
        return await all_of.state("", name)

    state = asyncio.run(done())
    assert state.status == "failed" and state.error is not None and "secret" not in str(state.error)
    assert "a task failed" in caplog.text


@pytest.mark.requirement("E7j")
def test_a_client_that_can_show_no_form_waits_and_declines_nothing(host: Host) -> None:
    """The one that the task is of may still answer."""

    async def both() -> tuple[dict[str, Any], dict[str, Any]]:
        async with (
            Client(host.url, mode="legacy", elicitation_callback=saying("front")[1]) as one,
            Client(host.url, mode="legacy") as formless,
        ):
            name = (await TaskClient(one).begin("run", task=EITHER, engine="shorten"))["taskId"]
            while (await TaskClient(one).get(name))["status"] != "input_required":
                await asyncio.sleep(0.01)
            waits = asyncio.create_task(TaskClient(formless).send("tasks/result", taskId=name))
            await asyncio.sleep(0.3)
            assert (await TaskClient(one).get(name))["status"] == "input_required"
            answered = await TaskClient(one).send("tasks/result", taskId=name)
            return answered, await asyncio.wait_for(waits, 10)

    first, second = asyncio.run(both())
    assert first == second and first["structuredContent"]["answer"] == "please now"


@pytest.mark.requirement("E7j")
@pytest.mark.parametrize(("said", "state"), [("front", "ended"), ("-", "waiting")])
def test_in_the_extension_a_question_is_answered_by_an_update(host: Host, said: str, state: str) -> None:
    """The key is the question's alone; other keys are ignored, what is no form is refused; who declines ends it."""

    async def work(client: TaskClient) -> Any:
        name = (await client.begin("run", task=EITHER, engine="shorten"))["taskId"]
        asks = await client.until(name, "input_required")
        ((key, request),) = asks["inputRequests"].items()
        assert asks["status"] == "input_required" and request["method"] == "elicitation/create"
        assert request["params"]["message"] == "Which end?" == asks["statusMessage"]
        assert "front, back" in request["params"]["requestedSchema"]["properties"]["answer"]["description"]
        declines = {"action": "decline"}
        await client.send("tasks/update", taskId=name, inputResponses={"other": declines})
        with pytest.raises(MCPError, match="no result of a form"):
            await client.send("tasks/update", taskId=name, inputResponses={key: {"action": "shrug"}})
        assert (await client.get(name))["status"] == "input_required"
        answer = {"action": "accept", "content": {"answer": said}} if said != "-" else declines
        assert "status" not in await client.send("tasks/update", taskId=name, inputResponses={key: answer})
        await client.send("tasks/update", taskId=name, inputResponses={key: declines})
        return (await client.result(name))["structuredContent"]

    data = tasking(host.url, work, elicitation_callback=saying()[1])
    assert data["state"] == state and (state == "waiting" or data["answer"] == "please now")
    if state == "waiting":
        later = asked(host.url, calling("answer", run=data["run"], answer="front")).structured_content
        assert later["answer"] == "please now"


@pytest.mark.requirement("E7j")
@pytest.mark.parametrize(("said", "state"), [("front", "ended"), ("-", "waiting")])
def test_before_it_a_question_is_put_while_the_result_is_waited_for(host: Host, said: str, state: str) -> None:
    """It names its task; nobody is asked before; the result follows the answer."""
    questions, answer = saying(said)
    metas: list[Any] = []

    async def noted(context: Any, params: Any) -> Any:
        metas.append(params.meta)
        return await answer(context, params)

    async def work(client: TaskClient) -> Any:
        name = (await client.begin("run", task=EITHER, engine="shorten"))["taskId"]
        assert (await client.until(name, "input_required"))["status"] == "input_required" and not questions
        result = await client.send("tasks/result", taskId=name)
        assert [meta[RELATED] for meta in metas] == [{"taskId": name}]
        return result["structuredContent"]

    data = tasking(host.url, work, "legacy", elicitation_callback=noted)
    assert (questions, data["state"]) == (["Which end?"], state)


@pytest.mark.requirement("E7j")
def test_a_question_whose_client_left_is_put_to_the_one_that_comes_back(host: Host) -> None:
    """Who was asked first never answers, and waits in vain; the next to wait for the result is asked too."""
    unanswered = asyncio.Event()

    async def silent(context: Any, params: Any) -> Any:
        unanswered.set()
        await asyncio.sleep(600)

    async def left(client: TaskClient) -> str:
        name = str((await client.begin("run", task=EITHER, engine="shorten"))["taskId"])
        waits = asyncio.create_task(client.send("tasks/result", taskId=name))
        await unanswered.wait()
        waits.cancel()
        return name

    name = tasking(host.url, left, "legacy", elicitation_callback=silent)
    questions, answer = saying("front")
    result = tasking(
        host.url, lambda client: client.send("tasks/result", taskId=name), "legacy", elicitation_callback=answer
    )
    assert questions == ["Which end?"] and result["structuredContent"]["answer"] == "please now"


@pytest.mark.requirement("E7j")
def test_who_waits_for_the_result_of_a_task_gets_it_whoever_answers(host: Host) -> None:
    """One person leaves the form open, and another answers it: both clients have the result."""
    shown = asyncio.Event()

    async def silent(context: Any, params: Any) -> Any:
        shown.set()
        await asyncio.sleep(600)

    async def both() -> list[dict[str, Any]]:
        async with (
            Client(host.url, mode="legacy", elicitation_callback=silent) as one,
            Client(host.url, mode="legacy", elicitation_callback=saying("front")[1]) as two,
        ):
            name = (await TaskClient(one).begin("run", task=EITHER, engine="shorten"))["taskId"]
            waits = asyncio.create_task(TaskClient(one).send("tasks/result", taskId=name))
            await shown.wait()
            answered = await TaskClient(two).send("tasks/result", taskId=name)
            return [answered, await asyncio.wait_for(waits, 10)]

    first, second = asyncio.run(both())
    assert first == second and first["structuredContent"]["answer"] == "please now"


@pytest.mark.requirement("E7j")
@pytest.mark.parametrize("mode", MODES)
def test_where_nobody_can_be_asked_the_task_ends_with_the_question(host: Host, mode: str) -> None:
    """The tool answer continues its run, as a task of its own."""

    async def work(client: TaskClient) -> Any:
        first = await client.begin("run", task=EITHER, engine="shorten")
        waits = (await client.result(first["taskId"]))["structuredContent"]
        second = await client.begin("answer", run=waits["run"], answer="1")
        return first["taskId"], second["taskId"], waits, (await client.result(second["taskId"]))["structuredContent"]

    one, two, waits, ended = tasking(host.url, work, mode)
    assert one != two and waits["state"] == "waiting" and waits["question"]["text"] == "Which end?"
    assert (ended["run"], ended["answer"]) == (waits["run"], "please now")


@pytest.mark.requirement("E7j")
@pytest.mark.parametrize("mode", MODES)
def test_a_question_that_nobody_answers_in_time_ends_its_task(
    start: Start, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run waits on disk; its task says so from then on."""
    monkeypatch.setattr(tasks, "_LONGEST_MS", 200)
    host = start()

    async def work(client: TaskClient) -> Any:
        name = (await client.begin("run", task=EITHER, engine="shorten"))["taskId"]
        return (await client.result(name))["structuredContent"]

    assert tasking(host.url, work, mode, elicitation_callback=saying()[1])["state"] == "waiting"


@pytest.mark.requirement("E7i")
def test_a_server_that_stops_lets_no_task_ask_any_more() -> None:
    """What a run asks after that is declined at once: nobody will be there to answer."""
    asks = Asked(text="Which end?", options=("front", "back"), default="")

    async def answers() -> tuple[str | None, str | None]:
        task = tasks.UnderWay("", 600_000, lambda: 0.0)
        asking = asyncio.create_task(task.ask(asks))
        await asyncio.sleep(0)
        assert task.state.status == "input_required"
        task.decline()
        return await asking, await asyncio.wait_for(task.ask(asks), 1)

    assert asyncio.run(answers()) == (None, None)


@pytest.mark.requirement("E7k")
def test_aeon_follows_the_tasks_of_aeon(start: Start, tmp_path: Path) -> None:
    """A tool of a run that is a run of another server: the server makes a task of it, and the value is the result's."""
    host = start()
    with Servers.open([f"t={host.url}"], 20.0, Approvals(tmp_path / "approved.json")) as servers:
        value: Any = asyncio.run(ToolRegistry(servers.tools).call("t_run", {"task": TASK})).value
    assert "40.8" in value["answer"] and len([*(host.folder / "tasks").iterdir()]) == 1


@pytest.mark.requirement("E7j")
def test_a_client_that_is_gone_while_it_is_asked_is_asked_once() -> None:
    """Its connection is closed in its own way: whoever waits there waits on, until another one answers."""
    asked_of: list[object] = []

    async def gone(*args: object, **options: object) -> None:
        asked_of.append(args)
        raise ClosedResourceError

    able = SimpleNamespace(elicitation=SimpleNamespace(form=None, url=None))
    context: Any = SimpleNamespace(session=SimpleNamespace(client_capabilities=able, send_request=gone), request_id=1)

    async def answers() -> str | None:
        task = tasks.UnderWay("", 600_000, lambda: 0.0)
        asking = asyncio.create_task(task.ask(Asked(text="Which end?", options=(), default="")))
        await asyncio.sleep(0)
        waits = asyncio.create_task(task_methods._answered(context, task))
        await asyncio.sleep(0.05)
        assert not waits.done() and len(asked_of) == 1
        task.answer(task.state.key, "front")
        await asyncio.wait_for(waits, 5)
        return await asking

    assert asyncio.run(answers()) == "front" and len(asked_of) == 1
