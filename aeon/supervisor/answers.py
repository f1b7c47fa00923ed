"""Whether sentences answer exactly a question: what a measured judge says of them, shown alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.spans import said_by_span
from aeon.documents.telling import nearness
from aeon.documents.words import content_words, stem
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.runtime.ledger import current_ledger
from aeon.schema import Source
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.text import one_line

__all__ = ["AnswerJudge", "speaks_of_before"]

_SPEC, _GIVEN, _YES = "answers_question", "gives_answer", "says_yes"
_SURE = 0.8
"""From here on no other sentence is looked at."""
_CONCLUDED = 0.9
"""The score of a conclusion from which on it is drawn, or its opposite below what is left of one."""
_LONGEST_QUESTION = 400
_LONGEST_ANSWER = 200
_WORD = re.compile(r"[^\W_]+")
_WHICH = re.compile(
    r"\b(second|third|fourth|fifth|other|new|newer|old|older|former|previous|next|last|first|original)\b", re.IGNORECASE
)
_OF_BEFORE = re.compile(r"(?:it|its|he|his|she|her|they|their|this|these|that|those|there)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'\u2019-]+")
_EVERY = re.compile(r"\b(?:on|in|at|for|of|to|from) (?:every|any|each|all)\b|\beverywhere\b", re.IGNORECASE)
_ENDS = (".", "!", "?")
_POINT = r"\s*(?:\(?\d{1,2}[.)]|[-*\u2022])\s"
_BEGINS = re.compile(_POINT)
_LEAD = re.compile(rf"{_POINT}*[^\W\d_][\w'\u2019&-]*(?: [\w'\u2019&-]+){{0,3}}[.:]\s*")
"""What a point of minutes begins with, where that is no sentence: "1. Jetty B." """
_DONE = re.compile(r"\b(?:was|were|is|are|did|been)\b[^?.!]*\b([^\W\d_]+)\s*[?.!]*\s*$", re.IGNORECASE)
"""What a question ends in behind its verb: sold, in "When was the orchard sold?"."""


class AnswerJudge:
    """Has a model that was measured for it say whether sentences answer a question.

    It sees these alone: beside others, what is said of one thing passes for an answer about another.
    """

    least = judgment(_SPEC).threshold
    """The score from which on they do."""
    least_given = judgment(_GIVEN).threshold
    """The score from which on they give an answer."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def able(self, calls: int = 1) -> bool:
        """Whether the judge was measured and may decide, and so many calls are left."""
        return current_ledger().calls_left() >= calls and await self._measured(_SPEC)

    async def _measured(self, spec: str) -> bool:
        """Whether the judgment was measured on the model, and is good: only then does it change how texts are read."""
        return await self._judge.standing(judgment(spec)) == "measured"

    async def score(self, question: str, cited: Sequence[Source], every: Sequence[Source]) -> float | None:
        """How likely the cited of all sentences answer the question (0-1); ``None`` where nobody can say."""
        return await self._judged(_SPEC, question, cited, every)

    async def given(self, question: str, answer: str, cited: Sequence[Source], every: Sequence[Source]) -> float:
        """How likely the cited of all sentences give this answer to the question (0-1); 0 where nobody can say."""
        said = one_line(answer, _LONGEST_ANSWER)
        return (await self._judged(_GIVEN, question, cited, every, answer=said) if said else None) or 0.0

    async def concluded(self, question: str, cited: Sequence[Source], every: Sequence[Source]) -> str:
        """``Yes`` or ``No``, as the cited of all sentences answer a question of yes or no; "" where that is not sure.

        Of 230 sentences that decide one, 70 are as sure as this, and all of these are right; one about something else
        looks like a no at times.

        Raises:
            ModelError: the judge could not be asked.
        """
        score = await self._judged(_YES, question, cited, every)
        if score is None or 1 - _CONCLUDED < score < _CONCLUDED:
            return ""
        return "Yes" if score >= _CONCLUDED else "No"

    async def _judged(
        self, spec: str, question: str, cited: Sequence[Source], every: Sequence[Source], **more: str
    ) -> float | None:
        try:
            if not cited or current_ledger().calls_left() < 1 or not await self._measured(spec):
                return None
            text = "\n".join(dict.fromkeys(_alone(question, source, every) for source in cited))
            material = {"text": text, "question": one_line(question, _LONGEST_QUESTION), **more}
            judged = await self._judge.ask(judgment(spec), material)
        except (CompletionError, AllowanceExhausted):
            return None
        return judged.score

    async def doubted(self, question: str, cited: Sequence[Source], every: Sequence[Source]) -> float | None:
        """The score where it is too low, or a sentence nearer to the question has a higher one.

        Not asked for where the sentences have every word that counts. Of a name nothing need be said where something is
        so "on every route".
        """
        score = None if _has_every_word(question, cited) else await self.score(question, cited, every)
        if score is None or score >= _SURE:
            return None
        return score if score < self.least or await self._outdone(score, question, cited, every) else None

    async def _outdone(self, score: float, question: str, cited: Sequence[Source], every: Sequence[Source]) -> bool:
        """Whether the sentence that is nearest to the question, if it is not cited, answers it better."""
        near = dict(zip(every, nearness(every, question), strict=True))
        whole = [one for one in near if one.text.endswith(_ENDS) and one not in cited]
        nearest = max(whole, key=lambda one: near[one], default=None)
        if nearest is None or any(near.get(one, 0.0) >= near[nearest] for one in cited):
            return False
        return (await self.score(question, [nearest], every) or 0.0) > score


