"""An adapter around another one, which stays whose it is."""

from __future__ import annotations

from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["Around"]


class Around:
    """A model as it is; derive from it what does something before or after each completion."""

    def __init__(self, model: LLMAdapter) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def free(self) -> bool:
        """Whether its calls cost nobody anything."""
        return self.model.free

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion. Raises as the model does."""
        return await self.model.complete(request)

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the endpoint can do. Raises as the model does."""
        return await self.model.capabilities(permit)

    async def aclose(self) -> None:
        """Nothing: the model is somebody else's."""
