"""The driver without a world: outcomes come from a journal, nothing is asked of anybody."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias, cast

from aeon.errors import Divergence, JournalError
from aeon.kernel.effects import AskUser, Effect, Note, Program
from aeon.kernel.phases import run
from aeon.runtime.journal import Journal
from aeon.runtime.order import in_order, wave_starts
from aeon.schema import Config, Failure, Outcome, Question, Result, Task

__all__ = ["Make", "Standing", "boundaries", "replay", "standing", "take_up", "waiting", "walk"]

Make: TypeAlias = Callable[[Task, Config, str], Program[Result]]
"""What makes the program of a run out of its task, its configuration and its execution id."""


Answer: TypeAlias = Callable[[int, tuple[Effect, ...], tuple[Outcome | None, ...]], tuple[Outcome | None, ...] | None]
"""Gets the number of a batch's first effect, the effects and the outcomes that are known; gives those to go on with."""


def walk(journal: Journal, answer: Answer, program: Make = run) -> Result | None:
    """Step the run of a journal as far as ``answer`` gives outcomes; the program's result, ``None`` if it was stopped.

    Raises:
        Divergence: the program asks for something else than the journal holds.
    """
    opening = journal.opened
    running = program(opening.task, opening.config, opening.execution_id)
    number = 0
    try:
        request = next(running)
        while True:
            reply: tuple[Outcome | None, ...] | None = ()
            if not isinstance(request, Note):
                first, number = number, number + len(request.effects)
                reply = answer(first, *in_order(request.effects, partial(_recorded, journal, first)))
            if reply is None or None in reply:
                return None
            request = running.send(cast("tuple[Outcome, ...]", reply))
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

    def answer(first: int, effects: tuple[Effect, ...], known: tuple[Outcome | None, ...]) -> tuple[Outcome, ...]:
        unseen.difference_update(range(first, first + len(effects)))
        pairs = enumerate(zip(effects, known, strict=True), first)
        return tuple(outcome or _unrecorded(number, effect) for number, (effect, outcome) in pairs)

    result = walk(journal, answer, program)
    assert result is not None
    if unseen:
        raise Divergence(f"entry {min(unseen)}: the program has ended, but the journal goes on")
    if journal.ended is not None:
        journal.end(result)
    return result


def boundaries(journal: Journal, program: Make = run) -> tuple[int, ...]:
    """How many effects come before each boundary: the end of a batch, or a place in it where a wave begins.

    They go from 0 to the last one up to which the journal holds every outcome.

    Raises:
        Divergence: the program asks for something else than the journal holds.
    """
    found = [0]

    def answer(
        first: int, effects: tuple[Effect, ...], known: tuple[Outcome | None, ...]
    ) -> tuple[Outcome | None, ...]:
        there = known.index(None) if None in known else len(known)
        found.extend(first + n for n in (*wave_starts(effects), len(effects)) if n <= there)
        return known

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

    def answer(
        first: int, effects: tuple[Effect, ...], known: tuple[Outcome | None, ...]
    ) -> tuple[Outcome | None, ...] | None:
        again = [n for n, outcome in enumerate(known, first) if outcome and outcome.broken_off]
        if again or None in known or any(outcome and outcome.interrupted for outcome in known):
            void = (*again, *(n for n in sorted(journal.entries) if n >= first + len(effects)))
            open_questions = [e.question for e in effects if isinstance(e, AskUser)]
            undone = again or None in known
            found.append(Standing(void, open_questions[0] if open_questions and undone else None))
            return None
        return known

    walk(journal, answer, program)
    return found[0] if found else Standing()


def take_up(journal: Journal, found: Standing) -> None:
    """Have what is to be done again, as `standing` found it, not count any more, so that a driver can go on."""
    if found.void or (found.void is not None and journal.stopped):
        journal.resume(found.void)


def waiting(effect: AskUser) -> Outcome:
    """The outcome of a question that has no answer yet; no journal keeps it."""
    return Outcome(failure=Failure(kind="waiting", message=effect.question.text, question=effect.question))


def _recorded(journal: Journal, first: int, place: int, effect: Effect, _: Failure | None) -> Outcome | None:
    return journal.outcome(first + place, effect)


def _unrecorded(number: int, effect: Effect) -> Outcome:
    if isinstance(effect, AskUser):
        return waiting(effect)
    raise JournalError(
        f"the run had not ended when it was saved: {number} effects are there, no more; go on with: aeon resume FILE"
    )
