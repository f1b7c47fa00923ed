"""What the package needs of the system that it runs on."""

from __future__ import annotations

import re
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


def test_no_pattern_holds_a_group_for_good() -> None:
    """Python before 3.11.5 matches possessive and atomic groups wrongly (gh-106052), and Debian's is older."""
    sources = [*Path(aeon.__file__).parent.rglob("*.py"), *Path(aeon.__file__).parents[1].glob("scripts/**/*.py")]
    held = re.compile(r"\)[*+?]\+|\)\{\d*,?\d*\}\+|\(\?>")
    assert len(sources) > 100
    assert [str(one) for one in sources if held.search(one.read_text(encoding="utf-8"))] == []
