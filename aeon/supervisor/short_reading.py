"""What a model that has whole texts before it answers in a few words, and the sentence of them that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.spans import of_asked_day
from aeon.runtime.ledger import current_ledger
from aeon.schema import ShortReading, Source
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.questions import asks_yes_no, is_of_kind, uncounted
from aeon.supervisor.rivals import rivals
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import bare, is_absent, is_echo
from aeon.supervisor.stated import (
    as_written,
    is_stated,
    mistaken_unit,
    other_heading,
    parts_of,
    rated,
    sentence_of,
)
from aeon.supervisor.supervisor import Reply

__all__ = ["judged", "read_short", "refuted", "strange", "vouched"]

_NAME = re.compile(r"[A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019-]+)*")
_WORD = re.compile(r"[\w'\u2019-]+")
_MOST_OF_DAY = 8
"""Sentences of one day of the week that a question is put to alone."""
_SURELY_NOT = 0.02
"""The score below which a judge is sure that a sentence does not answer a question."""


def refuted(short: ShortReading, question: str, sources: Sequence[Source]) -> bool:
    """Whether a judge is sure that the sentence of an answer does not answer the question, which then is not stated.

    Of 135 questions over 23 folders and 29 that ``scripts/bench/everyday.py`` makes, none of them of yes or no, it is
    so of 24 of the 36 to what no text says, of 7 of 51 wrong answers and of 6 of 77 right ones, two of which stood in
    another sentence that is found since. In which sentence a "no" stands, its words do not tell, nor do those of a name
    that others have a part of: the judge saw one of them.
    """
    sure = short.judged is not None and short.judged < _SURELY_NOT
    return sure and not asks_yes_no(question) and not _is_named_elsewhere(short, sources)


def _is_named_elsewhere(short: ShortReading, sources: Sequence[Source]) -> bool:
    """Whether an answer is a name, and another sentence has a word of it."""
    if _NAME.fullmatch(short.answer) is None:
        return False
    others = {word for one in sources if one != short.source for word in _WORD.findall(one.text)}
    return any(word in others for word in short.answer.split())


async def judged(short: ShortReading, question: str, judge: AnswerJudge, sources: Sequence[Source]) -> ShortReading:
    """The same with what a judge says of its sentence, alone: unless it stands in none, or the judge was asked."""
    if short.source is None or short.judged is not None:
        return short
    return short.changed(judged=await judge.score(question, [short.source], sources))


async def vouched(short: ShortReading, question: str, judge: AnswerJudge, sources: Sequence[Source]) -> ShortReading:
    """The same with what two judges say who see its sentence alone: that answers the question, and gives the answer.

    The second one is asked where the first does not doubt it, and of each other value of the sentence that could be the
    answer; nobody where something else speaks against the sentence (`strange`). Of 153 questions over 23 folders and 30
    that ``scripts/bench/everyday.py`` makes, both are for 41 right answers, for 4 wrong ones, and for none of the 40 to
    what no text says; there, other values were not asked about yet.
    """
    source = short.source
    if source is None or any(strange(short.answer, question, source, sources)):
        return short
    short = await judged(short, question, judge, sources)
    if short.judged is None or short.judged < judge.least:
        return short
    given = await judge.given(question, short.answer, [source], sources)
    if given < judge.least_given or await _is_outdone(short, source, given, question, judge, sources):
        return short
    return short.changed(vouched=min(short.judged, given))


async def _is_outdone(
    short: ShortReading, source: Source, given: float, question: str, judge: AnswerJudge, sources: Sequence[Source]
) -> bool:
    """Whether another value of the sentence may be the answer as well as this one.

    So it may where no call is left to hear of it. Of 14 wrong values that the second judge passes, among 64 of
    sentences that have two, the right one is held to be likelier for 10; of 56 right ones the wrong one for 3.
    """
    for other in rivals(question, short.answer, source.text):
        if current_ledger().calls_left() < 1 or await judge.given(question, other, [source], sources) >= given:
            return True
    return False


def strange(answer: str, question: str, source: Source, sources: Sequence[Source]) -> Iterator[str]:
    """What speaks against a sentence without a judge.

    It says nothing of how many the question is about, gives for one what is asked for several, has the number of the
    answer, but in another unit, stands below another heading than the one that the question names, or is of another day
    of the week.
    """
    if left := uncounted(question, f"{source.heading} {source.text}"):
        yield f"its sentence says nothing of {' and '.join(left)}"
    if unit := rated(question, answer, source.text):
        yield f"its sentence says it for each {unit}"
    if unit := mistaken_unit(answer, source.text):
        yield f"its sentence gives this number of something else than {unit}"
    if heading := other_heading(question, source, sources):
        yield f"its sentence does not stand below {heading!r}"
    if _of_day(question, source, sources):
        yield "its sentence is of another day"


async def read_short(shelf: Shelf, question: str) -> ShortReading:
    """What the model answers.

    Where its sentence is of another day of the week than the question, it is asked again over those of that day alone.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: it gave nothing usable.
    """
    short = _read(await shelf.answer(question), question, shelf.sources)
    said = short.source or short.nearest
    own = _of_day(question, said, shelf.sources) if said is not None else []
    again = await shelf.of(own).second(question) if own else None
    if again is None:
        return short
    other = _read(again, question, own)
    return other if other.source is not None else short


def _of_day(question: str, source: Source, sources: Sequence[Source]) -> list[Source]:
    """The sentences of the day of the week that a question names, where the one of its answer is of others."""
    texts = set(of_asked_day(question, _told(source), map(_told, sources)))
    return [one for one in sources if _told(one) in texts][:_MOST_OF_DAY]


def _told(source: Source) -> str:
    return f"{source.heading} {source.text}"


def _read(reply: Reply[str], question: str, sources: Sequence[Source]) -> ShortReading:
    """A reply as an answer, with the sentence that it stands in; or the one that is nearest to it."""
    answer = bare(reply.value)
    if is_absent(answer) or not is_of_kind(question, answer):
        return ShortReading(answer="", likelihood=reply.likelihood)
    best = sentence_of(question, answer, sources)
    if not is_echo(question, answer) and is_stated(question, answer, [best], sources):
        return ShortReading(answer=as_written(answer, best.text), likelihood=reply.likelihood, source=best)
    near = parts_of(answer) & parts_of(best.text)
    return ShortReading(answer=answer, likelihood=reply.likelihood, nearest=best if near else None)
