"""HTTP clients that live and die with the event loop that uses them."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, Mapping
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx2

from aeon.errors import ConfigError
from aeon.llm import sdk as openai
from aeon.llm.base_url import plain_key, plain_url
from aeon.llm.carried import carried
from aeon.llm.extras import plain_headers, secrets_of
from aeon.llm.replies import PACKINGS, guard

__all__ = ["CONNECT_SECONDS", "Connections", "is_loopback"]

CONNECT_SECONDS = 10.0
"""How long connecting may take."""

MOST_REDIRECTS = 3
"""Redirects within one origin that are followed for a request."""


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine; a proxy must not get between."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Connections:
    """One SDK client per running event loop.

    Connections are kept alive for the next call, and closed when the loop shuts down: `asyncio.run` closes every
    asynchronous generator that was started in its loop, and each client is held by one.

    A ``base_url`` with a user, a password or a query in it is refused with `ConfigError`, and so is a key that no HTTP
    header can carry. The key goes into ``key_header``, by default as a bearer token; ``headers`` go with every request,
    and so do those that the user ``added``, in place of any other of the same name.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        key_header: str = "",
        headers: Mapping[str, str] | None = None,
        added: Mapping[str, str] | None = None,
    ) -> None:
        self.base_url = plain_url(base_url)
        self.api_key = plain_key(api_key) or None
        self._bearer = self.api_key is not None and not key_header
        self._headers = dict(headers or {}) | ({key_header: self.api_key} if key_header and self.api_key else {})
        self._added = plain_headers(added)
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = WeakKeyDictionary()
        self._holders: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[openai.AsyncOpenAI]] = (
            WeakKeyDictionary()
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may repeat: the values of the headers that the user added, and the key."""
        return (*secrets_of(self._added), *([self.api_key] if self.api_key else []))

    def lock(self) -> asyncio.Lock:
        """The running loop's lock for what is to be done once, such as probing."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    async def client(self) -> openai.AsyncOpenAI:
        """The running loop's client, made on first use."""
        loop = asyncio.get_running_loop()
        existing = self._clients.get(loop)
        if existing is not None:
            return existing
        client = self._open()
        holder = self._hold(client)
        self._clients[loop] = client
        self._holders[loop] = holder
        await anext(holder)
        return client

    async def aclose(self) -> None:
        """Close the running loop's client."""
        holder = self._holders.pop(asyncio.get_running_loop(), None)
        if holder is not None:
            await holder.aclose()

    def options(self, seconds: float | None = None) -> openai.RequestOptions:
        """Options that every request is sent with; ``seconds`` bounds a request that no other deadline bounds.

        A server on this machine gets a connection for each request: a new one costs nothing there, while one that is
        kept may be closed by the server at the very moment that it is used again.
        """
        headers: dict[str, str | openai.Omit] = {"Connection": "close"} if is_loopback(self.base_url) else {}
        if not self._bearer:
            headers["Authorization"] = openai.Omit()
        headers |= self._headers
        headers |= carried()
        return {"timeout": openai.Timeout(seconds, connect=CONNECT_SECONDS), "headers": headers}

    def _open(self) -> openai.AsyncOpenAI:
        try:
            http = openai.DefaultAsyncHttpxClient(
                trust_env=not is_loopback(self.base_url),
                headers={"Accept-Encoding": PACKINGS},
                max_redirects=MOST_REDIRECTS,
                event_hooks={"request": [self._add], "response": [guard(self.base_url)]},
            )
        except (ValueError, ImportError, httpx2.InvalidURL) as error:  # of what the environment says of proxies
            said = " ".join(str(error).split())
            raise ConfigError(
                f"{self.base_url} cannot be reached through the proxy that the environment names ({said}); mend or "
                "unset HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"
            ) from None
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self.api_key or "none",  # never the SDK's own choice, an environment variable
            max_retries=0,
            http_client=http,
        )

    async def _add(self, request: httpx2.Request) -> None:
        """Put the added headers into a request; the SDK, which may log what it is given, never sees them."""
        request.headers.update(self._added)

    async def _hold(self, client: openai.AsyncOpenAI) -> AsyncGenerator[openai.AsyncOpenAI]:
        loop = asyncio.get_running_loop()
        try:
            yield client
        finally:
            self._clients.pop(loop, None)
            self._holders.pop(loop, None)
            await client.close()
