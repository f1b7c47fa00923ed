"""Work that takes long, done in a thread, so that the event loop goes on meanwhile."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["aside", "read_aside"]

T = TypeVar("T")
_MOST = 16
"""Threads that work at a time; more would only take turns with the event loop."""
_SHORT = 2_000
"""Characters that are read in less time than it takes other runs to notice."""


def aside(work: Callable[[], T], own: str = "") -> asyncio.Future[T]:
    """What ``work`` gives or raises, when a thread has done it, in a copy of the caller's context.

    A query, a table or the values of a long text may take seconds. In the event loop's own thread, every run of the
    process would stand still as long. Whoever is cancelled while he waits goes on at once: a thread cannot be stopped,
    so what it works on has a limit of its own. What has none, such as a function of somebody else's, gets a thread of
    its ``own``, by that name; else a few threads share the work. None of them keeps the loop or the interpreter from
    ending.

    Raises:
        RuntimeError: no event loop runs here, or no thread can be started.
    """
    workers = _Own(own) if own else _SHARED
    return asyncio.get_running_loop().run_in_executor(workers, contextvars.copy_context().run, work)


async def read_aside(text: str, work: Callable[[], T]) -> T:
    """What ``work`` gives or raises that reads this text and nothing else: `aside`, where the text is long."""
    return work() if len(text) < _SHORT else await aside(work)


class _Own(Executor):
    """A thread for each piece of work."""

    def __init__(self, name: str) -> None:
        self._name = name

    def submit(self, work: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:  # noqa: ANN401 - as `Executor` has it
        future: Future[T] = Future()
        done = partial(_do, future, partial(work, *arguments, **named))
        threading.Thread(target=done, daemon=True, name=self._name).start()
        return future


class _Shared(Executor):
    """Threads that take one piece of work after another; one more is started where all are busy, up to ``most``."""

    def __init__(self, most: int) -> None:
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._starting = threading.Lock()
        self._left = most

    def submit(self, work: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:  # noqa: ANN401 - as `Executor` has it
        future: Future[T] = Future()
        self._waiting.put(partial(_do, future, partial(work, *arguments, **named)))
        if not self._idle.acquire(blocking=False):
            self._start()
        return future

    def _start(self) -> None:
        with self._starting:
            if self._left:
                threading.Thread(target=self._work, daemon=True, name="aside").start()
                self._left -= 1

    def _work(self) -> None:
        while True:
            self._waiting.get()()
            self._idle.release()


_SHARED = _Shared(_MOST)


def _do(future: Future[T], work: Callable[[], T]) -> None:
    """Do the work, unless nobody waits for it any more."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - handed to who waits, whatever it is
        future.set_exception(error)
    else:
        future.set_result(result)
