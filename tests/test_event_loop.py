"""The event loop goes on whatever a run works on: other runs of the process do not stand still meanwhile."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from approving import Approving
from assembly.capable import capable

from aeon import Config, Result, Task, build
from aeon.isolation.aside import aside, read_aside
from aeon.llm.scripted import Reply
from aeon.schema import LLMRequest
from aeon.simulation.clock import SimulatedLoop
from tests.second import way_of

T = TypeVar("T")
LONGEST = 0.25
"""Seconds that the event loop may stand still."""
SLOW = (
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100000000) "
    "SELECT max(price) FROM boats, t"
)


async def lag_of(work: Callable[[], Awaitable[T]]) -> tuple[float, T]:
    """The longest time (s) that the event loop stood still while something was done, and what that gave."""
    longest, latest = 0.0, time.monotonic()

    async def beat() -> None:
        nonlocal longest, latest
        while True:
            latest = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - latest - 0.01)

    beating = asyncio.create_task(beat())
    await asyncio.sleep(0.05)
    given = await work()
    longest = max(longest, time.monotonic() - latest - 0.01)
    beating.cancel()
    return longest, given


@pytest.fixture(autouse=True)
def _frozen() -> Iterator[None]:
    """What other tests left behind is not collected while something is measured: that takes longer than a run may."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A small table."""
    (tmp_path / "boats.csv").write_text("boat,price\nAlba,120\nBora,180\n")
    return tmp_path


def by_program(query: str) -> Approving:
    """A model that has a query made by a program, and writes that query."""

    def reply(request: LLMRequest) -> Reply:
        return {"program": f'print(sql("{query}"))'}.get(way_of(request), query)

    return Approving(reply)


@pytest.mark.requirement("K13")
def test_a_slow_query_that_is_tried_holds_up_no_other_run(harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried until its time is over, in a thread."""
    monkeypatch.setattr("aeon.tools.database._SECONDS", 1.5)
    quick = build(llm=by_program("SELECT max(price) FROM boats"), files=harbour, config=Config(form="program"))
    quick.execute("What does the dearest boat cost?")  # what is loaded once is not what is measured
    slow = build(llm=by_program(SLOW), files=harbour, config=Config(form="program"))
    begun = time.monotonic()
    lag, result = asyncio.run(lag_of(lambda: slow.aexecute("What does the dearest boat cost?")))
    assert time.monotonic() - begun > 1.0, "the query was tried"
    assert result.stop_reason != "converged" and lag < LONGEST


def test_the_check_of_a_long_answer_holds_up_no_other_run() -> None:
    """Two hundred sentences with three values each are held against a context that has them."""
    text = " ".join(f"The garden wall {n} costs {n * 7 + 13} euros since {n % 28 + 1} May 2019." for n in range(200))

    def run(said: str) -> Callable[[], Awaitable[Result]]:
        return lambda: build(llm=capable(said)).aexecute(Task(text="Copy it.", context=said))

    asyncio.run(lag_of(run("The wall costs 13 euros.")))
    lag, result = asyncio.run(lag_of(run(text)))
    assert len(result.claims) == 600 and lag < 2 * LONGEST, "it took seconds of work"


def test_who_is_cancelled_does_not_wait_for_the_thread() -> None:
    """Nor does the end of the event loop; what the thread gives then is dropped."""
    done = threading.Event()

    async def main() -> None:
        waiting = asyncio.ensure_future(aside(lambda: done.wait(5.0)))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    begun = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - begun < 2.0
    done.set()


def test_work_that_waits_keeps_no_other_from_a_thread() -> None:
    """Twelve pieces at once are done side by side, and each gives or raises what it does."""
    together = threading.Barrier(12)

    async def main() -> list[object]:
        return await asyncio.gather(
            *(aside(lambda n=n: (together.wait(5.0), 1 // n)[1]) for n in range(12)), return_exceptions=True
        )

    first, *others = asyncio.run(main())
    assert isinstance(first, ZeroDivisionError) and others == [1, *[0] * 10]


def test_what_reads_a_short_text_is_done_at_once_and_a_long_one_aside() -> None:
    """A thread costs more than a text of some sentences does."""

    async def main() -> tuple[int, int]:
        return await read_aside("a" * 100, threading.get_ident), await read_aside("a" * 9_000, threading.get_ident)

    short, long = asyncio.run(main())
    assert short == threading.get_ident() != long


def test_a_simulated_loop_does_the_work_at_once() -> None:
    """Without threads, so that a simulated world is the same each time."""
    loop = SimulatedLoop()

    async def main() -> int:
        return await aside(threading.get_ident)

    try:
        assert loop.run_until_complete(main()) == threading.get_ident()
    finally:
        loop.close()
