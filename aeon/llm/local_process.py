"""The parent's side of the embedded model: one child process per model file, shared by all runs of this process."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import secrets
import select
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from aeon.errors import InputFileError, MissingExtraError, ServerBroken
from aeon.home import cache_dir
from aeon.isolation.launch import command, environment
from aeon.llm.prefixes import Recent
from aeon.schema.frozen import Frozen

__all__ = ["STARTUP_SECONDS", "Address", "ServerProcess", "check", "shared_process"]

STARTUP_SECONDS = 120.0
STOP_SECONDS = 5.0
DEATHS_ALLOWED = 2
"""How often in a row the child may die before a completion; one restart, then the user must look."""


def check(model: Path | None) -> None:
    """Raise `MissingExtraError` without llama.cpp, `InputFileError` where the file of the ``model`` is not there."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtraError("the local model needs llama.cpp: pip install 'aeon-orchestrator[local]'")
    if model is not None and not model.is_file():
        raise InputFileError(f"there is no model file at {model}")


class Address(Frozen):
    """Where a started server listens, and the key that it wants; ``generation`` counts its starts."""

    base_url: str
    api_key: str
    generation: int


class ServerProcess:
    """A child process that serves one model; started when first needed, stopped when its last user lets go.

    Every method may be called from any thread. ``log_path`` is where llama.cpp's own output goes, and ``states`` the
    folder for states of its slot. ``recent`` says what the server read last.
    """

    def __init__(self, model: Path, context_tokens: int) -> None:
        self._model = model
        self._context = context_tokens
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._address: Address | None = None
        self._users = 0
        self._deaths = 0
        self._starts = 0
        self._log_matters = False
        self._given_up = False
        self._quiet = threading.Condition()
        self._calls = 0
        self._held = False
        self.recent = Recent()
        self.states = cache_dir() / "prefixes"
        self.log_path = cache_dir() / "logs" / f"local-{os.getpid()}-{model.stem}.log"

    @property
    def pid(self) -> int | None:
        """The child's process id, ``None`` if there is none."""
        return self._child.pid if self._child is not None else None

    def acquire(self) -> None:
        """Count one more user."""
        with self._lock:
            self._users += 1

    def release(self) -> None:
        """Count one user less; the last one's leaving stops the child."""
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users == 0:
                self._stop()
                self._deaths = 0

    def address(self) -> Address:
        """Where the server listens, after starting it if need be; takes seconds then.

        Raises `MissingExtraError` without xllamacpp, `InputFileError` without the file, and `ServerBroken` if the
        model cannot be loaded or the child has died too often.
        """
        with self._lock:
            if self._address is not None and self._alive():
                return self._address
            if self._child is not None:
                self._deaths += 1
                self._log_matters = True
                self._stop()
            if self._deaths >= DEATHS_ALLOWED:
                raise ServerBroken(f"the local model server died {self._deaths} times in a row; see {self.log_path}")
            self._address = self._start()
            return self._address

    @contextlib.contextmanager
    def calling(self) -> Iterator[None]:
        """A call of the server, from before `wait` to its end."""
        with self._quiet:
            self._calls += 1
        try:
            yield
        finally:
            with self._quiet:
                self._calls -= 1

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether the caller's call is the only one; if so, all others `wait` until the block ends."""
        with self._quiet:
            alone = self._calls == 1 and not self._held
            self._held = self._held or alone
        try:
            yield alone
        finally:
            if alone:
                with self._quiet:
                    self._held = False
                    self._quiet.notify_all()

    def wait(self) -> None:
        """Wait until nobody has the server for themselves."""
        with self._quiet:
            self._quiet.wait_for(lambda: not self._held)

    def succeeded(self) -> None:
        """Take note of a completion: the child is sound."""
        with self._lock:
            self._deaths = 0

    def died(self, generation: int) -> bool:
        """Whether the child of this generation has ended; waits a moment, since a connection breaks before that."""
        with self._lock:
            if self._child is None or self._starts != generation:
                return True
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout=0.5)
            return not self._alive()

    def stop(self) -> None:
        """Stop the child, whoever uses it; the next use starts another. One that still loads is not waited for."""
        child = self._child
        if child is not None and self._address is None:
            self._given_up = True
            child.kill()
        with self._lock:
            self._stop()
            self._given_up = False

    def _alive(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def _start(self) -> Address:
        check(self._model)
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        api_key = secrets.token_urlsafe(24)
        options = ["--model", str(self._model), "--context", str(self._context), "--states", str(self.states)]
        with self.log_path.open("ab") as log:
            self._child = subprocess.Popen(
                [*command("aeon.llm.local_server"), *options, "--parent", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(
                    OMP_WAIT_POLICY="PASSIVE"
                ),  # threads that spin make any other busy process many times slower
                start_new_session=True,  # Ctrl-C is for the parent, which then stops the child
            )
        try:
            base_url = self._handshake(self._child, api_key)
        except ServerBroken:
            self._log_matters = True
            self._stop()
            raise
        except KeyboardInterrupt:  # a model that is half loaded is of no use to anybody
            self._stop(patience=0.0)
            raise
        self._starts += 1
        self.recent = Recent()
        return Address(base_url=base_url, api_key=api_key, generation=self._starts)

    def _handshake(self, child: subprocess.Popen[bytes], api_key: str) -> str:
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(api_key.encode() + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            raise ServerBroken(f"the local model server ended at once; see {self.log_path}") from None
        line = _first_line(child.stdout.fileno(), time.monotonic() + STARTUP_SECONDS)
        if line is None:
            raise ServerBroken(f"the local model was not loaded within {STARTUP_SECONDS:g} s; see {self.log_path}")
        try:
            message = json.loads(line)
        except ValueError:
            raise ServerBroken(f"the local model server ended while loading the model; see {self.log_path}") from None
        if "address" not in message:
            reason = message.get("error", "no reason given")
            raise ServerBroken(f"llama.cpp cannot load {self._model}: {reason}; see {self.log_path}")
        return f"{message['address']}/v1"

    def _stop(self, patience: float = STOP_SECONDS) -> None:
        child, self._child, self._address = self._child, None, None
        if child is None:
            return
        self._log_matters = not self._given_up and (self._log_matters or child.poll() is not None)
        assert child.stdin is not None and child.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            child.stdin.close()
        try:
            child.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
        if not self._log_matters:
            self.log_path.unlink(missing_ok=True)


def _first_line(descriptor: int, deadline: float) -> bytes | None:
    """The first line, empty at the end of the stream, ``None`` if it does not come in time."""
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None
        byte = os.read(descriptor, 1)
        if not byte:
            return b""
        line += byte
    return line


_SHARED: dict[tuple[Path, int], ServerProcess] = {}
_SHARED_LOCK = threading.Lock()


def shared_process(model: Path, context_tokens: int) -> ServerProcess:
    """The process for this model file and context length (tokens); the same for all who ask."""
    with _SHARED_LOCK:
        key = (model.resolve(), context_tokens)
        if key not in _SHARED:
            _SHARED[key] = ServerProcess(model.resolve(), context_tokens)
        return _SHARED[key]


@atexit.register
def _stop_all() -> None:
    with _SHARED_LOCK:
        for process in _SHARED.values():
            process.stop()
