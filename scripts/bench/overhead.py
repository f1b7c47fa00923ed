"""What a framework costs a model call: the same loop in Aeon, bare asyncio, LangGraph, pydantic-graph and Burr.

    python scripts/bench/overhead.py [--rounds N] [--only NAME,NAME] [--out FILE]

The model answers at once, so all time is the framework's, save the floor that bare asyncio shows; it is processor
time, which other work on the machine hardly changes, with the wall time beside it. Each framework runs in a process
and, but for Aeon, an environment of its own, made on first use. Rounds are interleaved (A B C A B C ...), so that a
ratio compares what ran side by side. ``peers/workload.py`` has the loop: 35 calls. Writes JSON, prints a table.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from environments import NotInstalled, Worker
from machine import Spread, machine, ratios, said

KINDS: dict[str, tuple[str, ...]] = {
    "bare asyncio": ("bare",),
    "Aeon": ("aeon",),
    "Burr": ("burr",),
    "Burr, parallel map": ("burr", "mapped"),
    "pydantic-graph": ("pydantic_graph",),
    "pydantic-graph, parallel map": ("pydantic_graph", "mapped"),
    "LangGraph": ("langgraph",),
    "LangGraph, checkpointer": ("langgraph", "checkpoints"),
    "Aeon, whole stack": ("stack",),
}
BASES = ("bare asyncio", "Aeon")
HEAD = f"{'microseconds a call':32}{'median':>8} {'quartiles':^19} {'least':>8} {'wall':>8}"
HEAD += f" {'over bare':22} {'over Aeon':22}"
BLOCK = 0.3  # seconds that one framework runs before the next one's turn


class Contender:
    """One framework: its process, how many runs fill a block, and microseconds a call in each round."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.worker = Worker(*KINDS[name])
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.worker.ask(runs=20)
        self._runs = max(1, round(20 * BLOCK / self.worker.ask(runs=20)["cpu"]))

    def turn(self) -> None:
        """One block of runs."""
        done = self.worker.ask(runs=self._runs)
        self.cpu.append(1e6 * done["cpu"] / done["calls"])
        self.wall.append(1e6 * done["seconds"] / done["calls"])

    def row(self, by: dict[str, Contender]) -> dict[str, Any]:
        """The figures: microseconds a call of processor and of wall time, ratios of the former round by round."""
        over = {base: ratios(self.cpu, by[base].cpu)._asdict() for base in BASES if base in by}
        cpu, wall = Spread.of(self.cpu)._asdict(), Spread.of(self.wall)._asdict()
        return {"name": self.name, "packages": self.worker.packages, "cpu": cpu, "wall": wall, "over": over}


def contenders(names: list[str]) -> tuple[list[Contender], dict[str, str]]:
    """Those that could be installed, and for each other one the reason why not."""
    found, missing = [], {}
    for name in names:
        try:
            found.append(Contender(name))
        except NotInstalled as error:
            missing[name] = str(error)
    return found, missing


def measured(names: list[str], rounds: int) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """A row for each framework after so many interleaved rounds, and why others have none."""
    running, missing = contenders(names)
    for _ in range(rounds):
        for one in running:
            one.turn()
    by = {one.name: one for one in running}
    rows = [one.row(by) for one in running]
    for one in running:
        one.worker.close()
    return rows, missing


def line(found: dict[str, Any]) -> str:
    """One row of the table."""
    cpu, over = found["cpu"], found["over"]
    text = f"{found['name']:32}{cpu['median']:8.1f} {cpu['low']:8.1f} ..{cpu['high']:8.1f} {cpu['least']:8.1f}"
    text += f" {found['wall']['median']:8.1f}"
    for base in BASES:
        spread = f"{over[base]['low']:.2f}..{over[base]['high']:.2f}" if base in over else ""
        text += f" {over[base]['median']:7.2f} {spread:14}" if base in over else f"{'-':>8} {'':14}"
    return text + ", ".join(f"{name} {version}" for name, version in found["packages"].items())


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="names of the table, separated by commas")
    parser.add_argument("--out", default="overhead.json")
    options = parser.parse_args()
    wanted = [name for name in KINDS if not options.only or name in options.only.split(",")]
    where = machine()
    print(said(where))
    rows, missing = measured(wanted, options.rounds)
    print("\n".join([HEAD, *map(line, rows), *(f"{name:32}not measured: {why}" for name, why in missing.items())]))
    found = {"machine": where, "rounds": options.rounds, "rows": rows, "missing": missing}
    Path(options.out).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
