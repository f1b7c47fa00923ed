"""The children of this process: kept for many pieces of work, and together within a limit on memory."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import msgspec

from aeon.errors import MissingExtraError, ToolArgumentError, ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.worker import Answer, Exceeded, OutOfMemory, OutOfTime, Unread, Work, Worker

__all__ = [
    "ASKING", "ASKING_LONG", "MOST_MEMORY", "READING", "Deadline", "Displaced", "Exceeded", "Limits", "NoPlace",
    "OutOfMemory", "OutOfTime", "Pool", "Unread", "close", "isolated",
]  # fmt: skip

MOST_MEMORY = 1024 * MEGABYTE
"""Bytes of memory that all children of a pool that are at work may take together, if not said otherwise."""
_WAIT, _SLOWEST = 20.0, 3.0
"""Seconds by the clock, and as a multiple of those of the processor, after which work is given up at the latest."""
_LOOK = 0.1
"""Seconds after which work that waits for its turn looks whether it was called off."""

T = TypeVar("T")


class NoPlace(Unread):
    """The work was not begun: other work took all that there is for it, or its time was over."""


class Displaced(Unread):
    """The work had its turn in this pool, and other work waited."""


class Pool:
    """Children that wait for work, and how much memory those at work may take together.

    Work that needs more than is left waits for its turn behind what came before it, ``most_wait`` seconds at most. What
    is at work for longer than ``turn`` seconds is ended when other work waits.
    """

    def __init__(self, most_wait: float = math.inf, most_memory: int = MOST_MEMORY, turn: float = math.inf) -> None:
        self._most_wait, self._most_memory, self._turn = most_wait, most_memory, turn
        self.begin_anew()

    def begin_anew(self) -> None:
        """Have no children, as in a process that was forked: they are its parent's."""
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._waiting: list[Deadline] = []
        self._at_work: dict[Worker, Deadline] = {}
        self._memory = 0

    @contextlib.contextmanager
    def worker(self, memory: int, deadline: Deadline) -> Iterator[Worker]:
        """A child of one's own. Raises ``NoPlace`` if there is none in time."""
        self._await_room(memory, deadline)
        try:
            worker = self._taken()
            yield worker
            self._kept(worker)
        finally:
            with self._free:
                self._memory -= memory
                self._free.notify_all()

    @contextlib.contextmanager
    def turn(self, worker: Worker) -> Iterator[None]:
        """What a child does for as long as nothing waits, or its turn lasts. Raises ``Displaced`` if it was ended."""
        with self._free:
            self._at_work[worker] = Deadline(self._turn)
        try:
            yield
        except OutOfTime:
            if worker in self._at_work:
                raise
            raise Displaced(f"it took more than {self._turn:.1f} s, and other work waited") from None
        finally:
            with self._free:
                self._at_work.pop(worker, None)

    def _await_room(self, memory: int, deadline: Deadline) -> None:
        """Take so much memory when those who came before have theirs. Raises ``NoPlace``."""
        place = Deadline(min(self._most_wait, deadline.left()))
        with self._free:
            self._waiting.append(place)
            try:
                while (left := min(place.left(), deadline.left())) > 0 and not self._has_room(memory, place):
                    self._displace()
                    self._free.wait(min(left, _LOOK))
                if left <= 0:
                    raise NoPlace("there was no time left to read it")
                self._memory += memory
            finally:
                self._waiting.remove(place)
                self._free.notify_all()

    def _has_room(self, memory: int, place: Deadline) -> bool:
        is_next = self._waiting[0] is place
        return is_next and (not self._memory or self._memory + memory <= self._most_memory)

    def _displace(self) -> None:
        """End the one piece of work that had its turn the longest ago."""
        if over := [worker for worker, turn in self._at_work.items() if turn.left() <= 0]:
            del self._at_work[over[0]]
            over[0].stop()

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


READING = Pool()
"""Where files are read; one may take minutes."""
ASKING = Pool(most_wait=8.0, most_memory=700 * MEGABYTE, turn=0.5)
"""Where queries begin, which do not wait for files, nor for long on each other."""
ASKING_LONG = Pool(most_wait=8.0, most_memory=700 * MEGABYTE)
"""Where a query runs again that was displaced there."""
_POOLS = (READING, ASKING, ASKING_LONG)


def isolated(
    work: Callable[..., object],
    gives: type[T],
    limits: Limits,
    arguments: Mapping[str, object],
    data: bytes = b"",
    deadline: Deadline | None = None,
    pool: Pool = READING,
) -> T:
    """Call a function of a module of Aeon's in a child and give its value, read as the type ``gives``.

    The function takes the data first and the ``arguments`` by keyword, and returns what JSON can carry. By the
    clock it may take what its limits say, else three times its ``seconds`` and twenty more, as on a busy machine; and
    never more than its share of the ``deadline``. Safe in any thread.

    Raises:
        ToolFailed: what the function raises, or that it failed.
        ToolArgumentError: as the function raises it.
        MissingExtraError: as the function raises it.
        Exceeded: it took more than its limits, or brought its process down.
        Displaced: it had its turn in the pool, and other work waited.
        Unread: it was not done in time, or could not be begun.
    """
    name = f"{work.__module__}:{work.__qualname__}"
    deadline = deadline or Deadline()
    clock = _WAIT + _SLOWEST * limits.seconds if limits.clock is None else limits.clock
    with pool.worker(limits.memory, deadline) as worker:
        if worker.is_new and limits.clock is not None:
            _prepare(worker, work.__module__, limits, deadline)
        seconds = min(deadline.share(), clock)
        with pool.turn(worker), deadline.ending(worker.stop):
            answer = worker.ask(Work(name, arguments, limits), data, seconds)
        if answer.is_last:
            worker.end()
    return _value(answer, gives)


def _prepare(worker: Worker, module: str, limits: Limits, deadline: Deadline) -> None:
    """Have a new child ready for its work, whose time begins then. Raises ``NoPlace`` if it is not in time."""
    try:
        with deadline.ending(worker.stop):
            worker.ask(Work("aeon.isolation.child:prepare", {}, limits), module.encode(), min(deadline.left(), _WAIT))
    except OutOfTime:
        raise NoPlace("its process could not be started in time") from None


def close() -> None:
    """End the children that wait for work; the next work starts another."""
    for pool in _POOLS:
        pool.close()


def _value(answer: Answer, gives: type[T]) -> T:
    try:
        if not answer.error:
            return msgspec.json.decode(answer.body, type=gives)
        message = msgspec.json.decode(answer.body, type=str)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Exceeded(f"the process that read it gives what cannot be understood: {error}") from None
    if answer.error == "MissingExtraError":
        raise MissingExtraError(message)
    if answer.error == "ToolArgumentError":
        raise ToolArgumentError(message)
    raise ToolFailed(message) if answer.error == "ToolFailed" else Exceeded(f"its reader failed: {message}")


def _begin_anew() -> None:
    """In a process that was forked: two processes must not share a pipe."""
    for pool in _POOLS:
        pool.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
atexit.register(close)
