"""The ensemble engine: members answer by themselves, side by side, and a majority of their answers is the answer.

Each member is a run within this one, with a part of its budget that leaves enough to compare what they say.
"""

from __future__ import annotations

from functools import partial

from aeon.engines.contractive.values import Classes
from aeon.engines.ensemble.config import EnsembleConfig
from aeon.engines.ensemble.effects import CompareAnswers, MergeAnswers
from aeon.engines.ensemble.members import Members, effects_of, member, settings_of, with_assumptions
from aeon.engines.ensemble.poll import EnsembleRun, Poll
from aeon.engines.ensemble.record import Ensemble
from aeon.engines.ensemble.rules import TABLE, EnsembleSignals
from aeon.engines.ensemble.together import together
from aeon.engines.ensemble.values import Merged
from aeon.kernel.engine import Engine, Halt
from aeon.schema.conclusion import Decision
from aeon.schema.effects import Program

__all__ = ["ensemble_of", "most_calls"]


def _ensemble(members: Members, run: EnsembleRun) -> Program[Ensemble]:
    """The whole vote. Every way out counts what is there."""
    poll = Poll(run, members)
    try:
        while True:
            poll.take((yield from together(run, poll.ask())))
            if poll.fresh:
                poll.count((yield from _compared(poll)))
            run.boundary()
    except Halt as halt:
        decision = halt.decision
    if poll.fresh:
        poll.count((yield from run.final(_effect(poll), Classes(), decision)))
    decision = _ended(run, decision)
    if decision.reason == "disagreement" and poll.mergeable:
        effect = MergeAnswers(task=run.task, answers=poll.mergeable)
        (outcome,) = yield from run.issue((effect.changed(allowance=run.allow(effect.phase)),))
        poll.merge(run.value(effect, outcome, Merged()).text)
        decision = run.decide()
    return _result(poll, decision)


def _compared(poll: Poll) -> Program[Classes]:
    """The classes of the fresh answers; a single one needs no comparison."""
    if len(poll.fresh) == 1 and not poll.classes:
        return Classes()
    return (yield from poll.run.perform(_effect(poll), Classes()))


def _effect(poll: Poll) -> CompareAnswers:
    return CompareAnswers(task=poll.run.task, place="", answers=poll.answers, known=tuple(poll.classes))


def _ended(run: EnsembleRun, decision: Decision) -> Decision:
    """The decision to end; where only means ran out, the last comparison may have given a majority."""
    late = run.decide()
    return late if late.action == "OUTPUT" else decision


def _result(poll: Poll, decision: Decision) -> Ensemble:
    run, absent = poll.run, poll.absent
    detail = f"{decision.detail}; no vote: {absent}" if absent else decision.detail
    ended = run.conclude(decision.changed(detail=detail), poll.answer())
    return Ensemble(
        **dict(with_assumptions(ended, run.task, poll.ends)),
        seats=len(run.config.seats),
        ballots=tuple(poll.ballots),
        classes=tuple(poll.classes),
        taken=poll.taken,
        merged=bool(poll.merged),
    )


def most_calls(members: Members, config: EnsembleConfig) -> int:
    """The most model calls of a vote: its members, a comparison after each round and one kept back, and the merge."""
    own = (member(members, seat.engine).bound(settings_of(members, config, seat.engine)) for seat in config.seats)
    caps = config.caps
    return sum(bound.calls for bound in own) + (config.rounds + 1) * caps.compare_answers + caps.merge_answers


def ensemble_of(members: Members) -> Engine[EnsembleConfig, EnsembleSignals, Ensemble]:
    """The ensemble whose members can be any of these engines."""
    return Engine(
        name="ensemble/3",
        config=EnsembleConfig,
        result=Ensemble,
        signals=EnsembleSignals,
        effects=(CompareAnswers, MergeAnswers),
        table=TABLE,
        calls=partial(most_calls, members),
        program=partial(_ensemble, members),
        final=CompareAnswers,
        nested=effects_of(members),
    )
