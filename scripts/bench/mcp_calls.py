"""What a tool call costs through an MCP server, beside the same function as a plain tool of Aeon, in one run.

Each round calls the function once in each way, one after the other, so that what slows the machine down slows all:

    python scripts/bench/mcp_calls.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

from aeon.server.serving import listening
from aeon.tools.mcp.servers import Servers
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import tool

ROUNDS, WARM = 500, 20
server = MCPServer("bench", log_level="ERROR")


def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


server.tool(annotations=ToolAnnotations(read_only_hint=True))(add)


@contextmanager
def over_http() -> Iterator[str]:
    """Serve over HTTP in a process of its own; gives the address."""
    with listening("127.0.0.1", 0) as where:
        port = where.getsockname()[1]
    process = subprocess.Popen([sys.executable, __file__, "serve", str(port)], stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


async def timed(ways: dict[str, Callable[[int], Awaitable[object]]], rounds: int) -> dict[str, list[float]]:
    """The milliseconds of each call, by the way it went."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-WARM, rounds):
        for name, way in ways.items():
            began = time.perf_counter()
            await way(number)
            if number >= 0:
                took[name].append((time.perf_counter() - began) * 1_000)
    return took


def main(rounds: int) -> None:
    """Measure, and print a table."""
    os.environ["AEON_HOME"] = tempfile.mkdtemp()
    plain = tool(name="plain_add", side_effects=False, parallel_safe=True)(add)
    stdio = shlex.join([sys.executable, str(Path(__file__).resolve()), "serve"])
    began = time.perf_counter()
    with over_http() as address, Servers.open([f"stdio={stdio}", f"http={address}"]) as servers:
        opened = time.perf_counter() - began
        registry = ToolRegistry([plain, *servers.tools])
        names = {"plain tool": "plain_add", "MCP over stdio": "stdio_add", "MCP over HTTP": "http_add"}
        ways = {way: lambda n, name=name: registry.call(name, {"a": n, "b": 1}) for way, name in names.items()}
        took = asyncio.run(timed(ways, rounds))
        protocols = {one.label: one.protocol for one in servers.opened}
    base = statistics.median(took["plain tool"])
    print(f"{rounds} rounds; protocol revisions {protocols}; started and opened in {opened:.2f} s")
    print("| way | median ms | 95th percentile ms | ratio of the medians |\n|---|---|---|---|")
    for way, values in took.items():
        middle, high = statistics.median(values), statistics.quantiles(values, n=20)[-1]
        print(f"| {way} | {middle:.2f} | {high:.2f} | {middle / base:.1f} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        if len(sys.argv) > 2:
            server.run("streamable-http", port=int(sys.argv[2]))
        else:
            server.run("stdio")
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
