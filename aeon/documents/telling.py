"""Which sentences of some passages may answer a question: the first passage whole, of the others the nearest ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePath

from aeon.documents.meaning import likeness
from aeon.documents.query import content
from aeon.documents.sentences import heading_of, label_of
from aeon.schema import Passage, Source
from aeon.text import one_line

__all__ = ["nearness", "numbered", "telling"]

_MOST = 14
"""Sentences that a small model is shown: among more it takes a wrong one sooner, and each costs it half a second."""
_LEAST_ALIKE = 0.3
_LONGEST_SENTENCE = 400
_LONGEST_HEADING = 80
_WORDS_OF_HEADING = 6
"""A heading of more words, or with a number, may be what is asked for: Terms for orders, in force since 17 August."""


def telling(passages: Sequence[Passage], question: str, most: int = _MOST) -> list[Source]:
    """Return ``most`` sentences in the order of their passages: those of the first one, and as many others as fit.

    A first passage that has more than ``most`` itself is ranked like the others. No sentence comes twice.
    How near one is to the question is the sum of what its words have in common with each word of the question (1 for
    the same word, the cosine for one of much the same meaning), which counts the more the fewer sentences have its
    like. The name of the file and the heading belong to each sentence; a short
     heading without a number is none.
    """
    every = list({_place(one): one for passage in passages for one in _headed(passage)}.values())
    first = {_place(one) for passage in passages[:1] for one in _headed(passage)}
    first = first if len(first) <= most else set()
    others = [one for one in every if _place(one) not in first]
    near = dict(zip(map(_place, others), nearness(others, question), strict=True))
    ranked = sorted(near, key=lambda place: -near[place])
    kept = {*first, *ranked[: most - len(first)]}
    return [one for one in every if _place(one) in kept]


def numbered(sources: Sequence[Source]) -> list[str]:
    """The sentences as numbered lines of a prompt, below their files and headings."""
    lines: list[str] = []
    every = enumerate(sources, 1)
    for name, of_file in groupby(every, key=lambda pair: pair[1].source):
        file = one_line(name)
        for heading, group in groupby(of_file, key=lambda pair: one_line(pair[1].heading, _LONGEST_HEADING)):
            head = ": ".join(filter(None, (file, heading)))
            lines += [f"({head})"] if head else []
            lines += [f"{number} {one_line(source.text, _LONGEST_SENTENCE)}" for number, source in group]
            file = ""
    return lines


def _headed(passage: Passage) -> Iterator[Source]:
    """The sentences of a passage, each with its own heading; of headings those that may say something."""
    heading = passage.heading
    for one in passage.sources():
        own = heading_of(one.text)
        heading = own or label_of(one.text) or heading
        if not own or any(map(str.isdecimal, own)) or len(own.split()) > _WORDS_OF_HEADING:
            yield one.changed(heading=heading)


def _place(source: Source) -> tuple[str, int, int]:
    return source.source, source.start, source.end


def nearness(sources: Sequence[Source], question: str) -> list[float]:
    """How near each sentence is to a question among the others, from 0 (see `telling`)."""
    asked = content(question)
    words = [content(f"{PurePath(one.source).stem} {one.heading} {one.text}") for one in sources]
    alike = likeness(asked, [word for own in words for word in own], _LEAST_ALIKE)
    common = [[max((like.get(word, 0.0) for word in own), default=0.0) for like in alike] for own in words]
    rare = [math.log(1 + len(sources) / (0.5 + sum(column))) for column in zip(*common, strict=True)]
    return [sum(shared * weight for shared, weight in zip(row, rare, strict=True)) for row in common]
