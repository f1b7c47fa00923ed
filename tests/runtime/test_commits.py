"""The lines of many journals are committed together, and none that counted is lost to a power cut or a full disk."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.errors import JournalError
from aeon.runtime.commits import CommitLog
from aeon.runtime.sealed import SealedFile, read_sealed

pytestmark = pytest.mark.requirement("H1", "V2b")
PATIENCE = 20  # seconds; only what hangs ever waits for so long


def line(number: int) -> bytes:
    """A line of a journal."""
    return b'{"line":"x","number":%d}' % number


def numbers(path: Path) -> list[int]:
    """The numbers of the lines in a file."""
    return [int(text.split(b":")[-1].rstrip(b"}")) for text in read_sealed(path)[0]]


class Disk:
    """What `os.fsync` does: counts the files, and fails or waits where it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: list[str] = []
        self.full: Callable[[str], bool] = lambda name: False
        self.free, self.waits = threading.Event(), threading.Event()
        self.free.set()
        for module in ("commits", "redo", "sealed"):
            monkeypatch.setattr(f"aeon.runtime.{module}.os.fsync", self._fsync)

    def _fsync(self, handle: int) -> None:
        name = Path(os.readlink(f"/proc/self/fd/{handle}")).name
        if self.full(name):
            raise OSError(errno.ENOSPC, "No space left on device")
        self.synced.append(name)
        self.waits.set()
        assert self.free.wait(PATIENCE)

    def logs(self) -> int:
        """How often a log was synced."""
        return sum(name.startswith("commit-") for name in self.synced)


def logs(folder: Path) -> list[str]:
    """The logs in a folder."""
    return sorted(path.name for path in folder.glob("commit-*"))


async def runs_in(commits: CommitLog, folder: Path, runs: int, lines: int) -> None:
    """So many runs at once, each with so many lines, one after the other."""

    async def run(name: int) -> None:
        store = commits.create(folder / f"{name}.jsonl")
        for number in range(lines):
            await store.append(line(number))
        store.close()

    await asyncio.gather(*(run(name) for name in range(runs)))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="names files by their descriptors")
def test_runs_at_once_share_the_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred runs of five lines wait for the disk about as often as one; when all is over no log is left."""
    disk = Disk(monkeypatch)
    commits = CommitLog(tmp_path)
    asyncio.run(runs_in(commits, tmp_path, 100, 5))
    assert 5 <= disk.logs() <= 10
    assert logs(tmp_path)
    commits.close()
    assert all(numbers(tmp_path / f"{name}.jsonl") == [*range(5)] for name in range(100))
    assert {f"{name}.jsonl" for name in range(100)} <= set(disk.synced)
    assert logs(tmp_path) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="names files by their descriptors")
def test_a_line_counts_when_the_log_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name too: the folder is synced before. Until then its run waits, while the event loop goes round."""
    disk, commits = Disk(monkeypatch), CommitLog(tmp_path)
    disk.waits.clear()
    disk.free.clear()

    async def go() -> None:
        store = commits.create(tmp_path / "a.jsonl")
        task = asyncio.create_task(store.append(line(0)))
        async with asyncio.timeout(PATIENCE):
            while not disk.waits.is_set():
                await asyncio.sleep(0)
            for _ in range(100):
                await asyncio.sleep(0)
            assert not task.done()
            disk.free.set()
            await task
        store.close()

    asyncio.run(go())
    assert disk.synced[-2:] == [tmp_path.name, "commit-00000001.log"]
    commits.close()


def written(folder: Path) -> tuple[dict[str, bytes], Path]:
    """Journals as they were when a server lost its power, and a folder with what is left."""
    there = folder / "there"
    there.mkdir()
    commits = CommitLog(there)
    asyncio.run(runs_in(commits, there, 3, 4))
    left = folder / "left"
    shutil.copytree(there, left)
    commits.close()
    return {path.name: path.read_bytes() for path in there.glob("*.jsonl")}, left


@pytest.mark.parametrize("size", [*range(0, 250, 7), None])
def test_a_power_cut_loses_no_line_that_counted(tmp_path: Path, size: int | None) -> None:
    """A journal that was cut anywhere, lost its name, or has a hole is whole again; then no log is left."""
    whole, left = written(tmp_path)
    path = left / "1.jsonl"
    if size is None:
        path.unlink()
    else:
        path.write_bytes(whole[path.name][:size])
        hole = left / "2.jsonl"
        text = whole[hole.name]
        hole.write_bytes(text[:size] + bytes(len(text[size : size + 40])) + text[size + 40 :])
    CommitLog(left).close()
    assert {one.name: one.read_bytes() for one in left.glob("*.jsonl")} == whole
    assert logs(left) == []


