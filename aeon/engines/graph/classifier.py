"""How complex a task is, as the model says; and how sure it is that no tool is needed."""

from __future__ import annotations

import contextlib

from aeon.engines.graph.effects import Classify
from aeon.engines.graph.values import COMPLEXITIES, Classified, Complexity
from aeon.errors import CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import Frozen
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import load
from aeon.supervisor.schema import schema_of
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Classifier"]

_TOKENS = 20


class _Kind(Frozen):
    complexity: Complexity


class Classifier:
    """Classifies tasks with one call for the word, and a second one before a task goes past all tools."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing) -> None:
        self._supervisor = supervisor
        self._briefing = briefing

    async def classify(self, effect: Classify) -> Classified:
        """The complexity of the effect's task.

        Where the model says that no tool is needed, it has to be sure: below the threshold, the task is a simple one.
        An endpoint that does not say how likely its words are is taken at its word.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        prompt = self._briefing.prompt(effect.task, load("aeon.engines.graph", "classify.md"))
        reply = await self._supervisor.structured(prompt, _Kind, schema=schema_of(_Kind), max_tokens=_TOKENS)
        complexity = reply.value.complexity
        if complexity != COMPLEXITIES[0]:
            return Classified(complexity=complexity)
        sure = await self._sure(effect)
        doubtful = sure is not None and sure < effect.threshold
        return Classified(complexity=COMPLEXITIES[1] if doubtful else complexity, sure=sure)

    async def _sure(self, effect: Classify) -> float | None:
        """The probability that the task needs no tool; ``None`` where the endpoint tells none."""
        if not (await self._supervisor.capabilities()).logprobs or not current_ledger().calls_left():
            return None
        prompt = self._briefing.prompt(effect.task, load("aeon.engines.graph", "bypass.md"))
        with contextlib.suppress(CompletionError):
            return round(await self._supervisor.probability(prompt), 3)
        return None
