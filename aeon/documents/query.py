"""Words of a text and of a question, as the full-text index of SQLite (FTS5) takes them."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator

from aeon.documents.plain import word_set

__all__ = ["content", "expression", "spaced", "terms"]

_MOST_WORDS = 32
_LONGEST_WORD = 100

# Scripts that are written without blanks, and Korean, whose particles stick to the words: one character is one token.
_CHARACTER = re.compile(
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_RUN = re.compile(f"{_CHARACTER.pattern}+")

_STOP_WORDS = word_set(
    # English
    "a about am an and any are as at be been but by can could did do does for from had has have how i if in into is it "
    "its may me might must my of on or our shall should so such than that the their them then there these they this "
    "those to us was we were what when where which while who whom whose why will with would you your s t ll re ve d m "
    # German
    "aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese diesem diesen dieser dieses du "
    "durch ein eine einem einen einer eines er es für hat haben hatte ich ihr ihre im in ins ist ja kann können man "
    "mein mit muss nach nicht noch nur ob oder sein seine sich sie sind so soll über um und uns unser unter vom von "
    "vor wann war waren warum was welche welchem welchen welcher welches wem wen wenn wer werden wie wieso wieviel wir "
    "wird wo wurde zu zum zur"
)


def spaced(text: str) -> str:
    """Return the text with blanks around each Chinese, Japanese and Korean character, so that each is one token."""
    return _CHARACTER.sub(r" \g<0> ", text)


def terms(question: str) -> list[str]:
    """Return the content words of a question as FTS5 phrases, up to 32; in quotes, so that nothing is FTS5 syntax."""
    return [f'"{word}"' for word in content(question)[:_MOST_WORDS]]


def content(text: str) -> list[str]:
    """Return the content words of a text in lower case, each once: letters, marks and digits, without stop words.

    Of Chinese, Japanese and Korean, each two neighbouring characters count as a word.
    """
    letters = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in text)
    words = (word for run in letters.split() for word in _words(run))
    return list(dict.fromkeys(word for word in words if word not in _STOP_WORDS))


def expression(counts: dict[str, int], most: int) -> str:
    """Return the FTS5 expression for terms that this many passages hold each, so that about ``most`` are ranked.

    Passages that hold any of the rarer terms are ranked, by all terms. The others would come last anyway: what many
    passages hold weighs little.
    """
    rising = sorted(counts, key=counts.__getitem__)
    totals = itertools.accumulate(counts[term] for term in rising)
    rare = [
        term for number, (term, total) in enumerate(zip(rising, totals, strict=True)) if total <= most or not number
    ]
    if len(rare) == len(rising):
        return " OR ".join(rare)
    return f"({' OR '.join(rare)}) AND ({' OR '.join(rising)})"


def _words(run: str) -> Iterator[str]:
    for characters in _RUN.findall(run):
        pairs = [f"{a} {b}" for a, b in itertools.pairwise(characters)]
        yield from pairs or characters
    yield from (word[:_LONGEST_WORD].lower() for word in _RUN.sub(" ", run).split())
