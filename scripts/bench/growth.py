"""What a long run keeps: bytes and time of 10, 100 and 1,000 passes over a plan of 50 steps, each replacing one step.

    python scripts/bench/growth.py [--sizes 10,100,1000] [--out FILE]

Stored is the history as JSON, and beside it what LangGraph's in-memory checkpointer holds serialized: of the leanest
state that does the work, and of one that also has a record of each pass, as the history does. Memory is what is freed
with it, traced in a process of its own; time is processor time without tracing. Writes JSON, prints a table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

from environments import HERE, NotInstalled, environment, python_of
from machine import machine, said

KINDS = {
    "Aeon": ("aeon", "lengthy_aeon.py"),
    "LangGraph, lean state": ("langgraph", "lengthy_langgraph.py"),
    "LangGraph, with records": ("langgraph", "lengthy_langgraph.py", "records"),
}
HEAD = f"{'':24}{'passes':>6} {'stored MB':>9} {'memory MB':>9} {'ms a pass':>9} {'bytes a pass':>12} {'x Aeon':>12}"


def measured(name: str, passes: int) -> dict[str, Any]:
    """The figures of one run, from a process for its time and one for its memory."""
    module, script, *options = KINDS[name]
    found: dict[str, Any] = {"name": name, "passes": passes}
    for what in ("memory", "time"):
        command = [python_of(module), str(HERE / "peers" / script), str(passes), what, *options]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment(module))
        found |= json.loads(done.stdout)
    return found


def line(found: dict[str, Any], shorter: dict[str, Any] | None, aeon: dict[str, Any]) -> str:
    """One row of the table; what a further pass adds is the difference to the run of the size before."""
    text = f"{found['name']:24}{found['passes']:>6,} {found['stored'] / 1e6:9.3f} {found['memory'] / 1e6:9.3f}"
    text += f" {found['milliseconds_a_pass']:9.2f}"
    if shorter:
        text += f" {(found['stored'] - shorter['stored']) / (found['passes'] - shorter['passes']):12,.0f}"
    else:
        text += f" {'-':>12}"
    return f"{text} {found['stored'] / aeon['stored']:12.1f}"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10,100,1000")
    parser.add_argument("--out", default="growth.json")
    options = parser.parse_args()
    where, missing = machine(), {}
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    print(said(where))
    print(HEAD)
    before = 0
    for passes in map(int, options.sizes.split(",")):
        for name in KINDS:
            try:
                rows[name, passes] = measured(name, passes)
            except NotInstalled as error:
                missing[name] = str(error)
                print(f"{name:24} not measured: {error}")
                continue
            print(line(rows[name, passes], rows.get((name, before)), rows["Aeon", passes]), flush=True)
        before = passes
    found = {"machine": where, "rows": list(rows.values()), "missing": missing}
    Path(options.out).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
