"""The gates that other programs hold: ruff, mypy, import-linter, and Aeon's own simulation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["every_engine", "layers", "lint", "simulation", "types"]

SEEDS = 1_800
SEEDS_OF_ALL = 550


def lint(root: Path) -> list[str]:
    """Ruff finds nothing, in code, tests and scripts."""
    return _run(root, "-m", "ruff", "check", "--output-format", "concise", "--quiet", "aeon", "tests", "scripts")


def types(root: Path) -> list[str]:
    """Mypy finds nothing under its strict settings."""
    return _run(root, "-m", "mypy", "--no-error-summary")


def layers(root: Path) -> list[str]:
    """No package imports from a layer above its own."""
    command = "import sys; from importlinter.cli import lint_imports_command as lint; sys.exit(lint(['--no-cache']))"
    return _run(root, "-c", command)


def simulation(root: Path) -> list[str]:
    """Every invariant holds in 1,800 simulated worlds with injected faults, and every kind of fault fires."""
    return _run(root, "-m", "aeon.cli.main", "simulate", "--seeds", str(SEEDS))


def every_engine(root: Path) -> list[str]:
    """Every invariant holds in 550 simulated worlds with injected faults that are divided over all engines."""
    return _run(root, "-m", "aeon.cli.main", "simulate", "--engine", "all", "--seeds", str(SEEDS_OF_ALL))


def _run(root: Path, *arguments: str) -> list[str]:
    """What the program printed, if it failed."""
    done = subprocess.run([sys.executable, *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return said or [f"{' '.join(arguments)} ended with {done.returncode}"]
