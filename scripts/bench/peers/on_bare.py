"""The loop in bare asyncio: the floor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from workload import Model, enough

__all__ = ["make"]


def make(model: Model) -> Callable[[], Awaitable[str]]:
    """One run of the loop."""

    async def run() -> str:
        steps = await model.plan()
        await model.check(steps)
        results: list[int] = []
        passes = 0
        while True:
            results += await asyncio.gather(*(model.execute(step) for step in steps))
            passes += 1
            issues = await model.validate(results)
            completeness = await model.assess(results, issues)
            if enough(passes, completeness):
                return await model.synthesize(results)
            steps = await model.refine(len(results))

    return run
