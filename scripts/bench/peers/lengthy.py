"""A long run over a plan of 50 steps, for both frameworks that keep a history: every pass replaces one step.

Standard library only. The first pass executes 50 steps, each later one the step that the refinement before it replaced.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Coroutine
from typing import TypeVar

__all__ = ["STEPS", "alone", "description", "output", "replaced", "report"]

STEPS = 50
T = TypeVar("T")


def description(number: int, version: int) -> str:
    """What a step is to do."""
    return f"work out part {number} of the whole from what is known so far, look {version}"


def output(text: str) -> str:
    """The result of a step."""
    return f"done: {text}, which comes to {len(text)}"


def replaced(passes: int) -> tuple[int, int]:
    """Which step is replaced after so many passes, and the number of its new version."""
    return (passes - 1) % STEPS, 1 + (passes - 1) // STEPS


def alone(coroutine: Coroutine[object, object, T]) -> T:
    """What the coroutine returns, in a loop of its own.

    The task itself returns nothing: when it ends, ``asyncio.run`` makes a text of what it returned, in passing, which
    takes long for a large result.
    """
    returned: list[T] = []

    async def run() -> None:
        returned.append(await coroutine)

    asyncio.run(run())
    return returned[0]


def report(run: Callable[[int], T], stored: Callable[[T], int]) -> None:
    """Make the run that the command line asks for and print what it took: ``PASSES time`` or ``PASSES memory``.

    ``run`` gives what holds the history and nothing else. Memory is what is let go with it, under tracemalloc, which
    slows a run down: so time is taken in a process without it.
    """
    passes, what = int(sys.argv[1]), sys.argv[2]
    run(2)
    if what == "memory":
        tracemalloc.start()
    began = time.process_time()
    kept: list[T] = [run(passes)]
    found = {"milliseconds_a_pass": 1e3 * (time.process_time() - began) / passes, "stored": stored(kept[0])}
    if what == "memory":
        gc.collect()
        full = tracemalloc.get_traced_memory()[0]
        kept.clear()
        gc.collect()
        found["memory"] = full - tracemalloc.get_traced_memory()[0]
    print(json.dumps(found))
