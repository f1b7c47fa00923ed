"""The parent's side of one child: a request goes in, bytes come out, or the child ends."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

from aeon.errors import ToolFailed
from aeon.isolation.child import IDLE_SECONDS, OUT_OF_MEMORY
from aeon.isolation.launch import command, environment
from aeon.isolation.limits import MEGABYTE, Limits

__all__ = ["Answer", "Exceeded", "OutOfMemory", "OutOfTime", "Unread", "Work", "Worker"]

_LONGEST_HEAD = 1_000
_MARGIN = 10.0
"""Seconds before the child's own end after which an idle one is not used any more."""
_OUT_OF_MEMORY = {-getattr(signal, name, 0) for name in ("SIGABRT", "SIGTRAP", "SIGILL")}
"""How native code ends where it is refused memory."""


class Exceeded(ToolFailed):
    """The work took more than its limits, or brought its process down: the same bytes would do so again."""


class OutOfMemory(Exceeded):
    """The work took more memory than it may."""


class Unread(ToolFailed):
    """The work was not done, for a reason that need not hold the next time."""


class OutOfTime(Unread):
    """The work was not done when it had to be, by the clock, or was called off."""


class Work(NamedTuple):
    """A function of Aeon's as ``module:name``, what it is called with beside the bytes, and what it may take."""

    name: str
    arguments: Mapping[str, object]
    limits: Limits


class Answer(NamedTuple):
    """What the child says: its value or its error, as JSON, which kind of error that is, and whether it ends now."""

    error: str
    body: bytes
    is_last: bool


class Worker:
    """A child process; one that ``is_new`` did nothing yet. One thread at a time may use it."""

    def __init__(self) -> None:
        """Start it. Raises ``Unread`` where the system refuses a process."""
        try:
            self._child = subprocess.Popen(
                command("aeon.isolation.child"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"),
                start_new_session=True,  # Ctrl-C is for the parent, which then ends the child
            )
        except (OSError, ValueError) as error:
            raise Unread(f"no process can be started for it: {getattr(error, 'strerror', None) or error}") from None
        self._used = time.monotonic()
        self._stopped = False
        self.is_new = True

    def stop(self) -> None:
        """End it from another thread, while it is asked: who asks is told that there was not the time."""
        self._stopped = True
        self._child.kill()

    def is_usable(self) -> bool:
        """Whether it lives, and will long enough to take another request."""
        is_young = time.monotonic() - self._used < IDLE_SECONDS - _MARGIN
        return is_young and not self._stopped and self._child.poll() is None

    def ask(self, work: Work, data: bytes, seconds: float) -> Answer:
        """Have the work done on the data, in ``seconds`` by the clock. After any error the child has ended.

        Raises ``Exceeded`` and ``Unread`` with a line that goes behind "it is not read: ".
        """
        timer = threading.Timer(max(0.0, seconds), self.stop)
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchange(work, data)
        except BaseException:
            self.end()
            raise
        finally:
            timer.cancel()
        if answer is not None:
            self._used, self.is_new = time.monotonic(), False
            return answer
        status = self.end()
        if self._stopped:
            raise OutOfTime(f"it took more than {seconds:.1f} s to read")
        raise _death(status, work.limits)

    def _exchange(self, work: Work, data: bytes) -> Answer | None:
        """The answer; ``None`` if the child ended before it was whole."""
        assert self._child.stdin is not None and self._child.stdout is not None
        arguments, limits = json.dumps(work.arguments), asdict(work.limits)
        request = {"work": work.name, "arguments": arguments, "limits": limits, "bytes": len(data)}
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            self._child.stdin.write(data)
            self._child.stdin.flush()
            head = self._child.stdout.readline(_LONGEST_HEAD)
        except OSError:
            return None
        if not head.endswith(b"\n"):
            return None
        said = json.loads(head)
        size = int(said["bytes"])
        if size > work.limits.output:
            raise Exceeded(f"it gives more than {work.limits.output // MEGABYTE:,} MB")
        body = self._child.stdout.read(size)
        return Answer(str(said["error"]), body, bool(said["last"])) if len(body) == size else None

    def end(self) -> int:
        """End the child and give its exit code, negative for a signal."""
        with contextlib.suppress(OSError):
            self._child.kill()
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what it never took
                    stream.close()
        return self._child.wait()


def _death(status: int, limits: Limits) -> ToolFailed:
    """Why a child ended that nobody ended."""
    if status == OUT_OF_MEMORY or status in _OUT_OF_MEMORY:
        return OutOfMemory(f"it took more than {limits.memory // MEGABYTE:,} MB to read")
    if status == -getattr(signal, "SIGXCPU", 0):
        return Exceeded(f"it took more than {limits.seconds:.0f} s to read")
    if status == -getattr(signal, "SIGKILL", 0):
        return Unread("the system ended the process that read it")
    if status < 0:
        return Exceeded(f"the process that read it crashed: {signal.Signals(-status).name}")
    return Unread(f"the process that reads it ended with exit code {status}")
