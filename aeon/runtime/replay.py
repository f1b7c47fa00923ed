"""The driver without a world: outcomes come from a journal, nothing is asked of anybody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from aeon.errors import Divergence, JournalError
from aeon.kernel.decide import Signals
from aeon.kernel.engine import DEAD_AFTER, Engine
from aeon.runtime.batch import in_order, wave_starts
from aeon.runtime.failures import waiting
from aeon.runtime.journal import Journal
from aeon.runtime.stepping import Stepper
from aeon.schema import NOTHING, Conclusion, Failure, JsonObject, Outcome, Question, Settings
from aeon.schema.effects import AskUser, Effect, Note

__all__ = ["AnyEngine", "ResumePoint", "boundaries", "drop_after", "replay", "resume_point", "walk"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
AnyEngine: TypeAlias = Engine[Any, Any, Any]
Outcomes: TypeAlias = tuple[Outcome | None, ...]
Answer: TypeAlias = Callable[[int, tuple[Effect, ...], Outcomes], Outcomes | None]
"""Gets the number of a batch's first effect, the effects and the recorded outcomes; gives those to continue with."""
_CONTRADICTION = "the journal says that the run had ended, but outcomes are missing: it was edited"


def walk(
    journal: Journal, answer: Answer, engine: Engine[C, S, R], note: Callable[[Note], None] = lambda note: None
) -> R | None:
    """Step the run of a journal as far as ``answer`` gives outcomes; the program's result, ``None`` if it was stopped.

    ``note`` gets the notes of the program.

    Raises:
        Divergence: the program asks for something else than the journal holds.
        EngineError: the program breaks the rules.
    """
    opening = journal.opened
    config = journal.first_config(engine.config)
    stepper = Stepper(engine, opening.task, config, opening.execution_id, note)
    effects = stepper.batch()
    while effects is not None:
        first = stepper.issued - len(effects)
        ready, recorded = in_order(effects, partial(_recorded, journal, engine.config, first))
        _check_calls(journal, first, effects, engine.bound(config).tokens if journal.under_way else 0)
        reply = answer(first, ready, recorded)
        if reply is None or None in reply:
            if None in recorded:
                _refuse_unissued(journal, stepper.issued)
            return None
        effects = stepper.batch(cast("tuple[Outcome, ...]", reply))
    _refuse_unissued(journal, stepper.issued)
    return stepper.held()


def _check_calls(journal: Journal, first: int, effects: tuple[Effect, ...], bound: int) -> None:
    """Refuse a note of calls under way that the effect was never allowed.

    Where its endpoint counted more than calls can take, only a budget limits their tokens.
    """
    for number, most in journal.under_way.items():
        if first <= number < first + len(effects):
            allowed = effects[number - first].allowance
            tokens = bound if allowed.tokens is None and not most.surplus else allowed.tokens
            over = tokens is not None and most.tokens > tokens
            if most.calls > allowed.calls + allowed.spare or over:
                raise Divergence(
                    f"effect {number}: the journal notes a call for up to {most.calls:,} calls and {most.tokens:,} "
                    "tokens in all, which is more than it was allowed: it was edited"
                )


def _refuse_unissued(journal: Journal, issued: int) -> None:
    """Refuse a note of calls under way of an effect that the run has not asked for."""
    for number in sorted(journal.under_way):
        if number >= issued:
            raise Divergence(
                f"effect {number}: the journal notes a call for it, and the run has asked for {issued} effects: "
                "it was edited"
            )


def _recorded(
    journal: Journal, config: type[Settings], first: int, place: int, effect: Effect, _: Failure | None
) -> Outcome | None:
    return journal.outcome(first + place, effect, config)


def replay(journal: Journal, engine: Engine[C, S, R]) -> R:
    """The result that the journal determines, byte for byte the one of the run.

    Raises:
        Divergence: the program asks for something else than the journal holds, or ends otherwise.
        JournalError: the run had not ended when the journal was written, and is not waiting for an answer.
    """
    unseen = set(journal.entries)

    def answer(first: int, effects: tuple[Effect, ...], recorded: Outcomes) -> Outcomes:
        unseen.difference_update(range(first, first + len(effects)))
        pairs = enumerate(zip(effects, recorded, strict=True), first)
        return tuple(outcome or _unrecorded(number, effect, journal) for number, (effect, outcome) in pairs)

    result = walk(journal, answer, engine)
    assert result is not None
    if unseen:
        raise Divergence(f"entry {min(unseen)}: the program has ended, but the journal goes on")
    journal.check_end(result)
    return result.marked(journal.altered, journal.opened.expected, journal.opened.left_out)


