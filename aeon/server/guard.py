"""What stands before every request: the host it names, where it comes from, whose it is, how large it is."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aeon.server.problems import Problem, response_of
from aeon.server.tokens import Token, Tokens

__all__ = ["ANYBODY", "MOST_BYTES", "Guard", "is_public"]

MOST_BYTES = 1_000_000
ANYBODY = Token(b"", "")
"""Who asks a server without tokens."""
_PUBLIC = frozenset({"/", "/healthz", "/readyz", "/openapi.json"})
_PAGES = "/window/"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


def is_public(path: str) -> bool:
    """Whether a page is given to everyone: it holds nothing of any run."""
    return path in _PUBLIC or path.startswith(_PAGES)


class Guard:
    """Lets a request through to ``app`` with its owner and its whole body, or answers why not.

    ``hosts`` are names, beside addresses and ``localhost``, by which the server is called. A page of another site,
    which has its name point here, is refused by the name; one that sends requests here, by its origin. ``seconds`` is
    how long a body may take.
    """

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens | None = None,
        hosts: Collection[str] = (),
        most_bytes: int = MOST_BYTES,
        seconds: float = 30.0,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._hosts = frozenset(map(str.lower, hosts))
        self._most = most_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        try:
            headers = _headers(scope)
            self._check(scope, headers)
            public = is_public(scope["path"])
            token = self._tokens.found(headers.get("authorization")) if self._tokens and not public else ANYBODY
            body = await self._body(scope, headers, receive)
        except Problem as problem:
            await response_of(problem)(scope, receive, _with_headers(send))
            return
        scope.setdefault("state", {})["token"] = token
        await self._app(scope, _replayed(body, receive), _with_headers(send))

    def _check(self, scope: Scope, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if not self._knows(host):
            raise Problem(
                421, "wrong_host", "this server is not called that; use its address, or start it with --allow-host NAME"
            )
        origin = headers.get("origin")
        if origin is not None and _netloc(origin) != host.lower():
            raise Problem(403, "wrong_origin", "a page of another site sent this; only the server's own pages may")
        if scope["method"] not in _SAFE and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Problem(403, "wrong_origin", "a page of another site sent this; only the server's own pages may")

    def _knows(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name == "localhost" or name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _body(self, scope: Scope, headers: dict[str, str], receive: Receive) -> bytes:
        """The whole body of the request."""
        if scope["method"] in _SAFE:
            return b""
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._most:
            raise self._too_large()
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Problem(400, "incomplete", "the request broke off")
                    body += message.get("body", b"")
                    if len(body) > self._most:
                        raise self._too_large()
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            detail = f"the body did not come within {self._seconds:g} seconds"
            raise Problem(408, "too_slow", detail, True, {"Connection": "close"}) from None

    def _too_large(self) -> Problem:
        detail = f"the body is larger than {self._most:,} bytes; put long texts into a folder of the server"
        return Problem(413, "too_large", detail, headers={"Connection": "close"})


def _netloc(origin: str) -> str:
    """The host and port of an origin, "" where it has none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:  # half an IPv6 address
        return ""


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by name.

    Raises:
        Problem: one that must stand there once stands there twice.
    """
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in headers and key in ("host", "authorization", "origin", "last-event-id", "idempotency-key"):
            raise Problem(400, "repeated_header", f"the header {key} stands there twice")
        headers[key] = value.decode("latin-1")
    return headers


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What gives the body that was read, and then what comes after it."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again


def _with_headers(send: Send) -> Send:
    """What sends the answer with the headers that every answer has; its own count first."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending
