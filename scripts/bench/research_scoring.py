"""How right an answer is, and what its citations are worth, by the rules of SQuAD and of the supporting documents."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence

__all__ = ["broken", "cited_right", "exact", "f1", "holds", "invented", "is_covered", "normal"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)


def normal(text: str) -> str:
    """The text in lower case, without punctuation, articles and double blanks (SQuAD's official evaluation)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_MARKS)).split())


def exact(answer: str, expected: Sequence[str]) -> bool:
    """Whether the answer is one of those expected."""
    return normal(answer) in {normal(one) for one in expected}


def holds(answer: str, expected: Sequence[str]) -> bool:
    """Whether the answer has one of those expected in it, as whole words: it may say it in a sentence."""
    said = f" {normal(answer)} "
    return any(f" {normal(one)} " in said for one in expected if normal(one))


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
    supports the answer: that takes a judge.
    """
    gold = set(supporting)
    return sum(name in gold for name in cited), len(cited), len(gold & set(cited)), len(gold)


def is_covered(cited: Sequence[str], supporting: Sequence[str]) -> bool:
    """Whether an answer has citations that support it: every document that it takes is cited.

    Citation recall is the share of such answers among those that were given. An answer of the benchmark is one value in
    one sentence, so answers are its sentences. A form that cites nothing covers none.
    """
    return bool(supporting) and set(supporting) <= set(cited)


def invented(cited: Sequence[str], read: Sequence[str], marks: Sequence[int], listed: Sequence[int]) -> tuple[int, int]:
    """Citations of what is not there, and all citations; the first has to be 0.

    Not there is a document that was never read, and a number (``marks``) that the source list has not (``listed``).
    Rows that were written before the numbers were recorded are counted by their documents alone.
    """
    unread = sum(name not in set(read) for name in cited)
    return unread + sum(number not in set(listed) for number in marks), len(cited) + len(marks)


def broken(cited: Sequence[tuple[str, int, int, str]], texts: Mapping[str, str]) -> int:
    """Cited spans (document, start, end, quote) that are outside their text or are not their quote; has to be 0."""
    return sum(not _is_quote(texts.get(name), start, end, quote) for name, start, end, quote in cited)


def _is_quote(text: str | None, start: int, end: int, quote: str) -> bool:
    return text is not None and 0 <= start < end <= len(text) and text[start:end] == quote
