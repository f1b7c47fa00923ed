"""One endpoint under examination: every request goes through here and is counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from aeon.errors import ModelError, RequestRefused
from aeon.llm.asking import Form
from aeon.llm.probe import Examinable
from aeon.llm.spending import lost, true_usage
from aeon.schema.llm import LLMRequest, LLMResponse, Message
from aeon.schema.usage import Usage

__all__ = ["Examination", "plain"]


def plain(text: str, max_tokens: int, top_logprobs: int = 0, timeout: float | None = None) -> LLMRequest:
    """One user message at temperature 0."""
    message = Message(role="user", content=text)
    return LLMRequest(messages=(message,), max_tokens=max_tokens, top_logprobs=top_logprobs, timeout=timeout)


class Examination:
    """Asks the endpoint and keeps count.

    ``clock`` tells seconds; ``answered_as`` is the model's name in its last answer.
    """

    def __init__(self, endpoint: Examinable, clock: Callable[[], float] = time.perf_counter) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self.spent = Usage()
        self.answered_as = ""

    async def ask(self, request: LLMRequest, form: Form = "text") -> LLMResponse:
        """One completion. Raises `ModelError`."""
        try:
            response = await self.endpoint.ask(request, form)
        except ModelError as error:
            self.spent += lost(request, error)
            raise
        self.spent += true_usage(request, response)
        self.answered_as = response.model
        return response

    async def attempt(self, request: LLMRequest, form: Form) -> LLMResponse | None:
        """One completion; ``None`` if the endpoint is there and refuses just this request. Raises `ModelError`."""
        try:
            return await self.ask(request, form)
        except RequestRefused:
            return None

    async def timed(self, *requests: LLMRequest) -> tuple[float, list[LLMResponse]]:
        """The seconds that the requests take when they are made at once, and their answers. Raises `ModelError`."""
        began = self.clock()
        outcomes = await asyncio.gather(*map(self.ask, requests), return_exceptions=True)
        seconds = self.clock() - began
        responses: list[LLMResponse] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            responses.append(outcome)
        return max(seconds, 1e-9), responses
