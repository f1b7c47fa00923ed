"""The chain engine: each member answers the task with the answers before its own beside its context.

What is handed on is a model's word and marked so. It is no part of the context, which is searched and cited, so that
nothing is proved by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from aeon.engines.chain.config import ChainConfig
from aeon.engines.chain.record import Chain, Link
from aeon.engines.ensemble.members import (
    Members,
    Said,
    answer_of,
    decision_of,
    effects_of,
    member,
    parts,
    settings_of,
    with_assumptions,
)
from aeon.engines.ensemble.rules import NO_ANSWER
from aeon.engines.ensemble.together import together
from aeon.kernel import budget
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema.claims import FromSource
from aeon.schema.conclusion import Conclusion, Decision
from aeon.schema.effects import Program
from aeon.schema.outcome import Answer
from aeon.schema.task import Task

__all__ = ["chain_of", "handed_on", "most_calls", "told", "with_answers"]

ChainRun = Run[ChainConfig, Signals]
_NOTHING_TO_SAY = NO_ANSWER | {"not_stated"}
_LONGEST = 3_000
"""Characters of one answer that are handed on."""


def _chain(members: Members, run: ChainRun) -> Program[Chain]:
    """The whole chain. It ends as its last member does."""
    ends: list[Conclusion] = []
    halted: Decision | None = None
    try:
        for name in run.config.members:
            ends.append((yield from _member(members, run, name, ends)))
            run.degraded += ends[-1].degraded
            run.signals.question = ends[-1].question
    except Halt as halt:
        halted = halt.decision
    return _result(run, ends, halted)


def _member(members: Members, run: ChainRun, name: str, ends: list[Conclusion]) -> Program[Conclusion]:
    """The run of the next member, with an equal part of what is left for each that is still to come."""
    names = run.config.members
    run.boundary()
    own = [settings_of(members, run.config, one) for one in names[len(ends) :]]
    engines = (member(members, one) for one in names[len(ends) :])
    wants = [engine.bound(config).calls for engine, config in zip(engines, own, strict=True)]
    share = parts(run.left(), wants, 0, len(own))[0]
    task = _fed(run.task, zip(names, ends, strict=False))
    mine = own[0].changed(budget=budget.share(own[0].budget, share, 1))
    (end,) = yield from together(run, [member(members, name).within(run, mine, task)])
    return end


def handed_on(end: Conclusion) -> bool:
    """Whether what a member said is of use to those after it."""
    return end.stop_reason not in _NOTHING_TO_SAY and bool(end.answer.strip())


def _fed(task: Task, said: Iterable[tuple[str, Conclusion]]) -> Task:
    """The task with what was said to it so far."""
    return with_answers(task, [told(name, end) for name, end in said if handed_on(end)])


def with_answers(task: Task, answers: Sequence[str]) -> Task:
    """The task with these answers of other programs behind those before them, where no claim can rest on them."""
    return task.changed(earlier="\n\n".join(filter(None, [task.earlier, *answers])))


def told(name: str, end: Conclusion, what: str = "the same task") -> str:
    """An answer to ``what`` with the sources that its claims rest on, as the next engine sees it."""
    cited = dict.fromkeys(
        f"- {claim.text}: {place.source}"
        for claim in end.claims
        if claim.verdict == "supported"
        for place in claim.evidence
        if isinstance(place, FromSource)
    )
    head = f"Answer of another program, {name}, to {what} (it may be wrong; it ended as {end.stop_reason}):"
    return "\n".join([head, end.answer[:_LONGEST], *(["It rests on:", *cited] if cited else [])])


def _result(run: ChainRun, ends: list[Conclusion], halted: Decision | None) -> Chain:
    last = next((end for end in reversed(ends) if end.answer.strip()), None)
    answer = Answer(text="No member of the chain answered.") if last is None else answer_of(last)
    ended = run.conclude(halted or decision_of(ends[-1]), answer)
    return Chain(**dict(with_assumptions(ended, run.task, ends)), links=tuple(_links(run.config.members, ends)))


def _links(names: Iterable[str], ends: list[Conclusion]) -> Iterator[Link]:
    """What each member said; the last one hands nothing on."""
    for place, (name, end) in enumerate(zip(names, ends, strict=False), 1):
        yield Link(engine=name, handed_on=place < len(ends) and handed_on(end), **Said.by(end).fields())


def most_calls(members: Members, config: ChainConfig) -> int:
    """The most model calls of a chain: those of its members."""
    return sum(member(members, name).bound(settings_of(members, config, name)).calls for name in config.members)


def chain_of(members: Members) -> Engine[ChainConfig, Signals, Chain]:
    """The chain whose members can be any of these engines."""
    return Engine(
        name="chain/3",
        config=ChainConfig,
        result=Chain,
        signals=Signals,
        effects=(),
        table=(),
        calls=partial(most_calls, members),
        program=partial(_chain, members),
        nested=effects_of(members),
    )
