"""The driver without a world: outcomes come from a journal, nothing is asked of anybody."""

from __future__ import annotations

from collections.abc import Callable

from aeon.errors import Divergence, JournalError
from aeon.kernel.effects import Note, Program
from aeon.kernel.phases import run
from aeon.runtime.journal import Journal
from aeon.schema import Config, Outcome, Result, Task

__all__ = ["replay"]


def replay(journal: Journal, program: Callable[[Task, Config, str], Program[Result]] = run) -> Result:
    """The result that the journal determines, byte for byte the one of the run.

    Raises:
        Divergence: the program asks for something else than the journal holds.
        JournalError: the run had not ended when the journal was written.
    """
    opening = journal.opening
    if opening is None:
        raise JournalError("the journal holds no run")
    running = program(opening.task, opening.config, opening.execution_id)
    reply: tuple[Outcome, ...] = ()
    number = 0
    request = next(running)
    while True:
        reply = ()
        if not isinstance(request, Note):
            for effect in request.effects:
                if number not in journal.entries:
                    raise JournalError(f"the run had not ended when it was saved: {number} effects are there, no more")
                reply += (journal.entries[number].outcome(effect),)
                number += 1
        try:
            request = running.send(reply)
        except StopIteration as stop:
            if number in journal.entries:
                raise Divergence(f"entry {number}: the program has ended, but the journal goes on") from None
            result: Result = stop.value
            return result
