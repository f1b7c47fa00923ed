"""What a program pays to load Aeon, beside its budget and the last figure: processor time of fresh processes.

    python scripts/bench/start.py [--rounds N] [--keep]

Figures are ratios to importing pydantic in the same round, so that they can be compared between machines; modules are
compiled, as pip leaves them. With --keep they become the last figures, in ``start.json``. Exit 1 above a budget.
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

from machine import Spread, machine, ratios, said

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_suffix(".json")
BASE = "from pydantic import BaseModel"
BUDGETS = {"import aeon": 0.8, "from aeon import build": 9.0, "import aeon.cli.main": 1.5}
"""The most that each may take, in times what importing pydantic takes."""


def seconds(code: str, compiled: str) -> float:
    """Processor seconds of a fresh process that carries out the code; ``compiled`` is a folder for compiled modules."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True, cwd=ROOT, env={**env, "PYTHONPYCACHEPREFIX": compiled})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(rounds: int) -> dict[str, list[float]]:
    """The seconds of each import in each round; a round before them compiles the modules."""
    spent: dict[str, list[float]] = {code: [] for code in (BASE, *BUDGETS)}
    with tempfile.TemporaryDirectory() as compiled:
        for number in range(rounds + 1):
            for code, times in spent.items():
                taken = seconds(code, compiled)
                if number:
                    times.append(taken)
    return spent


def row(code: str, over: Spread, spent: list[float], last: dict[str, float]) -> str:
    """A line of the table, with a mark where the figure is above its budget."""
    before = f"{last[code]:6.2f}" if code in last else "  none"
    mark = "" if over.median <= BUDGETS[code] else "  ABOVE ITS BUDGET"
    return f"{code:26} {over.median:6.2f} {BUDGETS[code]:8.2f} {before} {1000 * min(spent):10.0f}{mark}"


def main() -> int:
    """Measure, print, and keep the figures if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", action="store_true", help="keep the figures as the last ones")
    options = parser.parse_args()
    last = json.loads(KEPT.read_text())["ratios"] if KEPT.exists() else {}
    where, spent = machine(), measured(options.rounds)
    over = {code: ratios(spent[code], spent[BASE]) for code in BUDGETS}
    print(f"{said(where)}; importing pydantic: {1000 * min(spent[BASE]):.0f} ms\n")
    print(f"{'':26} {'ratio':>6} {'budget':>8} {'last':>6} {'least ms':>10}")
    print("\n".join(row(code, over[code], spent[code], last) for code in BUDGETS))
    if options.keep:
        figures = {code: round(spread.median, 2) for code, spread in over.items()}
        KEPT.write_text(json.dumps({"machine": where, "ratios": figures}, indent=1) + "\n")
    return int(any(spread.median > BUDGETS[code] for code, spread in over.items()))


if __name__ == "__main__":
    sys.exit(main())
