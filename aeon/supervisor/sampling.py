"""An endpoint asked at a temperature and with a seed of its own, so that its answers differ and can be had again."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["Drawn", "Sampling"]


@dataclass(frozen=True)
class Sampling:
    """The same endpoint, at a temperature (0-2) and with a seed of its own."""

    llm: LLMAdapter
    temperature: float
    seed: int

    @property
    def name(self) -> str:
        """The endpoint's name."""
        return self.llm.name

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion, sampled."""
        return await self.llm.complete(request.changed(temperature=self.temperature, seed=self.seed))

    @property
    def free(self) -> bool:
        """Whether the endpoint costs nothing."""
        return self.llm.free

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """The endpoint's capabilities."""
        return await self.llm.capabilities(permit)

    async def aclose(self) -> None:
        """Nothing of its own to let go of."""


@dataclass(frozen=True)
class Drawn(Sampling):
    """The same, but for what is judged by the probabilities of tokens: that is asked as it is."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion, sampled unless its first token's probabilities are wanted."""
        return await (self.llm.complete(request) if request.top_logprobs else super().complete(request))
