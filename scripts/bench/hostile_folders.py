"""Folders with a file that takes far more than its size: seconds and memory of a run and of the service.

    python scripts/bench/hostile_folders.py [--only NAME] [--seconds 20] [--requests 100] [--out FILE]
    python scripts/bench/hostile_folders.py --ordinary [--tree DIR] [--rounds 5]

Each file of ``hostile_files.py`` lies in a folder beside a small text and a small table. A run over it has so many
seconds; then a service reads it for a run, while another client has runs of its own over a sound folder: their times
stand beside those of as many requests before. Memory is the most that a process and all its children held together,
looked at every 20 ms (shared pages counted once); of the service, from its start. The model is played.
``--ordinary`` measures what sound folders cost: 18 texts; one PDF file, the first file that is read in a process of its
own; 19 small files of several kinds; a CSV file of 5 MB. ``--tree`` is another checkout, whose code is measured beside
this one, rounds interleaved. Prints JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
from environments import ROOT
from hostile_files import FILES
from machine import Spread, machine, ratios

sys.path.append(str(ROOT / "tests"))
from cli.played_model import served
from documents.files import pdf, word

TASK = "What do 17 pens at 2.40 cost?"
_LOOK = 0.02
_ORDINARY = """
import sys, time, json
from pathlib import Path
began = time.perf_counter()
from aeon.tools.files import Files
spent = {"import": time.perf_counter() - began}
for name in sys.argv[1:]:
    began = time.perf_counter()
    files = Files.open(name)
    spent[Path(name).name] = time.perf_counter() - began
    assert not files.skipped, files.skipped
print(json.dumps(spent))
"""


def family(process: int) -> list[int]:
    """The process and all below it."""
    found = [process]
    for one in found:
        for tasks in Path(f"/proc/{one}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, tasks.read_text().split())
    return found


def held(process: int) -> int:
    """Bytes of memory that a process and all below it hold together."""
    total = 0
    for one in family(process):
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            total += 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


class Watch:
    """The most memory that a process and its children held."""

    def __init__(self, process: int) -> None:
        self.most = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, args=(process,), daemon=True)
        self._thread.start()

    def _look(self, process: int) -> None:
        while not self._done.wait(_LOOK):
            self.most = max(self.most, held(process))

    def end(self) -> int:
        """Stop looking; megabytes."""
        self._done.set()
        self._thread.join()
        return self.most // 10**6


def folder(base: Path, name: str) -> Path:
    """A folder with a sound text and table, and with the hostile file of that name, if there is one."""
    place = base / "data" / (name.replace(".", "-") or "sound")
    place.mkdir(parents=True)
    (place / "notes.txt").write_text("The Harbour shop sells 17 pens for 40.80 euros each day.\n")
    (place / "sales.csv").write_text("shop,total\nHarbour,12\nStation,15\n")
    if name in FILES:
        (place / name).write_bytes(FILES[name]())
    return place


def environment(home: Path) -> dict[str, str]:
    """An environment with a home of its own, where nothing is known of any file."""
    return {**os.environ, "AEON_HOME": str(home), "PYTHONPATH": str(ROOT)}


def watched(command: list[str], variables: Mapping[str, str]) -> tuple[dict[str, Any], str, str]:
    """What a command took, with its exit code; then what it wrote to its standard output and error."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables, text=True)
    watch = Watch(child.pid)
    output, errors = child.communicate()
    spent, most = time.monotonic() - began, watch.end()
    return {"seconds": round(spent, 1), "MB": most, "code": child.returncode}, output, errors


def ran(place: Path, url: str, base: Path, seconds: float) -> dict[str, Any]:
    """What a run over the folder took, and what it said of the file."""
    command = [sys.executable, "-m", "aeon.cli.main", "run", TASK, "--model", url, "--files", str(place)]
    command += ["--budget-seconds", str(seconds)]
    took, output, errors = watched(command, environment(base / "run"))
    text = output + errors
    said = next((line for line in text.splitlines() if f"{place}: " in line), text[-300:])
    return {**took, "said": said.partition(": ")[2]}


