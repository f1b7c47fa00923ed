"""Work in a process of its own: what it gives, and what becomes of work that takes too much."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aeon.errors import MissingExtraError, ToolFailed
from aeon.isolation import child, pool
from aeon.isolation.limits import MEGABYTE
from aeon.isolation.pool import Deadline, Exceeded, Limits, NoPlace, OutOfTime, Unread, isolated
from isolation import slow, works

pytestmark = pytest.mark.requirement("T2f")

LIMITS = Limits(memory=256 * MEGABYTE, seconds=20.0, output=MEGABYTE)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let children import the work of these tests, and end them with the test."""
    pool.close()
    monkeypatch.setenv("PYTHONPATH", str(Path(works.__file__).parents[1]))
    yield
    pool.close()


def said(
    work: Callable[..., object], gives: type[object] = object, limits: Limits = LIMITS, **arguments: object
) -> object:
    """What the work gives."""
    return isolated(work, gives, limits, arguments, b"data")


def test_data_goes_in_and_a_value_comes_out() -> None:
    """Work gets the bytes and its arguments, and its value is given."""
    assert said(works.length, int, factor=3) == 12


def test_one_process_serves_many_files() -> None:
    """A process is kept from one piece of work to the next, and is not this one."""
    numbers = {said(works.number, int) for _ in range(5)}
    assert len(numbers) == 1
    assert os.getpid() not in numbers


def test_what_a_library_prints_is_no_answer() -> None:
    """Output on the standard output, by Python or below it, does not get between the answers."""
    assert said(works.prints, str) == "said"
    assert said(works.length, int) == 4


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (works.fails, ToolFailed, r"^a\.x is broken$"),
        (works.lacks, MissingExtraError, "^install it$"),
        (works.raises, Exceeded, r"^its reader failed: ValueError: two lines$"),
    ],
)
def test_errors_come_back_as_what_they_are(work: Callable[[bytes], None], error: type[Exception], message: str) -> None:
    """What work raises for its user is raised here, anything else is one line; the process goes on."""
    before = said(works.number)
    with pytest.raises(error, match=message):
        said(work)
    assert said(works.number) == before


@pytest.mark.skipif(sys.platform != "linux", reason="memory is held on Linux")
def test_memory_ends_the_work_alone() -> None:
    """Work that takes more memory than it may is one line, and the next work is done."""
    with pytest.raises(Exceeded, match=r"^it took more than 256 MB to read$"):
        said(works.fills, size=300 * MEGABYTE)
    assert said(works.fills, int, size=MEGABYTE) == MEGABYTE


@pytest.mark.skipif(sys.platform != "linux", reason="memory is held on Linux")
def test_what_a_file_left_behind_is_not_missing_to_the_next_one() -> None:
    """A process that holds much memory after its work does no more."""
    limits = Limits(memory=400 * MEGABYTE, seconds=20.0, output=MEGABYTE)
    first = said(works.hides, int, limits, size=250 * MEGABYTE)
    assert said(works.number, int, limits) != first


def test_time_of_the_processor_ends_the_work() -> None:
    """Work that computes for longer than it may is ended, by the system."""
    with pytest.raises(Exceeded, match=r"^it took more than 1 s to read$"):
        said(works.loops, limits=Limits(LIMITS.memory, 1.0, MEGABYTE))
    assert said(works.length, int) == 4


def test_each_work_has_all_of_its_time() -> None:
    """The time that earlier work took is not missing to later work in the same process."""
    limits = Limits(LIMITS.memory, 1.0, MEGABYTE)
    first = said(works.number, int, limits)
    for _ in range(3):
        with pytest.raises(Unread):
            isolated(works.sleeps, str, limits, {"seconds": 5}, deadline=Deadline(0.3))
    assert said(works.number, int, limits) != first


def test_the_clock_ends_work_that_waits() -> None:
    """Work that is not done by its time is ended, and says so as something that may be otherwise the next time."""
    began = time.monotonic()
    with pytest.raises(Unread, match=r"^it took more than 0\.5 s to read$"):
        isolated(works.sleeps, str, LIMITS, {"seconds": 30}, deadline=Deadline(0.5))
    assert time.monotonic() - began < 10


