"""One endpoint under examination: every request goes through here and is counted."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from aeon.errors import EndpointFailed, ModelError, RequestRefused
from aeon.llm.asking import Form
from aeon.llm.examinable import Examinable
from aeon.llm.probe import THOUGHT_TOKENS, is_cut
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

    ``clock`` tells seconds; ``answered_as`` is the model's name in its last answer. ``thinks`` says that an answer was
    cut off before it began: from then on answers get room for thoughts.
    """

    def __init__(self, endpoint: Examinable, clock: Callable[[], float] = time.perf_counter) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self.spent = Usage()
        self.answered_as = ""
        self.thinks = False

    async def ask(self, request: LLMRequest, form: Form = "text", whole: bool = False) -> LLMResponse:
        """One completion; one that was cut off before its answer began is asked for again, with room for thoughts.

        So is a ``whole`` one that was cut off later. Requests for one token ask for no answer.

        Raises:
            ModelError: the endpoint gives none, or it was cut off before its answer began even so.
        """
        roomy = request.changed(max_tokens=max(THOUGHT_TOKENS, request.max_tokens))
        response = await self._once(roomy if self.thinks and request.max_tokens > 1 else request, form)
        if request.max_tokens == 1 or not (is_cut(response) or (whole and response.finish_reason == "length")):
            return response
        self.thinks |= is_cut(response)
        response = await self._once(roomy, form)
        if is_cut(response):
            raise EndpointFailed(
                f"{self.endpoint.name} was cut off after {THOUGHT_TOKENS:,} tokens before it answered, so nothing can "
                "be said of its answer; examine a model that thinks less, or run without a profile"
            )
        return response

    async def attempt(self, request: LLMRequest, *forms: Form) -> LLMResponse | None:
        """One whole completion, in the first of these forms that the endpoint takes.

        ``None`` if the endpoint is there and refuses just this request. Raises `ModelError`.
        """
        for form in forms:
            with contextlib.suppress(RequestRefused):
                return await self.ask(request, form, whole=True)
        return None

    async def _once(self, request: LLMRequest, form: Form = "text") -> LLMResponse:
        """One completion, however much of it there is. Raises `ModelError`."""
        try:
            response = await self.endpoint.ask(request, form)
        except ModelError as error:
            self.spent += lost(request, error)
            raise
        self.spent += true_usage(request, response)
        self.answered_as = response.model
        return response

    async def timed(self, *requests: LLMRequest) -> tuple[float, list[LLMResponse]]:
        """The seconds that the requests take when they are made at once, and their answers. Raises `ModelError`."""
        began = self.clock()
        outcomes = await asyncio.gather(*map(self._once, requests), return_exceptions=True)
        seconds = self.clock() - began
        responses: list[LLMResponse] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            responses.append(outcome)
        return max(seconds, 1e-9), responses
