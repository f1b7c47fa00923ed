"""Programs that run side by side: what they issue goes out in common batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from aeon.kernel.engine import Halt
from aeon.schema.effects import Batch, Note, Program
from aeon.schema.outcome import Outcome

__all__ = ["side_by_side"]

T = TypeVar("T")


def side_by_side(
    *programs: Program[T], hear: Callable[[Sequence[Outcome]], None] = lambda outcomes: None
) -> Program[tuple[T, ...]]:
    """The results of several programs that run at once, in their order. Each hears its outcomes when all have ended.

    Where they are programs of one run, that can ``hear`` all outcomes of a batch before any of them goes on.
    """
    results: dict[Program[T], T] = {}
    replies: dict[Program[T], tuple[Outcome, ...] | None] = dict.fromkeys(programs)
    try:
        while replies:
            batches = yield from _advance(replies, results)
            outcomes = (yield Batch.joined(batches.values())) if batches else ()
            now = max((outcome.ended for outcome in outcomes), default=0.0)
            heard = [outcome.changed(ended=now) for outcome in outcomes]
            hear(heard)
            left = iter(heard)
            replies = {program: tuple(islice(left, len(batch.effects))) for program, batch in batches.items()}
    finally:
        for program in programs:
            program.close()
    return tuple(results[program] for program in programs)


def _advance(
    replies: Mapping[Program[T], tuple[Outcome, ...] | None], results: dict[Program[T], T]
) -> Program[dict[Program[T], Batch]]:
    """Go on to the next batch of each program, passing on the notes before it; or to its result.

    If one of them stops the run, the others first take in what their last effects cost. The last that stops it knows of
    what each of them heard, and says why.
    """
    batches: dict[Program[T], Batch] = {}
    halts: list[Halt] = []
    for program, reply in replies.items():
        try:
            request = next(program) if reply is None else program.send(reply)
            while isinstance(request, Note):
                yield request
                request = program.send(())
            batches[program] = request
        except StopIteration as end:
            results[program] = end.value
        except Halt as halt:
            halts.append(halt)
    if halts:
        raise halts[-1]
    return batches
