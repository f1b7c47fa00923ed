"""The model of a role that nobody plays: it can do nothing, and is asked nothing."""

from __future__ import annotations

from aeon.errors import CompletionError
from aeon.llm.adapter import Permit, freely
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse

__all__ = ["Nobody"]


class Nobody:
    """No model. No judgment was ever measured on it, so none is asked; whatever asks it all the same is refused."""

    name = "none"
    free = True

    def __repr__(self) -> str:
        return "Nobody()"

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """Refuse, without a call. Raises `CompletionError`."""
        raise CompletionError("this needs a model, and the run's model tier has none for it")

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """Nothing."""
        return Capabilities()

    async def aclose(self) -> None:
        """Nothing is open."""
