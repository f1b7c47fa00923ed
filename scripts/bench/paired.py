"""The same questions over folders, asked of several versions of Aeon in turn, so that a noisy machine meets all alike.

    python scripts/bench/paired.py FOLDERS --variant before=CHECKOUT --variant after=CHECKOUT[,derivations=2]
                                   [--sample 40] [--seed 1] [--limit 240] [--model NAME|URL] --out FILE

``FOLDERS`` has folders and their files of questions, as ``folders.py`` describes them; or it is one such file. Each
variant is a process of its own with the modules of its checkout and these settings, in which the model stays loaded. It
is told the questions one after the other, in an order drawn from the seed; which variant comes first changes from
question to question. A run of more than ``--limit`` seconds is broken off, and its answer is empty. ``--out`` is
written line by line; a file that exists is gone on with.
"""

from __future__ import annotations

import argparse
import json
import os
import select as readiness
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from everyday_items import Item
from everyday_scoring import score
from figures import paired, wilson
from folders import item

__all__ = [
    "DONE",
    "WORKER",
    "Process",
    "Variant",
    "arguments",
    "asked",
    "main",
    "measured",
    "questions",
    "recorded",
    "table",
]

Row = dict[str, Any]
DONE = ("converged", "confident")
WORKER = Path(__file__).with_name("paired_worker.py")


class Variant(NamedTuple):
    """A version of Aeon with its settings."""

    name: str
    checkout: Path
    settings: dict[str, Any]


class Process:
    """A variant in a process of its own, which is begun anew where it was ended."""

    def __init__(self, variant: Variant, model: str | None) -> None:
        self.variant = variant
        given = json.dumps({"settings": variant.settings, "model": model})
        self._command = [sys.executable, str(WORKER), given]
        self._env = {**os.environ, "PYTHONPATH": os.pathsep.join(
            [str(variant.checkout), *filter(None, [os.environ.get("PYTHONPATH")])]
        )}  # fmt: skip
        self._running: subprocess.Popen[str] | None = None

    def ask(self, question: str, folder: Path, limit: float) -> Row:
        """What comes of a question within so many seconds."""
        running = self._begun()
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write(json.dumps({"question": question, "folder": str(folder)}) + "\n")
        running.stdin.flush()
        began = time.monotonic()
        if readiness.select([running.stdout], [], [], limit)[0] and (line := running.stdout.readline()):
            return dict(json.loads(line))
        self.end()
        cut: Row = {"answer": "", "stop": "cut off", "calls": 0, "prompt": 0, "cached": 0, "generated": 0}
        return {**cut, "seconds": round(time.monotonic() - began, 2)}

    def _begun(self) -> subprocess.Popen[str]:
        if self._running is None or self._running.poll() is not None:
            pipe = subprocess.PIPE
            self._running = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True, env=self._env)
            assert self._running.stdout is not None
            self._running.stdout.readline()  # the model is loaded
        return self._running

    def end(self) -> None:
        """End the process."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None


def questions(folders: Path) -> list[tuple[Item, Path]]:
    """The questions of the folders, or of one file, each with its folder."""
    files = [folders] if folders.suffix == ".jsonl" else sorted(folders.glob("*.jsonl"))
    return [
        (item(json.loads(line), "closing"), file.with_suffix(""))
        for file in files for line in file.read_text(encoding="utf-8").splitlines()
    ]  # fmt: skip


def measured(options: argparse.Namespace) -> list[Row]:
    """Ask every question of every variant, as far as it is not on record; all lines that are, judged."""
    items = questions(options.folders)
    drawn = Random(options.seed).sample(items, min(options.sample or len(items), len(items)))
    rows = recorded(options.out)
    done = {(row["id"], row["variant"]) for row in rows}
    processes = [Process(variant, options.model) for variant in options.variant]
    try:
        for number, (one, folder) in enumerate(drawn):
            turn = number % len(processes)
            in_turn = (*processes[turn:], *processes[:turn])
            left = (each for each in in_turn if (one.id, each.variant.name) not in done)
            rows += [asked(one, folder, process, options) for process in left]
    finally:
        for process in processes:
            process.end()
    return judged(rows, {one.id: one for one, _ in drawn})


def judged(rows: Sequence[Row], by: Mapping[str, Item]) -> list[Row]:
    """The lines of these questions, each with whether its answer is right."""
    return [{**row, "right": score(by[row["id"]], row["answer"]).right} for row in rows if row["id"] in by]


def recorded(path: Path) -> list[Row]:
    """The lines of a file; none where there is no such file yet."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def asked(one: Item, folder: Path, process: Process, options: argparse.Namespace) -> Row:
    """The line of a question and a variant, which is written and printed at once."""
    row = {"id": one.id, "kind": one.kind, "variant": process.variant.name, "question": one.question}
    row |= process.ask(one.question, folder, options.limit)
    with options.out.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")
    mark = "right" if score(one, row["answer"]).right else "wrong"
    told = f"{one.id:16} {process.variant.name:10} {mark:5} {row['stop'][:24]:24} {row['calls']:3} calls"
    print(f"{told} {row['seconds']:6.1f} s  {row['answer'][:60]!r}", flush=True)
    return row


