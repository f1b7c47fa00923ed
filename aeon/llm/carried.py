"""Headers that requests to endpoints carry besides their own, such as the trace that a call is part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

__all__ = ["carried", "carrying"]

_NONE: Mapping[str, str] = MappingProxyType({})
_CARRIED: ContextVar[Mapping[str, str]] = ContextVar("carried", default=_NONE)


def carried() -> Mapping[str, str]:
    """The headers that a request carries here."""
    return _CARRIED.get()


@contextmanager
def carrying(headers: Mapping[str, str]) -> Iterator[None]:
    """While it is entered, requests of this task, and of those that it starts, carry these headers."""
    token = _CARRIED.set(headers)
    try:
        yield
    finally:
        _CARRIED.reset(token)
