"""A scripted model whose replies are heard piece by piece, as those of an endpoint that streams."""

from __future__ import annotations

import asyncio

from aeon.errors import AeonError
from aeon.llm.hearing import hearing
from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse

__all__ = ["SIZE", "Speaking", "pieces"]

SIZE = 5
"""Characters of a piece."""


def pieces(text: str) -> list[str]:
    """A text in the pieces that are heard."""
    return [text[at : at + SIZE] for at in range(0, len(text), SIZE)]


class Speaking(Scripted):
    """Gives scripted replies; whoever listens hears the text of each before the call ends, part of one that fails."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The next reply, heard before."""
        response, error = None, None
        try:
            response = await super().complete(request)
        except AeonError as raised:
            error = raised
        heard = hearing()
        if heard is not None:
            heard.begin()
            for piece in pieces(response.text if response is not None else "It began"):
                heard.hear(piece)
                await asyncio.sleep(0)
        if response is None:
            assert error is not None
            raise error
        return response
