"""Who watches the tool calls of a run, such as what makes a span of each."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

__all__ = ["Watch", "watch", "watched"]

Watch = Callable[[str], AbstractContextManager[object]]
"""Makes, from the name of a tool, what is entered for one call of it; an error of the call passes through it."""


def _nobody(name: str) -> AbstractContextManager[object]:
    return nullcontext()


_WATCH: ContextVar[Watch] = ContextVar("watch", default=_nobody)


def watch(by: Watch) -> None:
    """Have the tool calls of this task, and of those that it starts from now on, watched."""
    _WATCH.set(by)


def watched(name: str) -> AbstractContextManager[object]:
    """What is entered for a call of this tool here."""
    return _WATCH.get()(name)
