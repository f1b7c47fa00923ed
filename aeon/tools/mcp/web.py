"""A server at an address: the streamable HTTP transport, bounded in what an answer may hold."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from aeon.tools.mcp.process import MOST_BYTES

__all__ = ["FORGOTTEN", "web"]

FORGOTTEN = -31_404
"""The error that stands for the answer of a server that does not know the conversation any more."""
_MOST_STREAMED = 4 * MOST_BYTES
_TOKEN = "AEON_MCP_TOKEN_"
_SESSION = "mcp-session-id"
_CLOSED, _UNKNOWN = (401, 403), 404
_CONNECT_SECONDS, _READ_SECONDS = 10.0, 300.0


class _TooMuch(httpx2.StreamError):
    """An answer has more bytes than are read."""


class _Limited(httpx2.AsyncByteStream):
    """The bytes of an answer, up to some number."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for chunk in self._stream:
            count += len(chunk)
            if count > self._most:
                raise _TooMuch(f"it sent a message of more than {self._most:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Transport(httpx2.AsyncHTTPTransport):
    def __init__(self, refused: Callable[[str], None], label: str) -> None:
        super().__init__()
        self._refused = refused
        self._label = label

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        response.stream = _Limited(response.stream, _MOST_STREAMED if streamed else MOST_BYTES)
        if response.status_code in _CLOSED:
            token = f"{_TOKEN}{self._label.upper()}"
            self._refused(f"it answers with status {response.status_code}; its token is read from {token}")
        if response.status_code == _UNKNOWN and request.method == "POST" and _SESSION in request.headers:
            await response.aclose()
            error = {"code": FORGOTTEN, "message": "it does not know the conversation any more"}
            return httpx2.Response(_UNKNOWN, json={"jsonrpc": "2.0", "id": None, "error": error})
        return response


@asynccontextmanager
async def web(url: str, label: str, refused: Callable[[str], None]) -> AsyncGenerator[Any]:
    """The streams of a server's messages, of a type that the SDK keeps to itself.

    It gets the token that the variable ``AEON_MCP_TOKEN_`` and its label names. ``refused`` is told if it takes none.
    """
    token = os.environ.get(f"{_TOKEN}{label.upper()}")
    headers = {"accept-encoding": "identity", **({"authorization": f"Bearer {token}"} if token else {})}
    timeout = httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, transport=_Transport(refused, label)) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MOST_BYTES) as streams,
    ):
        yield streams
