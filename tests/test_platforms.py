"""What the package needs of the system that it runs on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import aeon

IMPORT_ALL = """
import importlib, pkgutil, sys
import mcp.server.stdio  # it looks itself which system this is, and takes fcntl where there is one
for name in ("fcntl", "termios", "resource", "pwd", "grp", "tty", "pty"):
    sys.modules[name] = None
import aeon
for module in pkgutil.walk_packages(aeon.__path__, "aeon."):
    if not module.name.startswith("aeon.cli") and not module.name.endswith(".__main__"):
        importlib.import_module(module.name)
"""


def test_the_library_needs_no_module_that_only_some_systems_have() -> None:
    """All of it but the command line, which asks at the terminal, is imported without those of POSIX."""
    command = [sys.executable, "-c", IMPORT_ALL]
    root = str(Path(aeon.__file__).parents[1])
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": root}, check=False)
    assert done.returncode == 0, done.stderr
