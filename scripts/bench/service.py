"""The service under load over loopback: overhead of a request, runs at once on a 50 ms model, many streams of one run.

    python scripts/bench/service.py [--runs 1000] [--streams 200] [--requests 200] [--rounds 3] [--tree DIR]
        [--langgraph PYTHON] [--folder DIR] [--out FILE]
    python scripts/bench/service.py --idle 10000

The servers are processes of their own with the loop of ``peers/workload.py``: 35 model calls in 14 waits, so that no
run can end before 0.70 s: that is the bound. ``--tree`` measures the code of another checkout beside this one, and
``--langgraph`` the same loop behind FastAPI and LangGraph with its SQLite checkpointer, and behind ``langgraph dev``.
They run in the environment of that interpreter: ``pip install langgraph langgraph-checkpoint-sqlite fastapi uvicorn
'langgraph-cli[inmem]'``. Rounds are interleaved. Memory is what a server's resident size grows by, over the number of
runs; processor time is the server's. Runs are kept in a new folder below ``--folder``. Of the readers of a stream one
reads nothing. ``--idle`` measures so many connections that ask for nothing instead: see ``service_idle.py``. Prints
JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from environments import HERE, ROOT
from machine import Spread, machine
from peers.workload import PASSES, STEPS, WAITS, expected
from service_idle import idle

LATENCY = 0.05
BOUND = WAITS * LATENCY
SLOW = 0.5
ASKED = {"task": "squares", "config": {"max_passes": PASSES, "limits": {"total_steps": STEPS * PASSES}}}
_STATE = {"assistant_id": "loop", "input": {"results": [], "passes": 0}, "config": {"recursion_limit": 100}}
_TICKS = os.sysconf("SC_CLK_TCK")


class Kind(NamedTuple):
    """A server to be measured: what starts it, the tree whose code it runs, and how it is asked.

    ``path`` and ``body`` ask for a run, ``answer`` is where the reply has its answer, ``look`` is a page.
    """

    name: str
    python: str
    script: str
    tree: Path | None = None
    path: str = "/run"
    body: Any = ASKED
    answer: str = "summary"
    look: str = "/healthz"


class Server(NamedTuple):
    """A server that listens."""

    process: subprocess.Popen[str]
    port: int

    @property
    def resident(self) -> int:
        """Its resident size in kilobytes."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    @property
    def busy(self) -> float:
        """The processor seconds that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


@contextlib.contextmanager
def serving(kind: Kind, parallel: int, base: Path | None, latency: float = LATENCY) -> Iterator[Server]:
    """A server in a process of its own, over a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(dir=base) as folder:
        command = [kind.python, str(HERE / "peers" / kind.script), folder, str(latency), str(parallel)]
        others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        env = {**others, **({"PYTHONPATH": str(kind.tree)} if kind.tree else {})}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
            assert process.stdout is not None
            port = re.search(r":(\d+)$", process.stdout.readline().strip())
            if port is None:
                raise SystemExit(f"{kind.name}: {' '.join(command)} did not start")
            _wait(int(port[1]))
            try:
                yield Server(process, int(port[1]))
            finally:
                process.kill()


def _wait(port: int) -> None:
    """Wait until somebody listens there."""
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise SystemExit(f"nobody listens at {port}")


