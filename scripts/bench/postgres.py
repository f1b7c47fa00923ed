"""A Postgres server of one's own, in a folder: begun, killed with -9, begun again. Its binaries must be installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

__all__ = ["Postgres", "binaries"]


def binaries() -> Path | None:
    """The folder with ``initdb`` and ``postgres``; ``None`` if there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in folders if (one / "initdb").exists() and (one / "postgres").exists()), None)


class Postgres:
    """A server in a folder of its own, over loopback. A context manager. As root it runs as the user ``postgres``."""

    def __init__(self) -> None:
        where = binaries()
        assert where is not None, "Postgres is not installed"
        self._folder = tempfile.TemporaryDirectory(prefix="aeon-postgres-")
        self._bin, self._data = where, Path(self._folder.name) / "data"
        self._user = "postgres" if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        self._data.mkdir()
        if self._user:
            shutil.chown(self._data, self._user)
            shutil.chown(self._folder.name, self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        made = ["initdb", "-D", str(self._data), "-U", "aeon", "--auth=trust", "--encoding=UTF8", "--locale=C"]
        subprocess.run([str(where / made[0]), *made[1:]], check=True, capture_output=True, user=self._user, cwd="/")

    @property
    def url(self) -> str:
        """The address of a database on it."""
        return self.url_of("postgres")

    def url_of(self, name: str, user: str = "aeon") -> str:
        """The address of the database of that name."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Begin, and wait until it answers."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                (self._data / "postmaster.pid").unlink(missing_ok=True)
                self._process = subprocess.Popen(
                    [str(self._bin / "postgres"), "-D", str(self._data), "-p", str(self.port), "-h", "127.0.0.1",
                     "-k", str(self._data), "-c", "max_connections=300"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=self._user, cwd="/",
                )  # fmt: skip
            ready = [str(self._bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
            if subprocess.run(ready, check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise AssertionError("Postgres does not begin")

    def kill(self) -> None:
        """Kill it with -9; its own processes end when they see that."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        deadline = time.monotonic() + 30
        while self._children() and time.monotonic() < deadline:
            time.sleep(0.05)

    def _children(self) -> list[int]:
        """The processes of the server that are left."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(each / "cwd") == str(self._data):
                    found.append(int(each.name))
        return found

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=20)
            self._process.kill()
        self._folder.cleanup()
