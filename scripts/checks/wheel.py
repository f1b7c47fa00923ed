"""The wheel that users get: it installs into an empty environment and runs a task there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

__all__ = ["wheel"]

RUN = """
import sys
import aeon
from aeon import build
from aeon.llm.scripted import Scripted
from aeon.testing.obliging import oblige
assert sys.argv[1] in aeon.__file__, f"{aeon.__file__} is not the installed package"
result = build(llm=Scripted(oblige)).execute("What is 2 + 2?")
assert result.answer and result.usage.calls, result
print(result.stop_reason)
"""


class _Failed(Exception):
    """A command did not do what it had to; the text says which, and what it printed last."""


def wheel(root: Path) -> list[str]:
    """The wheel builds, installs without extras into an empty environment, and runs a task outside the tree."""
    with tempfile.TemporaryDirectory(prefix="aeon-wheel-") as name:
        folder = Path(name)
        python = folder / "venv" / "bin" / "python"
        try:
            _run(root, sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), ".")
            venv.create(folder / "venv", with_pip=True)
            (built,) = folder.glob("*.whl")
            _run(folder, str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(built))
            _run(folder, str(python.with_name("aeon")), "--version")
            _run(folder, str(python), "-I", "-c", RUN, str(folder))
        except _Failed as failed:
            return str(failed).splitlines()
    return []


def _run(folder: Path, *command: str) -> None:
    lent = {name: value for name, value in os.environ.items() if not name.startswith(("AEON_", "PYTHON", "VIRTUAL_"))}
    done = subprocess.run(command, cwd=folder, env=lent, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-8:]
        raise _Failed("\n".join([f"{' '.join(command[:4])} … ended with {done.returncode}", *said]))
