"""Puts a run's questions to a person, or does what the policy says where nobody is there."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from aeon.asking.answers import meant, no_option, options_of
from aeon.errors import Waiting
from aeon.schema import Question, Reply
from aeon.schema.effects import AskUser

__all__ = ["Answerer", "Asker"]

Answerer: TypeAlias = Callable[[Question], str | Awaitable[str | None] | None]
"""Answers a question; ``None`` or an empty text where there is no answer now."""


class Asker:
    """Asks ``answerer``. Where there is none, or it has no answer, ``unattended`` says what becomes of the question.

    A question without a default is never answered by assumption.
    """

    def __init__(self, answerer: Answerer | None = None, unattended: Literal["assume", "suspend"] = "assume") -> None:
        self._answerer = answerer
        self._unattended = unattended

    async def ask(self, effect: AskUser) -> Reply:
        """The answer, or the question's default, marked as assumed.

        Raises:
            Waiting: nobody answers, and the policy is to suspend the run, or there is nothing to assume; or what is
                said to a closed question is none of its options.
        """
        said = await self.said(effect.question)
        if said and said.strip():
            return Reply(text=_taken(effect.question, said.strip()))
        if self._unattended == "suspend" or not effect.question.default.strip():
            raise Waiting(effect.question.text)
        return Reply(text=effect.question.default, assumed=True)

    async def said(self, question: Question) -> str | None:
        """What the answerer says, ``None`` without one."""
        if self._answerer is None:
            return None
        if inspect.iscoroutinefunction(self._answerer):
            return await _awaited(self._answerer(question))
        run = contextvars.copy_context().run
        loop = asyncio.get_running_loop()
        return await _awaited(await loop.run_in_executor(None, run, self._answerer, question))  # it waits for a person


def _taken(question: Question, said: str) -> str:
    """What was said, in words of its own; of a closed question, the option that it means."""
    if question.closed and (other := no_option(question, said)):
        raise Waiting(f"{question.text} ({other} is none of the options, which are: {options_of(question)})")
    return meant(question, said) if question.closed else said


async def _awaited(said: str | Awaitable[str | None] | None) -> str | None:
    return said if said is None or isinstance(said, str) else await said
