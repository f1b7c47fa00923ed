"""Puts the figures of the benchmarks of speed and size into ``docs/performance.md``, between its markers.

    python scripts/bench/performance.py [--figures FOLDER] [--page FILE]

Reads ``overhead.json``, ``concurrency.json``, ``growth.json``, ``critical_path.json`` and ``tokens.json`` as far as
they are in the folder, and the last figures of ``budgets.py``: the table of one that is not there stays as it stands on
the page, and its aims are said not to be measured.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from budgets import BUDGETS, CALLED, KEPT
from machine import said
from tokens import by_phase, share

from aeon.schema import Usage

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
Found = dict[str, Any]
Aim = tuple[str, str, str, bool | None]
MARK = {True: "met", False: "missed", None: ""}


def overhead(found: Found) -> Iterator[str]:
    """Microseconds a call in each framework."""
    yield "| | processor µs a call | quartiles | wall µs | over bare asyncio | over Aeon |"
    yield "|---|---:|---:|---:|---:|---:|"
    for row in found["rows"]:
        cpu, over = row["cpu"], row["over"]
        packages = ", ".join(row["packages"].values())
        name = f"{row['name']} ({packages})" if packages else row["name"]
        yield (
            f"| {name} | {cpu['median']:.1f} | {cpu['low']:.1f} to {cpu['high']:.1f} | {row['wall']['median']:.1f} "
            f"| {over['bare asyncio']['median']:.1f} | {over['Aeon']['median']:.2f} |"
        )


def concurrency(found: Found) -> Iterator[str]:
    """Time over the bound, and memory, of runs at once."""
    yield "| runs at once | | over the bound | least to most | processor ms a run | KB a run |"
    yield "|---:|---|---:|---:|---:|---:|"
    for row in found["rows"]:
        over, memory = row["over_bound"], row["kilobytes_a_run"]["median"]
        yield (
            f"| {row['runs']:,} | {row['name']} | {over['median']:.2f} | {over['least']:.2f} to {over['most']:.2f} "
            f"| {row['cpu_milliseconds_a_run']['median']:.2f} | {f'{memory:.0f}' if row['runs'] >= 100 else ''} |"
        )


def growth(found: Found) -> Iterator[str]:
    """What long runs keep."""
    yield "| passes | | stored MB | over Aeon | memory MB | processor ms a pass |"
    yield "|---:|---|---:|---:|---:|---:|"
    aeon = {row["passes"]: row["stored"] for row in found["rows"] if row["name"] == "Aeon"}
    for row in found["rows"]:
        yield (
            f"| {row['passes']:,} | {row['name']} | {row['stored'] / 1e6:.2f} "
            f"| {row['stored'] / aeon[row['passes']]:.1f} | {row['memory'] / 1e6:.2f} "
            f"| {row['milliseconds_a_pass']:.2f} |"
        )


def critical_path(found: Found) -> Iterator[str]:
    """Time over the critical path."""
    yield "| plans | critical path, s | Aeon over it | least to most | bare asyncio over it | waves over it |"
    yield "|---|---:|---:|---:|---:|---:|"
    for row in found["rows"]:
        over = row["over_critical"]
        yield (
            f"| {row['plans']} {row['shape']}, {row['steps']} steps | {row['critical_seconds']:.2f} "
            f"| {over['aeon']['median']:.3f} | {over['aeon']['least']:.3f} to {over['aeon']['most']:.3f} "
            f"| {over['bare']['median']:.3f} | {over['waves']['median']:.3f} |"
        )


def tokens(found: Found) -> Iterator[str]:
    """Calls and tokens of each phase."""
    rows = found["rows"]
    spent = [(phase, Usage(**usage)) for row in rows for phase, usage in row["phases"].items()]
    whole = by_phase(("all", usage) for _, usage in spent)
    passes = ", ".join(str(row["passes"]) for row in rows)
    yield f"{found['model']}, {len(rows)} tasks, which took {passes} passes; for each answer:"
    yield ""
    yield "| phase | calls | prompt tokens | cached | generated tokens |"
    yield "|---|---:|---:|---:|---:|"
    for name, usage in {**by_phase(spent), **whole}.items():
        yield (
            f"| {name} | {usage.calls / len(rows):.1f} | {usage.prompt_tokens / len(rows):,.0f} | {share(usage):.1%} "
            f"| {usage.generated_tokens / len(rows):,.0f} |"
        )


def aims(figures: dict[str, Found]) -> Iterator[Aim]:
    """Each aim whose figures are there, with what was measured and whether that meets it."""
    for name, aimed in AIMS.items():
        if name in figures:
            yield from aimed(figures[name])


def _overhead_aims(found: Found) -> Iterator[Aim]:
    by = {row["name"]: row for row in found["rows"]}
    spent = by["Aeon"]["cpu"]["median"]
    yield "overhead of a model call", "≤ 15 µs", f"{spent:.1f} µs", spent <= 15
    for name, least in (("LangGraph", 12), ("Burr", 1)):
        if name in by:
            over = by[name]["over"]["Aeon"]["median"]
            yield f"overhead of {name} over Aeon's", f"≥ {least}", f"{over:.2f}", over >= least


def _concurrency_aims(found: Found) -> Iterator[Aim]:
    by = {row["runs"]: row for row in found["rows"] if row["name"] == "Aeon"}
    if thousand := by.get(1_000):
        over, memory = thousand["over_bound"]["median"], thousand["kilobytes_a_run"]["median"]
        yield "1,000 runs at once, over the latency bound", "≤ 2.5", f"{over:.2f}", over <= 2.5
        yield "1,000 runs at once, memory of each", "≤ 40 KB", f"{memory:.0f} KB", memory <= 40
        many = by.get(10_000)
        busy = many and many["cpu_milliseconds_a_run"]["median"] / thousand["cpu_milliseconds_a_run"]["median"]
        text = f"{busy:.2f}" if busy else "not finished"
        yield "10,000 runs at once, time of each over that of 1,000", "≤ 1.2", text, bool(busy) and busy <= 1.2


def _growth_aims(found: Found) -> Iterator[Aim]:
    stored = {(row["name"], row["passes"]): row["stored"] for row in found["rows"]}
    if ("Aeon", 1_000) not in stored:
        return
    for name in ("LangGraph, lean state", "LangGraph, with records"):
        if (name, 1_000) in stored:
            over = stored[name, 1_000] / stored["Aeon", 1_000]
            yield f"1,000 passes stored, {name} over Aeon", "≥ 20", f"{over:.1f}", over >= 20
    early, late = ((stored["Aeon", 10 * n] - stored["Aeon", n]) / (9 * n) for n in (10, 100))
    yield "bytes of a late pass over those of an early one", "≤ 1.1", f"{late / early:.2f}", late <= 1.1 * early


def _path_aims(found: Found) -> Iterator[Aim]:
    worst = max(row["over_critical"]["aeon"]["median"] for row in found["rows"])
    yield "random plans over their critical path", "≤ 1.05", f"{worst:.3f}", worst <= 1.05


def _token_aims(found: Found) -> Iterator[Aim]:
    cached = share(sum((Usage(**row["usage"]) for row in found["rows"]), Usage()))
    yield "prompt tokens from the prefix cache", "≥ 60 %", f"{cached:.1%}", cached >= 0.6


def _budget_aims(found: Found) -> Iterator[Aim]:
    for name, most in BUDGETS.items():
        over, base = found["ratios"].get(name), "bare asyncio" if name == CALLED else "importing pydantic"
        if over is not None:
            yield f"`{name}`, over {base}", f"≤ {most:g}", f"{over:.2f}", over <= most


AIMS: dict[str, Callable[[Found], Iterator[Aim]]] = {
    "overhead": _overhead_aims, "concurrency": _concurrency_aims, "growth": _growth_aims,
    "critical_path": _path_aims, "tokens": _token_aims, "budgets": _budget_aims,
}  # fmt: skip
TABLES: dict[str, Callable[[Found], Iterator[str]]] = {
    "overhead": overhead, "concurrency": concurrency, "growth": growth, "critical_path": critical_path,
    "tokens": tokens,
}  # fmt: skip


def filled(page: str, name: str, lines: list[str]) -> str:
    """The page with these lines between the markers of that name.

    Raises:
        ValueError: the page has no such markers.
    """
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not marked.search(page):
        raise ValueError(f"the page has no markers <!-- {name} --> and <!-- end -->")
    text = "\n".join(lines)
    return marked.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)


def written(page: str, figures: dict[str, Found]) -> str:
    """The page with a table for each benchmark whose figures are there, and the aims, some perhaps not measured."""
    for name, table in TABLES.items():
        if name in figures:
            lost = [f"\nNot measured: {what}: {why}" for what, why in figures[name].get("missing", {}).items()]
            page = filled(page, name, [f"{said(figures[name]['machine'])}.", "", *table(figures[name]), *lost])
    rows = [f"| {what} | {aim} | {got} | {MARK[met]} |" for what, aim, got, met in aims(figures)]
    rows += [f"| `{name}.py` | | not measured | |" for name in AIMS if name not in figures]
    return filled(page, "aims", ["| | aim | measured | |", "|---|---:|---:|---|", *rows])


def main() -> None:
    """Read the figures, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=Path())
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    files = {name: options.figures / f"{name}.json" for name in AIMS} | {"budgets": KEPT}
    figures = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
    options.page.write_text(written(options.page.read_text(), figures))
    print(f"{options.page}: {', '.join(figures) or 'no figures found'}")


if __name__ == "__main__":
    main()
