"""A tutor beside the worker: it writes the programs of later rounds, where those of the first settled nothing."""

from __future__ import annotations

from contextlib import suppress

from aeon.errors import AllowanceExhausted, CompletionError, ModelError
from aeon.multipass.effects import WritePrograms
from aeon.programs.writer import ProgramWriter
from aeon.schema.programs import Programs

__all__ = ["Tutored"]


class Tutored:
    """A worker's programs, of which those after the first round are the tutor's."""

    def __init__(self, worker: ProgramWriter, tutor: ProgramWriter, author: str) -> None:
        """``author`` is the name of the tutor's model."""
        self._worker = worker
        self._tutor = tutor
        self._author = author

    async def write(self, effect: WritePrograms) -> Programs:
        """The programs of the next round; the worker's own where the tutor gives none. Raises as the writer."""
        if effect.ways or effect.against:
            with suppress(CompletionError, AllowanceExhausted, ModelError):
                written = await self._tutor.write(effect)
                if written.programs:
                    told = tuple(one.changed(author=self._author) for one in written.programs)
                    return written.changed(programs=told)
        return await self._worker.write(effect)
