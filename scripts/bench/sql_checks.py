"""Right SQL queries through the loop's tool ``sql``, as if a model had written them: what comes of them.

    python scripts/bench/sql_checks.py FOLDER [--out FILE]

``FOLDER`` holds databases as folders of CSV files, and ``questions.jsonl`` with {database, question, query}. Each query
runs through the tool, and in a DuckDB without settings over the same files (``read_csv_auto``). Two results are the
same if they have the same rows, as often, in whatever order; numbers to 9 digits.

changed: the tool gives other rows. held against: the tool refuses the query or gives an error, though DuckDB runs it.
cannot run: DuckDB itself gives an error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from aeon.errors import ToolError
from aeon.tools import ToolRegistry
from aeon.tools.files import Files

MOST_BYTES = 10_000_000
"""So much that no result is cut for its size."""
OUTCOMES = ("same", "changed", "held against", "cannot run")


@dataclass(frozen=True)
class Checked:
    """What came of a query: one of ``OUTCOMES``, why, and how many seconds the tool took."""

    database: str
    question: str
    query: str
    outcome: str
    why: str = ""
    seconds: float = 0.0


def plain_database(folder: Path) -> duckdb.DuckDBPyConnection:
    """The CSV files of a folder as DuckDB reads them by itself."""
    connection = duckdb.connect()
    for path in sorted(folder.glob("*.csv")):
        quoted = path.stem.replace('"', '""')
        connection.execute(f'CREATE TABLE "{quoted}" AS SELECT * FROM read_csv_auto(?)', [str(path)])
    return connection


def plain_cell(cell: object) -> str:
    """A value of either side in one form."""
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        return f"{float(cell):.9g}"
    if isinstance(cell, dict):
        return str({key: plain_cell(one) for key, one in cell.items()})
    if isinstance(cell, list | tuple):
        return str([plain_cell(one) for one in cell])
    return str(cell).removesuffix(" 00:00:00")  # a moment at midnight is a day


def plain_rows(rows: list[Any]) -> Counter[tuple[str, ...]]:
    """Rows without their order."""
    return Counter(tuple(map(plain_cell, row)) for row in rows)


def check(registry: ToolRegistry, connection: duckdb.DuckDBPyConnection, question: dict[str, str]) -> Checked:
    """Run one query on both sides."""
    query, place = question["query"], (question["database"], question["question"], question["query"])
    try:
        expected = connection.execute(query).fetchall()
    except duckdb.Error as error:
        return Checked(*place, "cannot run", str(error).split("\n", 1)[0])
    started = time.perf_counter()
    try:
        output: Any = asyncio.run(registry.call("sql", {"query": query})).value
    except ToolError as error:
        return Checked(*place, "held against", str(error))
    seconds = time.perf_counter() - started
    if output["total"] != len(expected):
        return Checked(*place, "changed", f"{output['total']} rows, not {len(expected)}", seconds)
    for row, column, text in output.get("not_finite", ()):
        output["rows"][row][column] = float(text)
    ours, theirs = plain_rows(output["rows"]), plain_rows(expected)
    if not ours <= theirs or (len(expected) == len(output["rows"]) and ours != theirs):
        return Checked(*place, "changed", f"{list(ours - theirs)[:2]} instead of {list(theirs - ours)[:2]}", seconds)
    return Checked(*place, "same", "", seconds)


def checked(folder: Path) -> Iterator[Checked]:
    """Run all queries of a folder."""
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines() if line.strip()]
    for name in dict.fromkeys(one["database"] for one in questions):
        connection = plain_database(folder / name)
        registry = ToolRegistry(Files.open(folder / name).loop_tools_within(MOST_BYTES), MOST_BYTES)
        yield from (check(registry, connection, one) for one in questions if one["database"] == name)
        connection.close()


def main() -> int:
    """Print a table by database, and each query that is not the same with why."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="a JSON line for each query")
    options = parser.parse_args()
    results = list(checked(options.folder))
    if options.out:
        options.out.write_text("".join(json.dumps(asdict(one)) + "\n" for one in results))
    show(results)
    return 0


def show(results: list[Checked]) -> None:
    """Print the table and the queries."""
    print(f"{'database':24}{'queries':>8}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES))
    for name in [*dict.fromkeys(one.database for one in results), ""]:
        own = Counter(one.outcome for one in results if name in ("", one.database))
        print(f"{name or 'all':24}{own.total():8}" + "".join(f"{own[outcome]:14}" for outcome in OUTCOMES))
    print(f"milliseconds of a query in the tool, at the median: {_median(results) * 1000:.1f}")
    for one in results:
        if one.outcome != "same":
            print(f"\n{one.outcome} ({one.database}): {one.why}\n  {one.query}")


def _median(results: list[Checked]) -> float:
    times = sorted(one.seconds for one in results if one.seconds)
    return times[len(times) // 2] if times else 0.0


if __name__ == "__main__":
    sys.exit(main())
