"""Passages as numbered sentences: the model points at numbers, and the host knows the spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from aeon.documents.words import stems
from aeon.engines.research.effects import Numbered
from aeon.engines.research.marking import LABELLED, NUMBERS, unmarked
from aeon.engines.research.values import Citation
from aeon.text import one_line

__all__ = ["Labels", "citations", "likeliest", "numbered", "terms", "with_titles"]

Labels = dict[str, Citation]
"""Sentences of sources by their labels, as ``2.4``: the fourth sentence of the second passage; ``2.0`` is its title."""

_LONGEST_TITLE, _LONGEST_SENTENCE = 100, 1_000
_IN_PARENTHESES = re.compile(r"\s*\(((?:[\d.,;&\s\u2013-]|and|to)*)\)")
_BARE = re.compile(r"(?<![\d.,])\d{1,3}\.\d{1,3}(?![\d.,]*\d)")
_LABEL = re.compile(r"\d{1,3}\.\d{1,3}")


def numbered(passages: Sequence[Numbered]) -> tuple[str, Labels]:
    """The text that a prompt shows, a title and then a sentence a line, and the sentences by their labels."""
    lines: list[str] = []
    labels: Labels = {}
    for place, one in enumerate(_distinct(passages), 1):
        sentences = one.passage.sources()
        titled = one.passage.start == 0 and len(sentences) > 1 and len(sentences[0].text) <= _LONGEST_TITLE
        lines.append(f"[{place}] {one_line(sentences[0].text if titled else one.title or one.passage.source)}")
        if titled:
            labels[f"{place}.0"] = Citation(number=one.number, source=sentences[0])
        for number, sentence in enumerate(sentences[titled:], 1):
            labels[f"{place}.{number}"] = Citation(number=one.number, source=sentence)
            lines.append(f"{place}.{number} {one_line(sentence.text, _LONGEST_SENTENCE)}")
    return "\n".join(lines), labels


def citations(reply: str, labels: Labels) -> tuple[str, tuple[Citation, ...]]:
    """A reply without its labels, and the sentences that they name, each once; labels of nothing are left out.

    Whole and decimal numbers in square brackets are labels, alone or several together. In parentheses, or bare, only a
    decimal is one, unless it is a value: a number that stands in the sentences, and in parentheses names none of them.
    """
    values = {number for one in labels.values() for number in NUMBERS.findall(one.source.text)}
    named: list[str] = []

    def in_parentheses(match: re.Match[str]) -> str:
        numbers = NUMBERS.findall(match[1])
        if not all(_LABEL.fullmatch(one) and (one in labels or one not in values) for one in numbers):
            return match[0]
        named.extend(numbers)
        return ""

    def bare(match: re.Match[str]) -> str:
        if match[0] not in labels or match[0] in values:
            return match[0]
        named.append(match[0])
        return ""

    named += (number for match in LABELLED.finditer(reply) for number in NUMBERS.findall(match[1]))
    text = _BARE.sub(bare, _IN_PARENTHESES.sub(in_parentheses, unmarked(reply))).strip()
    return text, tuple(labels[label] for label in dict.fromkeys(named) if label in labels)


def with_titles(answer: str, cited: Sequence[Citation], labels: Labels) -> tuple[Citation, ...]:
    """The cited sentences, with the titles of their sources that hold words of the answer which they lack."""
    lacking = stems(answer) - stems(" ".join(one.source.text for one in cited))
    numbers = {one.number for one in cited}
    titles = (one for label, one in labels.items() if label.endswith(".0") and one not in cited)
    return (*cited, *(one for one in titles if one.number in numbers and lacking & stems(one.source.text)))


def likeliest(answer: str, every: Iterable[Citation]) -> tuple[Citation, ...]:
    """The first sentence that holds most of the words and numbers of an answer; none if none holds any."""
    words = terms(answer)
    best = max(every, key=lambda one: len(words & terms(one.source.text)), default=None)
    return (best,) if best is not None and words & terms(best.source.text) else ()


def terms(text: str) -> frozenset[str]:
    """The stems and the numbers of a text: what a sentence has to hold to say the same."""
    return stems(text) | frozenset(NUMBERS.findall(text))


def _distinct(passages: Sequence[Numbered]) -> list[Numbered]:
    return list({(one.number, one.passage.start): one for one in passages}.values())