def speaks_of_before(source: Source) -> bool:
    """Whether a sentence begins with a word for what the one before it is about: it, she."""
    return bool(_OF_BEFORE.match(source.text))


def _has_every_word(question: str, cited: Sequence[Source]) -> bool:
    """Whether sentences have every word of a question that counts."""
    said = {stem(word) for source in cited for word in _WORD.findall(f"{source.heading} {source.text}")}
    said |= {word for source in cited for word in said_by_span(question, source.text)}
    counts = {*content_words(question), *_WHICH.findall(question), *_DONE.findall(question)}
    if any(_EVERY.search(source.text) for source in cited):
        counts -= {name.casefold() for name in _NAME.findall(question)}
    return all(stem(word) in said for word in counts)


def _alone(question: str, source: Source, every: Sequence[Source]) -> str:
    """A sentence below the name of its file, its heading and the head of a letter that the question names.

    It stands behind what its paragraph begins with ("2. Jetty."), if that is no sentence, and the one that says what it
    is about, and before the next one if that begins with "it".
    """
    own = [one for one in every if one.source == source.source]
    place = own.index(source) if source in own else 0
    after = [one for one in own[place + 1 : place + 2] if speaks_of_before(one) and one.start - source.end <= 1]
    before = dict.fromkeys([*_lead(source, own[:place]), *_about(question, source, own[:place])])
    shown = [*before, source, *after]
    letterhead = _letterhead(question, source, own[:place])
    head = ", ".join(filter(None, (source.source, source.heading, letterhead)))
    return f"({one_line(head)}) {' '.join(one_line(one.text) for one in shown)}"


def _lead(source: Source, before: Sequence[Source]) -> Sequence[Source]:
    """The few words that the point of a sentence begins with, where they are none: its heading."""
    follows = source
    for one in reversed(before):
        if _BEGINS.match(follows.text) or follows.start - one.end > 1:
            break
        if _BEGINS.match(one.text) and _LEAD.fullmatch(one.text):
            return [one]
        follows = one
    return ()


def _about(question: str, source: Source, before: Sequence[Source]) -> Sequence[Source]:
    """The sentence before one that begins with "it"; else the last one of its paragraph with a name of the question."""
    if speaks_of_before(source):
        return before[-1:]
    named = {*_NAME.findall(question)} - {*_WORD.findall(f"{source.heading} {source.text}")}
    follows = source.start
    for one in reversed(before if named else ()):
        if follows - one.end > 1:
            break
        if named & {*_WORD.findall(one.text)} and one_line(one.text).endswith(_ENDS):
            return [one]
        follows = one.start
    return ()


def _letterhead(question: str, source: Source, before: Sequence[Source]) -> str:
    """The first line of a text, if it is no sentence and has a name of the question that the sentence has not."""
    line = one_line(before[0].text) if before else ""
    named = {*_NAME.findall(question)} & {*_WORD.findall(line)} - {*_WORD.findall(source.text)}
    return line if named and not line.endswith(_ENDS) else ""
