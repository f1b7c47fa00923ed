"""What an ambiguous query may mean."""

from __future__ import annotations

from aeon.engines.report.effects import Clarify
from aeon.engines.report.values import Readings
from aeon.engines.research.rewording import lines_of
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Clarifier"]

_TOKENS, _LONGEST = 120, 1_000
_MOST = 4
_EXAMPLES = (
    (
        "Mercury",
        "What is known about the planet Mercury?\nWhat is known about the metal mercury?\n"
        "What is known about the god Mercury?",
    ),
)


class Clarifier:
    """Gives options only where the query was found to be ambiguous, or is to count as that."""

    def __init__(self, supervisor: Supervisor, judge: Judge, ambiguity: float) -> None:
        self._supervisor = supervisor
        self._judge = judge
        self._ambiguity = ambiguity

    async def generate_options(self, effect: Clarify) -> Readings:
        """What the query may mean; nothing where it is clear, or where no judge of that was measured.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        if not effect.always and not await self._ambiguous(effect.task.text):
            return Readings()
        prompt = Prompt(load("aeon.engines.report", "readings.md"), cut(effect.task.text, _LONGEST), _EXAMPLES)
        reply = await self._supervisor.text(prompt, max_tokens=_TOKENS, repairs=0)
        return Readings(options=tuple(lines_of(reply.value)[:_MOST]))

    async def _ambiguous(self, query: str) -> bool:
        spec = judgment("task_vague")
        if await self._judge.standing(spec) != "measured":
            return False
        return (await self._judge.ask(spec, {"task": query})).score >= self._ambiguity
