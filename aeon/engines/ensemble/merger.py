"""Merges answers that can all stand into one: the model says whether they can, and writes it."""

from __future__ import annotations

from aeon.engines.ensemble.effects import MergeAnswers
from aeon.engines.ensemble.values import Merged
from aeon.schema import Frozen
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Merger"]

_LONGEST = 12_000
"""Characters of all answers together that are shown."""


class _Said(Frozen):
    contradict: bool
    answer: str


class Merger:
    """Merges answers; ``output_tokens`` limits the length of the whole."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, output_tokens: int) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._output_tokens = output_tokens

    async def merge(self, effect: MergeAnswers) -> Merged:
        """One answer of all; none where the model says that they contradict each other.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        each = _LONGEST // max(1, len(effect.answers))
        shown = "\n".join(fence(f"answer {n}", text, each) for n, text in enumerate(effect.answers, 1))
        question = render(load("aeon.engines.ensemble", "merge.md"), answers=shown).strip()
        prompt = self._briefing.prompt(effect.task, question)
        said = (await self._supervisor.structured(prompt, _Said, max_tokens=self._output_tokens)).value
        return Merged() if said.contradict else Merged(text=said.answer.strip())
