"""How long folders of many small files take to be prepared for a run, the first and the second time, without a model.

    python scripts/bench/large_folders.py [--files 1000 10000 100000]

A third of the files are tables of twenty rows, the others texts. A line each: seconds and MB of memory of the process,
what was found, and how long it takes to find what one file in the middle says, and to sum a column of the last table.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aeon.tools import ToolRegistry
from aeon.tools.files import Files

__all__ = ["fill", "main"]


def fill(root: Path, files: int) -> None:
    """Write texts and tables into folders of a thousand files each."""
    for number in range(files):
        place = root / f"d{number // 1000:03d}"
        if number % 1000 == 0:
            place.mkdir(parents=True)
        if number % 3 == 2:
            days = (f"{number},{at},item {at % 7},{at * number % 977 / 10},2024-01-{at + 1:02d}\n" for at in range(20))
            (place / f"f{number:06d}.csv").write_text("number,id,name,amount,day\n" + "".join(days))
        else:
            (place / f"f{number:06d}.{'txt' if number % 3 else 'md'}").write_text(
                f"# Report {number}\n\nThe keeper of well w{number}x is person p{number * 7919 % 1000003}.\n"
            )


def _prepared(root: Path, files: int) -> str:
    """Open the folder in this process, and ask it."""
    began = time.perf_counter()
    opened = Files.open(root)
    material = opened.material
    line = f"{time.perf_counter() - began:7.1f} s {_megabytes():5,} MB  {opened.found}; {len(material):,} characters"
    tools = ToolRegistry(opened.tools)
    middle = files // 2 // 3 * 3
    sought = _asked(tools, "lookup", question=f"Who is the keeper of well w{middle}x?")
    table = opened.database.tables[-1].name if opened.database else "nothing"
    summed = _asked(tools, "sql", query=f"SELECT sum(id) FROM {table}")
    return f"{line}\n          file {middle:,} {sought}; the last table {summed}; {_megabytes():,} MB"


def _asked(tools: ToolRegistry, name: str, **arguments: str) -> str:
    began = time.perf_counter()
    value = asyncio.run(tools.call(name, dict(arguments))).value
    found = value[0]["source"] if isinstance(value, list) else value
    return f"{found} in {time.perf_counter() - began:.2f} s"


def _megabytes() -> int:
    """What this process holds in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") // 1024**2


def main() -> None:
    """Print two lines for each number of files and each time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.prepare:
        print(_prepared(options.prepare, options.files[0]))
        return
    for files in options.files:
        with tempfile.TemporaryDirectory() as place:
            fill(Path(place, "files"), files)
            for again in ("first", "again"):
                own = [sys.executable, __file__, "--files", str(files), "--prepare", f"{place}/files"]
                environment = os.environ | {"AEON_HOME": f"{place}/home"}
                ended = subprocess.run(own, env=environment, capture_output=True, text=True, check=True)
                print(f"{files:8,} files {again} {ended.stdout}", end="", flush=True)


if __name__ == "__main__":
    main()
