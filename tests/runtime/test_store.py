"""Where lines are kept: many at once by one commit, in a thread, all or none of them."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.errors import JournalError
from aeon.runtime.sealed import SealedFile, read_sealed
from aeon.runtime.store import FileStore

pytestmark = pytest.mark.requirement("H1", "X3")
PATIENCE = 20  # seconds; only what hangs ever waits for so long


def line(number: int) -> bytes:
    """A line of a journal."""
    return b'{"line":"x","number":%d}' % number


def numbers(path: Path) -> list[int]:
    """The numbers of the lines in a file."""
    return [int(text.split(b":")[-1].rstrip(b"}")) for text in read_sealed(path)[0]]


class Disk:
    """What `os.fsync` does: counts its calls, and waits while it is held."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.free, self.waits = threading.Event(), threading.Event()
        self.free.set()
        monkeypatch.setattr("aeon.runtime.sealed.os.fsync", self._fsync)

    def _fsync(self, handle: int) -> None:
        self.calls += 1
        self.waits.set()
        assert self.free.wait(PATIENCE)


async def until(condition: Callable[[], bool]) -> int:
    """Let the loop go on until this holds; how often it went round."""
    rounds = 0
    async with asyncio.timeout(PATIENCE):
        while not condition():
            rounds += 1
            await asyncio.sleep(0)
    return rounds


def test_lines_that_come_in_at_once_are_committed_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred lines cost a handful of commits; each is there, in the order in which it came."""
    path = tmp_path / "run.jsonl"
    store, disk = FileStore(SealedFile.create(path)), Disk(monkeypatch)

    async def go() -> None:
        await asyncio.gather(*(store.append(line(number)) for number in range(200)))

    asyncio.run(go())
    store.close()
    assert disk.calls <= 3
    assert numbers(path) == list(range(200))


def test_an_append_returns_when_its_own_line_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes in during a commit waits for the next; the event loop goes round while the disk is slow."""
    path = tmp_path / "run.jsonl"
    store, disk = FileStore(SealedFile.create(path)), Disk(monkeypatch)

    async def go() -> None:
        disk.free.clear()
        first = asyncio.create_task(store.append(line(0)))
        await until(disk.waits.is_set)
        second = asyncio.create_task(store.append(line(1)))
        for _ in range(500):
            await asyncio.sleep(0)
        assert not first.done() and not second.done() and disk.calls == 1
        disk.free.set()
        await first
        await second
        assert disk.calls == 2

    asyncio.run(go())
    store.close()
    assert numbers(path) == [0, 1]


def test_a_failed_write_fails_each_line_that_waits_for_it_and_leaves_none_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were kept before stay whole; whoever comes later is refused as well."""
    path = tmp_path / "run.jsonl"

    class Full(io.FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            if os.path.getsize(path) == 0:
                return super().write(data)
            if len(data) > 30:
                return super().write(data[:30])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("aeon.runtime.sealed.io.FileIO", Full)
    store = FileStore(SealedFile.create(path))

    async def go() -> list[BaseException | None]:
        await store.append(line(0))
        return await asyncio.gather(*(store.append(line(n)) for n in range(1, 30)), return_exceptions=True)

    said = asyncio.run(go())
    assert len(said) == 29 and all(isinstance(error, JournalError) for error in said)
    assert all("No space left on device" in str(error) for error in said[:1])
    with pytest.raises(JournalError, match="it is closed"):
        store.append_now(line(99))
    assert numbers(path) == [0] and read_sealed(path)[1] == b""


def test_a_writer_that_was_cancelled_with_its_loop_leaves_a_store_that_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was under way is written all the same, and a later loop appends to it."""
    path = tmp_path / "run.jsonl"
    store, disk = FileStore(SealedFile.create(path)), Disk(monkeypatch)

    async def killed() -> None:
        disk.free.clear()
        appending = asyncio.create_task(store.append(line(0)))
        await until(disk.waits.is_set)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.wait({appending})
        assert appending.cancelled()
        disk.free.set()

    async def later() -> None:
        async with asyncio.timeout(PATIENCE):
            await store.append(line(1))

    asyncio.run(killed())
    asyncio.run(later())
    store.close()
    assert numbers(path) == [0, 1]
