"""The descriptions in a question that could be looked up first, as spans of it, and the choice of one by a model."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from research_asking import Asker
from research_reading import names

from aeon.documents.plain import word_set
from aeon.language.words import content_words

__all__ = ["candidates", "choose", "nested"]

CHOOSE = (
    "Copy from the question, word for word, the thing that has to be looked up first: the description of something "
    "that the question does not name, the innermost one if there are several."
)
CHOICES = (
    ("Who was the first mayor of Oakdale's county?", "Oakdale's county"),
    ("When was the company that built the Millau Viaduct founded?", "the company that built the Millau Viaduct"),
    ("Who is the mayor of the city where the author of Heidi died?", "the author of Heidi"),
    ("When did the state the Battle of Fallen Oak took place become a kingdom?",
     "the state the Battle of Fallen Oak took place"),
    ("What is the largest lake in the country with the longest coast?", "the country with the longest coast"),
    ("Who did the painter of Red Harbour write the letter \"To a Friend\" for?", "the painter of Red Harbour"),
    ("What film stars Ann Lee and the producer of Night Train?", "the producer of Night Train"),
    ("Who is the wife of the man who led the country where Ulm is during the floods of 1920?",
     "the country where Ulm is"),
    ("Who is the wife of the man who led Germany during the floods of 1920?",
     "the man who led Germany during the floods of 1920"),
    ("What is the nationality of the author of Stone?", "the author of Stone"),
    ("The singer of the song \"Blue Lights\" was the first wife of what actor?",
     "The singer of the song \"Blue Lights\""),
    ("In which part of the country where the river Orla rises did the revolt begin?",
     "the country where the river Orla rises"),
    ("Who coached last year's champion for Tom Reed's club?", "Tom Reed's club"),
    ("What is the town where Ilmo is located famous for?", "the town where Ilmo is located"),
    ("What kind of school did the inventor of the Blue Lamp attend?", "the inventor of the Blue Lamp"),
    ("Who won the prize named after the mother of the singer of Blue Lights?", "the singer of Blue Lights"),
)  # fmt: skip
_ARTICLES = frozenset({"the", "a", "an"})
_DEFINITE = "the"
_NO_END = word_set(
    "the a an of in on at by for to and or with from that which who whose whom where what when how did do does as into "
    "between during"
)
_LONGEST = 18
_WORD = re.compile(r"\S+")
_NAMED = re.compile(r"[A-Z]|\d{3}")
_ASKS = re.compile(r"\b(?:what|whom)\b", re.I)
_ASKING = re.compile(r"\b(?:who|what|which|when|where|whom|whose|how|why)\b", re.I)
_CLAUSE = re.compile(r"\b(?:who|which|that|where|whose)\b", re.I)
_ENDING = " ?.,;:"


def candidates(question: str) -> list[str]:
    """The spans of a question that may describe a thing without naming it, in order.

    Such a span begins with a definite article before a word in small letters or is a possessive name with what it has.
    A question with a name has only spans with a name.
    """
    spans = [span for span in dict.fromkeys(_spans(question)) if _is_part(span, question)]
    named = [span for span in spans if _NAMED.search(span)]
    return named if named or names(question) else [span for span in spans if len(span.split()) > 3]


def _spans(question: str) -> Iterator[str]:
    words = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(question)]
    for place in range(len(words)):
        yield from _described(question, words, place)
        yield from _possessed(question, words, place)


def _described(question: str, words: list[tuple[int, int, str]], first: int) -> list[str]:
    start, _, word = words[first]
    if word.lower().strip(',"') != _DEFINITE or first + 1 == len(words) or not words[first + 1][2][0].islower():
        return []
    run = words[first + 1 : first + _LONGEST]
    after = next((n for n, (one, other) in enumerate(itertools.pairwise(run), 1)
                  if other[2] in _ARTICLES and one[2][0].isupper()), len(run))  # fmt: skip
    ends = [(end, last) for _, end, last in run[:after]]
    return [question[start:end].rstrip(_ENDING) for end, last in ends if last.strip(_ENDING).lower() not in _NO_END]


def _possessed(question: str, words: list[tuple[int, int, str]], place: int) -> list[str]:
    if not re.search(r"['\u2019]s?$", words[place][2]) or not words[place][2][0].isupper():
        return []
    first = place
    while first > 1 and words[first - 1][2][0].isupper():
        first -= 1
    ends = [(end, last) for _, end, last in words[place + 1 : place + 4]]
    return [question[words[first][0] : end].rstrip(_ENDING) for end, last in ends
            if last.strip(_ENDING).lower() not in _NO_END]  # fmt: skip


def _is_part(span: str, question: str) -> bool:
    """Whether what is left of the question still asks, and asks something about the span, not only what it is."""
    rest = question.replace(span, " ")
    if _ASKS.search(span):
        return False
    return bool(content_words(rest)) and bool(_ASKING.search(rest) or not _ASKING.search(question))


def nested(span: str) -> bool:
    """Whether the span describes by a clause."""
    return bool(_CLAUSE.search(span))


async def choose(question: str, spans: list[str], asker: Asker) -> str:
    """The span that has to be looked up first, as the model chooses; it can choose no other text."""
    if len(spans) == 1:
        return spans[0]
    return await asker.choice(CHOOSE, question, CHOICES, spans)
