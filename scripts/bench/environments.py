"""An environment of its own for each framework, made once and kept, and its process in it."""

from __future__ import annotations

import hashlib
import json
import os
import select
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

__all__ = ["HERE", "PEERS", "ROOT", "NotInstalled", "Worker", "environment", "python_of"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aeon-bench"
WORKER = HERE / "peers" / "worker.py"
PEERS: dict[str, tuple[str, ...]] = {
    "langgraph": ("langgraph>=1.2", "langgraph-checkpoint>=4.3"),
    "pydantic_graph": ("pydantic-graph>=2.60",),
    "burr": ("apache-burr[tracking]>=0.43",),
}
"""What each framework's environment holds; what is not listed here runs in this interpreter."""


class NotInstalled(Exception):
    """A framework could not be installed."""


def python_of(name: str) -> str:
    """The interpreter of a framework's environment, which is made if it is not there.

    Raises:
        NotInstalled: the environment could not be made, or pip could not install the framework.
    """
    wanted = PEERS.get(name)
    if wanted is None:
        return sys.executable
    key = hashlib.sha256("\n".join((sys.version, *wanted)).encode()).hexdigest()[:12]
    folder = CACHE / f"{name}-{key}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "complete").exists():
        return str(python)
    print(f"making an environment for {', '.join(wanted)} in {folder}", file=sys.stderr, flush=True)
    try:
        venv.create(folder, clear=True, with_pip=True)
    except subprocess.CalledProcessError as error:
        raise NotInstalled(f"{name} cannot be installed: an environment cannot be made here ({error})") from error
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["pip gave no reason"]
        raise NotInstalled(f"{name} cannot be installed: {lines[-1]}")
    (folder / "complete").touch()
    return str(python)


def environment(name: str) -> dict[str, str]:
    """The environment variables of a framework's process: only Aeon's finds the packages of this tree."""
    others = {variable: value for variable, value in os.environ.items() if variable != "PYTHONPATH"}
    return others if name in PEERS else {**others, "PYTHONPATH": str(ROOT)}


class Worker:
    """A process that has one framework loaded and does one request at a time. ``packages`` are its versions."""

    def __init__(self, module: str, *options: str) -> None:
        command = [python_of(module), str(WORKER), module, *options]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(module)
        )
        self.packages: dict[str, str] = self._reply()["packages"]

    def ask(self, within: float | None = None, **request: float) -> dict[str, float]:
        """The reply to one request, which may take so many seconds.

        Raises:
            TimeoutError: it took longer.
            RuntimeError: the process ended instead; what it said is on the standard error.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._reply(within)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def _reply(self, within: float | None = None) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], within)[0]:
            raise TimeoutError(f"not done after {within:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended with exit code {self._process.wait()}")
        return json.loads(line)  # type: ignore[no-any-return]
