"""The sentence that decides a question of yes or no, and what follows from it.

That sentence is the answer: small models find it more often than they draw the right conclusion from it. So the
conclusion is drawn by a judge that sees this sentence alone, and said where that is sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from aeon.documents.sentences import without_mark
from aeon.documents.telling import nearness, numbered
from aeon.documents.words import stems
from aeon.errors import ModelError
from aeon.schema import LONGEST_TASK, Source, StepResult
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["HOUSE", "deciding"]

HOUSE = (
    "1 Mimi, the grey cat, was born in 2015.\n2 Rex is a dog of 9 years.\n"
    "3 The vet, Dr. Adler, opens at 8:30 on weekdays.\n"
    "4 Vaccinations are free for kittens, for dogs they cost 38 euros.\n"
    "5 Ask Jana Kolar about the garden fence."
)
"""The sentences of examples."""
_LONGEST_SENTENCES = 6_000
_SENTENCE_TOKENS = 90
_ITEM = re.compile(r"[-*+\u2022] .*\w \S*\w", re.DOTALL)
_NUMBER = re.compile(r"\[(\d{1,3})\]")
_NEAR = 0.75
"""The share of the words of a question from which on a sentence is about it, whatever a judge says."""
_ENOUGH = 2
"""Words of a question that a sentence has alone, and is the one that decides it."""
_NONE = "[0]"
_FOOD = "Food may not be left in the waiting room."
_SHOWN = fence("sentences", f"{HOUSE}\n6 {_FOOD}", _LONGEST_SENTENCES)
_EXAMPLES = tuple(
    (f"{_SHOWN}\nQuestion: {question}", reply)
    for question, reply in (
        ("Is Rex still a puppy?", "[2] Rex is a dog of 9 years. So: no"),
        (
            "Can I get a kitten vaccinated without paying?",
            "[4] Vaccinations are free for kittens, for dogs they cost 38 euros. So: yes",
        ),
        ("Does the surgery sell cat food?", _NONE),
        ("May I leave a bowl of food in the waiting room?", f"[6] {_FOOD} So: no"),
        ("Is somebody there at nine on a Tuesday?", "[3] The vet, Dr. Adler, opens at 8:30 on weekdays. So: yes"),
        ("Is there a lift in the house?", _NONE),
    )
)


async def deciding(supervisor: Supervisor, question: str, sources: Sequence[Source]) -> StepResult | None:
    """The sentence that decides the question; ``None`` where none of them does.

    If just one has every word of the question, nobody is asked which it is. Else the model names it; where that has
    no word of the question, and the nearest to it has, it is this. The conclusion stands before the sentence where
    a judge is sure of it. Where one doubts that the sentence answers the question, it is partly clear, unless the
    conclusion is sure and most words of the question stand there: for that judge a prohibition does not answer
    whether it is allowed.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    whole = [one for one in sources if _is_said(one.text)]
    words = stems(question.strip().partition(" ")[2])  # without its verb: may, is
    judge = AnswerJudge(Judge(supervisor, samples=0))
    literal = _literal(words, whole)
    asked = bool(whole) and (literal is None or len(words) < _ENOUGH)
    chosen = await _chosen(supervisor, question, whole) if asked else None
    if chosen is None:
        return _given(literal, await _concluded(judge, question, literal, whole)) if literal is not None else None
    source = _nearer(question, words, chosen.source, whole)
    return (await _judged(judge, question, words, source, whole)).changed(likelihood=chosen.likelihood)


async def _judged(
    judge: AnswerJudge, question: str, words: frozenset[str], source: Source, whole: Sequence[Source]
) -> StepResult:
    """The sentence that a model named, with the conclusion and the doubt that judges have.

    Where one call alone is left, it is for the doubt.
    """
    said = await judge.concluded(question, (source,), whole) if await judge.able(2) else ""
    is_near = _NEAR * len(words) <= len(words & stems(f"{source.heading} {source.text}"))
    score = None if said and is_near else await judge.doubted(question, (source,), whole)
    doubt = f"the text may not answer exactly this: judged {score:.2f}" if score is not None else ""
    return _given(source, said, doubt)


async def _concluded(judge: AnswerJudge, question: str, source: Source, whole: Sequence[Source]) -> str:
    """The conclusion from a sentence that was found without a model, which is the answer also where none can be had."""
    try:
        return await judge.concluded(question, (source,), whole)
    except ModelError:
        return ""


def _is_said(sentence: str) -> bool:
    """Whether a sentence may decide something: it ends like one, or is an item of a list."""
    return sentence.endswith((".", "!")) or bool(_ITEM.match(sentence))


def _literal(words: frozenset[str], sentences: Sequence[Source]) -> Source | None:
    """The only sentence that has all these words, with its heading."""
    found = [one for one in sentences if words and words <= stems(f"{one.heading} {one.text}")]
    return found[0] if len(found) == 1 else None


def _nearer(question: str, words: frozenset[str], chosen: Source, sentences: Sequence[Source]) -> Source:
    """The sentence nearest to the question, where it has some of these words of it and the chosen one has none."""
    near = dict(zip(sentences, nearness(sentences, question), strict=True))
    nearest = max(sentences, key=lambda one: near[one])
    return nearest if words & stems(nearest.text) and not words & stems(chosen.text) else chosen


class _Chosen(NamedTuple):
    """A sentence, and how likely the model was to write what names it."""

    source: Source
    likelihood: float | None


async def _chosen(supervisor: Supervisor, question: str, sentences: Sequence[Source]) -> _Chosen | None:
    """The sentence that the model names: the one whose words it writes, else that of the number."""
    shown = "\n".join(numbered(sentences))
    asked = f"{fence('sentences', shown, _LONGEST_SENTENCES)}\nQuestion: {cut(question, LONGEST_TASK)}"
    prompt = Prompt(load("aeon.execution", "read_yes_no.md"), asked, _EXAMPLES, fixed=True)
    reply = await supervisor.text(prompt, max_tokens=_SENTENCE_TOKENS, repairs=0, likelihood=True)
    named = _NUMBER.search(reply.value)
    if named is None or not 1 <= int(named[1]) <= len(sentences):
        return None
    said, number = stems(reply.value), int(named[1]) - 1
    source = max(sentences, key=lambda one: (len(said & stems(one.text)), one == sentences[number]))
    return _Chosen(source, reply.likelihood)


def _given(source: Source, concluded: str, doubt: str = "") -> StepResult:
    """The sentence as the answer, behind the conclusion that was drawn, if any."""
    sentence = without_mark(source.text)
    read = StepResult(output=f"{concluded}. {sentence}" if concluded else sentence, mode="reading", sources=(source,))
    return read.changed(clarity="PARTIALLY_CLEAR", problem=doubt) if doubt else read
