"""What Aeon costs a program, beside its budget and the last figure: loading it, and each model call.

    python scripts/bench/budgets.py [--rounds N] [--keep]

All figures are of processor time, in processes of their own, and ratios to something that does not change, taken in the
same round, so that they can be compared between machines: loading to importing pydantic (modules are compiled, as pip
leaves them), a call through the whole stack to one in bare asyncio. With --keep they become the last figures, in
``budgets.json``. Exit 1 above a budget.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from environments import Worker
from machine import Spread, machine, ratios, said

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_suffix(".json")
LOADING = "from pydantic import BaseModel"
LOADED = ("import aeon", "from aeon import build", "import aeon.cli.main")
CALLING, CALLED = "a call in bare asyncio", "a call in the whole stack"
BUDGETS = {"import aeon": 0.8, "from aeon import build": 7.5, "import aeon.cli.main": 1.5, CALLED: 110.0}
"""The most that each may take, in times what importing pydantic, or a call in bare asyncio, takes."""
_RUNS = {CALLING: 300, CALLED: 6}
_KINDS = {CALLING: "bare", CALLED: "stack"}


def loading(code: str, compiled: str) -> float:
    """Processor seconds of a fresh process that carries out the code; ``compiled`` is a folder for compiled modules."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True, cwd=ROOT, env={**env, "PYTHONPYCACHEPREFIX": compiled})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(rounds: int) -> dict[str, list[float]]:
    """The seconds of each in each round; a round before them compiles the modules and warms the workers."""
    spent: dict[str, list[float]] = {name: [] for name in (LOADING, *LOADED, CALLING, CALLED)}
    workers = {name: Worker(kind) for name, kind in _KINDS.items()}
    with tempfile.TemporaryDirectory() as compiled:
        for number in range(rounds + 1):
            for name, times in spent.items():
                if name in workers:
                    done = workers[name].ask(runs=_RUNS[name])
                    taken = done["cpu"] / done["calls"]
                else:
                    taken = loading(name, compiled)
                if number:
                    times.append(taken)
    return spent


def row(name: str, over: Spread, spent: list[float], last: dict[str, float]) -> str:
    """A line of the table, with a mark where the figure is above its budget."""
    before = f"{last[name]:7.2f}" if name in last else "   none"
    mark = "" if over.median <= BUDGETS[name] else "  ABOVE ITS BUDGET"
    return f"{name:26} {over.median:7.2f} {BUDGETS[name]:8.2f} {before} {1000 * min(spent):10.3f}{mark}"


def main() -> int:
    """Measure, print, and keep the figures if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", action="store_true", help="keep the figures as the last ones")
    options = parser.parse_args()
    last = json.loads(KEPT.read_text())["ratios"] if KEPT.exists() else {}
    where, spent = machine(), measured(options.rounds)
    over = {name: ratios(spent[name], spent[CALLING if name == CALLED else LOADING]) for name in BUDGETS}
    least = {name: 1000 * min(spent[name]) for name in (LOADING, CALLING)}
    print(f"{said(where)}; importing pydantic: {least[LOADING]:.0f} ms; {CALLING}: {least[CALLING]:.4f} ms\n")
    print(f"{'':26} {'ratio':>7} {'budget':>8} {'last':>7} {'least ms':>10}")
    print("\n".join(row(name, over[name], spent[name], last) for name in BUDGETS))
    if options.keep:
        figures = {name: round(spread.median, 2) for name, spread in over.items()}
        KEPT.write_text(json.dumps({"machine": where, "ratios": figures}, indent=1) + "\n")
    return int(any(spread.median > BUDGETS[name] for name, spread in over.items()))


if __name__ == "__main__":
    sys.exit(main())
