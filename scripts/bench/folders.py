"""Questions over made-up folders as people keep them: Aeon beside simpler ways to use the same model.

    python scripts/bench/folders.py [--half development|closing] [--folders bakery,choir] [--systems program,aeon]
                                    [--model NAME|URL] [--out FILE] [--resume] [--show-wrong]
    python scripts/bench/folders.py --list

Beside each folder of ``folders/HALF`` stands a file of its questions, a JSON object a line: ``id``, ``kind`` (decided
by a ``table``, by a ``text``, by ``both``, or ``absent``: no file says it), ``question``, ``expected``, ``also``,
``rivals``, and a ``note`` that says how the answer follows. A value is a ``number`` (with ``decimals``, where it is
asked for rounded), a ``name`` (with ``others`` that are as good) or a ``date``. What counts as right is what counts in
``everyday.py``, and the lines of ``--out`` are those that ``selective.py`` reads.

The folders of ``development`` were asked while the product was built, or their answers were read afterwards. Those of
``closing`` were made since by somebody who saw neither code nor other folders, and have not been asked.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from everyday import SYSTEMS, Record, listed, measure, systems, table, wrong
from everyday_items import Date, Item, Name, Number, Value
from machine import machine, said

from aeon.llm.select import select

__all__ = ["FOLDERS", "HALVES", "KINDS", "arguments", "found", "item", "main"]

FOLDERS = Path(__file__).with_name("folders")
HALVES = ("development", "closing")
KINDS = ("table", "text", "both", "absent")


def found(half: str, names: Sequence[str] = ()) -> dict[Path, list[Item]]:
    """The folders of a half with their questions; those of these names, where any are named."""
    files = [file for file in sorted((FOLDERS / half).glob("*.jsonl")) if not names or file.stem in names]
    return {
        file.with_suffix(""): [item(json.loads(line), half) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in files
    }


def item(row: Mapping[str, Any], half: str) -> Item:
    """A question of a line. Raises `ValueError` where it is none."""
    expected, also = ([_value(value) for value in row[key]] for key in ("expected", "also"))
    if row["kind"] not in KINDS or bool(expected) is (row["kind"] == "absent"):
        raise ValueError(f"{row['id']}: kind {row['kind']} with {len(expected)} expected values")
    rivals, note = tuple(row["rivals"]), row["note"]
    return Item(row["id"], row["kind"], row["question"], tuple(expected), tuple(also), rivals, half=half, note=note)


def _value(given: Mapping[str, Any]) -> Value:
    if "number" in given:
        return Number(Decimal(given["number"]), given.get("decimals"))
    if "date" in given:
        return Date(datetime.date.fromisoformat(given["date"]))
    return Name(given["name"], tuple(given.get("others", ())))


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--folders", default="", help="separated by commas; by default all of the half")
    parser.add_argument("--systems", default="program,aeon", help="separated by commas")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=Path("folders.jsonl"))
    parser.add_argument("--resume", action="store_true", help="go on with the output file")
    parser.add_argument("--show-wrong", action="store_true", help="print the wrong answers")
    parser.add_argument("--list", action="store_true", help="print the questions; no model is run")
    options = parser.parse_args()
    options.systems = options.systems.split(",")
    if unknown := sorted({*options.systems} - {*SYSTEMS}):
        parser.error(f"there is no system {', '.join(unknown)}; there are {', '.join(SYSTEMS)}")
    options.found = found(options.half, options.folders.split(",") if options.folders else ())
    if missing := sorted({*filter(None, options.folders.split(","))} - {path.name for path in options.found}):
        parser.error(f"{options.half} has no folder {', '.join(missing)}")
    if options.out.exists() and not (options.resume or options.list):
        parser.error(f"{options.out} exists: go on with it (--resume) or name another (--out)")
    return options


async def main() -> None:
    """Ask the questions of one folder after the other, then print the table of all that is on record."""
    options = arguments()
    items = [one for own in options.found.values() for one in own]
    if options.list:
        listed(items)
        return
    llm = select(options.model)
    record = Record(options.out, llm.name, 0, items)
    print(f"{llm.name}, {len(items)} questions over {len(options.found)} folders; {said(machine())}", flush=True)
    try:
        for folder, own in options.found.items():
            await measure(llm, own, systems(options.systems, {}), folder, record)
    finally:
        await llm.aclose()
    rows = [row for row in record.rows if row["system"] in options.systems]
    table(rows, KINDS, options.systems)
    if options.show_wrong:
        wrong(rows)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
