"""The MCP server at work: over standard input and output, or over streamable HTTP behind the guard of the service."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from aeon.server.guard import Guard
from aeon.server.mcp.tools import serving
from aeon.server.mcp.work import Work
from aeon.server.serving import Listening, configured
from aeon.server.tokens import Tokens

__all__ = ["PATH", "address_of", "application", "over_http", "over_stdio"]

PATH = "/mcp"
"""Where the server is found over HTTP."""
_MOST_BYTES = 8_000_000
"""The largest request: a proof to verify is one."""


def address_of(where: socket.socket, host: str) -> str:
    """The address at which a listening server is called."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{where.getsockname()[1]}{PATH}"


async def over_stdio(work: Work, harmless: bool = False) -> None:
    """Serve the one client at the other end of the standard streams until it goes."""
    server = serving(work, harmless, lists=True)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await work.close()


def application(server: Server[Any], tokens: Tokens | None = None, hosts: Collection[str] = ()) -> ASGIApp:
    """The server over HTTP, behind the guard; ``tokens`` open it, if there are any, and ``hosts`` are its names.

    It works while its session manager runs.
    """
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the guard does that
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=checked, max_request_body_size=_MOST_BYTES
    )
    return Guard(app, tokens, hosts, _MOST_BYTES)


async def over_http(
    work: Work,
    where: socket.socket,
    said: Callable[[], None],
    tokens: Tokens | None = None,
    hosts: Collection[str] = (),
    harmless: bool = False,
) -> None:
    """Serve whoever may ask until the process is told to stop; ``said`` is called once it listens."""
    server = serving(work, harmless, lists=tokens is not None)
    app = application(server, tokens, hosts)
    said()
    try:
        async with server.session_manager.run():
            await Listening(configured(app), lambda: None).serve(sockets=[where])
    finally:
        await work.close()
