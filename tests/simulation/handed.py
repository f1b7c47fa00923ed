"""The journal's store of the workers, in the simulated world: a worker stands still, and another one has its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from aeon.durable.steps import StepStore
from aeon.errors import JournalError
from aeon.runtime.store import Store
from aeon.simulation.disk import DiskStore

__all__ = ["stepped"]


class _Rows:
    """Stands in for the steps of a workflow: the lines of a worker that has lost it are refused."""

    broken = ""

    def __init__(self, store: DiskStore) -> None:
        self._store = store

    def append(self, *lines: bytes) -> None:
        """Add lines. Raises `JournalError` where another worker continues the run."""
        for line in lines:
            self._store.append_now(line)

    def close(self) -> None:
        """Nothing is held."""


class _Lease:
    """Stands in for a worker's lease: whether the run is still its own, as the disk says right now."""

    def __init__(self, store: DiskStore) -> None:
        self._store = store

    async def holds(self) -> bool:
        """Whether no other worker continues the run."""
        return self._store.sure


class _Stepped(StepStore):
    """The workers' store, without a thread to write in: the simulated time stands still in one."""

    def __init__(self, store: DiskStore) -> None:
        super().__init__(cast("Any", _Rows(store)), cast("Any", _Lease(store)))
        self._passing = store

    async def _committed(self, lines: list[bytes]) -> list[JournalError | None]:
        try:
            self._commit(cast("Sequence[bytes]", lines))
        except JournalError as error:
            return [error] * len(lines)
        for line in lines:
            await self._passing.passes(line)
        return [None] * len(lines)


def stepped(store: DiskStore) -> Store:
    """The store that workers keep a journal in, over the simulated disk."""
    return _Stepped(store)
