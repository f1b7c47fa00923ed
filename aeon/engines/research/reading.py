"""What a model is asked about passages and questions: it reads, and points at spans of the question."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Sequence

from aeon.engines.research.common import stems
from aeon.engines.research.echoes import is_echo
from aeon.engines.research.effects import Numbered
from aeon.engines.research.marking import unmarked
from aeon.engines.research.options import Choice, one_of
from aeon.engines.research.questions import asks_yes_no, is_of_kind
from aeon.engines.research.texts import Texts, large, numbers, shown, spelt
from aeon.errors import Truncated
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["absent", "chosen", "read"]

_PACKAGE = "aeon.engines.research"
_ANSWER_TOKENS = 48
_LONGEST_QUESTION = 600
_MOST_BYTES = 9_000
"""Of the passages of a prompt: with instructions and answer they fit a context of 4,096 tokens in any script."""
_ABSENT = re.compile(
    r"\bnot (?:stated|mentioned|said|given|specified|provided|found|available)\b|\bno sentence\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d]+")
_SHORT, _ALIKE = 4, 0.8
_PLAIN = frozenset({"yes", "no"})
_YES_OR_NO = re.compile(r"(?:yes|no)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"(?:^|[.;,] )\W*when (?:was|were|is|are|did|does|do|will|has|had|can|could|must|should|would)\b|"
    r"\b(?:in|from|since|by|until) (?:what|which) (?:year|month|century|season)\b|\bwhat (?:year|date|day)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\d|\b(?:after|before|during|when|while|until|till|since|at|in|on|by|between|every|each|daily|weekly|monthly|yearly|"
    r"always|never|now|today|tonight|tomorrow|yesterday|soon|later|once|twice|night|days?|morning|afternoon|evening|noon|"
    r"midday|midnight|dawn|dusk|sunset|sunrise|weeks?|weekends?|months?|years?|hours?|minutes?|seasons?|spring|summer|"
    r"autumn|fall|winter|century|decade|january|february|march|april|may|june|july|august|september|october|november|"
    r"december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|easter|christmas|advent|lent|michaelmas|last|next)\b",
    re.IGNORECASE,
)
"""What an answer to "when" has, if no number in words: of 34 without, all are wrong."""
_HOW = "Answer in a few words."
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


async def chosen(supervisor: Supervisor, question: str, spans: Sequence[str]) -> str:
    """The span of the question that has to be looked up first, as the model chooses; it can choose nothing else.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    if len(spans) == 1:
        return spans[0]
    examples = tuple((asked, Choice(choice=span).model_dump_json()) for asked, span in _CHOICES)
    prompt = Prompt(load(_PACKAGE, "choose.md"), cut(question, _LONGEST_QUESTION), examples, fixed=True)
    return await one_of(supervisor, prompt, spans)


async def read(supervisor: Supervisor, question: str, passages: Sequence[Numbered]) -> tuple[str, Texts]:
    """What the passages say to a question, "" where they do not say it, and the texts that were read.

    They are read as running texts: as numbered lines, a small model stops at the first name that fits, of several hops
    at the first one. It is not told that it may refuse: then it refuses most that takes several hops. An answer counts
    only if the question does not say it, and its numbers and half of its words stand in what was read.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
    """
    texts = shown(_fitting(passages))
    if not texts.sentences:
        return "", texts
    limit = _MOST_BYTES * len(texts.text) // len(texts.text.encode())
    asked = f"{fence('texts', texts.text, limit)}\nQuestion: {cut(question, _LONGEST_QUESTION)}\n{_HOW}"
    try:
        reply = await supervisor.text(Prompt(load(_PACKAGE, "read.md"), asked), max_tokens=_ANSWER_TOKENS, repairs=0)
    except Truncated:  # it goes on and on, which is no answer in a few words
        return "", texts
    line = next(line for line in reply.value.splitlines() if line.strip())
    said = _plain(question, unmarked(line).strip(" .,;[]\"'"))
    answer = "" if absent(said) else _spelt(said, texts.text)
    stands = _is_answer(answer, question) and _borne_out(answer, question, texts.text)
    return answer if stands else "", texts


def _is_answer(answer: str, question: str) -> bool:
    """Whether what is said is of the kind that is asked for, and not what the question says itself."""
    return (
        bool(answer) and is_of_kind(question, answer) and _is_time(question, answer) and not is_echo(question, answer)
    )


def _is_time(question: str, answer: str) -> bool:
    """Whether an answer can be a time, where one is asked for: to when something was founded, no name of it can."""
    return not _WHEN.search(question) or _TIME.search(answer) is not None or bool(spelt(answer))


def _plain(question: str, answer: str) -> str:
    """Yes or no alone, where that is asked for: a small model says why, and often wrongly."""
    found = _YES_OR_NO.match(answer) if asks_yes_no(question) else None
    return found[0].casefold() if found else answer


def _spelt(answer: str, text: str) -> str:
    """The answer, with words that the text has a little otherwise as the text has them."""
    there = sorted(set(_WORD.findall(text)))
    for word in _WORD.findall(answer):
        if word not in there and len(word) > _SHORT and (close := difflib.get_close_matches(word, there, 1, _ALIKE)):
            answer = answer.replace(word, close[0])
    return answer


def _fitting(passages: Sequence[Numbered]) -> Sequence[Numbered]:
    """The first passages that fit a prompt together; at least one."""
    sizes = itertools.accumulate(len(shown([one]).text.encode()) for one in passages)
    return passages[: max(1, sum(size <= _MOST_BYTES for size in sizes))]


def _borne_out(answer: str, question: str, text: str) -> bool:
    """Whether every number of the answer and half of its words stand in what was read.

    A small number in words is a word.
    """
    if answer.casefold() in _PLAIN:
        return True
    in_words = large(answer)
    words, figures = stems(answer) - stems(" ".join(in_words)), numbers(answer) | {*in_words.values()}
    known = numbers(f"{text} {question}") | spelt(text)
    return figures <= known and 2 * len(words & (stems(text) | figures)) >= len(words)
