"""Asks every question of every system, as far as it is not on record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from aeon.bench.problems import Problem
from aeon.bench.question import Question, judged
from aeon.bench.remembering import Replies
from aeon.bench.rows import Consistency, Record, Row
from aeon.bench.systems import THOUGHT, Models, Reply, System, task_of
from aeon.bench.voting import Voter
from aeon.errors import AeonError

__all__ = ["measure"]


async def measure(
    problems: Sequence[Problem],
    systems: Mapping[str, System],
    models: Models,
    replies: Replies,
    record: Record,
    observe: Callable[[Row], None] = lambda row: None,
) -> None:
    """Fill the record; ``observe`` sees each new row. What is on record as an error is asked again.

    Chain of thought and the vote have no row for questions that are scored by keywords alone.

    Raises:
        ModelError: the model that answers cannot be used at all.
        InputFileError: a row cannot be written.
    """
    voter = Voter(models.model)
    for problem in problems:
        for name, system in systems.items():
            known = record.row(problem.family, problem.number, name)
            if (known is not None and not known.error) or (name == THOUGHT and not _is_short(problem.question)):
                continue
            row = await _row(problem, name, system, voter, replies)
            if models.model.broken is not None:
                raise models.model.broken
            record.add(row)
            observe(row)


def _is_short(question: Question) -> bool:
    """Whether its answer is short enough for a vote, whose samples are made for such answers."""
    return bool(question.expected) or question.unclear


async def _row(problem: Problem, name: str, system: System, voter: Voter, replies: Replies) -> Row:
    """The answer of a system to a question, beside self-consistency where a vote can answer it."""
    question, began, saved = problem.question, time.monotonic(), replies.saved
    row = Row(family=problem.family, number=problem.number, system=name, question=question.text)
    try:
        reply = await system(question)
        seconds = time.monotonic() - began + replies.saved - saved
        if reply.problem:
            return row.changed(error=reply.problem, seconds=round(seconds, 1))
        votes = name != THOUGHT and _is_short(question)
        beside = await _beside(problem, reply, voter) if votes else None
    except AeonError as error:
        return row.changed(error=f"{type(error).__name__}: {' '.join(str(error).split())}")
    said = (reply.short if question.expected else "") or reply.answer
    verdict = judged(question, said, reply.asked)
    return row.changed(
        answer=said, right=verdict.right, coverage=verdict.coverage, asked=reply.asked, stop=reply.stop,
        calls=reply.usage.calls, prompt=reply.usage.prompt_tokens, generated=reply.usage.generated_tokens,
        seconds=round(seconds, 1), nodes=reply.nodes, split=reply.split, reviewed=reply.reviewed,
        approved=reply.approved, consistency=beside,
    )  # fmt: skip


async def _beside(problem: Problem, reply: Reply, voter: Voter) -> Consistency:
    """Self-consistency at the tokens of a reply."""
    vote = await voter.vote_at(task_of(problem.question), reply.usage.tokens)
    return Consistency(
        answer=vote.answer, right=judged(problem.question, vote.answer).right, samples=vote.samples,
        prompt=vote.usage.prompt_tokens, generated=vote.usage.generated_tokens, short=vote.short,
    )  # fmt: skip
