"""What a model has answered in this run: the same question, asked with temperature 0, need not be asked again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from aeon.runtime.ledger import current_ledger
from aeon.supervisor.prompt import Prompt

__all__ = ["Remembered"]

T = TypeVar("T")

_MOST = 200
_Key = tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]


class Remembered(Generic[T]):
    """The last 200 answers, by the run and the whole prompt; outside of runs nothing is kept."""

    def __init__(self) -> None:
        self._answers: OrderedDict[_Key, T] = OrderedDict()

    async def get(self, prompt: Prompt, ask: Callable[[], Awaitable[T]], *how: str) -> T:
        """The answer to the prompt in this run, asked for if need be, ``how`` being the same. Raises as ``ask``."""
        run = current_ledger().execution_id
        key = (run, tuple((one.role, one.content) for one in prompt.messages), how)
        if run and key in self._answers:
            return self._answers[key]
        answer = await ask()
        if run:
            self._answers[key] = answer
            while len(self._answers) > _MOST:
                self._answers.popitem(last=False)
        return answer
