"""Loopback servers that stand for the web: every path is answered by a step, and what was asked is kept."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from aeon.search.client import LIMITS, Client, Limits
from aeon.search.guard import Guard

__all__ = ["Asked", "Site", "client", "names", "page", "run", "send", "serving"]

T = TypeVar("T")
Step = Callable[[BaseHTTPRequestHandler], None]


class Asked(NamedTuple):
    """A request as it came in, with its headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def send(status: int = 200, body: bytes | str | object = b"", kind: str = "", **headers: str) -> Step:
    """Answer with a status and a body; what is neither bytes nor text is sent as JSON."""
    if isinstance(body, bytes):
        payload, guess = body, "text/html"
    elif isinstance(body, str):
        payload, guess = body.encode(errors="replace"), "text/html; charset=utf-8"
    else:
        payload, guess = json.dumps(body).encode(), "application/json"

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        sent = {"Content-Type": kind or guess, "Content-Length": str(len(payload)), **headers}
        for name, value in sent.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(payload)

    return step


def page(text: str, title: str = "", head: str = "") -> Step:
    """Answer with an HTML page of one paragraph."""
    return send(body=f"<html><head><title>{title}</title>{head}</head><body><p>{text}</p></body></html>")


class Site:
    """The server's side: ``pages`` are the steps by path without query, ``asked`` what came in."""

    def __init__(self, port: int, scheme: str = "http") -> None:
        self.port = port
        self.url = f"{scheme}://127.0.0.1:{port}"
        self.entry = f"127.0.0.1:{port}"
        self.pages: dict[str, Step] = {}
        self.asked: list[Asked] = []
        self.closed = threading.Event()

    def paths(self) -> list[str]:
        """The paths that were asked for, in their order."""
        return [asked.path for asked in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        site: Site = self.server.site  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        site.asked.append(Asked(self.command, self.path, headers, body))
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            site.pages.get(urlsplit(self.path).path, send(404))(self)

    do_GET = do_POST = _answer

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # the client hung up: that is what many tests are about


@contextlib.contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    """A fresh server on a free port of 127.0.0.1, with TLS if a context is given."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        site = Site(server.server_address[1], "https" if tls else "http")
        server.site = site  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            site.closed.set()
            server.shutdown()
            thread.join()


def names(**known: str | Sequence[str | list[str]]) -> Callable[[str, int], Coroutine[Any, Any, list[str]]]:
    """A resolver that knows these names, with ``_`` for the dots; a list of lists is one answer after another."""
    left = {name.replace("_", "."): list(hits) if isinstance(hits, list) else [[hits]] for name, hits in known.items()}

    async def resolver(host: str, port: int) -> list[str]:
        if host not in left:
            raise OSError(f"{host} is unknown")
        answers: Any = left[host]
        return list(answers.pop(0) if len(answers) > 1 else answers[0])

    return resolver


def client(*sites: Site, limits: Limits = LIMITS, **guard: Any) -> Client:
    """A client that may fetch from these sites."""
    allow = (*(site.entry for site in sites), *guard.pop("allow", ()))
    return Client(Guard(allow, **guard), limits)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine in a loop of its own."""
    return asyncio.run(coroutine)
