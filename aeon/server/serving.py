"""The process: it listens, works until it is told to stop, and lets go of its runs so that the next one continues."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from aeon.errors import UsageError
from aeon.server.service import Service

__all__ = ["is_loopback", "listening", "serve"]

_BACKLOG = 2048
_LARGEST_PORT = 65_535


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; the port 0 takes any that is free.

    Raises:
        UsageError: the port is taken, or the address is none of this machine.
    """
    if port > _LARGEST_PORT:
        raise UsageError(f"--port: {port} is none; ports go up to {_LARGEST_PORT}, and 0 takes any that is free")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UsageError(f"--host: {host} is no address of this machine") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except PermissionError:
        made.close()
        raise UsageError(f"--port: {port} is not for you to use; name one above 1023") from None
    except OSError as error:
        made.close()
        if error.errno == 98 or "in use" in str(error):
            raise UsageError(f"--port: {port} is taken by another program; name another, or 0 for any") from None
        raise UsageError(f"--host: {host} is no address of this machine") from None
    return made


class _Server(uvicorn.Server):
    """A server that ends its streams before it waits for its connections."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say goodbye to those who read, then close the connections."""
        self._service.close_streams()
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


async def serve(service: Service, app: ASGIApp, where: socket.socket, said: Callable[[], None]) -> None:
    """Serve the application until the process is told to stop; ``said`` is called once it listens."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, ws="none", lifespan="off", timeout_keep_alive=10,
        timeout_graceful_shutdown=5,
    )  # fmt: skip
    await service.start()
    loading = asyncio.create_task(service.make_ready())
    said()
    try:
        await _Server(config, service).serve(sockets=[where])
    finally:
        loading.cancel()
        await service.close()
