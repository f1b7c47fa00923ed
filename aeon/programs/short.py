"""What a model that has whole texts before it answers in a few words, and the sentence of them that it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aeon.documents.telling import nearness
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.programs.short_answers import bare, is_absent, tokens, unquoted
from aeon.programs.stated import sentence_of, stands_in, stands_whole
from aeon.runtime.ledger import current_ledger
from aeon.schema import Source
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.text import one_line

__all__ = ["ShortAnswer", "alone", "placed", "read"]

_GIVES = judgment("gives_answer")
_MOST_PLACES = 2
"""Sentences of which a judge is asked whether they give an answer that stands in none, such as a yes or a no."""
_LONGEST_QUESTION, _LONGEST_ANSWER = 400, 200


class ShortAnswer(NamedTuple):
    """A short answer; "" where the texts do not say it.

    ``source`` is the sentence that it stands in, ``None`` where it stands in none: then the ``nearest`` has most of it,
    or is nearest to the question where none has anything; ``None`` where it has nothing to do with that either.
    """

    answer: str
    source: Source | None = None
    nearest: Source | None = None


def read(reply: str, question: str, sources: Sequence[Source]) -> ShortAnswer:
    """A reply as an answer, with the sentence that it stands in; or the one that is nearest to it.

    What stands in a sentence as it was written is left so; else numbers in brackets are those of sentences.
    """
    if is_absent(bare(reply)):
        return ShortAnswer("")
    answer = unquoted(reply)
    best = sentence_of(question, answer, sources)
    if stands_whole(answer, best):
        return ShortAnswer(answer, best)
    answer = bare(reply)
    best = sentence_of(question, answer, sources)
    if stands_whole(answer, best) or stands_in(answer, best):
        return ShortAnswer(answer, best)
    near = {*tokens(answer)} & {*tokens(best.text)} or nearness([best], question)[0] > 0
    return ShortAnswer(answer, nearest=best if near else None)


async def placed(short: ShortAnswer, question: str, judge: Judge, sources: Sequence[Source]) -> ShortAnswer:
    """The same; what stands in no sentence as it is, such as a yes or a no, with the one that gives that answer.

    It is the one of those nearest to the question of which a judge is surest, if it holds that it does. All figures of
    the answer have to stand in it.
    """
    if short.source is not None or not short.answer:
        return short
    nearest = _nearest(short.answer, question, sources)
    scores = {one: await _gives(judge, question, short.answer, one) for one in nearest}
    best = max(nearest, key=lambda one: scores[one], default=None)
    return short if best is None or scores[best] < _GIVES.threshold else short._replace(source=best)


def _nearest(answer: str, question: str, sources: Sequence[Source]) -> list[Source]:
    """The sentences nearest to a question that have all figures of an answer."""
    figures = {token for token in tokens(answer) if token.isdigit()}
    near = dict(zip(sources, nearness(sources, question), strict=True))
    having = (one for one in sources if near[one] > 0 and figures <= {*tokens(one.text)})
    return sorted(having, key=lambda one: -near[one])[:_MOST_PLACES]


async def _gives(judge: Judge, question: str, answer: str, source: Source) -> float:
    """How likely a sentence gives this answer (0-1), by a judge that was measured; 0 where nobody can say."""
    said = one_line(answer, _LONGEST_ANSWER)
    if not said or current_ledger().calls_left() < 1 or await judge.standing(_GIVES) != "measured":
        return 0.0
    material = {"text": alone(source), "question": one_line(question, _LONGEST_QUESTION), "answer": said}
    try:
        return (await judge.ask(_GIVES, material)).score
    except (CompletionError, AllowanceExhausted):
        return 0.0


def alone(source: Source) -> str:
    """A sentence below the name of its file and its heading, as a judge sees it: beside no others."""
    head = ", ".join(filter(None, (source.source, source.heading)))
    return f"({one_line(head)}) {one_line(source.text)}"
