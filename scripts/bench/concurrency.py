"""Runs at once in one process on a model that takes 50 ms: wall time over the latency bound, and memory a run.

    python scripts/bench/concurrency.py [--sizes 1,10,100,1000,10000] [--only NAME,NAME] [--repeat N] [--out FILE]

No run of the loop in ``peers/workload.py`` can end before 14 waits of 50 ms, 0.70 s: that is the bound. Each
measurement is a fresh process that has made one run before; the memory is what its peak resident size grows by, over
the number of runs, and says little below 100 of them. Rounds are interleaved; what has taken 10 s is not repeated. At
10,000 runs only Aeon and bare asyncio are measured: the others take too long. Writes JSON, prints a table.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from environments import NotInstalled, Worker
from machine import Spread, machine, said
from peers.workload import WAITS

LATENCY = 0.05
BOUND = WAITS * LATENCY
KINDS: dict[str, tuple[str, ...]] = {
    "bare asyncio": ("bare",),
    "Aeon": ("aeon",),
    "Burr": ("burr",),
    "pydantic-graph": ("pydantic_graph",),
    "LangGraph": ("langgraph",),
}
MOST = {"Burr": 1_000, "pydantic-graph": 1_000, "LangGraph": 1_000}
SIZES = "1,10,100,1000,10000"
LONG = 10.0  # seconds that one framework may have taken at a size and still be measured again
LONGEST = 90.0  # seconds after which a measurement is given up


def crowd(name: str, size: int) -> dict[str, float]:
    """Seconds, processor seconds, and kilobytes of growth, of so many runs at once in a fresh process."""
    worker = Worker(*KINDS[name])
    try:
        return worker.ask(within=LONGEST, crowd=size, latency=LATENCY)
    finally:
        worker.close()


def measured(names: list[str], size: int, repeat: int) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """A row for each framework at one size, after interleaved rounds, and why others have none."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    missing: dict[str, str] = {}
    for _ in range(repeat):
        for name in names:
            if name in missing or sum(one["seconds"] for one in found[name]) > LONG:
                continue
            try:
                found[name].append(crowd(name, size))
            except (NotInstalled, TimeoutError) as error:
                missing[name] = str(error)
    return [row(name, size, done) for name, done in found.items() if done], missing


def row(name: str, size: int, found: list[dict[str, float]]) -> dict[str, Any]:
    """The figures of one framework at one size."""
    over = Spread.of([one["seconds"] / BOUND for one in found])
    busy = Spread.of([1e3 * one["cpu"] / size for one in found])
    kilobytes = Spread.of([one["kilobytes"] / size for one in found])
    return {
        "name": name, "runs": size, "measurements": len(found), "over_bound": over._asdict(),
        "cpu_milliseconds_a_run": busy._asdict(), "kilobytes_a_run": kilobytes._asdict(),
    }  # fmt: skip


def line(found: dict[str, Any]) -> str:
    """One row of the table."""
    over, busy, memory = found["over_bound"], found["cpu_milliseconds_a_run"], found["kilobytes_a_run"]
    text = f"{found['name']:16}{found['runs']:>7,} {over['median'] * BOUND:9.2f} {over['median']:8.2f}"
    text += f" {over['least']:8.2f} ..{over['most']:6.2f} {busy['median']:10.2f}"
    return text + (f"{memory['median']:12.1f}" if found["runs"] >= 100 else f"{'-':>12}")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--only", default="", help="names of the table, separated by commas")
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each, of which the median is shown")
    parser.add_argument("--out", default="concurrency.json")
    options = parser.parse_args()
    where, rows, missing = machine(), [], {}
    print(said(where))
    print(f"{'':16}{'runs':>7} {'seconds':>9} {'x bound':>8} {'least .. most':>16} {'CPU ms/run':>10} {'KB a run':>11}")
    for size in map(int, options.sizes.split(",")):
        wanted = [name for name in KINDS if size <= MOST.get(name, size)]
        chosen = [name for name in wanted if not options.only or name in options.only.split(",")]
        found, not_found = measured(chosen, size, options.repeat)
        rows += found
        missing |= {f"{name}, {size:,} runs": why for name, why in not_found.items()}
        lost = [f"{name:16}{size:>7,}  not measured: {why}" for name, why in not_found.items()]
        print("\n".join([*map(line, found), *lost]), flush=True)
    out = {"machine": where, "bound_seconds": BOUND, "rows": rows, "missing": missing}
    Path(options.out).write_text(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
