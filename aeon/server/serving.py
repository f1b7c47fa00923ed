"""The process: it listens, works until it is told to stop, and lets go of its runs so that the next one continues."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from aeon.errors import UsageError
from aeon.server.connections import Crowd, Patient, descriptors
from aeon.server.host import Host

__all__ = ["Listening", "configured", "is_loopback", "listening", "serve"]

_BACKLOG = 2048
_LARGEST_PORT = 65_535
_THREADS = 32
"""Threads that wait for the disk: each run has a journal of its own."""
_COLLECTED = (50_000, 20, 100)
"""How seldom the garbage collector looks. Runs make few cycles and many objects that live as long as the run, and at a
thousand runs at once looking through them again and again takes a quarter of the processor."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listening(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket that listens there; the port 0 takes any that is free. ``option`` is what named the port.

    Raises:
        UsageError: the port is taken, or the address is none of this machine.
    """
    if port > _LARGEST_PORT:
        raise UsageError(f"{option}: {port} is none; ports go up to {_LARGEST_PORT}, and 0 takes any that is free")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)  # with its protocol: asyncio sends at once only where it is TCP
    except (OSError, UnicodeError):
        raise UsageError(f"--host: {host} is no address of this machine") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except PermissionError:
        made.close()
        raise UsageError(f"{option}: {port} is not for you to use; name one above 1023") from None
    except OSError as error:
        made.close()
        if error.errno == 98 or "in use" in str(error):
            raise UsageError(f"{option}: {port} is taken by another program; name another, or 0 for any") from None
        raise UsageError(f"--host: {host} is no address of this machine") from None
    return made


def configured(app: ASGIApp, limit: int | None = None) -> uvicorn.Config:
    """How the application is served by a process that may have ``limit`` files and connections open."""
    crowd = Crowd(limit or descriptors())
    connection = cast("type[asyncio.Protocol]", partial(Patient, crowd))
    return uvicorn.Config(
        app, http=connection, log_config=None, access_log=False, server_header=False, ws="none", lifespan="off",
        timeout_keep_alive=10, timeout_graceful_shutdown=5, backlog=crowd.backlog,
    )  # fmt: skip


class Listening(uvicorn.Server):
    """A server that ends its streams, by ``goodbye``, before it waits for its connections."""

    def __init__(self, config: uvicorn.Config, goodbye: Callable[[], None]) -> None:
        super().__init__(config)
        self._goodbye = goodbye

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say goodbye to those who read, then close the connections."""
        self._goodbye()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at Ctrl-C or a request to terminate; the process then ends by itself, in order."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


async def serve(service: Host, app: ASGIApp, where: socket.socket, said: Callable[[], None]) -> None:
    """Serve the application until the process is told to stop; ``said`` is called once it listens."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "aeon"))
    gc.freeze()
    gc.set_threshold(*_COLLECTED)
    try:
        await service.start()
        loading = asyncio.create_task(service.make_ready())
        said()
        try:
            await Listening(configured(app), service.close_streams).serve(sockets=[where])
        finally:
            loading.cancel()
    finally:
        await service.close()
