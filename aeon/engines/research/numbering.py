"""Passages as numbered sentences: the model points at numbers, and the host knows the spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from aeon.documents.words import stems
from aeon.engines.research.effects import Numbered
from aeon.engines.research.values import Citation
from aeon.text import one_line

__all__ = ["Labels", "citations", "likeliest", "numbered", "with_titles"]

Labels = dict[str, Citation]
"""Sentences of sources by their labels, as ``2.4``: the fourth sentence of the second passage; ``2.0`` is its title."""

_LONGEST_TITLE, _LONGEST_SENTENCE = 100, 1_000
_LABEL = re.compile(r"(?<![\d.])(\d{1,3}\.\d{1,3})(?![\d.])")
_MARK = re.compile(r"\s*[\[【]\s*\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*[\]】]")
"""What looks like a citation in a page, and is none of this answer."""
_LISTED = re.compile(r"[\[【(]\s*(?:\d{1,3}\.\d{1,3}\s*[,;&]?\s*(?:and\s+)?)+[\]】)]")


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

    Labels stand in brackets of any kind, alone or several together, or bare.
    """
    named = [labels[label] for label in dict.fromkeys(_LABEL.findall(reply)) if label in labels]
    bare = _LABEL.sub(lambda label: "" if label[1] in labels else label[0], _MARK.sub("", _LISTED.sub("", reply)))
    return bare.strip(), tuple(named)


def with_titles(answer: str, cited: Sequence[Citation], labels: Labels) -> tuple[Citation, ...]:
    """The cited sentences, with the titles of their sources that hold words of the answer which they lack."""
    lacking = stems(answer) - stems(" ".join(one.source.text for one in cited))
    numbers = {one.number for one in cited}
    titles = [one for label, one in labels.items() if label.endswith(".0") and one.number in numbers]
    return (*cited, *(one for one in titles if one not in cited and lacking & stems(one.source.text)))


def likeliest(answer: str, every: Iterable[Citation]) -> tuple[Citation, ...]:
    """The first sentence that holds most of the words of an answer; none if none holds any."""
    words = stems(answer)
    best = max(every, key=lambda one: len(words & stems(one.source.text)), default=None)
    return (best,) if best is not None and words & stems(best.source.text) else ()


def _distinct(passages: Sequence[Numbered]) -> list[Numbered]:
    return list({(one.number, one.passage.start): one for one in passages}.values())
