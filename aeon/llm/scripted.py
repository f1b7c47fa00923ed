"""A model that gives scripted answers: for tests and examples, of Aeon and of its users."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aeon.errors import AeonError, EndpointFailed
from aeon.llm.adapter import Permit, freely
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse
from aeon.schema.usage import Usage

__all__ = ["Reply", "Scripted"]

Reply = str | LLMResponse | AeonError
"""A completion's text, a whole response, or an error to raise."""

ALL_JSON = Capabilities(json_schema=True, json_mode=True)


class Scripted:
    """Gives the replies in order, or asks a function for each.

    A text reply gets ``finish_reason="stop"`` and a usage of one call, whose tokens are the words of prompt and reply.
    ``requests`` holds what was asked, in order. Raises `EndpointFailed` when the replies have run out.
    """

    def __init__(
        self,
        replies: Iterable[Reply] | Callable[[LLMRequest], Reply],
        capabilities: Capabilities = ALL_JSON,
        name: str = "scripted",
    ) -> None:
        self._choose = replies if callable(replies) else None
        self._replies: tuple[Reply, ...] = () if callable(replies) else tuple(replies)
        self._capabilities = capabilities
        self._name = name
        self.requests: list[LLMRequest] = []

    @property
    def name(self) -> str:
        """The name given to it."""
        return self._name

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The next reply. Raises it if it is an error, and `EndpointFailed` if there is none left."""
        self.requests.append(request)
        reply = self._choose(request) if self._choose else self._next()
        if isinstance(reply, AeonError):
            raise reply
        if isinstance(reply, LLMResponse):
            return reply
        return LLMResponse(text=reply, usage=_words(request, reply), model=self._name)

    @property
    def free(self) -> bool:
        """It costs nothing, unless it is given a price."""
        return True

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """The capabilities given to it."""
        return self._capabilities

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _next(self) -> Reply:
        asked = len(self.requests)
        if asked <= len(self._replies):
            return self._replies[asked - 1]
        last = self.requests[-1].messages[-1].content
        raise EndpointFailed(
            f"the scripted model {self._name!r} has {len(self._replies)} replies and was asked {asked} times; "
            f"add a reply for the prompt that ends {' '.join(last.split())[-80:]!r}"
        )


def _words(request: LLMRequest, reply: str) -> Usage:
    prompt = sum(len(message.content.split()) for message in request.messages)
    return Usage(calls=1, prompt_tokens=prompt, generated_tokens=len(reply.split()))
