"""One framework in a process of its own: says when it is ready, then does what each line of its standard input asks.

    python worker.py MODULE [VARIANT]

``{"runs": N}`` makes N runs one after the other, ``{"crowd": N, "latency": S}`` makes N at once on a model that takes S
seconds a call. Each reply is one line of JSON; every answer is checked.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from types import ModuleType

from workload import CALLS, Model, expected

__all__ = ["Loop"]


def main() -> None:
    """Answer requests until there are none left."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a framework prints is no reply
    module = importlib.import_module(f"on_{sys.argv[1]}")
    packages = {name: version(name) for name in getattr(module, "PACKAGES", ())}
    replies.write(json.dumps({"packages": packages}) + "\n")
    loop = Loop(module, sys.argv[2:])
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            request = json.loads(line)
            done = loop.crowd(**request) if "crowd" in request else loop.one_by_one(**request)
            replies.write(json.dumps(runner.run(done)) + "\n")


class Loop:
    """The loop in one framework, as ``module.make`` makes it.

    ``module.ANSWER`` and ``module.CALLS`` (0: as many as it likes) say so where it is another loop than the others'.
    """

    def __init__(self, module: ModuleType, options: list[str]) -> None:
        self._make: Callable[..., Callable[[], Awaitable[str]]] = module.make
        self._options = options
        self._answer = getattr(module, "ANSWER", expected())
        self._calls = getattr(module, "CALLS", CALLS)

    async def one_by_one(self, runs: int) -> dict[str, float]:
        """So many runs, one after the other, on a model that answers at once."""
        model = Model()
        run = self._make(model, *self._options)
        wall, cpu = time.perf_counter(), time.process_time()
        said = {await run() for _ in range(runs)}
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self._check(said, model.calls, runs)
        return {"seconds": wall, "cpu": cpu, "calls": model.calls}

    async def crowd(self, crowd: int, latency: float) -> dict[str, float]:
        """So many runs at once on a model that takes ``latency`` seconds; memory is what the process grew by."""
        await self.one_by_one(1)
        model = Model(latency)
        run = self._make(model, *self._options)
        gc.collect()
        before, began, busy = _peak_kilobytes(), time.perf_counter(), time.process_time()
        said = set(await asyncio.gather(*(run() for _ in range(crowd))))
        seconds, busy, after = time.perf_counter() - began, time.process_time() - busy, _peak_kilobytes()
        self._check(said, model.calls, crowd)
        return {"seconds": seconds, "cpu": busy, "kilobytes": after - before, "calls": model.calls}

    def _check(self, said: set[str], calls: int, runs: int) -> None:
        if said != {self._answer}:
            raise AssertionError(f"the answers are {said}, not {self._answer}")
        if calls == 0 or (self._calls and calls != runs * self._calls):
            raise AssertionError(f"{calls} model calls in {runs} runs, not {runs * self._calls}")


def _peak_kilobytes() -> int:
    """The most memory that this process has held so far; macOS tells it in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


if __name__ == "__main__":
    main()
