"""A time by which work has to be done, which may be called off before."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator

__all__ = ["Deadline"]


class Deadline:
    """So many ``seconds`` from now by the clock, any number without; one for as much work as is to share them.

    Several threads may use it.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._at = math.inf if seconds is None else time.monotonic() + seconds
        self._lock = threading.Lock()
        self._ends: list[Callable[[], None]] = []

    def left(self) -> float:
        """Seconds that are left, infinity without a limit, 0 or less when it is over."""
        return self._at - time.monotonic()

    def call_off(self) -> None:
        """Let nothing begin any more, and end what is under way."""
        with self._lock:
            self._at = -math.inf
            for end in self._ends:
                end()

    @contextlib.contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """While the block runs, have work ended by ``end`` when it is called off; at once if it was."""
        with self._lock:
            self._ends.append(end)
            is_off = self._at == -math.inf
        try:
            if is_off:
                end()
            yield
        finally:
            with self._lock:
                self._ends.remove(end)
