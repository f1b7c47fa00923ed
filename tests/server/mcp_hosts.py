"""The MCP server in this process and in one of its own, and clients that ask it."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitRequestParams, ElicitResult

from aeon.server.equipment import Equipment
from aeon.server.mcp.serving import application
from aeon.server.mcp.tools import serving
from aeon.server.mcp.work import Work
from aeon.server.serving import configured, listening
from aeon.server.tokens import Tokens

__all__ = ["EITHER", "EXTENSION", "MODES", "Host", "Start", "TaskClient", "asked", "calling", "over_stdio", "saying"]

MODES = {"auto": "2026-07-28", "legacy": "2025-11-25"}
EXTENSION = "io.modelcontextprotocol/tasks"
EITHER = "drop words from either end please now"


class Host:
    """The MCP server over HTTP, in a thread with a loop of its own."""

    def __init__(self, folder: Path, equipment: Equipment, tokens: Tokens | None = None) -> None:
        self.folder = folder
        self._equipment = equipment
        self._tokens = tokens
        self.socket = listening("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/mcp"
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._up = threading.Event()
        self._thread.start()
        self._up.wait(20)

    async def _serve(self) -> None:
        self.work = Work(self._equipment, self.folder)
        server = serving(self.work, lists=self._tokens is not None)
        self._server = uvicorn.Server(configured(application(server, self._tokens)))
        async with server.session_manager.run():
            serve = asyncio.create_task(self._server.serve(sockets=[self.socket]))
            while not self._server.started:
                await asyncio.sleep(0.01)
            self._up.set()
            await serve
        await self.work.close()

    def stop(self) -> None:
        """Stop it, in order."""
        self._server.should_exit = True
        self._thread.join()
        self.socket.close()


Start = Callable[..., Host]
"""Starts a server: with a model, tokens, and what else its equipment takes."""


def asked(url: str, work: Callable[[Client], Awaitable[Any]], mode: str = "auto", **options: Any) -> Any:
    """What somebody does with a client."""

    async def done() -> Any:
        async with Client(url, mode=mode, **options) as client:
            assert client.protocol_version == MODES[mode]
            return await work(client)

    return asyncio.run(done())


def calling(name: str, **arguments: Any) -> Callable[[Client], Awaitable[Any]]:
    """Calls one tool."""
    return lambda client: client.call_tool(name, arguments)


def saying(*answers: str) -> tuple[list[str], Callable[..., Awaitable[ElicitResult]]]:
    """What was asked, and the person at the client who answers so; ``-`` declines."""
    left, questions = list(answers), list[str]()

    async def answer(context: Any, params: ElicitRequestParams) -> ElicitResult:
        questions.append(params.message)
        said = left.pop(0)
        if said == "-":
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"answer": said})

    return questions, answer


@asynccontextmanager
async def over_stdio(home: Path, model: str, mode: str, **options: Any) -> Any:
    """A client of ``aeon mcp serve`` in a process of its own."""
    command = ["-m", "aeon.cli.main", "mcp", "serve", "--runs", str(home / "runs")]
    env = {"AEON_MODEL": model, "AEON_HOME": str(home), "AEON_THOROUGH": "true"}
    async with Client(
        StdioServerParameters(command=sys.executable, args=command, env=env), mode=mode, **options
    ) as client:
        yield client


@dataclass(frozen=True)
class TaskClient:
    """What a client of either revision does with tasks, message by message: the SDK's has no methods for that."""

    client: Client

    @property
    def modern(self) -> bool:
        """Whether tasks are an extension."""
        return self.client.protocol_version == MODES["auto"]

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, and give its result as it came."""
        data: dict[str, Any] = {"method": method, "params": params}
        options: Any = {}
        self.client.session._stamp(data, options)
        if self.modern and "taskId" in params:
            options["headers"]["mcp-name"] = params["taskId"]
        return await self.client.session._dispatcher.send_raw_request(method, data["params"], options)

    async def begin(self, tool: str, ttl: int | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and give the task that answers it."""
        if self.modern:
            sent = await self.send("tools/call", name=tool, arguments=arguments)
            assert sent["resultType"] == "task"
            return sent
        asks = {} if ttl is None else {"ttl": ttl}
        task: dict[str, Any] = (await self.send("tools/call", name=tool, arguments=arguments, task=asks))["task"]
        return task

    async def get(self, name: str) -> dict[str, Any]:
        """The task as it stands."""
        return await self.send("tasks/get", taskId=name)

    async def until(self, name: str, *statuses: str) -> dict[str, Any]:
        """The task as soon as it has one of these statuses, or has ended."""
        while (task := await self.get(name))["status"] not in (*statuses, "completed", "failed", "cancelled"):
            await asyncio.sleep(0.02)
        return task

    async def result(self, name: str) -> dict[str, Any]:
        """What the call came to."""
        task = await self.until(name)
        if not self.modern:
            return await self.send("tasks/result", taskId=name)
        result: dict[str, Any] = task["result"]
        return result
