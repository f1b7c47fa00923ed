"""One call over passages: the best five for the question, or those that support it (the ceiling)."""

from __future__ import annotations

from collections.abc import Sequence

from everyday_baselines import PASSAGES
from research_asking import Answer, Asker
from research_data import Shelf

from aeon.schema import Passage

__all__ = ["one_call", "supported"]

MOST = 5


async def one_call(question: str, shelf: Shelf, asker: Asker) -> Answer:
    """The five best passages for the question, in one call."""
    return await _answered(question, shelf.search(question, MOST), asker)


async def supported(question: str, shelf: Shelf, asker: Asker) -> Answer:
    """The supporting documents, in one call."""
    return await _answered(question, shelf.supporting, asker)


async def _answered(question: str, passages: Sequence[Passage], asker: Asker) -> Answer:
    text = "\n\n".join(passage.text for passage in passages)
    reply = await asker.text(PASSAGES, f"{text}\n\nQuestion: {question}")
    answer = reply.splitlines()[0].strip().removesuffix(".") if reply else ""
    return Answer("" if "not stated" in answer.lower() else answer, read=tuple(passages))