def test_a_log_that_broke_off_gives_all_before_that(tmp_path: Path) -> None:
    """Cut anywhere, it has each line whose frame is whole; and where nothing was lost it changes nothing."""
    whole, left = written(tmp_path)
    log = left / logs(left)[0]
    data = log.read_bytes()
    for cut in range(0, len(data), 13):
        log.write_bytes(data[:cut])
        CommitLog(left).close()
        assert {one.name: one.read_bytes() for one in left.glob("*.jsonl")} == whole
    for path in left.glob("*.jsonl"):
        path.unlink()
    log.write_bytes(data[:-20] + bytes(20))
    CommitLog(left).close()
    there = {one.name: one.read_bytes() for one in left.glob("*.jsonl")}
    assert all(whole[name].startswith(text) for name, text in there.items())
    assert 0 < sum(map(len, whole.values())) - sum(map(len, there.values())) < 120


def test_a_journal_that_others_continued_stays_as_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever resumed a run by hand after a power cut, before the server came back, loses nothing."""
    whole, left = written(tmp_path)
    cut = left / "1.jsonl"
    cut.write_bytes(b"".join(whole[cut.name].splitlines(keepends=True)[:2]))
    for path in (cut, left / "2.jsonl"):
        file, _, _ = SealedFile.reopen(path)
        file.append(line(77))
        file.close()
    CommitLog(left).close()
    assert numbers(cut) == [0, 1, 77] and numbers(left / "2.jsonl") == [0, 1, 2, 3, 77]
    assert caplog.text.count("was continued by others") == caplog.text.count("1.jsonl") == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="names files by their descriptors")
def test_a_full_disk_fails_the_lines_that_wait_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be synced is taken back; journals are whole, and can be continued when there is room."""
    disk, commits = Disk(monkeypatch), CommitLog(tmp_path)

    async def go() -> None:
        stores = [commits.create(tmp_path / f"{name}.jsonl") for name in range(3)]
        for store in stores[:2]:
            await store.append(line(0))
        disk.full = lambda name: name.startswith("commit-")
        said = await asyncio.gather(*(store.append(line(1)) for store in stores), return_exceptions=True)
        assert [*map(type, said)] == [JournalError] * 3
        assert "0.jsonl: cannot be written: No space left" in str(said[0]) and "nothing was saved" in str(said[2])
        with pytest.raises(JournalError):
            await stores[0].append(line(2))
        disk.full = lambda name: False
        file, lines, _ = SealedFile.reopen(tmp_path / "0.jsonl")
        assert len(lines) == 1
        await commits.store(file).append(line(3))
        with pytest.raises(JournalError):
            await stores[1].append(line(2))
        file.close()

    asyncio.run(go())
    until = time.monotonic() + PATIENCE
    while len(logs(tmp_path)) > 1 and time.monotonic() < until:  # those of before the full disk go by themselves
        time.sleep(0.01)
    left = tmp_path / "left"
    shutil.copytree(tmp_path, left, ignore=lambda *_: ["left"])
    cut = left / "0.jsonl"
    cut.write_bytes(cut.read_bytes().splitlines(keepends=True)[0])
    CommitLog(left).close()
    commits.close()
    for folder in (tmp_path, left):
        assert (numbers(folder / "0.jsonl"), numbers(folder / "1.jsonl")) == ([0, 3], [0])
        assert not (folder / "2.jsonl").exists()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="names files by their descriptors")
def test_a_large_log_goes_when_its_journals_are_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as one of them cannot be synced all later logs stay too, so that they can be done again in order."""
    disk, commits = Disk(monkeypatch), CommitLog(tmp_path, most=200)
    disk.full = lambda name: name == "0.jsonl"
    asyncio.run(runs_in(commits, tmp_path, 1, 20))
    asyncio.run(runs_in_another(commits, tmp_path))
    assert len(logs(tmp_path)) > 3
    disk.full = lambda name: False
    commits.close()
    assert logs(tmp_path) == []
    assert numbers(tmp_path / "0.jsonl") == numbers(tmp_path / "other.jsonl") == [*range(20)]


async def runs_in_another(commits: CommitLog, folder: Path) -> None:
    """A run whose first line is written outside an event loop, as that of another life of it."""
    store = commits.create(folder / "other.jsonl")
    await asyncio.to_thread(store.append_now, line(0))
    for number in range(1, 20):
        await store.append(line(number))
    store.close()
