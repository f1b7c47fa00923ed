"""Endpoints that send what no model does: seconds and memory of a run that asks them.

    python scripts/bench/hostile_endpoints.py [--only NAME] [--seconds 20] [--out FILE]

Each endpoint is a socket that answers every request alike. A run of so many seconds asks it with the tools of a small
folder; what it took, the most memory that it and its children held together, its exit code and its last line are
printed as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from hostile_folders import TASK, environment, folder, watched
from machine import machine

Sent: TypeAlias = AsyncIterator[bytes]
MIB = 1 << 20
EVENTS = "content-type: text/event-stream\r\n"


def head(fields: str = "content-type: application/json\r\n", status: str = "200 OK") -> bytes:
    """The head of a reply whose end is the end of its connection."""
    return f"HTTP/1.1 {status}\r\n{fields}connection: close\r\n\r\n".encode()


def chunk(text: str, **choice: object) -> bytes:
    """One event of a stream with a piece of the answer."""
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None, **choice}
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [delta]}).encode() + b"\n\n"


def whole(**message: object) -> bytes:
    """A whole completion."""
    made = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return json.dumps({"object": "chat.completion", "choices": [made], "usage": usage}).encode()


def once(*parts: bytes) -> Callable[[], Sent]:
    """An endpoint that sends this and closes."""

    async def send() -> Sent:
        for part in parts:
            yield part

    return send


def always(first: bytes, again: bytes, pause: float = 0.0) -> Callable[[], Sent]:
    """An endpoint that never ends."""

    async def send() -> Sent:
        yield first
        while True:
            yield again
            await asyncio.sleep(pause)

    return send


def calls(count: int, **arguments: str) -> bytes:
    """A completion with so many calls of a tool."""
    function = {"name": "sql", "arguments": json.dumps(arguments or {"query": "SELECT 1"})}
    listed = [{"id": f"call_{number}", "type": "function", "function": function} for number in range(count)]
    return whole(content=None, tool_calls=listed)


ENDPOINTS: dict[str, Callable[[], Sent]] = {
    "closes at once": once(),
    "says nothing": always(b"", b"", 1.0),
    "a head without an end": always(b"HTTP/1.1 200 OK\r\n", b"x-more: " + b"a" * 1_000 + b"\r\n"),
    "a head, a byte a second": always(b"HTTP/1.1 200 OK\r\n", b"x", 1.0),
    "stands still behind its head": always(head(EVENTS), b"", 1.0),
    "comments for ever": always(head(EVENTS), b": wait\n\n", 0.5),
    "empty events for ever": always(head(EVENTS), b"data: {}\n\n" * 1_000),
    "one line for ever": always(head(EVENTS) + b"data: ", b"a" * MIB),
    "pieces for ever": always(head(EVENTS), chunk("word ") * 1_000),
    "thoughts for ever": always(
        head(EVENTS), chunk("", delta={"role": "assistant", "reasoning_content": "hm " * 300}) * 100
    ),
    "a body for ever": always(head(), b"[" * MIB),
    "two gigabytes of zeros, packed": once(
        head("content-type: application/json\r\ncontent-encoding: gzip\r\n"), gzip.compress(bytes(2_000 * MIB), 1)
    ),
    "a million brackets": once(head(), b'{"choices": ' + b"[" * 1_000_000),
    "a number of a million digits": once(
        head(), b'{"choices": [], "usage": {"prompt_tokens": ' + b"9" * 1_000_000 + b"}}"
    ),
    "a hundred thousand choices": once(
        head(), b'{"choices": [' + b",".join([b'{"index":0}'] * 100_000) + b"]}"
    ),
    "an answer of seven megabytes": once(head(), whole(content="word " * (7 * MIB // 5))),
    "an answer of one word without spaces": once(head(), whole(content="a" * 200_000)),
    "marks of thoughts alone": once(head(), whole(content="<think>" * 28_000)),
    "an object a hundred thousand deep": once(head(), whole(content='{"a":' * 100_000)),
    "ten thousand calls": once(head(), calls(10_000)),
    "arguments of five megabytes": once(head(), calls(1, query="1" * 5 * MIB)),
    "redirects to itself": once(head("location: /v1/chat/completions\r\n", "307 Temporary Redirect")),
    "put off for an hour": once(head("retry-after: 3600\r\n", "429 Too Many Requests"), b'{"error": "later"}'),
    "an error page of a gigabyte": always(head("content-type: text/html\r\n", "500 No"), b"<p>" * (MIB // 3)),
}  # fmt: skip


async def _answer(endpoint: Callable[[], Sent], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        top = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next((int(line.split(":")[1]) for line in top.split("\r\n") if line.startswith("content-length")), 0)
        await reader.readexactly(length)
        if top.startswith("get"):
            writer.write(head(status="404 Not Found") + b"{}")
        else:
            async for part in endpoint():
                writer.write(part)
                await writer.drain()
        await writer.drain()
    writer.close()


@contextlib.contextmanager
def serving(endpoint: Callable[[], Sent]) -> Iterator[str]:
    """The endpoint at a port of its own, in a thread: its URL."""
    loop, ready, ports = asyncio.new_event_loop(), threading.Event(), []

    async def start() -> None:
        server = await asyncio.start_server(lambda r, w: _answer(endpoint, r, w), "127.0.0.1", 0, limit=8 * MIB)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()

    thread = threading.Thread(target=lambda: (loop.run_until_complete(start()), loop.run_forever()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{ports[0]}/v1#model"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def ran(url: str, place: Path, base: Path, seconds: float) -> dict[str, Any]:
    """What a run with the endpoint took, and how it ended."""
    command = [sys.executable, "-m", "aeon.cli.main", "run", TASK, "--model", url, "--files", str(place), "--json"]
    command += ["--budget-seconds", str(seconds)]
    took, output, errors = watched(command, environment(base / "home"))
    try:
        result = json.loads(output)
    except ValueError:
        return {**took, "said": errors[-300:]}
    said = f"{result['stop_reason']}: {result['answer'][:200]}" if "answer" in result else str(result)[:200]
    return {**took, "said": said}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=[*ENDPOINTS], help="of these; all without it")
    parser.add_argument("--seconds", type=float, default=20.0, help="of a run")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    before = machine()
    for name in options.only or [*ENDPOINTS]:
        with tempfile.TemporaryDirectory() as scratch, serving(ENDPOINTS[name]) as url:
            base = Path(scratch)
            found[name] = ran(url, folder(base, ""), base, options.seconds)
            print(name, json.dumps(found[name]), file=sys.stderr, flush=True)
    text = json.dumps({"machine": before, "found": found}, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
