"""Connections of clients: each is closed that asks for nothing, or that reads nothing, and there is room for others."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from aeon.server.problems import MEDIA_TYPE, Problem

__all__ = ["Crowd", "Patient", "descriptors"]

_MOST_DESCRIPTORS = 65_536
_BACKLOG = 2048
_BATCHES = 16


def descriptors() -> int:
    """How many files and connections this process may have open; the limit is raised as far as the system lets it."""
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:  # Windows has no such limit
        return _MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY:
        return _MOST_DESCRIPTORS
    if soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return int(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


class Crowd:
    """The connections of one server: at most three quarters of what it may have open, so that its runs have the rest.

    Where one more comes, the one that has waited longest without a request makes room; if none waits so, the new one
    is closed.
    """

    def __init__(self, limit: int) -> None:
        self.most = limit * 3 // 4
        self.backlog = min(_BACKLOG, max(1, limit // _BATCHES))
        """How many are accepted in one go; three such batches come before one can be closed, and fit into the rest."""
        self._open: set[Patient] = set()
        self._waiting: dict[Patient, None] = {}

    def enter(self, one: Patient) -> None:
        """Let a connection in."""
        self._open.add(one)
        if len(self._open) > self.most:
            last = next(iter(self._waiting), one)
            self.leave(last)
            last.transport.abort()

    def leave(self, one: Patient) -> None:
        """A connection is closed."""
        self._open.discard(one)
        self._waiting.pop(one, None)

    def wait(self, one: Patient) -> None:
        """A connection begins to wait for a request."""
        self._waiting.pop(one, None)
        if one in self._open:
            self._waiting[one] = None

    def serve(self, one: Patient) -> None:
        """A connection has asked for something."""
        self._waiting.pop(one, None)


class Patient(H11Protocol):
    """A connection that is closed where no request comes, or where what is sent is not read.

    The head of each request must be there within ``head_seconds``, however many parts it comes in. Where the client
    takes nothing of what waits for it during ``stalled_seconds``, it gets no more: a stream can be resumed.
    """

    head_seconds: ClassVar[float] = 10.0
    stalled_seconds: ClassVar[float] = 60.0

    def __init__(self, crowd: Crowd, **how: Any) -> None:  # noqa: ANN401 - what uvicorn makes connections of
        super().__init__(**how)
        self._crowd = crowd
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._crowd.enter(self)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._crowd.leave(self)
        for timer in (self._deadline, self._stalled):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Take note of a request that is there with its head."""
        super().data_received(data)
        if self._busy:
            self._crowd.serve(self)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP with a problem, as everything else that is wrong."""
        detail = "this is no request of HTTP/1.1, or its head is larger than 64 KB; send it as curl does"
        problem = Problem(400, "no_request", detail)
        body = problem.body.model_dump_json().encode()
        headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))), ("connection", "close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._wait()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.stalled_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    @property
    def _busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if not self._busy:
            self._crowd.wait(self)
        self._deadline = self.loop.call_later(self.head_seconds, self._expire)

    def _expire(self) -> None:
        if self._busy:
            return
        self.transport.close()
        if self._stalled is None:  # closed only when what waits has been read, which may be never
            self._stalled = self.loop.call_later(self.head_seconds, self.transport.abort)
