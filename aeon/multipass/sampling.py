"""How a step is done by programs: what each round asks for, and the step as the vote leaves it.

Pure: it yields what is asked for, with what stands in its place where nothing comes, and is sent the answers.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar, cast

from aeon.multipass.effects import RunProgram, TakeTurn, WeighResult, WritePrograms
from aeon.multipass.votes import Ballot, Class
from aeon.schema.effects import EffectOf
from aeon.schema.frozen import JsonValue
from aeon.schema.plan import Agreement, Derivation, Step, StepInput, StepResult
from aeon.schema.programs import Candidate, Programs, Ran
from aeon.schema.task import Task
from aeon.schema.turns import Call, Exchange, Turn
from aeon.schema.value import Value
from aeon.schema.weight import Weight

__all__ = ["PROGRAMS", "Sampled", "Sampling", "sample", "told"]

PROGRAMS = 2
"""Programs that are run in a round at most, and results that a judge is asked about."""
_NOTHING_RAN = "no program that was written gave anything"
_UNWANTED = "that a text is wanted is doubtful"
_LONGEST_ANSWER = 600

T = TypeVar("T")
V = TypeVar("V", bound=Value)
Asking: TypeAlias = Generator[tuple[EffectOf[Value], Value], Value, T]
"""What asks for effects, each with what stands in its place where nothing comes, and ends in a value."""


class Sampled(NamedTuple):
    """A step as programs leave it, and the votes that led to that."""

    step: Step
    ballot: Ballot


Sampling: TypeAlias = Asking[Sampled]


def sample(
    task: Task, step: Step, inputs: Sequence[StepInput], ballot: Ballot | None = None, rounds: int = 2
) -> Sampling:
    """Do a step by programs, in so many rounds at most.

    What they give votes, and a judge weighs what leads, until a result is ahead of all others or no way is left. A
    text that is wanted is written in a turn. A step that is done again goes on with the votes of its ``ballot``.
    """
    known, ballot = tuple(inputs), ballot or Ballot()
    if not _is_text(ballot):
        ballot = yield from _polled(WritePrograms(task=task, step=step, inputs=known), ballot, rounds)
    lead = ballot.lead
    if lead is None or not lead.first.ran.writing:
        done = _voted(step, ballot)
    else:
        last = TakeTurn(task=task, step=step, inputs=known, exchanges=_exchanges(lead, ballot), last=True)
        done = _written(step, ballot, lead, (yield from _asked(last, Turn())))
    return Sampled(done, ballot.ended(str(done.output or "")))


def _polled(first: WritePrograms, ballot: Ballot, rounds: int) -> Asking[Ballot]:
    """The votes once a result is ahead of all others, or no round or no way is left."""
    for _ in range(rounds):
        write = first.changed(
            ways=ballot.ways, problems=ballot.problems, earlier=ballot.earlier, against=ballot.against
        )
        written = yield from _asked(write, Programs())
        written = written.changed(programs=written.programs[:PROGRAMS])
        ballot = yield from _cast(ballot, write, written)
        if ballot.is_decided or not (written.more and written.programs):
            break
    return ballot


def _is_text(ballot: Ballot) -> bool:
    """Whether the votes led to a text that was written, so that it can be written better."""
    lead = ballot.lead
    return bool(ballot.earlier and lead is not None and lead.first.ran.writing)


def _cast(ballot: Ballot, write: WritePrograms, written: Programs) -> Asking[Ballot]:
    """Run the programs of a round, and have the results weighed that lead."""
    task, step = write.task, write.step
    ran: list[Ran] = []
    for program in written.programs:
        run = RunProgram(task=task, step=step, inputs=write.inputs, program=program)
        ran.append((yield from _asked(run, Ran(problem="it could not be run"))))
    ballot = ballot.cast(written.programs, ran, written.asked)
    for one in ballot.unjudged(PROGRAMS):
        weigh = WeighResult(task=task, step=step, candidate=one.first)
        ballot = ballot.weighed(one, (yield from _asked(weigh, Weight())))
    return ballot


def _asked(effect: EffectOf[V], instead: V) -> Asking[V]:
    """What is answered to an effect."""
    value = yield cast("EffectOf[Value]", effect), instead
    return cast("V", value) if isinstance(value, effect.result) else instead


def _exchanges(lead: Class, ballot: Ballot) -> tuple[Exchange, ...]:
    """What a program looked up as a turn that asked for it, and an earlier text with what was found in it."""
    uses = lead.first.ran.uses
    calls = tuple(Call(id=use.id, tool=use.tool, arguments=use.arguments) for use in uses)
    looked_up = [Exchange(turn=Turn(calls=calls), uses=tuple(uses))] if uses else []
    objection = "\n".join(f"- {one}" for one in ballot.against)
    earlier = [Exchange(turn=Turn(text=ballot.earlier), objection=objection)] if _is_text(ballot) else []
    return (*looked_up, *earlier)


def _written(step: Step, ballot: Ballot, lead: Class, turn: Turn) -> Step:
    """The step with the text that was written for it; failed where none was, doubted where hardly one was wanted."""
    uses = lead.first.ran.uses
    if not turn.text:
        return step.changed(status="failed", problem="the model gave no answer", uses=uses)
    text = StepResult(output=turn.text, mode="tools" if uses else "reasoning", uses=uses, cites=turn.cites)
    doubt: dict[str, str] = {} if ballot.is_decided else {"clarity": "PARTIALLY_CLEAR", "problem": _UNWANTED}
    return step.given(text.changed(**doubt))


def _voted(step: Step, ballot: Ballot) -> Step:
    """The step with the result that leads; failed where nothing ran, without output where nothing is stated."""
    lead = ballot.lead
    if lead is None:
        return step.changed(status="failed", problem="; ".join(ballot.problems) or _NOTHING_RAN)
    ran, weight = lead.first.ran, lead.weight
    if ballot.is_absent:
        absent = StepResult(output=None, mode="program", problem=ran.problem, uses=ran.uses, weight=weight)
        return step.given(absent.changed(agreement=_agreement(ballot)))
    found = StepResult(
        output=told(ran.values), mode="program" if ran.uses else "reasoning", uses=ran.uses, cites=ran.cites,
        weight=weight, likelihood=lead.first.program.likelihood, agreement=_agreement(ballot),
    )  # fmt: skip
    if ballot.is_decided:
        return step.given(found)
    return step.given(found.changed(clarity="PARTIALLY_CLEAR", problem=_doubt(ballot)))


def _doubt(ballot: Ballot) -> str:
    """Why a result that leads is not settled."""
    if not ballot.is_ahead:
        return "another result is about as likely"
    lead = ballot.lead
    score = lead.weight.score if lead is not None and lead.weight is not None else None
    return "nothing confirms it" if score is None else f"it was judged {score:.2f}, and nothing else confirms it"


def _agreement(ballot: Ballot) -> Agreement | None:
    """What the other programs gave, with what a judge makes of it; ``None`` where there were none."""
    ranked = ballot.ranked
    own = [_derivation(ranked[0], one, agrees=True) for one in _of_one_mind(ranked[0])[1:]]
    others = [_derivation(one, each, agrees=False) for one in ranked[1:] for each in one.candidates]
    judged = ranked[0].weight is not None and ranked[0].weight.score is not None
    return Agreement(derivations=(*own, *others), ahead=judged and ballot.is_ahead) if own or others else None


def _of_one_mind(lead: Class) -> Sequence[Candidate]:
    """The candidates that say what the class says; of absence not those whose results were refuted."""
    return [one for one in lead.candidates if one.ran.absent == lead.first.ran.absent]


def _derivation(of: Class, one: Candidate, agrees: bool) -> Derivation:
    score = None if one.ran.absent or of.weight is None else of.weight.score
    return Derivation(
        method=one.program.way, text=one.program.text, answer=_answer(one.ran), agrees=agrees, score=score
    )


def _answer(ran: Ran) -> str:
    """What a program gave, in a few words."""
    return "not stated" if ran.absent else (ran.writing or told(ran.values))[:_LONGEST_ANSWER]


def told(values: Sequence[JsonValue]) -> str:
    """Values as a text: those of one row behind commas, of several rows a row a line."""
    rows = [row for one in values for row in (one if isinstance(one, list) else [one])]
    if any(isinstance(row, list | dict) for row in rows):
        return "\n".join(_row(row) for row in rows)
    return ", ".join(map(_plain, rows))


def _row(row: JsonValue) -> str:
    match row:
        case dict():
            return ", ".join(map(_plain, row.values()))
        case list():
            return ", ".join(map(_plain, row))
    return _plain(row)


def _plain(value: JsonValue) -> str:
    """A value as it is; of one that is none, or is nested, its JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
