"""Tasks as the protocol has them: an extension from 2026-07-28 on, a part of the revision 2025-11-25, nothing before.

From 2026-07-28 on a client that declares the extension gets a task for each call that can be one, and a question is
answered by ``tasks/update``. In 2025-11-25 the call asks for its task, and a question is put while ``tasks/result``
is waited for. Sources: the specification of the extension (SEP-2663), and that of 2025-11-25, "Tasks".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    CancelTaskRequestParams,
    ElicitResult,
    GetTaskPayloadRequestParams,
    GetTaskRequestParams,
    PaginatedRequestParams,
    RequestParams,
    ServerCapabilities,
    ServerTasksCapability,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, JsonValue, ValidationError

from aeon.schema import JsonObject
from aeon.server.mcp.asking import can_be_asked, request_of, said
from aeon.server.mcp.tasks import Outcome, Tasks, TaskState, UnderWay
from aeon.server.problems import Problem
from aeon.text import one_line

__all__ = ["EXTENSION", "TaskMethods", "TaskServer", "wants_task"]

EXTENSION = "io.modelcontextprotocol/tasks"
"""The identifier of the extension."""
_HANDSHAKE = "2025-11-25"
_RELATED = "io.modelcontextprotocol/related-task"
_CREATED = "aeon/created-task"
_CANCELLED = -32800
_POLL_MS = 2_000
_Context = ServerRequestContext[Any, Any]
P = TypeVar("P", bound=BaseModel)


class _UpdateTaskParams(RequestParams):
    """What ``tasks/update`` takes: answers to questions by their keys."""

    task_id: str
    input_responses: dict[str, JsonValue]


def wants_task(context: _Context, params: CallToolRequestParams, able: bool) -> bool:
    """Whether a call is answered with a task. ``able``: its tool can be worked on as one.

    Raises:
        MCPError: the client asks for a task of a tool that has none.
    """
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return able and _declares(context) and params.request_state is None
    wanted = context.protocol_version == _HANDSHAKE and params.task is not None
    if wanted and not able:
        raise MCPError(METHOD_NOT_FOUND, f"the tool {one_line(params.name, 60)} is not worked on as a task")
    return wanted


class TaskServer(Server[Any]):
    """A server that says that it has tasks, in the way of each revision. ``lists`` is whether it lists them."""

    lists = False

    def get_capabilities(self, *args: Any, protocol_version: str | None = None, **options: Any) -> ServerCapabilities:  # noqa: ANN401 - passed on
        """What the server can do in a revision; without one, in those that begin with a handshake."""
        able = super().get_capabilities(*args, protocol_version=protocol_version, **options)
        if protocol_version in MODERN_PROTOCOL_VERSIONS:
            return able
        listing: JsonObject = {"list": {}} if self.lists else {}
        tasks = ServerTasksCapability.model_validate({**listing, "cancel": {}, "requests": {"tools": {"call": {}}}})
        return able.model_copy(update={"tasks": tasks, "extensions": None})


class TaskMethods:
    """The methods of a server's tasks. ``owner_of`` says whose request one is."""

    def __init__(self, tasks: Tasks, owner_of: Callable[[_Context], str]) -> None:
        self._tasks = tasks
        self._owner = owner_of

    def add_to(self, server: TaskServer) -> None:
        """Have the server serve them."""
        server.extensions[EXTENSION] = {}
        server.middleware.append(self._created)
        add = server.add_request_handler
        add("tasks/get", GetTaskRequestParams, self._known(self._get))
        add("tasks/cancel", CancelTaskRequestParams, self._known(self._cancel))
        add("tasks/update", _UpdateTaskParams, self._known(self._update, handshake=False))
        add("tasks/result", GetTaskPayloadRequestParams, self._known(self._result, modern=False))
        if server.lists:
            add("tasks/list", PaginatedRequestParams, self._known(self._list, modern=False))

    async def begin(
        self, context: _Context, params: CallToolRequestParams, work: Callable[[UnderWay], Awaitable[Outcome]]
    ) -> HandlerResult:
        """Begin to work on a call, and answer it with its task.

        Raises:
            MCPError: too many tasks have not ended.
        """
        asked = params.task.ttl if params.task is not None else None
        try:
            state = await self._tasks.begin(self._owner(context), asked, work)
        except Problem as problem:
            raise MCPError(INVALID_REQUEST, problem.detail) from None
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return {"resultType": "task", **_of_extension(state)}
        return CallToolResult(content=[], _meta={_CREATED: _of_handshake(state)})

    async def _created(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        """Give a task in the place of a result, which the SDK would take for a wrong result of a tool."""
        result = await call_next(ctx)
        meta = result.get("_meta") if isinstance(result, dict) and ctx.method == "tools/call" else None
        return {"task": meta[_CREATED]} if isinstance(meta, dict) and _CREATED in meta else result

    def _known(
        self, answer: Callable[[_Context, P], Awaitable[HandlerResult]], modern: bool = True, handshake: bool = True
    ) -> Callable[[_Context, P], Awaitable[HandlerResult]]:
        """A method in the revisions that have it; an unknown task is an error of the protocol."""

        async def answered(context: _Context, params: P) -> HandlerResult:
            is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            if not (modern if is_modern else handshake and context.protocol_version == _HANDSHAKE):
                raise MCPError(METHOD_NOT_FOUND, "Method not found", context.method)
            if is_modern and not _declares(context):
                needed: JsonObject = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
                raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", needed)
            try:
                return await answer(context, params)
            except Problem as problem:
                raise MCPError(INVALID_PARAMS, problem.detail) from None

        return answered

    async def _get(self, context: _Context, params: GetTaskRequestParams) -> HandlerResult:
        return _shown(context, await self._tasks.state(self._owner(context), params.task_id))

    async def _cancel(self, context: _Context, params: CancelTaskRequestParams) -> HandlerResult:
        owner, modern = self._owner(context), context.protocol_version in MODERN_PROTOCOL_VERSIONS
        before = await self._tasks.state(owner, params.task_id)
        if before.ended and not modern:
            raise MCPError(INVALID_PARAMS, f"the task has ended: it is {_status(before)}")
        after = await self._tasks.cancel(owner, params.task_id)
        return {} if modern else _of_handshake(after)

    async def _update(self, context: _Context, params: _UpdateTaskParams) -> HandlerResult:
        """Hand on the answer to the question that the task has; other keys are of no question, or of an earlier one."""
        owner = self._owner(context)
        state = await self._tasks.state(owner, params.task_id)
        task = self._tasks.under_way(owner, params.task_id)
        if task is not None and state.key and state.key in params.input_responses:
            try:
                answered = ElicitResult.model_validate(params.input_responses[state.key], by_name=False)
            except ValidationError:
                raise MCPError(INVALID_PARAMS, f"inputResponses.{state.key}: is no result of a form") from None
            task.answer(state.key, said(answered))
        return {}

    async def _list(self, context: _Context, params: PaginatedRequestParams) -> HandlerResult:
        if params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "there is no such cursor: all tasks are on the first page")
        return {"tasks": [_of_handshake(state) for state in await self._tasks.of(self._owner(context))]}

    async def _result(self, context: _Context, params: GetTaskPayloadRequestParams) -> HandlerResult:
        """What the call comes to, as soon as it does; until then, the person at the client gets the run's questions."""
        owner, name = self._owner(context), params.task_id
        state = await self._tasks.state(owner, name)
        while (task := self._tasks.under_way(owner, name)) is not None:
            await _answered(context, task)
        if not state.ended:
            state = await self._tasks.state(owner, name)
        if state.result is None:
            error = state.error or {"code": _CANCELLED, "message": "Request cancelled"}
            raise MCPError(**error)  # type: ignore[arg-type]  # as it was made of one
        meta = state.result.get("_meta")
        related: JsonObject = {**(meta if isinstance(meta, dict) else {}), _RELATED: {"taskId": name}}
        return {**{key: value for key, value in state.result.items() if key != "resultType"}, "_meta": related}


