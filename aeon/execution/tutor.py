"""A tutor beside the worker: it does again what the worker could not settle, and the record says so."""

from __future__ import annotations

from contextlib import suppress

from aeon.errors import AllowanceExhausted, CompletionError, ModelError
from aeon.execution.turns import TurnTaker
from aeon.multipass.effects import TakeTurn
from aeon.schema import Turn

__all__ = ["Tutored"]


class Tutored:
    """A worker's turns, of which those after an objection to its answer are the tutor's."""

    def __init__(self, worker: TurnTaker, tutor: TurnTaker, author: str) -> None:
        """``author`` is the name of the tutor's model."""
        self._worker = worker
        self._tutor = tutor
        self._author = author

    async def turn(self, effect: TakeTurn) -> Turn:
        """The next turn; the worker's own where the tutor gives none. Raises as the taker of turns."""
        if any(one.objection for one in effect.exchanges):
            with suppress(CompletionError, AllowanceExhausted, ModelError):
                return (await self._tutor.turn(effect)).changed(author=self._author)
        return await self._worker.turn(effect)
