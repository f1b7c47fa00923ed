"""The children of this process: kept for many pieces of work, and together within a limit on memory."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import msgspec

from aeon.errors import MissingExtraError, ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.worker import Answer, Exceeded, Unread, Work, Worker

__all__ = ["MOST_MEMORY", "Deadline", "Exceeded", "Limits", "Unread", "close", "isolated"]

MOST_MEMORY = 1024 * MEGABYTE
"""Bytes of memory that all children at work may take together; work that needs more waits for its turn."""
_WAIT, _SLOWEST = 20.0, 3.0
"""Seconds by the clock, and as a multiple of those of the processor, after which work is given up at the latest."""
_LOOK = 0.1
"""Seconds after which work that waits for its turn looks whether it was called off."""

T = TypeVar("T")


def isolated(
    work: Callable[..., object],
    gives: type[T],
    limits: Limits,
    arguments: Mapping[str, object],
    data: bytes = b"",
    deadline: Deadline | None = None,
) -> T:
    """Call a function of a module of Aeon's in a child and give its value, read as the type ``gives``.

    The function takes the data first and the ``arguments`` by keyword, and returns what JSON can carry. On a
    busy machine it may take three times its ``seconds`` and twenty more by the clock, and never beyond the
    ``deadline``. Safe in any thread.

    Raises:
        ToolFailed: what the function raises, or that it failed.
        MissingExtraError: as the function raises it.
        Exceeded: it took more than its limits, or brought its process down.
        Unread: it was not done in time, or could not be begun.
    """
    name = f"{work.__module__}:{work.__qualname__}"
    deadline = deadline or Deadline()
    with _POOL.worker(limits.memory, deadline) as worker:
        seconds = min(deadline.left(), _WAIT + _SLOWEST * limits.seconds)
        with deadline.ending(worker.stop):
            answer = worker.ask(Work(name, arguments, limits), data, seconds)
        if answer.is_last:
            worker.end()
    return _value(answer, gives)


def close() -> None:
    """End the children that wait for work; the next work starts another."""
    _POOL.close()


def _value(answer: Answer, gives: type[T]) -> T:
    try:
        if not answer.error:
            return msgspec.json.decode(answer.body, type=gives)
        message = msgspec.json.decode(answer.body, type=str)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Exceeded(f"the process that read it gives what cannot be understood: {error}") from None
    if answer.error == "MissingExtraError":
        raise MissingExtraError(message)
    raise ToolFailed(message) if answer.error == "ToolFailed" else Exceeded(f"its reader failed: {message}")


class _Pool:
    """Children that wait for work, and how much memory those at work may take."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._memory = 0

    @contextlib.contextmanager
    def worker(self, memory: int, deadline: Deadline) -> Iterator[Worker]:
        """A child of one's own. Raises ``Unread`` if there is none in time."""
        with self._free:
            while (left := deadline.left()) > 0 and self._memory and self._memory + memory > MOST_MEMORY:
                self._free.wait(min(left, _LOOK))
            if left <= 0:
                raise Unread("there was no time left to read it")
            self._memory += memory
        try:
            worker = self._taken()
            yield worker
            self._kept(worker)
        finally:
            with self._free:
                self._memory -= memory
                self._free.notify_all()

    def _taken(self) -> Worker:
        with self._free:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_usable():
                    return worker
                worker.end()
        return Worker()

    def _kept(self, worker: Worker) -> None:
        with self._free:
            if worker.is_usable():
                self._idle.append(worker)
                return
        worker.end()

    def close(self) -> None:
        """End the children that wait."""
        with self._free:
            while self._idle:
                self._idle.pop().end()


_POOL = _Pool()


def _begin_anew() -> None:
    """In a process that was forked: the children are its parent's."""
    global _POOL  # a fork copies it, and two processes must not share a pipe
    _POOL = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
atexit.register(close)