def test_the_time_of_work_begins_when_its_process_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where work has a time by the clock, its process is started before; one that does not start does no work."""
    limits = Limits(LIMITS.memory, 20.0, MEGABYTE, clock=0.7)
    assert isolated(slow.answers, str, limits, {}) == "answered"
    with pytest.raises(OutOfTime):
        isolated(works.sleeps, str, limits, {"seconds": 30})
    monkeypatch.setattr(pool, "_WAIT", 0.3)
    with pytest.raises(NoPlace, match="could not be started in time"):
        isolated(slow.answers, str, limits, {})


def test_work_that_is_called_off_ends() -> None:
    """Work under way ends when it is called off, work that waits for its turn as well, and later work is not begun."""
    deadline, everything = Deadline(60), Limits(pool.MOST_MEMORY, 20.0, MEGABYTE)
    errors: list[str] = []

    def work() -> None:
        with pytest.raises(Unread) as error:
            isolated(works.sleeps, str, everything, {"seconds": 30}, deadline=deadline)
        errors.append(str(error.value))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    deadline.call_off()
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 10
    work()
    assert sum("no time left" in error for error in errors) == 2
    assert said(works.length, int) == 4


def test_no_time_left_starts_nothing() -> None:
    """Work whose time is over is not begun."""
    with pytest.raises(Unread, match="no time left"):
        isolated(works.length, int, LIMITS, {}, b"", deadline=Deadline(0))


def test_too_much_is_given() -> None:
    """A value above the limit is not taken in, and the next work is done."""
    with pytest.raises(Exceeded, match=r"^it gives more than 1 MB$"):
        said(works.says, str, size=2 * MEGABYTE)
    assert said(works.says, str, size=3) == "xxx"


def test_too_large_a_file_is_not_written(tmp_path: Path) -> None:
    """A file that work writes ends at the limit, and the work with it."""
    with pytest.raises(Exceeded, match=r"its reader failed: OSError: .*File too large"):
        said(works.writes, path=str(tmp_path / "out"), size=5 * MEGABYTE)
    assert (tmp_path / "out").stat().st_size <= MEGABYTE


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("SIGABRT", Exceeded, "more than 256 MB"),
        ("SIGTRAP", Exceeded, "more than 256 MB"),
        ("SIGSEGV", Exceeded, "crashed: SIGSEGV"),
        ("SIGKILL", Unread, "the system ended the process"),
    ],
)
def test_a_crash_is_one_line(name: str, error: type[Exception], message: str) -> None:
    """A process that a signal ends takes nothing with it, and the next one does the next work."""
    with pytest.raises(error, match=message):
        said(works.crash, name=name)
    assert said(works.length, int) == 4


def test_an_end_without_a_word() -> None:
    """A process that ends by itself is one line."""
    with pytest.raises(Unread, match="ended with exit code 3"):
        said(works.vanishes)


def test_a_process_that_died_while_it_waited_is_replaced() -> None:
    """Nobody is told of an idle process that was ended: another does the work."""
    number = said(works.ends, int)
    assert isinstance(number, int)
    time.sleep(0.5)
    assert said(works.number, int) != number


def test_an_idle_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that gets no work ends by itself, and its end is nobody's error."""
    code = "import aeon.isolation.child as child; child.IDLE_SECONDS = 0.2; child.main()"
    idle = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, capture_output=True, timeout=20, check=False
    )
    assert idle.returncode == 0
    monkeypatch.setattr("aeon.isolation.worker.IDLE_SECONDS", 0.0)
    assert said(works.number, int) != said(works.number, int)
    assert child.IDLE_SECONDS > 30


def test_a_value_of_another_type_is_refused() -> None:
    """What comes back is data of the type that was asked for, or an error."""
    with pytest.raises(Exceeded, match="cannot be understood"):
        said(works.length, str)


def test_threads_work_side_by_side_within_one_memory() -> None:
    """Several threads get their own values, and no more work at once than there is memory for."""
    limits = Limits(memory=pool.MOST_MEMORY // 2, seconds=20.0, output=MEGABYTE)
    results: dict[int, object] = {}
    spans: list[tuple[float, float]] = []

    def work(factor: int) -> None:
        began = time.monotonic()
        results[factor] = isolated(works.length, int, limits, {"factor": factor}, b"data")
        isolated(works.sleeps, str, limits, {"seconds": 0.2})
        spans.append((began, time.monotonic()))

    threads = [threading.Thread(target=work, args=(factor,)) for factor in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {factor: 4 * factor for factor in range(6)}
    assert max(end for _, end in spans) - min(begin for begin, _ in spans) >= 0.6  # 1.2 s of sleep, two at once


def test_an_event_loop_goes_on() -> None:
    """A loop whose thread has work done is not held up by it."""

    async def both() -> tuple[object, int]:
        task = asyncio.create_task(asyncio.to_thread(said, works.sleeps, str, LIMITS, seconds=0.5))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return await task, ticks

    value, ticks = asyncio.run(both())
    assert value == "awake"
    assert ticks > 5


SCRIPT = """
import sys, threading
sys.path[:0] = {paths}
from aeon.isolation.pool import isolated, Limits
from isolation import works
print("begun")
limits = Limits(200_000_000, 10.0, 1_000_000)
print(isolated(works.length, int, limits, {{}}, b"four"))
pid = __import__("os").fork()
print(isolated(works.length, int, limits, {{}}, b"four" * (2 if pid else 3)), flush=True)
if pid:
    __import__("os").waitpid(pid, 0)
"""


def test_a_script_without_a_guard_and_one_that_forks(tmp_path: Path) -> None:
    """A script that guards nothing is not run again by the child, and a fork of it does not share its process."""
    script = tmp_path / "script.py"
    roots = [str(Path(pool.__file__).parents[2]), str(Path(works.__file__).parents[1])]
    script.write_text(SCRIPT.format(paths=roots))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.split()) == ["12", "4", "8", "begun"]


def test_importing_starts_nothing() -> None:
    """Importing the package, and what reads documents, starts no process and loads none of the readers' libraries."""
    code = (
        "import sys, aeon, aeon.documents.readers, aeon.isolation.pool as pool\n"
        "assert not pool.READING._idle and not pool.ASKING._idle\n"
        "assert not {'lxml', 'pypdfium2', 'docx', 'trafilatura', 'openpyxl'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
