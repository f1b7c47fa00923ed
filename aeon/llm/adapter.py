"""The one thing that Aeon asks of a language model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol, TypeAlias, runtime_checkable

from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse
from aeon.schema.usage import Usage

__all__ = ["Checkable", "LLMAdapter", "Permit", "freely"]

Permit: TypeAlias = Callable[[Usage], AbstractAsyncContextManager[Callable[[Usage], None]]]
"""Asks whether calls may be made that use at most this much. In the block, each use is reported as it happens.

Raises `AllowanceExhausted` where they may not.
"""


@asynccontextmanager
async def freely(most: Usage) -> AsyncIterator[Callable[[Usage], None]]:
    """The permit outside a run: everything may be used, and nothing is charged."""
    yield lambda used: None


@runtime_checkable
class Checkable(Protocol):
    """An adapter that can say, before anything is fetched or started, why it could not be used."""

    def check(self) -> None:
        """Raise the `AeonError` that any call would end with: an extra or a file is missing."""
        ...


class LLMAdapter(Protocol):
    """A language model behind one coroutine.

    An adapter may be used from several event loops one after the other, and concurrently within each of them.
    """

    @property
    def name(self) -> str:
        """The model's name, as the user knows it; its price is looked up under it."""
        ...

    @property
    def free(self) -> bool:
        """Whether its calls cost nobody anything, as those of a model on this machine; else its price must be set."""
        ...

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion; its ``usage.calls`` counts every attempt, at most ``request.attempts``.

        ``usage.put_off`` counts the requests that a rate limit put off for a time that was waited for: no attempts.

        A completion that was cut off by its token limit comes back with ``finish_reason="length"``, never as whole.
        ``usage.cost`` is left at 0: the cost follows from the tokens and the price where they are charged.
        Raises `ModelError`, whose ``attempts`` says how many calls were made. Any other error of Aeon means that none
        was.
        """
        ...

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the endpoint can really do; where that takes calls, ``permit`` is asked before they are made.

        Raises `ModelError` if it cannot be found out, and `AllowanceExhausted` if the calls are not permitted; then
        nothing is remembered.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections and processes. The adapter can be used again afterwards."""
        ...
