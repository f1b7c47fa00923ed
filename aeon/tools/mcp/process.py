"""A server in a child process, spoken to over its standard streams: bounded in what it sends, and always reaped.

The SDK's own transport keeps a line of any length in memory, so this one stands in its place.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

from aeon.text import one_line

__all__ = ["MOST_BYTES", "Child", "child"]

MOST_BYTES = 8_000_000
"""The longest message that is read."""
_MOST_UNANSWERED = 32_000_000
"""Bytes that a server may send without an answer among them: one that floods is stopped."""
_CHUNK = 65_536
_GRACE, _KILL, _POLL = 1.0, 1.0, 0.01
_STDERR_BYTES = 4_000

_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


class Child:
    """A server's process. ``reason`` says why it is spoken to no more; ``on_end`` is called when that is so.

    ``ended``: it ended by itself, and was not cut off.
    """

    def __init__(self, process: Process, on_end: Callable[[], None]) -> None:
        self._process = process
        self._on_end = on_end
        self._said = b""
        self._stray = b""
        self.reason = ""
        self.ended = False

    @property
    def hint(self) -> str:
        """What the server wrote where no message belongs, and last to standard error, for who has to find out more."""
        stray = one_line(self._stray.decode("utf-8", "replace"), 80)
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        notes = [f"it wrote {stray!r} to standard output, which is for messages alone"] if stray else []
        notes += [f"it said: {one_line(lines[-1], 160)}"] if lines else []
        return "; ".join(notes)

    async def read(self, incoming: _Incoming) -> None:
        """Hand on its messages until it ends or goes too far."""
        unanswered = 0
        async with incoming:
            try:
                async for line in self._lines():
                    unanswered += len(line)
                    message = _message(line)
                    if message is None:
                        self._stray = self._stray or line[:200].strip()
                    elif isinstance(message.message, JSONRPCResponse | JSONRPCError):
                        unanswered = 0
                    if unanswered > _MOST_UNANSWERED:
                        self.reason = f"it sent more than {_MOST_UNANSWERED:,} bytes without an answer"
                        break
                    if message is not None:
                        await incoming.send(message)
                self.reason = self.reason or await self._ended()
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):  # the session is over
                pass
        self._on_end()

    async def _lines(self) -> AsyncIterator[bytes]:
        stdout = self._process.stdout
        assert stdout is not None
        held: list[bytes] = []
        size = 0
        while chunk := await stdout.read(_CHUNK):
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                yield b"".join((*held, part))
                held, size = [], 0
            held.append(rest)
            size += len(rest)
            if size > MOST_BYTES:
                self.reason = f"it sent a message of more than {MOST_BYTES:,} bytes"
                return

    async def _ended(self) -> str:
        await self._over(_GRACE)
        code = self._process.returncode
        self.ended = code is not None
        if code is None:
            return "it closed its standard output"
        return f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"

    async def _over(self, seconds: float) -> bool:
        """Whether the process ends in time. What asyncio waits with waits for its pipes, too, which others may hold."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self._process.returncode is None and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(_POLL)
        return self._process.returncode is not None

    async def listen(self) -> None:
        """Keep the end of what it writes to standard error."""
        stderr = self._process.stderr
        assert stderr is not None
        while chunk := await stderr.read(_CHUNK):
            self._said = (self._said + chunk)[-_STDERR_BYTES:]

    async def write(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Send it messages."""
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError):  # it reads no more: what it sends, or that it ends, says why
            async with outgoing:
                async for message in outgoing:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    stdin.write(f"{text}\n".encode())
                    await stdin.drain()

    async def stop(self) -> None:
        """End it and all that it started: it is told by the end of its input, then by signals."""
        process = self._process
        assert process.stdin is not None
        process.stdin.close()
        if not await self._over(0.0 if self.reason else _GRACE):  # one that was cut off gets no time
            self._signal(signal.SIGTERM)
            await self._over(_KILL)
        self._signal(signal.SIGKILL)  # also what it started and left behind
        await self._over(_KILL)
        process._transport.close()  # type: ignore[attr-defined]  # a descendant may hold the pipes open

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _message(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None


@asynccontextmanager
async def child(
    command: tuple[str, ...], on_start: Callable[[Child], None], on_end: Callable[[], None]
) -> AsyncGenerator[Streams]:
    """Start a server and give the streams of its messages; at the end the process and its descendants are gone.

    ``on_start`` gets the process, and ``on_end`` is called when it is spoken to no more. Raises ``OSError`` where it
    cannot be started.
    """
    with anyio.CancelScope(shield=True):  # a process that nobody knows of would be left behind
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True, env=get_default_environment()
        )
    started = Child(process, on_end)
    on_start(started)
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(started.read, incoming)
            group.start_soon(started.write, outgoing)
            group.start_soon(started.listen)
            try:
                yield received, sent
            finally:
                group.cancel_scope.cancel()
    finally:
        for stream in (incoming, received, sent, outgoing):
            stream.close()
        with anyio.CancelScope(shield=True):
            await started.stop()
