"""What a model that has whole texts before it answers in a few words, and the sentence of them that it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aeon.schema import Source
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.form import is_of_kind, uncounted
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.short_answers import bare, is_absent, is_echo
from aeon.supervisor.stated import is_stated, parts_of, sentence_of

__all__ = ["ShortReading", "read_short"]


@dataclass(frozen=True, slots=True)
class ShortReading:
    """A short answer to a question; ``answer`` is "" where the model says that the texts do not say it.

    ``likelihood`` is how likely (0-1) the model was to write it, ``source`` the sentence that it stands in, ``None``
    where it stands in none: then the ``nearest`` has most of it, if any has something.
    """

    answer: str
    likelihood: float | None
    source: Source | None = None
    nearest: Source | None = None

    async def vouched(self, question: str, judge: AnswerJudge, sources: Sequence[Source]) -> float | None:
        """How likely, by two judges who see its sentence alone, that this gives the answer (0-1): the lower score.

        ``None`` where one doubts it or cannot say, or the sentence says nothing of how many the question is about. Of
        153 questions over 23 folders and 30 that ``scripts/bench/everyday.py`` makes, both are for 41 right answers,
        for 4 wrong ones, and for none of the 40 to what no text says.
        """
        if self.source is None or uncounted(question, f"{self.source.heading} {self.source.text}"):
            return None
        score = await judge.score(question, [self.source], sources)
        if score is None or score < judge.least:
            return None
        given = await judge.given(question, self.answer, [self.source], sources)
        return min(score, given) if given >= judge.least_given else None


async def read_short(shelf: Shelf, question: str) -> ShortReading:
    """What the model answers.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: it gave nothing usable.
    """
    reply = await shelf.answer(question)
    answer = bare(reply.value)
    if is_absent(answer) or not is_of_kind(question, answer):
        return ShortReading("", reply.likelihood)
    best = sentence_of(question, answer, shelf.sources)
    if not is_echo(question, answer) and is_stated(question, answer, [best], shelf.sources):
        return ShortReading(answer, reply.likelihood, source=best)
    near = parts_of(answer) & parts_of(best.text)
    return ShortReading(answer, reply.likelihood, nearest=best if near else None)
