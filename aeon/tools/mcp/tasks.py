"""Calls that a server answers with a task: it is asked for until it has ended, and cancelled when nobody waits.

What is asked of a task is asked again where no answer came, if need be in a new conversation: nothing happens twice.

From 2026-07-28 on, tasks are an extension that a client declares (SEP-2663); a server then decides which calls it
answers with one. In 2025-11-25 a tool says that it is called as a task, and the call asks for it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Annotated, Any, Literal, Self

import anyio
from mcp import Client, ClientSession, MCPError
from mcp.client import ClientExtension, Transport, advertise
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CancelTaskRequestParams,
    GetTaskPayloadRequestParams,
    GetTaskRequestParams,
    InputRequiredResult,
    JSONRPCResponse,
    Request,
    TaskStatus,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.mcp.listing import Listed
from aeon.tools.mcp.web import FORGOTTEN

__all__ = [
    "UNANSWERED", "Again", "Answer", "TaskFailed", "TaskLost", "answered", "asks_for_task", "cancelled", "declared",
    "readable",
]  # fmt: skip

UNANSWERED = (CONNECTION_CLOSED, REQUEST_TIMEOUT, PARSE_ERROR)
"""The errors that stand for an answer that never came."""

Again = Callable[[ClientSession, MCPError], Awaitable[ClientSession | None]]
"""Gives a conversation to go on with after an error in one: the same, or a new one; ``None`` where there is none yet.

Raises the error where there never will be one.
"""

Answer = CallToolResult | InputRequiredResult
_EXTENSION = "io.modelcontextprotocol/tasks"
_CARRIED = "aeon/created-task"
_HANDSHAKE = "2025-11-25"
_POLL_MS = 1_000.0
_LEAST_POLL, _MOST_POLL = 0.1, 5.0
_CANCEL_SECONDS = 2.0
_PAUSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each further try to ask where no answer came."""
_LONGEST_ID = 1_000
_RAW: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)


class TaskLost(Exception):
    """A task of which nobody can say what it did, in words that say why."""


class TaskFailed(Exception):
    """A task that ended with a failure, in words that say why."""


