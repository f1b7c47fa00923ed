"""``aeon simulate``: runs in a seeded world full of faults, held against what must hold of every run."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping

from aeon.simulation.crowd import ALL, Tally, simulate

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Simulate the seeds and say what they showed; 0 where every invariant held and every fault fired, else 1.

    Whether each fault can fire is known of the multi-pass engine alone: another one may call no tool, say.

    Raises:
        UsageError: ``--faults`` names no kind of fault, the engine is not installed, or all have too few seeds.
    """
    jobs = options.jobs or os.cpu_count() or 1
    began = time.monotonic()
    tally = simulate(range(options.start, options.start + options.seeds), options.faults, jobs, options.engine)
    seconds = time.monotonic() - began
    silent = () if options.engine else tally.silent(options.faults)
    print(_document(tally, silent, seconds) if options.json else "\n".join(_lines(tally, silent, seconds, options)))
    return 1 if tally.failures or silent else 0


def _lines(tally: Tally, silent: tuple[str, ...], seconds: float, options: argparse.Namespace) -> Iterator[str]:
    yield f"{tally.seeds:,} seeds from {options.start}: {tally.runs:,} runs, {tally.effects:,} effects, {seconds:.1f} s"
    yield "  " + ", ".join(f"{rate:,.0f} {what}/s" for what, rate in _rates(tally, seconds).items())
    if options.engine == ALL:
        yield "\nSeeds of each engine"
        yield from _table(tally.engines)
    yield "\nFaults"
    yield from _table(tally.fired)
    yield "\nEndings"
    yield from _table(tally.reasons)
    yield f"\ndigest {tally.digest:016x}"
    for failure in tally.failures:
        yield f"\nseed {failure.seed}: {failure.invariant}: {failure.detail}\n  {failure.command}"
    if silent:
        yield f"\nnever fired: {', '.join(silent)}"
    if not tally.failures:
        yield "every invariant held"


def _table(counted: Mapping[str, int]) -> Iterator[str]:
    for name in sorted(counted):
        yield f"  {name:28} {counted[name]:>10,}"


def _rates(tally: Tally, seconds: float) -> dict[str, float]:
    counts = {"seeds": tally.seeds, "runs": tally.runs, "effects": tally.effects}
    return {name: count / max(seconds, 1e-9) for name, count in counts.items()}


def _document(tally: Tally, silent: tuple[str, ...], seconds: float) -> str:
    failures = [vars(failure) for failure in tally.failures]
    document = {
        "seeds": tally.seeds, "runs": tally.runs, "effects": tally.effects, "seconds": round(seconds, 3),
        "per_second": {name: round(rate, 1) for name, rate in _rates(tally, seconds).items()},
        "engines": dict(sorted(tally.engines.items())),
        "faults": dict(sorted(tally.fired.items())), "endings": dict(sorted(tally.reasons.items())),
        "digest": f"{tally.digest:016x}", "failures": failures, "never_fired": list(silent),
    }  # fmt: skip
    return json.dumps(document, indent=2)
