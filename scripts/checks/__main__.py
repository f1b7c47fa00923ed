"""Runs the gates, all or those that are named, and says of each whether it holds."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from scripts.checks import contracts, docs, everywhere, kernel, programs, trace, wheel, wording
from scripts.checks.sources import Gate

GATES: dict[str, Gate] = {
    "kernel-lines": kernel.lines,
    "kernel-functions": kernel.function_limits,
    "kernel-bans": kernel.bans,
    "decisions": kernel.decisions,
    "file-sizes": everywhere.file_sizes,
    "function-sizes": everywhere.function_sizes,
    "complexity": everywhere.complexity,
    "public-names": everywhere.public_names,
    "test-docstrings": everywhere.test_docstrings,
    "warnings-are-errors": everywhere.warnings_are_errors,
    "layers": programs.layers,
    "lint": programs.lint,
    "types": programs.types,
    "contracts": contracts.differences,
    "docs": docs.differences,
    "requirements": trace.untested,
    "wording": wording.wording,
    "wheel": wheel.wheel,
    "simulation": programs.simulation,
    "engines": programs.every_engine,
}
SLOW = ("simulation", "engines", "wheel")
"""These take longest, and begin first."""


class _Tried(NamedTuple):
    """A gate, what it has against the tree, and how many seconds that took."""

    name: str
    problems: Sequence[str]
    seconds: float


def main(arguments: list[str]) -> int:
    """0 if every gate holds, else 1."""
    gates = _gates(arguments)
    failed = [one.name for one in _tried_all(gates) if not _told(one)]
    print(f"{len(gates) - len(failed)} of {len(gates)} gates hold")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def _gates(arguments: list[str]) -> list[str]:
    """The gates that the command line asks for."""
    parser = argparse.ArgumentParser(prog="scripts/check", description="Every gate of the project.")
    parser.add_argument("gates", nargs="*", metavar="GATE", help=f"only these: {', '.join(GATES)}")
    parser.add_argument("--fast", action="store_true", help="leave out the slow ones")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.gates if name not in GATES]:
        parser.error(f"no gate is called {', '.join(unknown)}; there are {', '.join(GATES)}")
    return options.gates or [name for name in GATES if not (options.fast and name in SLOW)]


def _tried_all(names: Sequence[str]) -> Iterator[_Tried]:
    """The gates in their order, tried side by side, the slow ones first."""
    with ProcessPoolExecutor(max_workers=max(1, min(len(names), os.cpu_count() or 1))) as pool:
        trials = {name: pool.submit(_try, name) for name in sorted(names, key=lambda name: name not in SLOW)}
        yield from (trials[name].result() for name in names)


def _try(name: str) -> _Tried:
    began = time.monotonic()
    problems = [*GATES[name](Path.cwd())]
    return _Tried(name, problems, time.monotonic() - began)


def _told(tried: _Tried) -> bool:
    """Whether the gate holds, once that is printed."""
    what = (GATES[tried.name].__doc__ or "").partition("\n")[0]
    print(f"{'FAILED' if tried.problems else 'ok':6}  {tried.name:20} {tried.seconds:5.1f}s  {what}")
    for problem in tried.problems:
        print(f"        {problem}")
    sys.stdout.flush()
    return not tried.problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
