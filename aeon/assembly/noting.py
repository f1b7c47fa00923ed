"""Model calls, prompt and reply, as they are noted beside a run's journal: to look at, not to resume from."""

from __future__ import annotations

from collections.abc import Callable

from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.runtime.ledger import current_ledger
from aeon.schema import Capabilities, Frozen, LLMRequest, LLMResponse, Message, Usage

__all__ = ["ModelCall", "Noting"]


class ModelCall(Frozen):
    """A call of a model for effect ``number``; ``problem`` says why there is no reply, if there is none."""

    number: int
    messages: tuple[Message, ...]
    reply: str = ""
    finish_reason: str = ""
    usage: Usage = Usage()
    problem: str = ""


class Noting:
    """A model whose calls are noted: each goes to ``note``, which raises nothing."""

    def __init__(self, model: LLMAdapter, note: Callable[[ModelCall], None]) -> None:
        self._model = model
        self._note = note

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def free(self) -> bool:
        """Whether its calls cost nobody anything."""
        return self._model.free

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion. Raises as the model does."""
        number = current_ledger().number
        try:
            response = await self._model.complete(request)
        except AeonError as error:
            self._note(ModelCall(number=number, messages=request.messages, problem=str(error)))
            raise
        self._note(ModelCall(
            number=number,
            messages=request.messages,
            reply=response.text,
            finish_reason=response.finish_reason,
            usage=response.usage,
        ))  # fmt: skip
        return response

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the endpoint can do. Raises as the model does."""
        return await self._model.capabilities(permit)

    async def aclose(self) -> None:
        """Nothing: the model is somebody else's."""
