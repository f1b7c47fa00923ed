"""How right an answer is, and what its citations are worth, by the rules of SQuAD and of the supporting documents."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

__all__ = ["cited_right", "exact", "f1", "normal"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)


def normal(text: str) -> str:
    """The text in lower case, without punctuation, articles and double blanks (SQuAD's official evaluation)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_MARKS)).split())


def exact(answer: str, expected: Sequence[str]) -> bool:
    """Whether the answer is one of those expected."""
    return normal(answer) in {normal(one) for one in expected}


def f1(answer: str, expected: Sequence[str]) -> float:
    """The harmonic mean of precision and recall of the answer's words, for the expected answer that it is closest to.

    An answer of yes or no counts only whole, as in HotpotQA's official evaluation.
    """
    return max(_f1(normal(answer), normal(one)) for one in expected)


def _f1(answer: str, expected: str) -> float:
    if answer != expected and {answer, expected} & {"yes", "no"}:
        return 0.0
    said, right = answer.split(), expected.split()
    common = sum((Counter(said) & Counter(right)).values())
    return 2 * common / (len(said) + len(right)) if common else 0.0


def cited_right(cited: Sequence[str], supporting: Sequence[str]) -> tuple[int, int, int, int]:
    """Citations in a supporting document, and all; supporting documents that are cited, and all.

    ``cited`` names the document of each cited span. That a span lies in the right document is less than that it
    supports the answer, which `research_support` asks.
    """
    gold = set(supporting)
    return sum(name in gold for name in cited), len(cited), len(gold & set(cited)), len(gold)
