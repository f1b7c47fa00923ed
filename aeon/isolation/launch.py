"""Starting a module of Aeon as a program of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["command", "environment"]


def command(module: str) -> list[str]:
    """The command that runs a module by this interpreter; nothing is imported from the working directory."""
    return [sys.executable, "-P", "-m", module]


def environment(**defaults: str) -> dict[str, str]:
    """This process's environment, in which this very package can be imported; ``defaults`` fill what it leaves open."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**defaults, **os.environ, "PYTHONPATH": os.pathsep.join(paths)}
