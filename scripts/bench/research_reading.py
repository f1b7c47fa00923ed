"""Passages as numbered sentences, and a short answer read out of them with the sentences that it rests on."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from research_asking import Asker

from aeon.documents.plain import word_set
from aeon.language.words import stems
from aeon.schema import Passage, Source

__all__ = ["Reading", "absent", "names", "numbered", "read"]

READ = (
    "Answer the question from the numbered sentences alone: in a few words, then the number of the sentence in "
    "brackets, as in: 14 days [2.3]. If no sentence says it, reply: not stated"
)
_HOUSE = (
    "[1] Harbour Clinic\n1.1 The Harbour Clinic is an animal clinic in Ostend.\n1.2 Its head is the vet Dr. Adler.\n"
    "[2] Mimi (cat)\n2.1 Mimi is a grey cat from Bruges who was born on 3 May 2015.\n"
    "2.2 She lives with the painter Jan Maes."
)
EXAMPLES = (
    (f"{_HOUSE}\n\nQuestion: Who heads the clinic in Ostend?", "Dr. Adler [1.2]"),
    (f"{_HOUSE}\n\nQuestion: When was Mimi the cat born?", "3 May 2015 [2.1]"),
    (f"{_HOUSE}\n\nQuestion: Who or what is the painter with whom Mimi lives?", "Jan Maes [2.2]"),
    (f"{_HOUSE}\n\nQuestion: When was Jan Maes born?", "not stated"),
)
_NAMES_OR_WORDS = re.compile(r"[^\W\d]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LABEL = re.compile(r"\[?\b(\d{1,2}\.\d{1,2})\b\]?")
_ABSENT = re.compile(
    r"\bnot (?:stated|mentioned|said|given|specified|provided|found|available)\b|\bno sentence\b", re.I
)
_NAME = re.compile(r"\b(?:[A-Z][\w'\u2019]*|\d{3,4})\b")
_ASKING = word_set(
    "who what when where which whose whom why how in on at of from is are was were did do does the a an for to by "
    "under name if between both has have had this that it"
)


@dataclass(frozen=True)
class Reading:
    """An answer, "" if the sentences do not say it, the sentences it cites, and the passages that were read."""

    question: str
    answer: str
    cited: tuple[Source, ...]
    passages: tuple[Passage, ...]


def numbered(passages: Sequence[Passage]) -> tuple[str, dict[str, Source]]:
    """The passages with a number for each sentence, and the sentences by number. A title has none."""
    lines, labels = list[str](), dict[str, Source]()
    for number, passage in enumerate(passages, 1):
        sentences = passage.sources()
        has_title = passage.start == 0 and len(sentences) > 1 and len(sentences[0].text) < 100
        lines.append(f"[{number}] {sentences[0].text if has_title else passage.source.removesuffix('.txt')}")
        for place, sentence in enumerate(sentences[has_title:], 1):
            labels[f"{number}.{place}"] = sentence
            lines.append(f"{number}.{place} {' '.join(sentence.text.split())}")
    return "\n".join(lines), labels


def absent(reply: str) -> bool:
    """Whether a reply says that the answer is not there."""
    return not reply or bool(_ABSENT.search(reply))


def names(text: str) -> frozenset[str]:
    """The stems of the capitalised words and numbers of a question, words of asking aside."""
    return stems(" ".join(word for word in _NAME.findall(text) if word.casefold() not in _ASKING))


async def read(question: str, passages: Sequence[Passage], asker: Asker, before: str = "") -> Reading:
    """What the passages say to a question; without a passage nothing, and the model is not asked."""
    if not passages:
        return Reading(question, "", (), ())
    text, labels = numbered(passages)
    reply = await asker.text(READ, f"{text}\n\n{before}Question: {question}", EXAMPLES)
    reply = reply.splitlines()[0] if reply else ""
    answer = _LABEL.sub("", reply).strip(" .,;[]\"'")
    answer = "" if absent(reply) else _spelt(answer, text)
    if not answer or not _borne_out(answer, question, text):
        return Reading(question, "", (), tuple(passages))
    return Reading(question, answer, _cited(reply, answer, labels), tuple(passages))


def _cited(reply: str, answer: str, labels: Mapping[str, Source]) -> tuple[Source, ...]:
    """The sentences that the reply names and that hold a word of the answer; for want of these, the likeliest one."""
    words, cited = stems(answer), [labels[one] for one in dict.fromkeys(_LABEL.findall(reply)) if one in labels]
    holding = [one for one in cited if not words or words & stems(f"{one.text} {one.source}")]
    return tuple(holding or _likely(answer, labels.values()))


def _spelt(answer: str, text: str) -> str:
    """The answer, with words that the text only has a little otherwise as the text has them."""
    there = sorted(set(_NAMES_OR_WORDS.findall(text)))
    for word in _NAMES_OR_WORDS.findall(answer):
        if word not in there and len(word) > 4 and (close := difflib.get_close_matches(word, there, 1, 0.8)):
            answer = answer.replace(word, close[0])
    return answer


def _borne_out(answer: str, question: str, text: str) -> bool:
    """Whether every number of the answer and half of its words stand in what was read."""
    if answer.lower() in ("yes", "no"):
        return True
    words, numbers = stems(answer), set(_NUMBER.findall(answer))
    return numbers <= set(_NUMBER.findall(f"{text} {question}")) and 2 * len(words & stems(text)) >= len(words)


def _likely(answer: str, sentences: Iterable[Source]) -> list[Source]:
    """The first sentence that holds most words of the answer, if one holds any."""
    words = stems(answer)
    best = max(sentences, key=lambda one: len(words & stems(one.text)), default=None)
    return [best] if best is not None and words & stems(best.text) else []