async def _answered(context: _Context, task: UnderWay) -> None:
    """Wait until a task stands otherwise; where it asks, ask the person at the client until then.

    A client that can show no form only waits: the one that the task is of may still come back.
    """
    since = task.state
    asking = None
    if since.asked is not None and can_be_asked(context):
        asking = asyncio.ensure_future(_elicited(context, task, since))
    try:
        await task.changed(since)
    finally:
        if asking is not None and not asking.cancel() and not asking.cancelled():
            asking.exception()  # a client that is gone is asked no more: another one may answer


async def _elicited(context: _Context, task: UnderWay, state: TaskState) -> None:
    """Put the question of a task; a client that fails to show it declines it."""
    assert state.asked is not None
    request = request_of(state.asked, {_RELATED: {"taskId": state.id}})
    about = ServerMessageMetadata(related_request_id=context.request_id)
    try:
        answered = await context.session.send_request(request, ElicitResult, metadata=about)
    except (MCPError, ValidationError):
        answered = None
    task.answer(state.key, said(answered))


def _declares(context: _Context) -> bool:
    able = context.session.client_capabilities
    return able is not None and EXTENSION in (able.extensions or {})


def _shown(context: _Context, state: TaskState) -> JsonObject:
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return _of_handshake(state)
    shown = _of_extension(state)
    if state.asked is not None:
        request = request_of(state.asked).model_dump(by_alias=True, mode="json", exclude_none=True)
        shown["inputRequests"] = {state.key: request}
    if state.status == "completed":
        shown["result"] = state.result
    if state.status == "failed":
        shown["error"] = state.error
    return shown


def _of_extension(state: TaskState) -> JsonObject:
    return {**_common(state), "status": state.status, "ttlMs": state.ttl, "pollIntervalMs": _POLL_MS}


def _of_handshake(state: TaskState) -> JsonObject:
    return {**_common(state), "status": _status(state), "ttl": state.ttl, "pollInterval": _POLL_MS}


def _status(state: TaskState) -> str:
    """The status in 2025-11-25, where a result that says that the call failed is a failed task."""
    failed = state.result is not None and state.result.get("isError") is True
    return "failed" if failed else state.status


def _common(state: TaskState) -> JsonObject:
    message: JsonObject = {"statusMessage": state.message} if state.message else {}
    return {
        "taskId": state.id, "createdAt": _time(state.created), "lastUpdatedAt": _time(state.updated), **message,
    }  # fmt: skip


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
