"""What whole texts say to a question: a short answer, the sentence that it stands in, and what speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.sentences import heading_of
from aeon.documents.telling import nearness
from aeon.documents.words import stems
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.execution.reading import is_stated, is_strange, turned_down
from aeon.schema import Source, StepResult
from aeon.supervisor.form import is_of_kind
from aeon.supervisor.plainly import bare, in_minutes, is_absent, is_same
from aeon.supervisor.shelf import Shelf
from aeon.text import one_line

__all__ = ["read_shelf"]

_LEAST, _SURE = 0.5, 0.7
"""How right the model holds an answer that is given at all, and one that is given without a doubt.

Of 90 questions over made-up folders that a text or nothing decides, 15 answers have a score below the first one, and 3
of them are right. Of those that stand in a sentence 26 of 37 are right from the second one on, and 17 of the 20 among
them whose sentence is nearest to the question, and that the model says in a whole sentence, too; 24 of 49 others."""
_LONGEST_SAID = 200
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


async def read_shelf(shelf: Shelf, question: str, absent: StepResult, twice: bool = True) -> StepResult | None:
    """What the texts say to the question; ``None`` where nothing usable comes, or what stands in no sentence of them.

    One that the model itself holds for wrong is ``absent``; one that it hardly holds for right, or that is not what it
    says in a whole sentence (with ``twice``), is partly clear.

    Raises:
        ModelError: the endpoint gave no answer at all.
    """
    try:
        reply = await shelf.answer(question)
    except (CompletionError, AllowanceExhausted):
        return None  # an endpoint with a short context may take fewer sentences
    answer = bare(reply.value)
    if is_absent(answer) or not is_of_kind(question, answer):
        return absent.changed(likelihood=reply.likelihood)
    cited = _cited(question, answer, shelf.sources)
    if not is_stated(question, answer, cited, shelf.sources):
        return None
    read = StepResult(output=answer, mode="reading", sources=cited, likelihood=reply.likelihood)
    right = await shelf.right(question, answer)
    if right is not None and right < _LEAST:
        return turned_down(absent, _nearest(question, shelf.sources))
    said = await shelf.sentence(question) if twice else ""
    doubts = "; ".join(_doubts(question, read, right, said, shelf.sources))
    return read.changed(clarity="PARTIALLY_CLEAR", problem=doubts) if doubts else read


def _doubts(
    question: str, read: StepResult, right: float | None, said: str, sources: Sequence[Source]
) -> Iterator[str]:
    """What speaks against an answer: how ``right`` the model holds it, what it ``said`` else, and its sentence."""
    answer, cited = str(read.output), read.sources[0]
    if right is not None and right < _SURE:
        yield f"the text may not answer exactly this: judged {right:.2f}"
    if said and not _says(question, said, answer):
        yield f"asked for a sentence, the model says: {one_line(said, _LONGEST_SAID)}"
    if cited != _nearest(question, sources):
        yield "another sentence is nearer to the question"
    elif is_strange(question, answer, read.sources, sources):
        yield "its sentence may speak of something else"


def _cited(question: str, answer: str, sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sentence that has most of the answer, of several the one that is nearest to the question."""
    near = dict(zip(sources, nearness(sources, question), strict=True))
    parts = _parts(answer)

    def holds(one: Source) -> tuple[bool, int, bool, float]:
        text = in_minutes(one.text)
        whole = re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", one.text, re.IGNORECASE) is not None
        return whole, len(parts & _parts(text)), not heading_of(one.text), near[one]

    return (max(sources, key=holds),)


def _nearest(question: str, sources: Sequence[Source]) -> Source:
    """The sentence that has most to do with a question."""
    near = nearness(sources, question)
    return max(zip(near, sources, strict=True), key=lambda pair: pair[0])[1]


def _says(question: str, sentence: str, answer: str) -> bool:
    """Whether a sentence gives this answer."""
    return _parts(answer) <= _parts(sentence) or is_same(question, answer, sentence)


def _parts(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, and its numbers; times of day as minutes."""
    told = in_minutes(text)
    return stems(told) | frozenset(number.replace(",", "") for number in _NUMBER.findall(told))
