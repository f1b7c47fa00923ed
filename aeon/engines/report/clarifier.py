"""What an ambiguous query may mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aeon.engines.report.effects import Clarify
from aeon.engines.report.values import Readings
from aeon.schema import WorkForm
from aeon.schema.frozen import Frozen
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.prompt import Prompt, cut, load
from aeon.supervisor.reading import lines_of
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Clarifier"]

_TOKENS, _LONGEST, _MOST = 300, 1_000, 4
_EXAMPLES = (("Mercury", "What is known about the planet Mercury?\nWhat is known about the metal mercury?"),)


class _Options(Frozen):
    options: tuple[str, ...]


class Clarifier:
    """Gives options only where the query was found to be ambiguous, or is to count as that."""

    def __init__(
        self, supervisor: Supervisor, judge: Judge, form: Callable[[], Awaitable[WorkForm]], ambiguity: float
    ) -> None:
        self._supervisor = supervisor
        self._judge = judge
        self._form = form
        self._ambiguity = ambiguity

    async def generate_options(self, effect: Clarify) -> Readings:
        """What the query may mean; nothing where it is clear, or where no judge of that was measured.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        if not effect.always and not await self._ambiguous(effect.task.text):
            return Readings()
        query, system = cut(effect.task.text, _LONGEST), load("aeon.engines.report", "readings.md").strip()
        if await self._form() == "program":
            prompt = Prompt(f"{system} One a line, and nothing else.", query, _EXAMPLES)
            options = lines_of((await self._supervisor.text(prompt, max_tokens=_TOKENS, repairs=0)).value)
        else:
            said = await self._supervisor.structured(Prompt(system, query), _Options, max_tokens=_TOKENS)
            options = tuple(dict.fromkeys(filter(str.strip, said.value.options)))
        return Readings(options=options[:_MOST])

    async def _ambiguous(self, query: str) -> bool:
        spec = judgment("task_vague")
        if await self._judge.standing(spec) != "measured":
            return False
        return (await self._judge.ask(spec, {"task": query})).score >= self._ambiguity
