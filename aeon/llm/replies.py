"""What an endpoint may send, and from where: so much and no more is read, however it is packed.

An honest answer has a few hundred bytes for each token at most, and a run reads 200,000 characters of it. Whatever goes
far beyond that is broken off while it is read, so that no endpoint can fill the memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from urllib.parse import urlsplit

import httpx2

from aeon.errors import EndpointMoved, MalformedResponse
from aeon.unpacking import PACKINGS as UNPACKABLE
from aeon.unpacking import Unpacker

__all__ = ["ALIVE", "LAST_SECONDS", "MOST_BODY", "MOST_ERROR", "MOST_STREAM", "PACKINGS", "events", "guard"]

MIB = 1 << 20
MOST_BODY = 8 * MIB
"""Bytes of a reply that comes as a whole, unpacked, and of one event of a stream."""
MOST_STREAM = 64 * MIB
"""Bytes of a streamed reply, unpacked, with 64 more for each of its lines."""
MOST_ERROR = 64 * 1024
"""Bytes that are read of the page that comes with an error; what follows is left out."""

PACKINGS = "gzip, deflate"
"""How replies may be packed: what can be unpacked piece by piece."""

LAST_SECONDS = 1.0
"""How long the end of a stream may take that has said all there is to say."""

ALIVE = b""
"""What stands for bytes that complete no event, such as a comment: nothing was said, but somebody is there."""

_NOTHING = (b"", b"null", b"{}")
"""The data of events that say nothing."""

_LINE = 64
"""What a line counts beside its text."""

Unpack = Callable[[bytes], Iterable[bytes]]


class _Limited(httpx2.AsyncByteStream):
    """A reply's bytes, unpacked, up to a limit; ``beyond`` is raised where there are more, or they are left out."""

    def __init__(self, sent: httpx2.AsyncByteStream, unpack: Unpack, most: int, beyond: Exception | None) -> None:
        self._sent = sent
        self._unpack = unpack
        self._most = most
        self._beyond = beyond

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for packed in self._sent:
            for part in self._unpack(packed):
                left -= len(part)
                if left >= 0:
                    yield part
                elif self._beyond is None:
                    return
                else:
                    raise self._beyond

    async def aclose(self) -> None:
        await self._sent.aclose()


def guard(where: str) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A hook that an HTTP client calls with each response before it is read; ``where`` names the endpoint.

    The hook raises `EndpointMoved` for a redirect to another origin, and `MalformedResponse` for a packing that was not
    asked for; reading raises `MalformedResponse` where the reply is too long or cannot be unpacked.
    """

    async def limit(response: httpx2.Response) -> None:
        if response.has_redirect_location:
            _stay(response, where)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        kind = response.headers.get("content-type", "").lower()
        most = MOST_STREAM if "event-stream" in kind and "json" not in kind else MOST_BODY
        beyond: Exception | None = _too_long(where, most, "reply")
        if response.status_code >= 300:
            most, beyond = MOST_ERROR, None
        unpack = _unpacking(response.headers.pop("content-encoding", "").strip().lower(), where)
        response.stream = _Limited(response.stream, unpack, most, beyond)

    return limit


def _stay(response: httpx2.Response, where: str) -> None:
    """Raise `EndpointMoved` if the response redirects to another scheme, host or port."""
    target = response.headers["location"]
    try:
        parts = urlsplit(str(response.url.join(target)))
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    except (ValueError, httpx2.InvalidURL):
        raise EndpointMoved(f"{where} redirects to an address that cannot be read; check the base URL") from None
    if origin != f"{response.url.scheme}://{response.url.netloc.decode()}":
        raise EndpointMoved(
            f"{where} redirects to {origin[:200]!r}, and nothing was sent there; if that is the endpoint, make it the "
            "base URL"
        )


def _unpacking(packing: str, where: str) -> Unpack:
    """What gives the plain bytes of each piece, at most so many at once."""
    if packing in ("", "identity"):
        return lambda packed: (packed,)
    if packing not in UNPACKABLE:
        raise MalformedResponse(
            f"{where} packs its replies as {packing[:40]!r}, which was not asked for; switch that off there"
        )
    unpacker = Unpacker()

    def unpack(packed: bytes) -> Iterator[bytes]:
        try:
            yield from unpacker.unpack(packed)
        except zlib.error:
            raise MalformedResponse(
                f"{where} sent a reply that cannot be unpacked ({packing}); switch packing off there"
            ) from None

    return unpack


class _Assembly:
    """Puts events together out of the parts of a stream."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._rest = bytearray()
        self._data: list[bytes] = []
        self._size = self._total = 0

    def take(self, part: bytes) -> Iterator[bytes]:
        """The data of each event that this part completes. Raises `MalformedResponse` at the limits."""
        for line in self._lines(part):
            self._total += len(line) + _LINE
            text = line.rstrip(b"\r\n")
            if text.startswith(b"data:"):
                self._data.append(bytes(text[5:]).removeprefix(b" "))
                self._size += len(text) + _LINE
            elif not text and self._data:
                event, self._data, self._size = b"\n".join(self._data), [], 0
                yield event
        if self._size + len(self._rest) > MOST_BODY:
            raise _too_long(self._where, MOST_BODY, "event of a stream")
        if self._total > MOST_STREAM:
            raise _too_long(self._where, MOST_STREAM, "reply")

    def _lines(self, part: bytes) -> list[bytearray]:
        """The lines that are whole with this part. A line end may come in two parts, and so may the line."""
        self._rest += part
        if b"\n" not in part and b"\r" not in part:
            return []
        lines = self._rest.splitlines(keepends=True)
        self._rest = bytearray() if lines[-1].endswith(b"\n") else lines.pop()
        return lines


async def events(parts: AsyncIterator[bytes], where: str) -> AsyncGenerator[bytes]:
    """The data of each server-sent event, up to the one that says that the stream is done; `ALIVE` for other bytes.

    Raises `MalformedResponse` where one event or all of them are too long.
    """
    assembly = _Assembly(where)
    async for part in parts:
        yield ALIVE
        for event in assembly.take(part):
            if event.startswith(b"[DONE]"):
                await _drain(parts)
                return
            if event.strip() not in _NOTHING:
                yield event


def _too_long(where: str, most: int, what: str) -> MalformedResponse:
    return MalformedResponse(
        f"{where} sent more than {most // MIB} MB in one {what}, and the rest was not read; check what serves this "
        "address"
    )


async def _drain(parts: AsyncIterator[bytes]) -> None:
    """Read the end of a stream, so that its connection serves the next call; what is wrong with it does not matter."""
    with contextlib.suppress(TimeoutError, httpx2.HTTPError, MalformedResponse):
        async with asyncio.timeout(LAST_SECONDS):
            await anext(parts, None)
