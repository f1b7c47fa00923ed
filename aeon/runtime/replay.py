"""The driver without a world: outcomes come from a journal, nothing is asked of anybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from aeon.errors import Divergence, JournalError
from aeon.kernel.effects import AskUser, Effect, Note, Program
from aeon.kernel.phases import run
from aeon.runtime.journal import Journal
from aeon.schema import Config, Failure, Outcome, Question, Result, Task

__all__ = ["Make", "Standing", "boundaries", "replay", "standing", "take_up", "waiting", "walk"]

Make: TypeAlias = Callable[[Task, Config, str], Program[Result]]
"""What makes the program of a run out of its task, its configuration and its execution id."""


def walk(
    journal: Journal, answer: Callable[[int, tuple[Effect, ...]], tuple[Outcome, ...] | None], program: Make = run
) -> Result | None:
    """Step the run of a journal: ``answer`` gets each batch with the number of its first effect.

    It gives the outcomes, or ``None`` to stop there. The result is the program's, ``None`` if it was stopped.
    """
    opening = journal.opened
    running = program(opening.task, opening.config, opening.execution_id)
    number = 0
    try:
        request = next(running)
        while True:
            reply: tuple[Outcome, ...] | None = ()
            if not isinstance(request, Note):
                reply = answer(number, request.effects)
                number += len(request.effects)
            if reply is None:
                return None
            request = running.send(reply)
    except StopIteration as stop:
        result: Result = stop.value
        return result


def replay(journal: Journal, program: Make = run) -> Result:
    """The result that the journal determines, byte for byte the one of the run.

    Raises:
        Divergence: the program asks for something else than the journal holds, or ends otherwise.
        JournalError: the run had not ended when the journal was written, and is not waiting for an answer.
    """
    unseen = set(journal.entries)

    def answer(first: int, effects: tuple[Effect, ...]) -> tuple[Outcome, ...]:
        unseen.difference_update(range(first, first + len(effects)))
        return tuple(_recorded(journal, number, effect) for number, effect in enumerate(effects, first))

    result = walk(journal, answer, program)
    assert result is not None
    if unseen:
        raise Divergence(f"entry {min(unseen)}: the program has ended, but the journal goes on")
    if journal.ended is not None:
        journal.end(result)
    return result


def boundaries(journal: Journal, program: Make = run) -> tuple[int, ...]:
    """How many effects were issued at each boundary, from 0 to the end of the last batch that the journal holds whole.

    Raises:
        Divergence: the program asks for something else than the journal holds.
    """
    found = [0]

    def answer(first: int, effects: tuple[Effect, ...]) -> tuple[Outcome, ...] | None:
        numbers = range(first, first + len(effects))
        if not journal.entries.keys() >= set(numbers):
            return None
        found.append(numbers.stop)
        return tuple(journal.entries[n].outcome(effect) for n, effect in zip(numbers, effects, strict=True))

    walk(journal, answer, program)
    return tuple(found)


class Standing(NamedTuple):
    """Where a run can be gone on with.

    ``void`` are the entries that do not count then, ``None`` where there is nothing to go on with; ``question`` is the
    one that the run waits for, if it waits for one.
    """

    void: tuple[int, ...] | None = None
    question: Question | None = None


def standing(journal: Journal, program: Make = run) -> Standing:
    """Where the run of a journal can be gone on with.

    What an interrupt or an unusable endpoint broke off is to be done again; what was issued after it belongs to an
    ending that is taken back.

    Raises:
        Divergence: the program asks for something else than the journal holds.
    """
    found: list[Standing] = []

    def answer(first: int, effects: tuple[Effect, ...]) -> tuple[Outcome, ...] | None:
        numbers = range(first, first + len(effects))
        known = {n: journal.entries[n] for n in numbers if n in journal.entries}
        again = [n for n, entry in known.items() if entry.broken_off]
        if again or len(known) < len(effects) or any(entry.interrupted for entry in known.values()):
            void = (*again, *(n for n in sorted(journal.entries) if n >= numbers.stop))
            open_questions = [e.question for e in effects if isinstance(e, AskUser)]
            undone = again or len(known) < len(effects)
            found.append(Standing(void, open_questions[0] if open_questions and undone else None))
            return None
        return tuple(known[n].outcome(effect) for n, effect in zip(numbers, effects, strict=True))

    walk(journal, answer, program)
    return found[0] if found else Standing()


def take_up(journal: Journal, found: Standing) -> None:
    """Have what is to be done again, as `standing` found it, not count any more, so that a driver can go on."""
    if found.void or (found.void is not None and journal.stopped):
        journal.resume(found.void)


def waiting(effect: AskUser) -> Outcome:
    """The outcome of a question that has no answer yet; no journal keeps it."""
    return Outcome(failure=Failure(kind="waiting", message=effect.question.text, question=effect.question))


def _recorded(journal: Journal, number: int, effect: Effect) -> Outcome:
    if number in journal.entries:
        return journal.entries[number].outcome(effect)
    if isinstance(effect, AskUser):
        return waiting(effect)
    raise JournalError(
        f"the run had not ended when it was saved: {number} effects are there, no more; go on with: aeon resume FILE"
    )
