"""What a search provider is: a name and a coroutine that gives the passages for a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from aeon.schema import Document, Found

__all__ = ["Keeping", "Provider", "Selective"]


@runtime_checkable
class Provider(Protocol):
    """Finds passages for a query. ``name`` stands in records, and tells providers of one run apart.

    ``local``: it searches texts that are at hand, so that every query goes to it; of the others, to one.
    """

    name: str
    local: bool

    async def search(self, query: str, most: int) -> Found:
        """Return the ``most`` passages that fit the query best, best first.

        What goes wrong is a `SearchProblem` in the value, never an exception, but for a bug. The provider makes one
        attempt: whether and when it is tried again is decided elsewhere.
        """
        ...


@runtime_checkable
class Selective(Protocol):
    """A provider that can pass over sources while it searches, so that none hides another."""

    async def select(self, query: str, most: int, takes: Callable[[Document], bool]) -> Found:
        """Return the ``most`` passages of documents that are taken that fit the query best, as `Provider.search` does.

        Of a document that is asked about, name and site are set.
        """
        ...


@runtime_checkable
class Keeping(Protocol):
    """A provider that keeps the texts that its passages are of."""

    async def text(self, source: str) -> str:
        """Return the whole text of this name, which spans refer to; "" where there is none any more."""
        ...

    async def titles(self, most: int) -> list[str]:
        """Return the titles of ``most`` of the texts, evenly from all of them."""
        ...
