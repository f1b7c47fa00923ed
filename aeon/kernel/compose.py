"""Programs that run side by side: what they issue goes out in common batches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from aeon.kernel.effects import Batch, Effect, Note, Program
from aeon.schema.outcome import Outcome

__all__ = ["side_by_side"]

T = TypeVar("T")


def side_by_side(*programs: Program[T]) -> Program[tuple[T, ...]]:
    """The results of several programs that run at once, in their order."""
    lanes = [_Lane(program) for program in programs]
    replies: dict[int, tuple[Outcome, ...] | None] = dict.fromkeys(range(len(lanes)))
    while replies:
        batches: dict[int, Batch] = {}
        for place, reply in replies.items():
            if (batch := (yield from lanes[place].advance(reply))) is not None:
                batches[place] = batch
        outcomes = iter((yield _common(batches.values())) if batches else ())
        replies = {place: tuple(islice(outcomes, len(batch.effects))) for place, batch in batches.items()}
    return tuple(lane.result[0] for lane in lanes)


@dataclass
class _Lane(Generic[T]):
    """One of the programs; ``result`` is empty until it has ended."""

    program: Program[T]
    result: list[T] = field(default_factory=list)

    def advance(self, reply: tuple[Outcome, ...] | None) -> Program[Batch | None]:
        """Go on to the program's next batch, passing on the notes before it; ``None``: it has ended."""
        try:
            request = next(self.program) if reply is None else self.program.send(reply)
            while isinstance(request, Note):
                yield request
                request = self.program.send(())
        except StopIteration as end:
            self.result.append(end.value)
            return None
        return request


def _common(batches: Iterable[Batch]) -> Batch:
    """One batch of all; the places that an effect waits for are counted in it."""
    effects: list[Effect] = []
    for batch in batches:
        shift = len(effects)
        effects += [
            effect.changed(after=tuple(place + shift for place in effect.after)) if shift and effect.after else effect
            for effect in batch.effects
        ]
    return Batch(effects=tuple(effects))
