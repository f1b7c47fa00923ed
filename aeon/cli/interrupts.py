"""Ctrl-C during a run: an open question is left open, a run is asked to stop, and at last the program ends."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from aeon.cli.prompt import Prompt
from aeon.kernel.ports import Driver
from aeon.runtime.driver import AsyncDriver

__all__ = ["interruptible"]


@contextlib.contextmanager
def interruptible(driver: Driver, note: Callable[[str], None], prompt: Prompt | None = None) -> Iterator[None]:
    """Ctrl-C asks the run to stop; again, it breaks off the synthesis too; the third time ends the program.

    While ``prompt`` waits for an answer, it leaves the question open instead.
    """
    presses = 0

    def on_interrupt(_: int, __: FrameType | None) -> None:
        nonlocal presses
        if prompt is not None and prompt.give_up():
            return
        presses += 1
        if presses > 2 or not isinstance(driver, AsyncDriver):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            raise KeyboardInterrupt
        driver.interrupt()
        note("stopping at the next boundary" if presses == 1 else "breaking off")

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        with _woken(driver):
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _woken(driver: Driver) -> Iterator[None]:
    """Wake the run's event loop at each signal: its handler runs at once, also if the loop just begins to wait."""
    signals, sender = socket.socketpair()
    sender.setblocking(False)

    def wake() -> None:
        while signals.recv(1):
            if isinstance(driver, AsyncDriver):
                driver.wake()
        signals.close()

    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=wake, name="aeon-signals", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        sender.close()