def _unrecorded(number: int, effect: Effect, journal: Journal) -> Outcome:
    if isinstance(effect, AskUser):
        return waiting(effect).changed(lost=journal.lost.get(number, NOTHING))
    if journal.ended is not None:
        raise JournalError(_CONTRADICTION)
    raise JournalError(
        f"the run had not ended when it was saved: {number} effects are there, no more; continue it with: "
        "aeon resume FILE"
    )


def boundaries(journal: Journal, engine: AnyEngine) -> tuple[int, ...]:
    """How many effects come before each boundary: the end of a batch, or a place in it where a wave begins.

    They go from 0 to the last one up to which the journal holds every outcome.

    Raises:
        Divergence: the program asks for something else than the journal holds.
    """
    places = [0]

    def answer(first: int, effects: tuple[Effect, ...], recorded: Outcomes) -> Outcomes:
        there = recorded.index(None) if None in recorded else len(recorded)
        places.extend(first + n for n in (*wave_starts(effects), len(effects)) if n <= there)
        return recorded

    walk(journal, answer, engine)
    return tuple(places)


class ResumePoint(NamedTuple):
    """Where a run can be continued.

    ``void`` are the entries that do not count then, ``None`` where there is nothing to continue; the effects ``again``
    of them are issued again as they were. ``question`` is the one that the run waits for, if it waits for one.
    """

    void: tuple[int, ...] | None = None
    again: tuple[int, ...] = ()
    question: Question | None = None


def resume_point(journal: Journal, engine: AnyEngine) -> ResumePoint:
    """Where the run of a journal can be continued.

    What an interrupt or an unusable endpoint broke off is issued again; what was issued after it belongs to an ending
    that is taken back. So are the requests that failed one after the other until the endpoint counted as unusable.

    Raises:
        Divergence: the program asks for something else than the journal holds.
    """
    points: list[ResumePoint] = []
    failing: list[_Failed] = []

    def answer(first: int, effects: tuple[Effect, ...], recorded: Outcomes) -> Outcomes | None:
        for number, outcome in enumerate(recorded, first):
            failed = outcome is not None and outcome.failure is not None and outcome.failure.kind == "request"
            if len(failing) < DEAD_AFTER and outcome is not None and (failed or outcome.usage.calls):
                failing[:] = [*failing, _Failed(number, first + len(effects))] if failed else []
        again = [n for n, outcome in enumerate(recorded, first) if outcome and outcome.broken_off]
        if again or None in recorded or any(outcome and outcome.interrupted for outcome in recorded):
            void = (*again, *(n for n in sorted(journal.entries) if n >= first + len(effects)))
            missing = (n for n, outcome in enumerate(recorded, first) if outcome is None)
            questions = [
                effect.question
                for effect, outcome in zip(effects, recorded, strict=True)
                if isinstance(effect, AskUser) and (outcome is None or outcome.broken_off)
            ]
            points.append(ResumePoint(void, (*again, *missing), questions[0] if questions else None))
        return recorded  # to its end, so that all of the journal is held against the program

    result = walk(journal, answer, engine)
    if points:
        return points[0]
    if result is not None and result.stop_reason == "failed" and len(failing) == DEAD_AFTER:
        return _taken_back(journal, failing)
    return ResumePoint()


class _Failed(NamedTuple):
    """A request that failed: its number, and that of the first effect after its batch."""

    number: int
    after: int


def _taken_back(journal: Journal, failing: Sequence[_Failed]) -> ResumePoint:
    """The first of these requests that no tool followed which changes the world, the others, and what came of them."""
    harmless = (one for one in failing if not any(number >= one.after for number in journal.begun))
    first = next(harmless, failing[-1])
    failed = {one.number for one in failing if one.number >= first.number}
    void = {*failed, *(number for number in journal.entries if number >= first.after)}
    return ResumePoint(tuple(sorted(void)), (first.number,))


def drop_after(journal: Journal, point: ResumePoint, setup: JsonObject | None = None) -> None:
    """Begin another life of the run at its resume point: the entries after it do not count any more.

    ``setup`` is what the run is made of from here on.

    Raises:
        JournalError: the journal says that the run had ended, but lacks outcomes.
    """
    if journal.ended is not None and point.void == () and not journal.stopped:
        raise JournalError(_CONTRADICTION)
    changed = setup if setup != journal.setup else None
    if point.void or (point.void is not None and journal.stopped) or changed:
        journal.resume(point.void or (), point.again, changed)
