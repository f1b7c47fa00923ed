"""The model calls of a run, prompt and reply, beside its journal: to look at, not to resume from."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from aeon.errors import AeonError
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.runtime.ledger import current_ledger
from aeon.schema import Capabilities, Frozen, LLMRequest, LLMResponse, Message, Usage

__all__ = ["ModelCall", "Noting", "calls_of", "every_call", "share"]


class ModelCall(Frozen):
    """A call of a model for effect ``number``; ``problem`` says why there is no reply, if there is none."""

    number: int
    messages: tuple[Message, ...]
    reply: str = ""
    finish_reason: str = ""
    usage: Usage = Usage()
    problem: str = ""


class Noting:
    """A model whose calls are noted in a file. Where it cannot be written, they are not noted, and the run goes on."""

    def __init__(self, model: LLMAdapter, path: Path) -> None:
        self._model = model
        self._path = path

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
        """Nothing: the model is the server's."""

    def _note(self, call: ModelCall) -> None:
        with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{call.model_dump_json()}\n")


def every_call(path: Path) -> Iterator[ModelCall]:
    """The calls that a file holds, if it is there; a line that broke off does not count."""
    with contextlib.suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            with contextlib.suppress(ValidationError):
                yield ModelCall.model_validate_json(line)


def calls_of(path: Path, number: int) -> tuple[ModelCall, ...]:
    """The calls for effect ``number``."""
    return tuple(call for call in every_call(path) if call.number == number)


def share(path: Path, other: Path, before: int) -> None:
    """Give a fork the calls for the effects that it shares."""
    with contextlib.suppress(OSError), path.open(encoding="utf-8") as file, other.open("x", encoding="utf-8") as out:
        out.writelines(line for line in file if line.endswith("\n") and json.loads(line)["number"] < before)
