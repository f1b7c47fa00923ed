"""What whole texts say to a question: a short answer, the sentence that it stands in, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeon.documents.telling import nearness
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.execution.reading import is_strange, turned_down
from aeon.schema import ShortReading, Source, StepResult
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import is_same
from aeon.supervisor.short_reading import judged, read_short, refuted, strange
from aeon.supervisor.stated import parts_of
from aeon.text import one_line

__all__ = ["read_shelf"]

_LONGEST_SAID = 200


async def read_shelf(
    shelf: Shelf,
    question: str,
    absent: StepResult,
    judge: AnswerJudge,
    twice: bool = True,
    known: ShortReading | None = None,
) -> StepResult | None:
    """What the texts say to the question; ``None`` where nothing usable comes, or what stands in none of those found.

    What stands in no sentence of whole texts is absent, with the sentence that is nearest to it: read once more among
    those found, of 15 such questions over ``scripts/bench/folders`` none got a right answer, and four a wrong one. So
    is what stands in a sentence of which a judge is sure that it does not answer the question.
    It is partly clear where anything speaks against it: a judge holds that its sentence does not answer the question;
    with ``twice``, what the model says when it may say that the texts do not state it, or in a whole sentence; and that
    its sentence is not the one nearest to the question. Over 23 folders of ``scripts/bench`` the judge doubts 22 of 23
    answers to what no text says, 28 of 41 wrong and 28 of 65 right ones.

    What is ``known`` of it, since the planner was told, is not asked for again, unless the texts have changed since.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    try:
        short = known if known is not None and _is_there(known, shelf) else await read_short(shelf, question)
    except (CompletionError, AllowanceExhausted):
        return None  # an endpoint with a short context may take fewer sentences
    absent = absent.changed(likelihood=short.likelihood)
    if not short.answer:
        return absent
    if short.source is None:
        return turned_down(absent, short.nearest) if shelf.whole else None
    cited = (short.source,)
    short = await judged(short, question, judge, shelf.sources)
    if shelf.whole and refuted(short, question, shelf.sources):
        return turned_down(absent, _nearest(question, shelf.sources))
    doubts = [*_doubted(short.judged, judge.least), *(await _said_else(shelf, question, short) if twice else ())]
    read = StepResult(output=short.answer, mode="reading", sources=cited, likelihood=short.likelihood)
    return _with_doubts(read, [*doubts, *_strange(question, short.answer, cited, shelf.sources)])


def _with_doubts(read: StepResult, doubts: Sequence[str]) -> StepResult:
    """What was read, partly clear where anything speaks against it."""
    return read.changed(clarity="PARTIALLY_CLEAR", problem="; ".join(doubts)) if doubts else read


def _nearest(question: str, sources: Sequence[Source]) -> Source | None:
    """The sentence that has most to do with a question, if any has anything to do with it."""
    near = nearness(sources, question)
    return sources[near.index(max(near))] if max(near) > 0 else None


def _is_there(known: ShortReading, shelf: Shelf) -> bool:
    """Whether the sentence that an answer was read from, if any, is one of the texts."""
    return known.source is None or known.source in shelf.sources


def _doubted(score: float | None, least: float) -> Iterator[str]:
    """What a judge holds against the sentence, if there is one."""
    if score is not None and score < least:
        yield f"its sentence may not answer exactly this: judged {score:.2f}"


async def _said_else(shelf: Shelf, question: str, short: ShortReading) -> list[str]:
    """What else the model says when it is asked in other ways."""
    answer, stated = short.answer, short.stated if short.stated is not None else await shelf.stated(question)
    said, against = await shelf.sentence(question), list[str]()
    if stated == "":
        against.append("free to say so, the model says that it is not stated")
    elif stated is not None and not is_same(question, answer, stated):
        against.append(f"asked again, the model says: {one_line(stated, _LONGEST_SAID)}")
    if said is not None and not _says(question, said, answer):
        against.append(f"asked for a sentence, the model says: {one_line(said, _LONGEST_SAID)}")
    return against


def _strange(question: str, answer: str, cited: tuple[Source, ...], sources: Sequence[Source]) -> Iterator[str]:
    """What speaks against the sentence that an answer stands in."""
    yield from strange(answer, question, cited[0], sources)
    near = nearness(sources, question)
    if near[sources.index(cited[0])] < max(near):
        yield "another sentence is nearer to the question"
    elif is_strange(question, answer, cited, sources):
        yield "its sentence may speak of something else"


def _says(question: str, sentence: str, answer: str) -> bool:
    """Whether a sentence gives this answer."""
    return parts_of(answer) <= parts_of(sentence) or is_same(question, answer, sentence)
