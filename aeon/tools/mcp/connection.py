"""One MCP server, spoken to through the SDK's client: opened, asked what tools it has, called, and closed."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial

import anyio
from mcp import Client, ClientSession, MCPError
from mcp.client import IncomingMessage, Transport
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types import (
    CallToolRequestParams,
    InputRequiredResult,
    TaskMetadata,
    Tool,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from aeon.errors import OutcomeUnknown, ToolError, ToolFailed, UsageError
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.mcp.listing import Listed
from aeon.tools.mcp.process import Child, child
from aeon.tools.mcp.results import value_of
from aeon.tools.mcp.specs import ServerSpec
from aeon.tools.mcp.tasks import (
    UNANSWERED,
    Answer,
    TaskFailed,
    TaskLost,
    answered,
    asks_for_task,
    cancelled,
    declared,
    readable,
)
from aeon.tools.mcp.web import FORGOTTEN, web

__all__ = ["Connection"]

_MOST_TOOLS, _MOST_PAGES = 200, 20
_CLOSE_SECONDS = 8.0
_TASK_MARGIN = 60.0
_VARIABLE = "AEON_MCP_START_SECONDS"

logging.getLogger("mcp").addHandler(logging.NullHandler())  # what the SDK has to say is said in this module's errors


class Connection:
    """A server in the event loop that opens it. ``seconds`` is how long it may take for a call, ``start`` to begin.

    A process that ended by itself is started again once, for a tool without side effects. One that was cut off is not.
    A server at an address is reached anew by the next call, or the next look at a task, where a conversation broke off.
    """

    def __init__(self, spec: ServerSpec, label: str, seconds: float, start: float) -> None:
        self.spec = spec
        self.label = label
        self._seconds = seconds
        self._start = start
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._now: dict[str, dict[str, str]] = {}
        self._under_way: set[str] = set()
        self._restarts = 1
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        """Forget the conversation before, so that `open` can begin one."""
        self._scope = anyio.CancelScope()
        self._ready: asyncio.Future[tuple[Listed, ...]] = asyncio.get_running_loop().create_future()
        self._child: Child | None = None
        self._stale = False
        self._reason = ""
        self._error: BaseException | None = None

    async def open(self) -> tuple[Listed, ...]:
        """Start the server, or reach it, and give its tools.

        Raises:
            UsageError: its command cannot be started.
            ToolFailed: it is no MCP server, does not answer in time, or lists what nobody can use.
        """
        self._task = asyncio.create_task(self._serve())
        both: set[asyncio.Future[object]] = {self._task, self._ready}  # type: ignore[arg-type]  # invariant, but only read
        await asyncio.wait(both, timeout=self._start, return_when=asyncio.FIRST_COMPLETED)
        if self._ready.done():
            return self._ready.result()
        late = not self._task.done()
        if late and self._child is not None:
            self._child.reason = self._late  # it gets no time to end by itself
        await self._end()
        raise ToolFailed(self._named(self._late)) if late else self._unopened()

    @property
    def _late(self) -> str:
        return f"it did not answer within {self._start:g} s; {_VARIABLE} gives it more"

    @property
    def protocol(self) -> str:
        """The protocol revision that both sides speak."""
        assert self._client is not None
        return self._client.protocol_version

    async def close(self) -> None:
        """Cancel the tasks under way, end the conversation, and the process of the server if it has one here."""
        self._closed = True
        await self._end()

    async def _end(self) -> None:
        if self._client is not None and self._under_way:
            names = tuple(self._under_way)
            self._under_way.clear()
            await cancelled(self._client.session, names)
        self._scope.cancel()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)

    async def call(self, tool: Listed, arguments: JsonObject) -> JsonValue:
        """Call a tool and give the value of its result.

        Raises:
            ToolFailed: the server is gone, says that the call failed, or is not what was approved any more.
            OutcomeUnknown: no answer came, and the call may not be repeated.
        """
        client = await self._revived(tool)
        try:
            with anyio.fail_after(self._seconds):
                await self._check(client, tool)
        except (TimeoutError, MCPError) as error:
            if isinstance(error, MCPError):
                await self._settled(client.session, error)
            raise ToolFailed(self._named(f"it does not list its tools again: {one_line(str(error), 200)}")) from None
        answer = await self._answer(client, tool, arguments)
        if isinstance(answer, InputRequiredResult):
            raise ToolFailed(self._named("it asks back during a call, which is not passed on"))
        return value_of(answer, tool.result)

    async def _answer(self, client: Client, tool: Listed, arguments: JsonObject) -> Answer:
        """What a server answers to a call, in time. Raises as `call`."""
        kept = TaskMetadata(ttl=round((self._seconds + _TASK_MARGIN) * 1000)) if asks_for_task(client, tool) else None
        params = CallToolRequestParams(name=tool.name, arguments=arguments, task=kept)
        try:
            with anyio.fail_after(self._seconds):
                return await answered(client.session, params, self._under_way, self._again)
        except TimeoutError:
            raise self._unanswered(tool, f"no answer came within {self._seconds:g} s") from None
        except MCPError as error:
            await self._settled(client.session, error)
            if error.code in UNANSWERED:
                raise self._unanswered(tool, self._reason or one_line(error.message, 200)) from None
            raise ToolFailed(self._named(one_line(error.message, 300))) from None
        except ValidationError:
            raise self._unanswered(tool, "its answer is no result of a tool") from None
        except TaskLost as error:
            raise self._unanswered(tool, str(error)) from None
        except TaskFailed as error:
            raise ToolFailed(self._named(str(error))) from None

    async def _serve(self) -> None:
        """Keep the conversation until it is over; what ended it is the ``reason``."""
        try:
            with self._scope:
                async with Client(
                    readable(self._transport()),
                    message_handler=self._noticed,
                    cache=None,
                    extensions=[declared()],
                ) as client:
                    tools = await self._listed(client)
                    self._client = client
                    self._now = {tool.name: tool.fingerprints for tool in tools}
                    self._ready.set_result(tools)
                    await self._watch(client)
                    await anyio.sleep_forever()
        except BaseException as error:  # noqa: BLE001 - a transport may raise anything, in groups; it is told to callers
            self._error = _leaf(error)
        finally:
            self._client = None
            self._reason = self._why()

    def _transport(self) -> Transport:
        if self.spec.url:
            return web(self.spec.url, self.label, partial(setattr, self, "_reason"))
        return child(self.spec.command, partial(setattr, self, "_child"), self._scope.cancel)

    async def _listed(self, client: Client) -> tuple[Listed, ...]:
        tools = await self._all_pages(client)
        names = [tool.name for tool in tools]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ToolFailed(f"it lists two tools by the name {one_line(twice, 60)!r}")
        return tuple(tools)

    async def _all_pages(self, client: Client) -> list[Listed]:
        """The tools of all pages. A cursor that is empty, or was there before, ends them: it leads nowhere."""
        tools: list[Listed] = []
        cursors: list[str | None] = [None]
        while len(cursors) <= _MOST_PAGES:
            page = await client.list_tools(cursor=cursors[-1])
            tools += [one for one in map(_of_tool, page.tools) if one not in tools]
            if len(tools) > _MOST_TOOLS:
                break
            if not page.next_cursor or page.next_cursor in cursors:
                return tools
            cursors.append(page.next_cursor)
        raise ToolFailed(f"it lists more than {_MOST_TOOLS} tools")

    async def _watch(self, client: Client) -> None:
        """Take note when the server says that its tools have changed; before 2026-07-28 it says so unasked."""
        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return
        with suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self._stale = True

    async def _noticed(self, message: IncomingMessage) -> None:
        self._stale = self._stale or isinstance(message, ToolListChangedNotification)

    async def _check(self, client: Client, tool: Listed) -> None:
        """Refuse a tool that is not what it was when the run began.

        Raises:
            ToolFailed: it has changed, or is not there any more.
        """
        async with self._lock:
            if self._stale:
                self._stale = False
                try:
                    self._now = {one.name: one.fingerprints for one in await self._listed(client)}
                except BaseException:
                    self._stale = True  # what they are now is still not known
                    raise
        now = self._now.get(tool.name)
        if now is None:
            raise ToolFailed(self._named("it does not have this tool any more"))
        if changed := [part for part, was in tool.fingerprints.items() if now[part] != was]:
            raise ToolFailed(self._named(f"the tool changed during the run: its {' and '.join(changed)}"))

    async def _revived(self, tool: Listed) -> Client:
        """The client; if the server ended by itself, that of its new start; if a conversation broke off, of a new one.

        Raises:
            ToolFailed: the server is gone, and is not started again or cannot be.
        """
        async with self._lock:
            ended = self._client is None and self._child is not None and self._child.ended
            if ended and tool.harmless and self._restarts:
                self._restarts -= 1
                await self._anew()
            elif self._broken_off:
                await self._anew()
        return self._alive()

    @property
    def _broken_off(self) -> bool:
        """Whether a conversation with a server at an address is over, though nobody closed it."""
        return bool(self.spec.url) and self._client is None and not self._closed

    async def _again(self, session: ClientSession, error: MCPError) -> ClientSession | None:
        """The conversation in which to ask for a task again; ``None`` where there is none yet.

        Raises:
            MCPError: the error, of a process that is gone, or where the servers are closed.
        """
        await self._settled(session, error)
        if self._client is None and not self._broken_off:
            raise error
        async with self._lock:
            if self._broken_off:
                with suppress(ToolFailed):
                    await self._anew()
        return self._client.session if self._client is not None else None

    async def _anew(self) -> None:
        self._scope.cancel()  # of a conversation that was being begun when nobody waited for it any more
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        self._begin()
        try:
            await self.open()
        except UsageError as error:
            raise ToolFailed(str(error)) from None

    def _alive(self) -> Client:
        if self._client is None:
            raise ToolFailed(self._named(self._reason or "it was closed"))
        return self._client

    async def _settled(self, session: ClientSession, error: MCPError) -> None:
        """Wait a moment for what ended the conversation, if it ended; it does where its server does not know it."""
        if error.code == FORGOTTEN and self.spec.url:
            if self._client is not None and self._client.session is session:
                self._scope.cancel()
        elif error.code not in UNANSWERED:
            return
        if self._task is not None and (self._scope.cancel_called or self._child is None):
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS if self._scope.cancel_called else 0.2)

    def _unanswered(self, tool: Listed, why: str) -> ToolError:
        if tool.repeatable:
            return ToolFailed(self._named(why))
        return OutcomeUnknown(self._named(f"{why}; whether it did what it was called for is not known"))

    def _unopened(self) -> Exception:
        if isinstance(self._error, OSError) and self._child is None and not self.spec.url:
            command, why = one_line(self.spec.command[0], 80), self._error.strerror or "it cannot be run"
            return UsageError(f"MCP server {self.label}: {command} cannot be started: {why}")
        return ToolFailed(self._named(self._reason or "it ended before it answered"))

    def _why(self) -> str:
        """What ended the conversation, as far as anybody knows."""
        if self._child is not None and self._child.reason:
            return self._child.reason
        if self._reason or self._error is None:
            return self._reason
        said = one_line(str(self._error), 200)
        what = "it cannot be reached" if self.spec.url and not isinstance(self._error, MCPError | ToolFailed) else ""
        return ": ".join(filter(None, (what, said or type(self._error).__name__)))

    def _named(self, why: str) -> str:
        hint = self._child.hint if self._child is not None else ""
        return "; ".join(filter(None, (f"MCP server {self.label}: {why}", hint)))


def _of_tool(tool: Tool) -> Listed:
    hints = tool.annotations
    return Listed(
        name=tool.name,
        description=tool.description or tool.title or "",
        schema=tool.input_schema,
        result=tool.output_schema,
        read_only=hints.read_only_hint if hints else None,
        destructive=hints.destructive_hint if hints else None,
        idempotent=hints.idempotent_hint if hints else None,
        needs_task=tool.execution is not None and tool.execution.task_support == "required",
    )


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
