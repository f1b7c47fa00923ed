"""Tables that are changed as people change them: does the reading say so, and are the values right?

    python scripts/bench/table_mutations.py [--count 100] [--seed 51]

Each table is drawn from the seed: a column of names, one or two of texts, two to four of numbers. Each change is made
alone: a title above, names in two rows, a total below, a range that is merged, a cell in another convention, a word in
a cell of numbers. Counted: readings that name the change, and tables whose sums are right (or whose column is said to
be no numbers, where two conventions stand in it).
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import openpyxl

from aeon.documents.folder import Folder
from aeon.tools.database import Database

__all__ = ["CHANGES", "main"]

Rows = list[list[str]]
Change = Callable[[Rows, Random], Rows]
WORDS = (
    "quay", "mill", "park", "hill", "lodge", "harbour", "market", "tower",
    "bridge", "ferry", "garden", "station", "chapel", "square", "castle", "meadow",
)  # fmt: skip


def drawn(random: Random) -> Rows:
    """A table: its names, then 4 to 30 rows."""
    texts, numbers = random.randint(1, 2), random.randint(2, 4)
    header = random.sample(WORDS, 1 + texts + numbers)
    scales = [10 ** random.randint(2, 5) for _ in range(numbers)]
    places = [random.choice((0, 0, 2)) for _ in range(numbers)]
    rows = []
    for number in range(random.randint(4, 30)):
        name = f"{random.choice(WORDS).title()} {chr(97 + number % 26)}"
        cells = [f"{random.uniform(scale / 20, scale):.{place}f}" for scale, place in zip(scales, places, strict=True)]
        rows.append([name, *(random.choice(WORDS) for _ in range(texts)), *cells])
    return [header, *rows]


def _numbers(rows: Rows) -> range:
    first = next(at for at, cell in enumerate(rows[1]) if cell.replace(".", "").isdigit())
    return range(first, len(rows[0]))


def titled(rows: Rows, random: Random) -> Rows:
    """A title and an empty row above."""
    return [[random.choice(WORDS).title() + " of the year"], [], *rows]


def in_two_rows(rows: Rows, random: Random) -> Rows:
    """A name over all columns of numbers."""
    first = _numbers(rows)[0]
    return [[""] * first + [random.choice(WORDS).title()] + [""] * (len(rows[0]) - first - 1), *rows]


def summed(rows: Rows, random: Random) -> Rows:
    """A row of sums below."""
    first = _numbers(rows)[0]
    sums = []
    for at in _numbers(rows):
        places = len(rows[1][at].partition(".")[2])
        sums.append(f"{sum(float(row[at]) for row in rows[1:]):.{places}f}")
    return [*rows, [random.choice(("Total", "Summe", "合計", "Everything")), *[""] * (first - 1), *sums]]


def mixed(rows: Rows, random: Random) -> Rows:
    """One cell with a decimal comma where the others of its column have points."""
    at = random.choice([*_numbers(rows)])
    changed = [row[:] for row in rows]
    for row in changed[1:]:
        row[at] = f"{float(row[at]):.2f}"
    changed[random.randrange(1, len(rows))][at] = f"{random.randint(1, 999)},{random.randint(10, 99)}"
    return changed


def worded(rows: Rows, random: Random) -> Rows:
    """A word where a number is missing."""
    changed = [row[:] for row in rows]
    changed[random.randrange(1, len(rows))][random.choice([*_numbers(rows)])] = random.choice(
        ("TBD", "n.a.", "offen", "未定")
    )
    return changed


def merged(rows: Rows, random: Random) -> Rows:
    """The same text in two rows, the second of which is empty: merged where it is written."""
    changed = [row[:] for row in rows]
    at = random.randrange(1, len(rows) - 1)
    changed[at + 1][1] = ""
    return changed


CHANGES: dict[str, tuple[Change, tuple[str, ...]]] = {
    "none": (lambda rows, random: rows, ()),
    "title": (titled, ("a title above it",)),
    "two rows of names": (in_two_rows, ("names in rows 1 to 2",)),
    "total": (summed, ("the sum of others",)),
    "convention": (mixed, ("two conventions", "cell without a value", "in another convention")),
    "word": (worded, ("1 cell without a value",)),
    "merged": (merged, ("1 cell filled from merged ones",)),
}


def _written(rows: Rows, name: str, root: Path) -> Database:
    if name != "merged":
        (root / "t.csv").write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))
        return Database.load(Folder(root), ["t.csv"])
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append([float(cell) if cell.replace(".", "").isdigit() else cell for cell in row])
    at = next(number for number, row in enumerate(rows, 1) if not row[1])
    book.active.merge_cells(start_row=at - 1, end_row=at, start_column=2, end_column=2)
    book.save(root / "t.xlsx")
    return Database.load(Folder(root), ["t.xlsx"])


def _is_right(database: Database, before: Rows, name: str) -> bool:
    """Whether the sums of all columns of numbers are those of the table before it was changed."""
    if len(database.tables) - (name == "total") != 1 or database.tables[0].rows != len(before) - 1:
        return False
    if name in ("convention", "word"):
        return True
    kinds = [kind for _, kind in database.tables[0].columns]
    for at in _numbers(before):
        column = database.tables[0].columns[at][0].replace('"', '""')
        if kinds[at] == "VARCHAR":
            return False
        found = database.query(f'SELECT sum("{column}") FROM t')
        if not isinstance(found, int | float) or abs(found - sum(float(row[at]) for row in before[1:])) > 0.01:
            return False
    return True


def main() -> None:
    """Print, for each change, of how many tables it is told and how many have the right sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=51)
    options = parser.parse_args()
    random = Random(options.seed)
    told: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for _ in range(options.count):
        rows = drawn(random)
        for name, (change, words) in CHANGES.items():
            with tempfile.TemporaryDirectory() as place:
                database = _written(change(rows, random), name, Path(place))
                notes = " ".join(database.notes)
                told[name] += any(word in notes for word in words) if words else not notes
                right[name] += _is_right(database, rows, name)
    for name in CHANGES:
        print(f"{name:20} told {told[name]:4} of {options.count}   right {right[name]:4}")


if __name__ == "__main__":
    main()
