"""Questions of WikiTableQuestions over small tables, cut out as folders that ``folders.py`` and ``paired.py`` ask.

    python scripts/bench/wikitable.py CHECKOUT OUT [--seed 490] [--count 40] [--rows 4-20]

``CHECKOUT`` is one of https://github.com/ppasupat/WikiTableQuestions (CC BY-SA 4.0). Its unseen tables are shuffled by
the seed, and each of the first that has so many rows gives one question, drawn too, to a folder of its own below
``OUT``: ``table.csv``, with quotes escaped as CSV has them. The expected values are those of the data set, read by its
own tags. What stands in the rows of an expected value may stand beside it.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import re
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["arguments", "cut", "expected", "main", "rows_of"]

QUESTIONS = Path("tagged/data/pristine-unseen-tables.tagged")
_FIGURE = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


def rows_of(file: Path) -> list[list[str]]:
    """The rows of a table of the data set, which escapes quotes by a backslash."""
    with file.open(encoding="utf-8", newline="") as text:
        return [[cell.strip() for cell in row] for row in csv.reader(text, escapechar="\\", doublequote=False)]


def expected(said: str, read: str, kind: str) -> list[dict[str, Any]]:
    """The values of an answer: as it is written, as the tags read it, and as what they read it."""
    found: list[dict[str, Any]] = []
    for written, canon in zip(said.split("|"), read.split("|"), strict=True):
        if kind == "number":
            found.append({"number": f"{Decimal(canon):f}".removesuffix(".0")})
        elif kind == "date" and re.fullmatch(r"\d{4}-\d{2}-\d{2}", canon):
            found.append({"date": datetime.date.fromisoformat(canon).isoformat()})
        else:
            found.append({"name": written})
    return found


def _beside(rows: list[list[str]], said: str) -> list[dict[str, Any]]:
    names = {one.casefold() for one in said.split("|")}
    near = [row for row in rows if names & {cell.casefold() for cell in row}]
    figures = {figure.replace(",", "") for row in near for cell in row for figure in _FIGURE.findall(cell)}
    return [{"number": figure} for figure in sorted(figures)]


def cut(checkout: Path, out: Path, seed: int, count: int, least: int, most: int) -> None:
    """Write the folders and their files of questions."""
    by: defaultdict[str, list[list[str]]] = defaultdict(list)
    lines = (checkout / QUESTIONS).read_text(encoding="utf-8").splitlines()[1:]
    for fields in (line.split("\t") for line in lines):
        by[fields[2]].append(fields)
    chance = Random(seed)
    taken = 0
    for context in chance.sample(sorted(by), len(by)):
        rows = rows_of(checkout / context)
        if taken == count or not least <= len(rows) - 1 <= most:
            continue
        fields = chance.choice(by[context])
        name, question, said, read, kind = fields[0], fields[1], fields[3], fields[-2], fields[-1]
        folder = out / name
        folder.mkdir(parents=True)
        with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        line = {
            "id": name, "kind": "table", "question": question, "expected": expected(said, read, kind),
            "also": _beside(rows[1:], said), "rivals": [], "note": f"{context}: {said}",
        }  # fmt: skip
        (out / f"{name}.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
        taken += 1
    if taken < count:
        raise SystemExit(f"{taken} tables have {least} to {most} rows, fewer than {count}")


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=490)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--rows", default="4-20", help="the least and the most")
    options = parser.parse_args()
    options.least, _, options.most = options.rows.partition("-")
    if not (options.checkout / QUESTIONS).is_file():
        parser.error(f"{options.checkout} has no {QUESTIONS}")
    if options.out.exists():
        parser.error(f"{options.out} exists")
    return options


def main() -> None:
    """Cut out the tables and questions."""
    options = arguments()
    cut(options.checkout, options.out, options.seed, options.count, int(options.least), int(options.most))


if __name__ == "__main__":
    sys.exit(main())
