"""Words of a text and of a question, as the full-text index of SQLite (FTS5) takes them."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator

from aeon.language.words import COMMON, language_of
from aeon.patterns import pattern

__all__ = ["content", "expression", "spaced", "terms"]

_MOST_WORDS = 32
_LONGEST_WORD = 100

# Scripts that are written without blanks, and Korean, whose particles stick to the words: one character is one token.
_CHARACTERS = (
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_CHARACTER, _RUN = pattern(_CHARACTERS), pattern(f"{_CHARACTERS}+")


def spaced(text: str) -> str:
    """Return the text with blanks around each Chinese, Japanese and Korean character, so that each is one token."""
    return _CHARACTER.sub(r" \g<0> ", text)


def terms(question: str) -> list[str]:
    """Return the content words of a question as FTS5 phrases, up to 32; in quotes, so that nothing is FTS5 syntax."""
    return [f'"{word}"' for word in content(question)[:_MOST_WORDS]]


def content(text: str) -> list[str]:
    """Return the content words of a text in lower case, each once: letters, marks and digits, without common words.

    Of Chinese, Japanese and Korean, each two neighbouring characters count as a word.
    """
    letters = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in text)
    words = (word for run in letters.split() for word in _words(run))
    common = COMMON[language_of(text)]
    return list(dict.fromkeys(word for word in words if word not in common))


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