class _State(BaseModel):
    """A task as a server tells it, in either revision; ``poll`` is milliseconds."""

    model_config = ConfigDict(extra="ignore", strict=True)
    id: Annotated[str, Field(alias="taskId", min_length=1, max_length=_LONGEST_ID)]
    status: TaskStatus
    poll: Annotated[
        float | None, Field(validation_alias=AliasChoices("pollIntervalMs", "pollInterval"), allow_inf_nan=False)
    ] = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class _GetTask(Request[GetTaskRequestParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class _GetResult(Request[GetTaskPayloadRequestParams, Literal["tasks/result"]]):
    method: Literal["tasks/result"] = "tasks/result"
    name_param = "taskId"


class _CancelTask(Request[CancelTaskRequestParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    name_param = "taskId"


def declared() -> ClientExtension:
    """The extension, as a client declares it to a server."""
    return advertise(_EXTENSION)


def asks_for_task(client: Client, tool: Listed) -> bool:
    """Whether a tool is called as a task because it says so; from 2026-07-28 on, the server decides."""
    able = client.server_capabilities.tasks
    calls = able.requests.tools if able is not None and able.requests is not None else None
    possible = client.protocol_version == _HANDSHAKE and calls is not None and calls.call is not None
    return tool.needs_task and possible


async def answered(session: ClientSession, params: CallToolRequestParams, under_way: set[str], again: Again) -> Answer:
    """What a call comes to: its answer, or the result of the task that answers it, as soon as that has ended.

    ``under_way`` has the id of the task while it is waited for. If that is broken off, the task is cancelled, unless
    somebody took the id out before, to cancel it. ``again`` is how a conversation is taken up that broke off.

    Raises:
        TaskFailed: the task failed, or asks back.
        TaskLost: what the server says of the task is none, or of another task; or the task was cancelled.
        MCPError: the server answers with an error, or is gone.
        ValidationError: the answer is no result of a tool.
    """
    raw = await session.send_request(CallToolRequest(params=params), _RAW)
    modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS
    created = (raw if raw.get("resultType") == "task" else None) if modern else _carried(raw)
    if created is None:
        return _ANSWER.validate_python(raw, by_name=False)
    task = _read(created)
    under_way.add(task.id)
    try:
        return await _followed(_Asking(session, again), task, under_way)
    finally:
        under_way.discard(task.id)


async def cancelled(session: ClientSession, names: Iterable[str]) -> None:
    """Tell the server that nobody waits for these tasks any more; whether it hears it is its own affair."""

    async def one(name: str) -> None:
        with suppress(MCPError, ValidationError):
            await session.send_request(_CancelTask(params=CancelTaskRequestParams(task_id=name)), _RAW)

    with anyio.move_on_after(_CANCEL_SECONDS, shield=True):
        async with anyio.create_task_group() as group:
            for name in tuple(names):
                group.start_soon(one, name)


@asynccontextmanager
async def readable(transport: Transport) -> AsyncGenerator[Any]:
    """The streams of a transport, in which a task of 2025-11-25 stands in the ``_meta`` of a result without content.

    The SDK takes each result of a call for that of a tool, and refuses one that is a task.
    """
    async with transport as (incoming, outgoing):
        yield _Readable(incoming), outgoing


class _Readable:
    """A stream of messages, handed on."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - of a type that the SDK keeps to itself
        self._stream = stream

    @property
    def last_context(self) -> object:
        """The context in which the last message was sent, if the stream knows it."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        return _with_task(await self._stream.receive())

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return _with_task(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        suppressed: bool | None = await self._stream.__aexit__(kind, error, trace)
        return suppressed


def _with_task(item: SessionMessage | Exception) -> SessionMessage | Exception:
    if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCResponse):
        result = item.message.result
        if isinstance(result.get("task"), dict) and "content" not in result:
            carrying = {"content": [], "_meta": {_CARRIED: result["task"]}}
            return replace(item, message=item.message.model_copy(update={"result": carrying}))
    return item


def _carried(raw: JsonObject) -> JsonValue:
    meta = raw.get("_meta")
    return meta.get(_CARRIED) if isinstance(meta, dict) else None


class _Asking:
    """Asks for a task: a few times where no answer comes, since what is only asked for may be asked for again."""

    def __init__(self, session: ClientSession, again: Again) -> None:
        self.session = session
        self._again = again

    async def ask(self, request: Request[Any, Any]) -> JsonObject:
        """What the server answers. Raises ``MCPError`` with its error, or with that of the last try."""
        problem: MCPError | None = None
        for pause in (0.0, *_PAUSES):
            if problem is not None:
                await anyio.sleep(pause)
                session = await self._again(self.session, problem)
                if session is None:
                    continue
                self.session = session
            try:
                return await self.ask_once(request)
            except MCPError as error:
                if error.code not in (*UNANSWERED, FORGOTTEN, INTERNAL_ERROR):
                    raise
                problem = error
        assert problem is not None
        raise problem

    async def ask_once(self, request: Request[Any, Any]) -> JsonObject:
        """The same, in one try."""
        answer: JsonObject = await self.session.send_request(request, _RAW)
        return answer


async def _followed(asking: _Asking, task: _State, under_way: set[str]) -> CallToolResult:
    """What a task comes to; where that is not waited for to the end, it is cancelled, once."""
    try:
        while task.status == "working":
            seconds = (_POLL_MS if task.poll is None else task.poll) / 1000
            await anyio.sleep(min(max(seconds, _LEAST_POLL), _MOST_POLL))
            task = await _now(asking, task.id)
        return await _outcome(asking, task)
    except BaseException:
        if task.status in ("working", "input_required") and task.id in under_way:
            under_way.remove(task.id)
            with anyio.move_on_after(_CANCEL_SECONDS, shield=True), suppress(MCPError, ValidationError):
                await asking.ask(_CancelTask(params=CancelTaskRequestParams(task_id=task.id)))
        raise


async def _now(asking: _Asking, name: str) -> _State:
    try:
        raw = await asking.ask(_GetTask(params=GetTaskRequestParams(task_id=name)))
    except MCPError as error:
        if error.code in UNANSWERED:
            raise
        raise TaskLost(f"it does not tell of its task: {one_line(error.message, 200)}") from None
    state = _read(raw)
    if state.id != name:
        raise TaskLost("it tells of another task than it was asked for")
    return state


async def _outcome(asking: _Asking, task: _State) -> CallToolResult:
    """The result of a task that has ended. In 2025-11-25 also one that asks: who waits is asked, and declines."""
    if task.status == "cancelled":
        raise TaskLost("its task was cancelled")
    if asking.session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return CallToolResult.model_validate(await _result(asking, task), by_name=False)
    if task.status == "input_required":
        raise TaskFailed("it asks back during a call, which is not passed on")
    if task.status == "failed":
        message = (task.error or {}).get("message")
        raise TaskFailed(one_line(message, 300) if isinstance(message, str) and message else "it does not say why")
    return CallToolResult.model_validate(task.result, by_name=False)


async def _result(asking: _Asking, task: _State) -> JsonObject:
    """What ``tasks/result`` gives. That of a task that was completed must be there; another may have failed so."""
    ask = asking.ask_once if task.status == "failed" else asking.ask
    try:
        return await ask(_GetResult(params=GetTaskPayloadRequestParams(task_id=task.id)))
    except MCPError as error:
        if task.status != "completed" or error.code in UNANSWERED:
            raise
        raise TaskLost(f"it has lost the result of its task: {one_line(error.message, 200)}") from None


def _read(raw: object) -> _State:
    try:
        return _State.model_validate(raw)
    except ValidationError:
        raise TaskLost("what it says of a task is none") from None
