"""``aeon serve --durable`` in processes of their own, over one database, and what tests ask of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

import aeon

from .conftest import until

TASK = "What do 17 pens at 2.40 cost?"
OTHER = "What do 18 pens at 2.40 cost?"
ROOM = {phase: 30 for phase in ("profile", "plan", "execute", "assess", "synthesize", "validate_plan")}
"""Room for more than one life: what a killed call had reserved counts against its effect's cap."""


class Program:
    """A command of ``aeon`` on a database, in a process of its own; what it says goes into a log."""

    def __init__(self, folder: Path, url: str, model: str, *arguments: str) -> None:
        self.log = folder / "services.log"
        command = [sys.executable, "-m", "aeon.cli.main", *arguments, "--durable", url, "--model", model]
        env = os.environ | {"PYTHONPATH": str(Path(aeon.__file__).parents[1]), "AEON_THOROUGH": "true"}
        with self.log.open("a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=env)
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline().strip()

    def kill(self) -> None:
        """Kill it with -9."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()
            self.leave()

    def leave(self) -> None:
        """Nothing: it is no service."""

    def stop(self) -> int:
        """Stop it in order; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        self.leave()
        return self.process.returncode


class Service(Program):
    """A service; ``get`` and ``post`` ask it."""

    def __init__(self, folder: Path, url: str, model: str, *arguments: str) -> None:
        super().__init__(folder, url, model, "serve", "--port", "0", *arguments)
        if not self.first.startswith("http://"):
            self.process.communicate()
            raise AssertionError(self.log.read_text())
        self.client = httpx2.Client(base_url=self.first.rstrip("/"), timeout=60)

    def leave(self) -> None:
        """Close the connections to it."""
        self.client.close()

    def get(self, path: str, **headers: str) -> httpx2.Response:
        """Ask for a page."""
        return self.client.get(path, headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> httpx2.Response:
        """Send a JSON body."""
        return self.client.post(path, json=body, headers=headers)

    def job(self, task: str = TASK, headers: dict[str, str] | None = None, **body: object) -> str:
        """The id of a new job."""
        reply = self.post("/run", {"task": task, "async": True, **body}, **(headers or {}))
        assert reply.status_code == 202, reply.text
        return str(reply.json()["id"])

    def state(self, name: str, **headers: str) -> str:
        """Where a job stands."""
        return str(self.get(f"/jobs/{name}", **headers).json()["state"])

    def reaches(self, name: str, *states: str) -> dict[str, Any]:
        """The job, when it is in one of these states."""
        until(lambda: self.state(name) in states, 60)
        job: dict[str, Any] = self.get(f"/jobs/{name}").json()
        return job

    def events(self, name: str, after: str = "") -> str:
        """The stream of a job to its end."""
        return self.get(f"/jobs/{name}/events", **({"Last-Event-ID": after} if after else {})).text


@contextmanager
def ended(*programs: Program) -> Iterator[None]:
    """The programs are gone at the end."""
    try:
        yield
    finally:
        for program in programs:
            program.kill()
