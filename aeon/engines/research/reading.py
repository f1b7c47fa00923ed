"""What a model is asked about passages and questions: it points at sentences and at spans of the question."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Sequence

from aeon.documents.words import stems
from aeon.engines.research.effects import Numbered
from aeon.engines.research.numbering import citations, likeliest, numbered, terms, with_titles
from aeon.engines.research.values import Citation, Finding
from aeon.schema import JsonObject
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["absent", "chosen", "found_out"]

_PACKAGE = "aeon.engines.research"
_ANSWER_TOKENS, _CHOICE_TOKENS = 48, 80
_LONGEST_QUESTION = 600
_MOST_BYTES = 9_000
"""Of the passages of a prompt: with instructions and answer they fit a context of 4,096 tokens in any script."""
_ABSENT = re.compile(
    r"\bnot (?:stated|mentioned|said|given|specified|provided|found|available)\b|\bno sentence\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d]+")
_SHORT, _ALIKE = 4, 0.8
_PLAIN = frozenset({"yes", "no"})
_LABELLED = re.compile(r"^(?:\[\d+\]|\d+\.\d+) ", re.MULTILINE)
_CLINIC = fence(
    "sentences",
    "[1] Harbour Clinic\n1.1 The Harbour Clinic is an animal clinic in Ostend.\n1.2 Its head is the vet Dr. Adler.\n"
    "[2] Mimi (cat)\n2.1 Mimi is a grey cat from Bruges, born on 3 May 2015.\n2.2 She lives with the painter Jan Maes.",
    _MOST_BYTES,
)
_READ = (
    (f"{_CLINIC}\nQuestion: Who heads the clinic in Ostend?", "Dr. Adler [1.2]"),
    (f"{_CLINIC}\nQuestion: When was Mimi the cat born?", "3 May 2015 [2.1]"),
    (f"{_CLINIC}\nQuestion: Who or what is the painter with whom Mimi lives?", "Jan Maes [2.2]"),
    (f"{_CLINIC}\nQuestion: When was Jan Maes born?", "not stated"),
)
_CHOICES = (
    ("Who was the first mayor of Oakdale's county?", "Oakdale's county"),
    ("When was the company that built the Millau Viaduct founded?", "the company that built the Millau Viaduct"),
    ("Who is the mayor of the city where the author of Heidi died?", "the author of Heidi"),
    (
        "When did the state the Battle of Fallen Oak took place become a kingdom?",
        "the state the Battle of Fallen Oak took place",
    ),
    ("What is the largest lake in the country with the longest coast?", "the country with the longest coast"),
    ('Who did the painter of Red Harbour write the letter "To a Friend" for?', "the painter of Red Harbour"),
    ("What film stars Ann Lee and the producer of Night Train?", "the producer of Night Train"),
    (
        "Who is the wife of the man who led the country where Ulm is during the floods of 1920?",
        "the country where Ulm is",
    ),
    (
        "Who is the wife of the man who led Germany during the floods of 1920?",
        "the man who led Germany during the floods of 1920",
    ),
    ("What is the nationality of the author of Stone?", "the author of Stone"),
    (
        'The singer of the song "Blue Lights" was the first wife of what actor?',
        'The singer of the song "Blue Lights"',
    ),
    (
        "In which part of the country where the river Orla rises did the revolt begin?",
        "the country where the river Orla rises",
    ),
    ("Who coached last year's champion for Tom Reed's club?", "Tom Reed's club"),
    ("What is the town where Ilmo is located famous for?", "the town where Ilmo is located"),
    ("What kind of school did the inventor of the Blue Lamp attend?", "the inventor of the Blue Lamp"),
    ("Who won the prize named after the mother of the singer of Blue Lights?", "the singer of Blue Lights"),
)


def absent(reply: str) -> bool:
    """Whether a reply says that the answer is not there."""
    return not reply or _ABSENT.search(reply) is not None


class _Choice(Frozen):
    choice: str


async def chosen(supervisor: Supervisor, question: str, spans: Sequence[str]) -> str:
    """The span of the question that has to be looked up first, as the model chooses; it can choose nothing else.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    if len(spans) == 1:
        return spans[0]
    schema: JsonObject = {
        "type": "object",
        "properties": {"choice": {"enum": list(spans)}},
        "required": ["choice"],
        "additionalProperties": False,
    }
    examples = tuple((asked, _Choice(choice=span).model_dump_json()) for asked, span in _CHOICES)
    prompt = Prompt(load(_PACKAGE, "choose.md"), cut(question, _LONGEST_QUESTION), examples, fixed=True)
    reply = await supervisor.structured(prompt, _Choice, max_tokens=_CHOICE_TOKENS, schema=schema, repairs=1)
    return reply.value.choice


async def found_out(supervisor: Supervisor, question: str, passages: Sequence[Numbered]) -> Finding:
    """What the passages say to a question; nothing where they do not say it.

    An answer counts only if its numbers and half of its words stand in what was read, and a sentence bears it out: a
    small model also repeats words of its examples.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    text, labels = numbered(_fitting(passages))
    nothing = Finding(question=question)
    if not labels:
        return nothing
    limit = _MOST_BYTES * len(text) // len(text.encode())
    asked = f"{fence('sentences', text, limit)}\nQuestion: {cut(question, _LONGEST_QUESTION)}"
    prompt = Prompt(load(_PACKAGE, "read.md"), asked, _READ, fixed=True)
    reply = await supervisor.text(prompt, max_tokens=_ANSWER_TOKENS, repairs=0)
    line = next(line for line in reply.value.splitlines() if line.strip())
    answer, cited = citations(line, labels)
    plain = _LABELLED.sub("", text)
    answer = answer.strip(" .,;[]\"'")
    if absent(answer) or not (answer := _spelt(answer, plain)) or not _borne_out(answer, question, plain):
        return nothing
    evidence = _holding(answer, cited) or likeliest(answer, labels.values())
    if not evidence:
        return nothing
    return nothing.changed(answer=answer, evidence=with_titles(answer, evidence, labels))


def _spelt(answer: str, text: str) -> str:
    """The answer, with words that the text has a little otherwise as the text has them."""
    there = sorted(set(_WORD.findall(text)))
    for word in _WORD.findall(answer):
        if word not in there and len(word) > _SHORT and (close := difflib.get_close_matches(word, there, 1, _ALIKE)):
            answer = answer.replace(word, close[0])
    return answer


def _fitting(passages: Sequence[Numbered]) -> Sequence[Numbered]:
    """The first passages that fit a prompt together; at least one."""
    sizes = itertools.accumulate(len(numbered([one])[0].encode()) for one in passages)
    return passages[: max(1, sum(size <= _MOST_BYTES for size in sizes))]


def _borne_out(answer: str, question: str, text: str) -> bool:
    """Whether every number of the answer and half of its words stand in what was read."""
    if answer.casefold() in _PLAIN:
        return True
    words, numbers = stems(answer), set(_NUMBER.findall(answer))
    known = set(_NUMBER.findall(f"{text} {question}"))
    return numbers <= known and 2 * len(words & stems(text)) >= len(words)


def _holding(answer: str, cited: Sequence[Citation]) -> tuple[Citation, ...]:
    """Those of the cited sentences that hold a word or a number of the answer, unless it is a mere yes or no."""
    words = frozenset[str]() if answer.casefold() in _PLAIN else terms(answer)
    return tuple(one for one in cited if not words or words & terms(f"{one.source.text} {one.source.source}"))
