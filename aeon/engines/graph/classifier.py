"""How complex a task is, as the model says; and how sure it is that no tool is needed."""

from __future__ import annotations

import contextlib
import json
from functools import cache
from typing import NamedTuple

from pydantic import Field

from aeon.engines.graph.effects import Classify
from aeon.engines.graph.values import Classified, Complexity
from aeon.errors import CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_TASK, Frozen, Task
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Classifier"]

_TOKENS = 20


class _Kind(Frozen):
    complexity: Complexity


class _Sure(Frozen):
    probability: float = Field(ge=0, le=1)


class _Example(NamedTuple):
    task: str
    complexity: Complexity


class Classifier:
    """Classifies tasks with one call for the word, and a second one before a task goes past all tools.

    The question comes after worked examples as turns of a conversation: without them, a small model calls each task
    moderate.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    async def classify(self, effect: Classify) -> Classified:
        """The complexity of the effect's task.

        Where the model says that no tool is needed, it has to be sure: below the threshold, or where it cannot say how
        sure it is, the task is a simple one.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        worked = tuple((one.task, json.dumps({"complexity": one.complexity})) for one in _examples())
        prompt = _prompt("classify.md", worked, effect.task)
        reply = await self._supervisor.structured(prompt, _Kind, max_tokens=_TOKENS)
        complexity = reply.value.complexity
        if complexity != "BYPASS":
            return Classified(complexity=complexity)
        sure = await self._sure(effect)
        return Classified(complexity="BYPASS" if (sure or 0.0) >= effect.threshold else "SIMPLE", sure=sure)

    async def _sure(self, effect: Classify) -> float | None:
        """The probability that the task needs no tool: that of the word, or as the model states it.

        ``None`` where neither can be had.
        """
        if not current_ledger().calls_left():
            return None
        with contextlib.suppress(CompletionError):
            if (await self._supervisor.capabilities()).logprobs:
                worked = tuple((one.task, "Yes" if one.complexity == "BYPASS" else "No") for one in _examples())
                return round(await self._supervisor.probability(_prompt("bypass.md", worked, effect.task)), 3)
            stated = await self._supervisor.structured(
                _prompt("bypass_sure.md", (), effect.task), _Sure, max_tokens=_TOKENS
            )
            return stated.value.probability
        return None


def _prompt(name: str, worked: tuple[tuple[str, str], ...], task: Task) -> Prompt:
    """The question of that file about a task, after the examples."""
    return Prompt(load("aeon.engines.graph", name), cut(task.text, LONGEST_TASK), worked, fixed=True)


@cache
def _examples() -> tuple[_Example, ...]:
    return tuple(_Example(**one) for one in json.loads(load("aeon.engines.graph", "tasks.json"))["examples"])
