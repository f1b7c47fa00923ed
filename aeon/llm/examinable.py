"""Adapters whose endpoints can be examined."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from aeon.llm.asking import Form
from aeon.llm.profiles import Told
from aeon.schema.llm import LLMRequest, LLMResponse

__all__ = ["Examinable"]


@runtime_checkable
class Examinable(Protocol):
    """An adapter whose endpoint can be examined: asked in one exact form, and for what it says of itself."""

    @property
    def name(self) -> str:
        """The model's name, as the user knows it."""
        ...

    @property
    def place(self) -> str:
        """What tells this endpoint from others, without a key."""
        ...

    async def ask(self, request: LLMRequest, form: Form) -> LLMResponse:
        """One completion in exactly this form. Raises `ModelError`."""
        ...

    async def told(self) -> Told:
        """What the server says of itself; what it does not tell is left out."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and processes."""
        ...
