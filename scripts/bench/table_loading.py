"""How long tables of some lengths take to load, beside DuckDB's own reader, in turn on one machine.

    python scripts/bench/table_loading.py [--rows 1000 100000 1000000] [--rounds 3]

For each length: the median seconds of DuckDB's ``read_csv`` into a file, of `Database.load` the first time, and when
the file is unchanged; and the ratio of the first two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb

from aeon.documents.folder import Folder
from aeon.tools.database import Database

__all__ = ["main", "table"]

CITIES = ("Rome", "Oslo", "Köln", "Paris", "Lima")


def table(path: Path, rows: int) -> None:
    """Write a table of whole numbers, texts, decimals and days."""
    with path.open("w", encoding="utf-8") as file:
        file.write("id,name,city,amount,day,qty\n")
        for n in range(rows):
            day = f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}"
            file.write(f"{n},name {n % 5000},{CITIES[n % 5]},{n * 37 % 100_000 / 100:.2f},{day},{n % 97}\n")


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _engine(path: Path, target: Path) -> None:
    with duckdb.connect(str(target), config={"threads": 2}) as connection:
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{path}')")


def main() -> None:
    """Print a line for each length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as place:
            print(_line(rows, options.rounds, Path(place)))


def _line(rows: int, rounds: int, root: Path) -> str:
    os.environ["AEON_HOME"] = str(root / "home")
    file = root / "files" / "t.csv"
    file.parent.mkdir()
    table(file, rows)
    plain, first, again = [], [], []
    for number in range(rounds):
        file.touch()
        plain.append(_timed(partial(_engine, file, root / f"{number}.duckdb")))
        first.append(_timed(partial(Database.load, Folder(file.parent), ["t.csv"])))
        again.append(_timed(partial(Database.load, Folder(file.parent), ["t.csv"])))
    one, two, three = map(statistics.median, (plain, first, again))
    size = f"{rows:10,} rows {file.stat().st_size / 1e6:7.1f} MB"
    return f"{size}  duckdb {one:6.2f} s  first {two:6.2f} s ({two / one:.1f} times)  unchanged {three:6.2f} s"


if __name__ == "__main__":
    main()