@contextlib.contextmanager
def service(places: Mapping[str, Path], url: str, base: Path) -> Iterator[tuple[httpx2.Client, Watch]]:
    """A server over these folders, when it is ready, and what watches its memory."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "aeon.cli.main", "serve", "--port", str(port), "--model", url, "--parallel", "4"]
    command += [part for name, place in places.items() for part in ("--collection", f"{name}={place}")]
    command += ["--runs", str(base / f"runs-{port}")]
    child = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(base / "service")
    )
    watch = Watch(child.pid)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as client:
            while True:
                with contextlib.suppress(httpx2.HTTPError):
                    if client.get("/readyz").status_code == 200:
                        break
                if child.poll() is not None:
                    raise SystemExit(f"the server ended with {child.returncode}")
                time.sleep(0.05)
            yield client, watch
    finally:
        child.send_signal(signal.SIGINT)
        child.wait()


def timed(client: httpx2.Client) -> float:
    """Seconds that a run of another client takes."""
    began = time.perf_counter()
    reply = client.post("/run", json={"task": TASK, "sources": ["sound"]})
    assert reply.status_code == 200, reply.text
    return time.perf_counter() - began


def served_beside(place: Path, url: str, base: Path, requests: int) -> dict[str, Any]:
    """What the service took for a run over the folder, and the times of another client's runs before and meanwhile."""
    with service({"sound": base / "data" / "sound", "bad": place}, url, base) as (client, watch):
        quiet = [timed(client) for _ in range(requests)]
        began = time.monotonic()
        job = client.post("/run", json={"task": TASK, "sources": ["bad"], "async": True}).json()["id"]
        beside, spent = [], 0.0
        while len(beside) < requests or not spent:
            beside.append(timed(client))
            if not spent and client.get(f"/jobs/{job}").json()["state"] not in ("queued", "running"):
                spent = time.monotonic() - began
        state = client.get(f"/jobs/{job}").json()["state"]
        return {
            "seconds": round(spent, 1),
            "MB": watch.end(),
            "state": state,
            "requests": len(beside),
            "quiet p50": round(statistics.median(quiet), 3),
            "quiet p99": round(statistics.quantiles(quiet, n=100, method="inclusive")[98], 3),
            "beside p50": round(statistics.median(beside), 3),
            "beside p99": round(statistics.quantiles(beside, n=100, method="inclusive")[98], 3),
        }


def hostile(names: list[str], seconds: float, requests: int) -> dict[str, Any]:
    """A run and the service, over each of the files."""
    found: dict[str, Any] = {}
    with served() as model:
        for name in ["", *names]:
            with tempfile.TemporaryDirectory() as scratch:
                base = Path(scratch)
                folder(base, "")
                place = base / "data" / "sound" if not name else folder(base, name)
                run = ran(place, model.url, base, seconds)
                found[name or "none"] = {"run": run, "service": served_beside(place, model.url, base, requests)}
                print(name or "none", json.dumps(found[name or "none"]), file=sys.stderr, flush=True)
    return found


def ordinary_folders(base: Path) -> list[str]:
    """One small file, 19 more in another folder, and a CSV file of 5 MB."""
    kinds = {
        "csv": lambda number: b"shop,total\nHarbour,%d\nStation,15\n" % number,
        "pdf": lambda number: pdf([[f"The fee is {number} euros."]]),
        "html": lambda number: b"<html><body><h1>Fees</h1><p>The fee is %d euros a year.</p></body></html>" % number,
    }
    first, rest, large, texts = (base / name for name in ("first", "rest", "large", "texts"))
    for place in (first, rest, large, texts):
        place.mkdir()
    (first / "a.pdf").write_bytes(kinds["pdf"](0))
    (rest / "a.docx").write_bytes(word())
    for number in range(1, 19):
        kind = [*kinds][number % len(kinds)]
        (rest / f"{number}.{kind}").write_bytes(kinds[kind](number))
        (texts / f"{number}.txt").write_bytes(b"The fee is %d euros." % number)
    row = "2025-{:02}-{:02},Shop {},product {},{},{:.2f}\n"
    every = range(140_000)
    lines = (row.format(n % 12 + 1, n % 28 + 1, n % 40, n % 900, n % 500, n % 9_000 / 100) for n in every)
    (large / "large.csv").write_text("day,shop,product,units,price\n" + "".join(lines))
    return [str(place) for place in (texts, first, rest, large)]


def ordinary(tree: Path | None, rounds: int) -> dict[str, Any]:
    """What sound folders cost, with the code here and with that of the other checkout."""
    trees = {"here": ROOT, **({"there": tree} if tree else {})}
    spent: dict[str, list[dict[str, float]]] = {name: [] for name in trees}
    with tempfile.TemporaryDirectory() as scratch:
        folders = ordinary_folders(Path(scratch))
        for number in range(rounds):
            for name, root in trees.items():
                home = Path(scratch) / f"home-{name}-{number}"
                own = {**os.environ, "PYTHONPATH": str(root), "AEON_HOME": str(home)}
                done = subprocess.run(
                    [sys.executable, "-c", _ORDINARY, *folders], env=own, capture_output=True, text=True, check=True
                )
                spent[name].append(json.loads(done.stdout))
    return {what: _compared(what, spent) for what in spent["here"][0]}


def _compared(what: str, spent: Mapping[str, list[dict[str, float]]]) -> dict[str, Any]:
    """The medians with the code of each tree; the ratio of the rounds: median, quartiles."""
    columns = {name: [one[what] for one in rows] for name, rows in spent.items()}
    found: dict[str, Any] = {name: round(Spread.of(values).median, 3) for name, values in columns.items()}
    if "there" in columns:
        found["ratio"] = [round(value, 2) for value in ratios(columns["here"], columns["there"])[:3]]
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=[*FILES], help="of these files; all without it")
    parser.add_argument("--seconds", type=float, default=20.0, help="of a run")
    parser.add_argument("--requests", type=int, default=100, help="of the other client")
    parser.add_argument("--ordinary", action="store_true")
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    before = machine()
    if options.ordinary:
        found = ordinary(options.tree, options.rounds)
    else:
        found = hostile(options.only or [*FILES], options.seconds, options.requests)
    text = json.dumps({"machine": before, "found": found}, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
