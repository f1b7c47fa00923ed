"""The service under load over loopback: overhead of a request, runs at once on a 50 ms model, many streams of one run.

    python scripts/bench/service.py [--runs 1000] [--streams 200] [--requests 200] [--out FILE]

The server is a process of its own with the multi-pass engine on a scripted model that waits 50 ms a call. No run can
end before its calls one after the other: that is the bound. Memory is what the server's resident size grows by, over
the number of runs. One of the streams reads nothing. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import socket
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
from machine import machine

from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse
from aeon.server.app import application
from aeon.server.equipment import Equipment
from aeon.server.runs import Runs
from aeon.server.service import Limits, Service
from aeon.server.serving import listening, serve
from aeon.testing.obliging import oblige

LATENCY = 0.05
TASK = "What do 17 pens at 2.40 cost?"


class Waiting(Scripted):
    """A model that takes its time, and no processor."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The plainest reply, after the latency."""
        await asyncio.sleep(LATENCY)
        return await super().complete(request)


def server(where: socket.socket, folder: str, parallel: int) -> None:
    """Serve until the process is ended."""
    service = Service(Runs(Path(folder)), Equipment(Waiting(oblige)), Limits(parallel, 10 * parallel))
    asyncio.run(serve(service, application(service), where, lambda: None))


def resident(pid: int) -> int:
    """The resident size of a process in kilobytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def overhead(client: httpx2.AsyncClient, requests: int) -> dict[str, float]:
    """Milliseconds of a request that only looks, and of a run beyond the time of its model calls."""
    looks, runs = [], []
    for _ in range(requests):
        began = time.perf_counter()
        (await client.get("/healthz")).raise_for_status()
        looks.append(time.perf_counter() - began)
    for _ in range(max(1, requests // 10)):
        began = time.perf_counter()
        reply = (await client.post("/run", json={"task": TASK})).json()
        runs.append(time.perf_counter() - began - LATENCY * reply["usage"]["calls"])
    return {"request_ms": 1000 * statistics.median(looks), "run_ms": 1000 * statistics.median(runs)}


async def crowd(client: httpx2.AsyncClient, pid: int, runs: int) -> dict[str, float]:
    """Many runs at once: seconds over the bound, and the server's growth for each."""
    before = resident(pid)
    began = time.perf_counter()
    replies = [client.post("/run", json={"task": TASK, "async": True}) for _ in range(runs)]
    names = [reply.json()["id"] for reply in await asyncio.gather(*replies)]
    accepted = time.perf_counter() - began
    peak = before
    while (await client.get("/jobs?state=ended&most=1")).json()["jobs"] == [] or await open_runs(client):
        peak = max(peak, resident(pid))
        await asyncio.sleep(0.2)
    seconds = time.perf_counter() - began
    results = [(await client.get(f"/jobs/{name}/result")).json() for name in names[:: max(1, runs // 50)]]
    bound = LATENCY * max(one["usage"]["calls"] for one in results)
    return {
        "runs": runs, "accepted_seconds": accepted, "seconds": seconds, "bound_seconds": bound,
        "over_bound": seconds / bound, "kb_a_run": (max(peak, resident(pid)) - before) / runs,
    }  # fmt: skip


async def open_runs(client: httpx2.AsyncClient) -> bool:
    """Whether a run waits or is worked on."""
    health = (await client.get("/healthz")).json()
    return bool(health["running"] + health["queued"])


async def streams(client: httpx2.AsyncClient, where: tuple[str, int], readers: int) -> dict[str, float]:
    """Many readers of one run, one of whom reads nothing: milliseconds to the first event, and the run's time."""
    began = time.perf_counter()
    name = (await client.post("/run", json={"task": TASK, "async": True})).json()["id"]
    stalled = socket.create_connection(where)
    stalled.sendall(f"GET /jobs/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    firsts: list[float] = []
    wholes: list[str] = []

    async def read() -> None:
        start = time.perf_counter()
        text = ""
        async with client.stream("GET", f"/jobs/{name}/events") as reply:
            async for part in reply.aiter_text():
                if not text:
                    firsts.append(time.perf_counter() - start)
                text += part
        wholes.append("".join(block for block in text.split("\n\n") if block.startswith("id: ")))

    await asyncio.gather(*(read() for _ in range(readers)))
    stalled.close()
    return {
        "readers": readers, "same": len(set(wholes)) == 1, "run_seconds": time.perf_counter() - began,
        "first_event_p50_ms": 1000 * statistics.median(firsts),
        "first_event_p99_ms": 1000 * statistics.quantiles(firsts, n=100)[-1],
    }  # fmt: skip


async def measured(options: argparse.Namespace, where: tuple[str, int], pid: int) -> dict[str, Any]:
    """All measurements, one after the other."""
    limits = httpx2.Limits(max_connections=max(options.streams, 100) + 50)
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{where[1]}", timeout=300, limits=limits) as client:
        for _ in range(100):
            try:
                await client.post("/run", json={"task": TASK})
                break
            except httpx2.ConnectError:
                await asyncio.sleep(0.1)
        return {
            "machine": machine(),
            "overhead": await overhead(client, options.requests),
            "streams": await streams(client, where, options.streams),
            "crowd": await crowd(client, pid, options.runs),
        }


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, listening("127.0.0.1", 0) as where:
        process = multiprocessing.Process(target=server, args=(where, folder, options.runs), daemon=True)
        process.start()
        assert process.pid is not None
        found = asyncio.run(measured(options, where.getsockname(), process.pid))
        process.terminate()
        process.join()
    text = json.dumps(found, indent=2)
    print(text)
    if options.out:
        options.out.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
