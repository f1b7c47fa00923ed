"""Fetching over HTTP within limits, from addresses that the guard has checked."""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
import zlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

import httpx2

from aeon.schema import SearchProblem
from aeon.search.failures import of_error
from aeon.search.guard import AddressRefused, Guard, Place
from aeon.text import one_line
from aeon.unpacking import PACKINGS, Unpacker
from aeon.waiting import asked_wait

__all__ = ["LIMITS", "USER_AGENT", "Ask", "Client", "Limits", "Reply"]


def _version() -> str:
    try:
        return f"/{version('aeon-orchestrator')}"
    except PackageNotFoundError:  # the source without an installation
        return ""


USER_AGENT = f"Aeon{_version()} (research assistant)"
"""How Aeon names itself to servers."""

_CHARSET = re.compile(r"(?:^|[;\s])charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_ADDRESSES = 3
"""Addresses of one name that are tried."""


@dataclass(frozen=True)
class Limits:
    """What one fetch may take. ``most_bytes`` counts unpacked bytes; ``seconds`` is for all hops together."""

    most_bytes: int = 5_000_000
    seconds: float = 20.0
    connect_seconds: float = 5.0
    read_seconds: float = 10.0
    redirects: int = 5


LIMITS = Limits()
"""The limits where nothing else is said."""


@dataclass(frozen=True)
class Ask:
    """A request. ``types`` are the content types that are read, any if empty.

    With ``stays``, only redirects within the server are followed: headers are never sent elsewhere.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # keys are in them
    content: bytes = b""
    types: frozenset[str] = frozenset()
    stays: bool = False


@dataclass(frozen=True)
class Reply:
    """What a server answered. ``body`` is unpacked, and empty where ``status`` is none of success.

    ``url`` is where it came from at last, ``retrieved`` when, and ``wait`` the seconds that the server asks to wait.
    """

    url: str
    host: str
    status: int
    content_type: str
    charset: str
    body: bytes
    retrieved: str
    wait: float | None = None


class _Failed(Exception):
    def __init__(self, problem: SearchProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Client:
    """Fetches what the guard lets through. Nothing is kept between two fetches: no cookie, no connection.

    A proxy that the environment names is not used, since it would connect to addresses that nobody checked. ``tls`` is
    what certificates are verified with, by default what this machine trusts. A client may be used in any event loop.
    """

    def __init__(self, guard: Guard, limits: Limits = LIMITS, tls: ssl.SSLContext | None = None) -> None:
        self.guard = guard
        self.limits = limits
        self._tls = tls

    async def fetch(self, ask: Ask) -> Reply | SearchProblem:
        """Return the reply, of whatever status, or why there is none. Makes one attempt and never raises."""
        where = one_line(ask.url, 120)
        try:
            place = self.guard.place(ask.url)
            where = _label(place, ask)
            async with asyncio.timeout(self.limits.seconds):
                return await self._follow(place, ask)
        except AddressRefused as refusal:
            return SearchProblem(kind="forbidden", message=str(refusal), retryable=False)
        except _Failed as failed:
            return failed.problem
        except (OSError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            return of_error(error, where)  # a TimeoutError is an OSError

    async def _follow(self, place: Place, ask: Ask) -> Reply:
        for _ in range(self.limits.redirects + 1):
            reply = await self._at_any_address(place, ask)
            if isinstance(reply, Reply):
                return reply
            place = self._next(place, reply, ask)
        message = f"{one_line(ask.url, 120)} redirects more than {self.limits.redirects} times"
        raise _Failed(SearchProblem(kind="unreachable", message=message, retryable=False))

    def _next(self, place: Place, location: str, ask: Ask) -> Place:
        """Where a redirect leads to. Raises `AddressRefused` or `_Failed` where it is not followed."""
        try:
            target = self.guard.place(str(place.url.join(location)))
        except httpx2.InvalidURL:
            raise AddressRefused(f"{place.server} redirects to an address that cannot be read") from None
        shown = one_line(str(target), 120)
        if ask.stays and (target.origin != place.origin or ask.method != "GET"):
            message = f"{place.server} redirects to {shown}; if that is the service, name it instead"
            raise _Failed(SearchProblem(kind="configuration", message=message, retryable=False))
        if place.url.scheme == "https" and target.url.scheme == "http":
            raise AddressRefused(f"{shown} is refused: a redirect from https to http is not followed")
        return target

    async def _at_any_address(self, place: Place, ask: Ask) -> Reply | str:
        addresses = await self.guard.addresses(place)
        last: Exception = OSError()
        for address in addresses[:_MOST_ADDRESSES]:
            try:
                return await self._exchange(place, address, ask)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                last = error
        raise last

    async def _exchange(self, place: Place, address: str, ask: Ask) -> Reply | str:
        """Ask one address; return the reply, or where it redirects to."""
        limits = self.limits
        timeout = httpx2.Timeout(limits.read_seconds, connect=limits.connect_seconds).as_dict()
        request = httpx2.Request(
            ask.method,
            place.url.copy_with(host=address),
            headers={
                "User-Agent": USER_AGENT,
                "Accept": ", ".join(sorted(ask.types)) or "application/json",
                "Accept-Encoding": "gzip, deflate",
                **ask.headers,
                "Host": place.url.netloc.decode(),
            },
            content=ask.content or None,
            extensions={"timeout": timeout, "sni_hostname": place.host},
        )
        async with httpx2.AsyncHTTPTransport(verify=self._context(), trust_env=False) as transport:
            response = await transport.handle_async_request(request)
            try:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    return str(response.headers["location"])
                return await self._read(place, response, ask)
            finally:
                await response.aclose()

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = httpx2.create_ssl_context()
        return self._tls

    async def _read(self, place: Place, response: httpx2.Response, ask: Ask) -> Reply:
        content_type, charset = _content_type(response.headers.get("content-type", ""))
        body = b""
        if 200 <= response.status_code < 300:
            if ask.types and content_type not in ask.types:
                kind = one_line(content_type, 60) or "unknown"
                raise _malformed(_label(place, ask), f"has the type {kind}, which is not read")
            body = await self._body(_label(place, ask), response)
        return Reply(
            url=str(place),
            host=place.host,
            status=response.status_code,
            content_type=content_type,
            charset=charset,
            body=body,
            retrieved=datetime.now(UTC).isoformat(timespec="seconds"),
            wait=asked_wait(response.headers, response.status_code == 429),
        )

    async def _body(self, where: str, response: httpx2.Response) -> bytes:
        """The body, unpacked. Raises `_Failed` where it is too large or broken."""
        body = bytearray()
        async with contextlib.aclosing(self._unpacked(where, response)) as parts:
            async for part in parts:
                body += part
                if len(body) > self.limits.most_bytes:
                    raise self._too_large(where)
        return bytes(body)

    async def _unpacked(self, where: str, response: httpx2.Response) -> AsyncGenerator[bytes]:
        """The plain bytes, piece by piece. Raises `_Failed` where they cannot be unpacked, or without end."""
        packing = response.headers.get("content-encoding", "").strip().lower()
        if packing in ("", "identity"):
            async for part in response.aiter_raw():
                yield part
            return
        unpacker, received = _unpacker(where, packing), 0
        try:
            async for packed in response.aiter_raw():
                received += len(packed)
                for part in unpacker.unpack(packed):
                    yield part
                if received > self.limits.most_bytes:
                    raise self._too_large(where)
        except zlib.error:
            raise _malformed(where, f"cannot be unpacked ({packing})") from None
        if received and not unpacker.is_whole:
            raise _malformed(where, f"cannot be unpacked to its end ({packing})", retryable=True)

    def _too_large(self, where: str) -> _Failed:
        message = f"{where} is larger than the {self.limits.most_bytes / 1e6:g} MB that are read"
        return _Failed(SearchProblem(kind="too_large", message=message, retryable=False))


def _label(place: Place, ask: Ask) -> str:
    """What an error calls it; of a service the server alone, since its query is the user's."""
    return place.server if ask.stays else one_line(str(place), 120)


def _unpacker(where: str, packing: str) -> Unpacker:
    if packing not in PACKINGS:
        raise _malformed(where, f"is packed as {one_line(packing, 40)!r}, which was not asked for")
    return Unpacker()


def _content_type(header: str) -> tuple[str, str]:
    """The content type in lower case, and the charset if it names one."""
    kind, _, parameters = header.partition(";")
    charset = _CHARSET.search(parameters)
    return kind.strip().lower(), charset[1].lower() if charset else ""


def _malformed(where: str, message: str, retryable: bool = False) -> _Failed:
    return _Failed(SearchProblem(kind="malformed", message=f"{where} {message}", retryable=retryable))