def table(rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    """The lines of the table: a line for each kind and variant, then the pairs with the first."""
    yield f"{'kind':8} {'variant':12} right           [95 %]   converged  right of these  calls  prompt   gen  seconds"
    kinds = sorted({row["kind"] for row in rows})
    for kind in (*kinds, *["all"] * (len(kinds) > 1)):
        for name in names:
            yield from _line(
                kind, name, [row for row in rows if row["variant"] == name and kind in ("all", row["kind"])]
            )
    for name in names[1:]:
        yield from _paired(rows, names[0], name)


def _paired(rows: Sequence[Row], first: str, name: str) -> Iterator[str]:
    by = {row["id"]: row for row in rows if row["variant"] == first}
    if both := [(by[row["id"]], row) for row in rows if row["variant"] == name and row["id"] in by]:
        mean, low, high = paired([float(b["right"]) - a["right"] for a, b in both])
        ratio = statistics.median(b["seconds"] / a["seconds"] for a, b in both)
        share = f"{mean:+.1%} right [{low:+.1%}, {high:+.1%}] on {len(both)} questions"
        yield f"{name} - {first}: {share}; seconds {ratio:.2f} times (median of ratios)"


def _line(kind: str, name: str, rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    right, of = sum(row["right"] for row in rows), len(rows)
    low, high = wilson(right, of)
    done = [row for row in rows if row["stop"] in DONE]
    calls, prompt, generated = (statistics.mean(row[key] for row in rows) for key in ("calls", "prompt", "generated"))
    within = "/".join(f"{second:.1f}" for second in _quarters([row["seconds"] for row in rows]))
    share = f"{kind:8} {name:12} {right:3} of {of:3}  [{low:.2f}, {high:.2f}]"
    stood = f"{len(done):9} {sum(row['right'] for row in done):15}"
    yield f"{share} {stood} {calls:6.1f} {prompt:7.0f} {generated:5.0f}  {within}"


def _quarters(values: Sequence[float]) -> Sequence[float]:
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3


def _variant(given: str) -> Variant:
    named, *settings = given.split(",")
    name, found, checkout = named.partition("=")
    pairs = [one.partition("=") for one in settings]
    if not found or not (Path(checkout) / "aeon").is_dir():
        raise argparse.ArgumentTypeError(f"{given}: NAME=CHECKOUT[,SETTING=VALUE], where CHECKOUT holds aeon")
    return Variant(name, Path(checkout).resolve(), {key: json.loads(value) for key, _, value in pairs})


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path)
    parser.add_argument("--variant", type=_variant, action="append", required=True)
    parser.add_argument("--sample", type=int, default=0, help="so many questions; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=240.0, help="seconds for a run")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if not options.folders.exists():
        parser.error(f"there is no {options.folders}")
    return options


def main() -> None:
    """Ask, and print the table."""
    options = arguments()
    for line in table(measured(options), [variant.name for variant in options.variant]):
        print(line)


if __name__ == "__main__":
    sys.exit(main())
