"""Runs the gates, all or those that are named, and says of each whether it holds."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

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
SLOW = {"wheel", "simulation", "engines"}


def main(arguments: list[str]) -> int:
    """0 if every gate holds, else 1."""
    gates = _gates(arguments)
    failed = [name for name in gates if not _holds(name)]
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


def _holds(name: str) -> bool:
    gate = GATES[name]
    began = time.monotonic()
    problems = gate(Path.cwd())
    what = (gate.__doc__ or "").partition("\n")[0]
    print(f"{'FAILED' if problems else 'ok':6}  {name:20} {time.monotonic() - began:5.1f}s  {what}")
    for problem in problems:
        print(f"        {problem}")
    sys.stdout.flush()
    return not problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
