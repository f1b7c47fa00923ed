"""Who hears a reply while it is written: adapters hand on each piece of its text as it arrives.

An adapter that hands on nothing is as good as any other: whoever listens has the reply when the call ends.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

__all__ = ["Hearing", "Listener", "heard_by", "hearing"]

_log = logging.getLogger("aeon")


class Listener(Protocol):
    """Hears the replies of one model call, in the event loop of the call."""

    def begin(self) -> None:
        """A reply begins. What was heard before is void: it was an attempt that failed."""

    def hear(self, piece: str) -> None:
        """The next piece of the reply's text as the endpoint sent it; reasoning beside the text is no part of it."""


class Hearing:
    """Hands pieces to a listener. One that raises hears nothing more; the call goes on."""

    def __init__(self, listener: Listener) -> None:
        self._listener: Listener | None = listener

    def begin(self) -> None:
        """Tell the listener that a reply begins."""
        if self._listener is not None:
            try:
                self._listener.begin()
            except Exception:  # noqa: BLE001 - a listener may raise anything, and must not end a call
                self._drop()

    def hear(self, piece: str) -> None:
        """Tell the listener the next piece of the reply."""
        if self._listener is not None:
            try:
                self._listener.hear(piece)
            except Exception:  # noqa: BLE001 - as above
                self._drop()

    def _drop(self) -> None:
        self._listener = None
        _log.warning("a listener raised and hears nothing more of this call", exc_info=True)


_HEARING: ContextVar[Hearing | None] = ContextVar("aeon_hearing", default=None)


def hearing() -> Hearing | None:
    """What an adapter hands the pieces of a reply to; ``None`` where nobody listens."""
    return _HEARING.get()


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """While it is entered, this listener hears what models reply in this task, and in those that it starts."""
    token = _HEARING.set(Hearing(listener))
    try:
        yield
    finally:
        _HEARING.reset(token)
