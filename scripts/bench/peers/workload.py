"""The loop that every framework runs, and the model that answers in it.

Standard library only: it runs in every framework's environment. One run: plan, validate the plan, three passes of {8
steps at once, validate, assess, decide}, a refinement between two passes, synthesis. That is 35 model calls in 14
waits. Each step squares a number, each refinement adds the next eight steps, and the answer holds all 24 results in
order, so that a framework that loses one, or their order, is found out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

__all__ = ["CALLS", "PASSES", "STEPS", "WAITS", "Model", "answer", "enough", "expected"]

STEPS, PASSES = 8, 3
CALLS = 2 + PASSES * (STEPS + 2) + (PASSES - 1) + 1
WAITS = 2 + PASSES * 3 + (PASSES - 1) + 1
_COMPLETE = 0.95


class Model:
    """Answers after ``latency`` seconds, or at once if that is 0. ``calls`` counts what it was asked."""

    def __init__(self, latency: float = 0.0) -> None:
        self.latency = latency
        self.calls = 0

    async def plan(self) -> list[str]:
        """The first steps."""
        await self._asked()
        return _steps(0)

    async def check(self, steps: Sequence[str]) -> list[str]:
        """What is wrong with a plan."""
        await self._asked()
        return [step for step in steps if not step.startswith("square ")]

    async def execute(self, step: str) -> int:
        """The result of a step."""
        await self._asked()
        return int(step.removeprefix("square ")) ** 2

    async def validate(self, results: Sequence[int]) -> list[str]:
        """What is wrong with the results so far."""
        await self._asked()
        return [f"{result} is no square" for result in results if result < 0]

    async def assess(self, results: Sequence[int], issues: Sequence[str]) -> float:
        """How complete the results are (0-1): never quite, so that every pass is used."""
        await self._asked()
        return len(results) / (STEPS * PASSES + STEPS) if not issues else 0.0

    async def refine(self, done: int) -> list[str]:
        """The steps that come next, after so many."""
        await self._asked()
        return _steps(done)

    async def synthesize(self, results: Sequence[int]) -> str:
        """The answer out of all results, in order."""
        await self._asked()
        return answer(results)

    async def _asked(self) -> None:
        self.calls += 1
        if self.latency:
            await asyncio.sleep(self.latency)


def enough(passes: int, completeness: float) -> bool:
    """Whether a run ends here: the decision, which asks no model."""
    return completeness >= _COMPLETE or passes >= PASSES


def answer(results: Sequence[int]) -> str:
    """The answer to results in this order."""
    return f"{len(results)} results: {sum(place * result for place, result in enumerate(results, 1))}"


def expected() -> str:
    """The right answer of a run."""
    return answer([number**2 for number in range(STEPS * PASSES)])


def _steps(first: int) -> list[str]:
    return [f"square {number}" for number in range(first, first + STEPS)]
