"""Connections that ask for nothing: how a server gets rid of them, and whom it serves meanwhile.

Four kinds take turns: one says nothing, one sends a byte of a request's head each second, one asks for a page and then
says nothing, one asks for a large page and never reads it. Another client asks for a page all the while. They come in
two waves: what the second adds to the memory is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from pathlib import Path

__all__ = ["descriptors", "idle"]

_SLOWLY = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 600
_ONCE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
_UNREAD = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
_KINDS = (b"", _SLOWLY, _ONCE, _UNREAD)
_BATCH = 200
_LONGEST = 90.0


def descriptors(process: int) -> int:
    """How many files and connections a process has open."""
    return len(os.listdir(f"/proc/{process}/fd"))


def _resident(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def idle(process: int, port: int, many: int) -> list[dict[str, float]]:
    """What two waves of so many connections cost."""
    return [await _wave(process, port, many) for _ in range(2)]


async def _wave(process: int, port: int, many: int) -> dict[str, float]:
    """Open so many; the seconds until the server has closed all, its memory and descriptors, and who was served."""
    before = (descriptors(process), _resident(process))
    peak, refused, opened, began = before, 0, [], time.perf_counter()
    looking = asyncio.create_task(_look(port))
    for first in range(0, many, _BATCH):
        made = await asyncio.gather(*(_open(port, number) for number in range(first, min(many, first + _BATCH))))
        opened += [one for one in made if one is not None]
        refused += made.count(None)
        peak = max(peak[0], descriptors(process)), max(peak[1], _resident(process))
    took = time.perf_counter() - began
    dripping = asyncio.create_task(_drip(opened[1::4]))
    while descriptors(process) > before[0] + 2 and time.perf_counter() - began < took + _LONGEST:
        await asyncio.sleep(0.25)
        peak = max(peak[0], descriptors(process)), max(peak[1], _resident(process))
    gone = time.perf_counter() - began
    looking.cancel()
    dripping.cancel()
    waits, failed = await looking
    after = descriptors(process), _resident(process)
    for one in opened:
        one.close()
    return {
        "opened": len(opened), "refused": refused, "seconds_to_open": took, "seconds_until_closed": gone,
        "descriptors_before": before[0], "descriptors_peak": peak[0], "descriptors_after": after[0],
        "mb_before": before[1] / 1024, "mb_peak": peak[1] / 1024, "mb_after": after[1] / 1024,
        "others_served": len(waits), "others_failed": failed, "others_p50_ms": sorted(waits)[len(waits) // 2],
        "others_slowest_ms": max(waits),
    }  # fmt: skip


async def _open(port: int, number: int) -> socket.socket | None:
    """A connection of the kind whose turn it is."""
    loop, made = asyncio.get_running_loop(), socket.socket()
    made.setblocking(False)
    kind = _KINDS[number % len(_KINDS)]
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    try:
        await asyncio.wait_for(loop.sock_connect(made, ("127.0.0.1", port)), 20)
        await loop.sock_sendall(made, kind[:60] if kind is _SLOWLY else kind)
    except OSError:
        made.close()
        return None
    return made


async def _drip(connections: list[socket.socket]) -> None:
    """Send another byte of a head over each, once a second."""
    for place in range(60, len(_SLOWLY)):
        for one in connections:
            with contextlib.suppress(OSError):
                one.send(_SLOWLY[place : place + 1])
        await asyncio.sleep(1)


async def _look(port: int) -> tuple[list[float], int]:
    """Ask for a page again and again, over a new connection each time: milliseconds, and how many got no answer."""
    waits, failed = [1000 * await _page(port)], 0
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(0.05)
            try:
                waits.append(1000 * await asyncio.wait_for(_page(port), 10))
            except (OSError, TimeoutError, AssertionError):
                failed += 1
    return waits, failed


async def _page(port: int) -> float:
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(_ONCE)
        assert b" 200 " in await reader.readline()
    finally:
        writer.close()
    return time.perf_counter() - began
