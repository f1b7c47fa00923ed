"""Model calls, prompt and reply, as they are noted beside a run's journal: to look at, not to resume from."""

from __future__ import annotations

from collections.abc import Callable

from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.around import Around
from aeon.runtime.ledger import current_ledger
from aeon.schema import Frozen, LLMRequest, LLMResponse, Message, Usage

__all__ = ["ModelCall", "Noting"]


class ModelCall(Frozen):
    """A call of a model for effect ``number``; ``problem`` says why there is no reply, if there is none."""

    number: int
    messages: tuple[Message, ...]
    reply: str = ""
    finish_reason: str = ""
    usage: Usage = Usage()
    problem: str = ""


class Noting(Around):
    """A model whose calls are noted: each goes to ``note``, which raises nothing."""

    def __init__(self, model: LLMAdapter, note: Callable[[ModelCall], None]) -> None:
        super().__init__(model)
        self._note = note

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion, noted. Raises as the model does."""
        number = current_ledger().number
        try:
            response = await self.model.complete(request)
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
