"""``aeon serve`` in a process of its own, which tests kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx2

from .conftest import until

__all__ = ["ROOM", "Process"]

ROOM = {phase: 30 for phase in ("profile", "plan", "execute", "assess", "synthesize", "validate_plan")}
"""Room for more than one life: what a killed call had reserved counts against its effect's cap."""


class Process:
    """``aeon serve`` in a process of its own."""

    def __init__(self, runs: Path, model: str) -> None:
        command = [sys.executable, "-m", "aeon.cli.main", "serve", "--port", "0", "--runs", str(runs), "--model", model]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=env)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip().rstrip("/")
        assert self.url, self._process.communicate()
        self.client = httpx2.Client(base_url=self.url, timeout=20)

    def kill(self) -> None:
        """Kill it with -9, whoever waits for it."""
        self._process.send_signal(signal.SIGKILL)

    @property
    def gone(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def end(self, number: int) -> tuple[int, str]:
        """Send it a signal; its exit code and what it said."""
        self._process.send_signal(number)
        _, said = self._process.communicate(timeout=30)
        self.client.close()
        return self._process.returncode, said

    def job(self, name: str) -> dict[str, object]:
        """A job as it stands."""
        body: dict[str, object] = self.client.get(f"/jobs/{name}").json()
        return body

    def over(self, name: str) -> dict[str, object]:
        """The job when it does no more."""
        until(lambda: self.job(name)["state"] not in ("queued", "running"))
        return self.job(name)