async def asked(port: int, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
    """What a request over a connection of its own is answered with."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(data)}\r\n"
    writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + data)
    answer = await reader.read()
    writer.close()
    status, _, rest = answer.partition(b"\r\n\r\n")
    if status.split()[1] not in (b"200", b"202"):
        raise SystemExit(f"{method} {path}: {answer.decode()}")
    chunked = b"transfer-encoding: chunked" in status.lower()
    return json.loads(b"".join(_chunks(rest)) if chunked else rest)


def _chunks(body: bytes) -> Iterator[bytes]:
    """The parts of a body that was sent in parts."""
    while body:
        size, _, rest = body.partition(b"\r\n")
        yield rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]


async def overhead(server: Server, kind: Kind, requests: int) -> dict[str, float]:
    """Milliseconds of a request that only looks, and of a run beyond the time of its model calls."""
    looks, runs = [], []
    for _ in range(requests):
        began = time.perf_counter()
        await asked(server.port, "GET", kind.look)
        looks.append(time.perf_counter() - began)
    for _ in range(max(2, requests // 20)):
        began = time.perf_counter()
        await asked(server.port, "POST", kind.path, kind.body)
        runs.append(time.perf_counter() - began - BOUND)
    return {"request_ms": 1000 * statistics.median(looks), "run_ms": 1000 * statistics.median(runs[1:])}


async def crowd(server: Server, kind: Kind, runs: int) -> dict[str, float]:
    """Many runs at once, each waited for: seconds over the bound, the server's processor time and growth for each."""
    before, busy, began = server.resident, server.busy, time.perf_counter()
    waiting = asyncio.gather(*(asked(server.port, "POST", kind.path, kind.body) for _ in range(runs)))
    peak = before
    while not waiting.done():
        peak = max(peak, server.resident)
        await asyncio.wait([waiting], timeout=0.1)
    seconds = time.perf_counter() - began
    said = {reply[kind.answer] for reply in waiting.result()}
    if said != {expected()}:
        raise SystemExit(f"the answers are {said}, not {expected()}")
    return {
        "over_bound": seconds / BOUND, "cpu_ms_a_run": 1000 * (server.busy - busy) / runs,
        "kb_a_run": (max(peak, server.resident) - before) / runs,
    }  # fmt: skip


async def streams(server: Server, readers: int, pause: float) -> dict[str, float]:
    """Milliseconds to the first event, for readers of one run who come with a ``pause`` between them.

    One more reads nothing. ``different`` counts the readers' versions of the events beyond one.
    """
    name = (await asked(server.port, "POST", "/run", {**ASKED, "async": True}))["id"]
    await asyncio.sleep(SLOW)  # it is under way
    firsts: list[float] = []
    wholes: list[str] = []

    async def read(number: int) -> None:
        await asyncio.sleep(number * pause)
        start = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET /jobs/{name}/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        if not number:  # it reads nothing
            await asyncio.sleep(WAITS * SLOW)
            writer.close()
            return
        text = await reader.readuntil(b"data: ")
        firsts.append(1000 * (time.perf_counter() - start))
        text += await reader.read()
        writer.close()
        wholes.append("".join(re.findall(r"^id: .+$", text.decode(), re.MULTILINE)))

    await asyncio.gather(*(read(number) for number in range(readers + 1)))
    whole = statistics.quantiles(firsts, n=100)
    return {"p50_ms": whole[49], "p99_ms": whole[98], "different": float(len(set(wholes)) - 1)}


def measured(kind: Kind, options: argparse.Namespace) -> dict[str, float]:
    """All figures of one server in one round."""
    with serving(kind, options.runs, options.folder) as server:
        found = asyncio.run(overhead(server, kind, options.requests)) | asyncio.run(crowd(server, kind, options.runs))
    if kind.tree is not None:
        for name, pause in (("at_once", 0.0), ("in_turn", 0.02)):
            with serving(kind, options.runs, options.folder, SLOW) as server:
                read = asyncio.run(streams(server, options.streams, pause))
            found |= {f"first_event_{name}_{figure}": value for figure, value in read.items()}
    return found


def kinds_of(options: argparse.Namespace) -> list[Kind]:
    """The servers to be measured."""
    kinds = [Kind("Aeon", sys.executable, "serve_aeon.py", ROOT)]
    kinds += [Kind("other tree", sys.executable, "serve_aeon.py", options.tree)] if options.tree else []
    if options.langgraph:
        kinds.append(Kind("FastAPI and LangGraph", options.langgraph, "serve_langgraph.py"))
        dev = Kind("langgraph dev", options.langgraph, "serve_langgraph_dev.py", path="/runs/wait", look="/ok")
        kinds.append(dev._replace(body=_STATE, answer="answer"))
    return kinds


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("runs", 1000), ("streams", 200), ("requests", 200), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--idle", type=int, metavar="N")
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--langgraph", metavar="PYTHON")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    kinds = kinds_of(options)
    if options.idle:
        with serving(kinds[0], 2, options.folder) as server:
            waves = asyncio.run(idle(server.process.pid, server.port, options.idle))
        print(json.dumps({"machine": machine(), "waves": waves}, indent=1))
        return
    rounds: dict[str, list[dict[str, float]]] = {kind.name: [] for kind in kinds}
    for _ in range(options.rounds):
        for kind in kinds:
            rounds[kind.name].append(measured(kind, options))
    figures = {
        name: {figure: Spread.of([one[figure] for one in done])._asdict() for figure in done[0]}
        for name, done in rounds.items()
    }
    text = json.dumps({"machine": machine(), "runs": options.runs, "streams": options.streams, **figures}, indent=1)
    print(text)
    if options.out:
        options.out.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
