"""What must hold of ensembles alone: ballots, votes, what members spend, and when nobody is asked any more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aeon.assembly.views import trail
from aeon.engines.contractive.values import Classes
from aeon.engines.ensemble.config import EnsembleConfig
from aeon.engines.ensemble.effects import CompareAnswers
from aeon.engines.ensemble.record import Ballot, Ensemble
from aeon.observability.trail import Done
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import NOTHING, Usage
from aeon.simulation.world import World

__all__ = ["hold_ensemble"]


def hold_ensemble(world: World, result: Ensemble, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of a vote that has ended against the engine's own invariants; the world is told what broke."""
    config = journal.config(EnsembleConfig)
    done = [one for batch in trail(journal, engine).batches for one in batch]
    _hold_ballots(world, result, done)
    _hold_votes(world, result, done)
    _hold_shares(world, result, config)
    _hold_order(world, result)
    _hold_taken(world, result)


def _hold_ballots(world: World, result: Ensemble, done: list[Done]) -> None:
    """A ballot says what its member took, and why it has no vote."""
    for ballot in result.ballots:
        used = sum((one.outcome.usage for one in done if one.outcome and _member(one) == ballot.member), NOTHING)
        if (used.calls, used.tokens) != (ballot.calls, ballot.tokens):
            said = f"{ballot.calls} calls, {ballot.tokens} tokens"
            world.wrong("a ballot says what its member took", f"{ballot.member}: {said}, not {_words(used)}")
        if (ballot.place is None) != bool(ballot.missing):
            world.wrong("votes are what comparisons said", f"{ballot.member}: {ballot.place}, {ballot.missing!r}")


def _member(one: Done) -> int:
    """The member whose effect it is; 0 for one of the vote itself."""
    return int(one.effect.scope.split("/")[1]) if one.effect.scope else 0


def _hold_votes(world: World, result: Ensemble, done: list[Done]) -> None:
    """The class of each ballot is what a comparison on record said."""
    counted = [ballot.place for ballot in result.ballots if ballot.place is not None]
    for place, compared in zip(counted, _compared(done), strict=False):
        if compared is not None and place != compared:
            world.wrong("votes are what comparisons said", f"{place} is counted where {compared} was said")
    if any(place >= len(result.classes) for place in counted):
        world.wrong("votes are what comparisons said", f"{counted}: there are {len(result.classes)} classes")


def _compared(done: list[Done]) -> Iterator[int | None]:
    """The classes that comparisons gave, in their order, as far as all of them were made.

    ``None`` for the first answer where it was there alone: it was compared with nothing.
    """
    comparisons = [one for one in done if isinstance(one.effect, CompareAnswers)]
    for number, one in enumerate(comparisons):
        assert isinstance(one.effect, CompareAnswers)
        if number == 0 and one.effect.known:
            yield None
        value = one.outcome.value if one.outcome is not None else None
        if not isinstance(value, Classes) or not _whole(value, one.effect):
            return
        yield from value.places


def _whole(found: Classes, effect: CompareAnswers) -> bool:
    """Whether it places each answer in a class that is known by then."""
    many = len(effect.known)
    for place in found.places:
        if place > many:
            return False
        many = max(many, place + 1)
    return len(found.places) == len(effect.answers)


def _hold_shares(world: World, result: Ensemble, config: EnsembleConfig) -> None:
    """Those that are asked at once leave as much for each of the others, and what is kept for comparing."""
    budget, seats = config.budget, len(config.seats)
    beyond = sum(said.tokens for said in world.beyond.values())  # more was counted than anybody could ask for
    for ballot in result.ballots[: seats // 2 + 1]:
        share = int((budget.tokens or 0) * (1 - config.reserve.tokens)) // seats + beyond
        if budget.tokens is not None and ballot.tokens > share:
            world.wrong("a member within its share", f"{ballot.member} took {ballot.tokens} of {budget.tokens} tokens")
        if budget.calls is not None and ballot.calls > budget.calls // seats:
            world.wrong("a member within its share", f"{ballot.member} took {ballot.calls} of {budget.calls} calls")


def _hold_order(world: World, result: Ensemble) -> None:
    """Nobody was asked after the vote was decided."""
    for many in range(result.seats // 2 + 1, len(result.ballots)):
        most = max(_votes(result.ballots[:many]).values(), default=0)
        if 2 * most > result.seats or 2 * (most + result.seats - many) <= result.seats:
            world.wrong("nobody is asked after the vote is decided", f"{len(result.ballots)} of {result.seats}")
            return


def _hold_taken(world: World, result: Ensemble) -> None:
    """The answer is that of a member of the majority; without one, all answers are shown and it is not good enough."""
    taken = next((ballot for ballot in result.ballots if ballot.member == result.taken), None)
    if taken is None:
        _hold_shown(world, result)
        return
    votes = _votes(result.ballots)
    if taken.place is None or 2 * votes[taken.place] <= result.seats or result.answer != taken.answer:
        world.wrong("a majority is the answer", f"{taken.member}: {dict(votes)} of {result.seats}")
    if result.sufficient != taken.sufficient and _voted(result):
        world.wrong("an answer is as good as its member's", f"{result.stop_reason}: {taken.stop_reason}")


def _hold_shown(world: World, result: Ensemble) -> None:
    """Nothing was taken: so there was no majority, and every answer is in the answer, or it was made of several."""
    votes = _votes(result.ballots)
    if result.merged:
        _hold_merged(world, result)
        return
    if result.sufficient or 2 * max(votes.values(), default=0) > result.seats:
        world.wrong("a majority is the answer", f"{dict(votes)} of {result.seats}, and none was taken")
    if any(one.answer not in result.answer for one in _first_of_each(result)):
        world.wrong("all answers are shown", result.answer[:200])


def _hold_merged(world: World, result: Ensemble) -> None:
    """What was made of several answers is of two classes at least that ended well, where none had a majority."""
    votes = _votes(result.ballots)
    sound = {one.place for one in result.ballots if one.place is not None and one.sufficient}
    if len(sound) < 2 or 2 * max(votes.values(), default=0) > result.seats:
        world.wrong("a majority is the answer", f"{dict(votes)} of {result.seats}, and {len(sound)} were merged")


def _voted(result: Ensemble) -> bool:
    return result.stop_reason in ("agreed", "doubted")


def _first_of_each(result: Ensemble) -> Iterator[Ballot]:
    """The first ballot of each class."""
    first = {ballot.place: ballot for ballot in reversed(result.ballots) if ballot.place is not None}
    yield from first.values()


def _votes(ballots: tuple[Ballot, ...]) -> Counter[int]:
    return Counter(ballot.place for ballot in ballots if ballot.place is not None)


def _words(usage: Usage) -> str:
    return f"{usage.calls} calls, {usage.tokens} tokens"
