"""The one thing that Aeon asks of a language model."""

from __future__ import annotations

from typing import Protocol

from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["LLMAdapter"]


class LLMAdapter(Protocol):
    """A language model behind one coroutine.

    An adapter may be used from several event loops one after the other, and concurrently within each of them.
    """

    @property
    def name(self) -> str:
        """The model's name, as the user knows it."""
        ...

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion; its ``usage.calls`` counts every attempt, at most ``request.attempts``.

        A completion that was cut off by its token limit comes back with ``finish_reason="length"``, never as whole.
        Raises `ModelError`, whose ``attempts`` says how many calls were made.
        """
        ...

    async def capabilities(self) -> Capabilities:
        """What the endpoint can really do. Raises `ModelError` if that cannot be found out."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and processes. The adapter can be used again afterwards."""
        ...
