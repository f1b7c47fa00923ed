"""Which sentences of some passages may answer a question: the first passage whole, of the others the nearest ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

from aeon.documents.meaning import likeness
from aeon.documents.query import content
from aeon.schema import Passage, Source

__all__ = ["nearness", "telling"]

_MOST = 14
"""Sentences that a small model is shown: among more it takes a wrong one sooner, and each costs it half a second."""
_LEAST_ALIKE = 0.3


def telling(passages: Sequence[Passage], question: str, most: int = _MOST) -> list[Source]:
    """Return ``most`` sentences in the order of their passages: those of the first one, and as many others as fit.

    A first passage that has more than ``most`` itself is ranked like the others. No sentence comes twice.
    How near one is to the question is the sum of what its words have in common with each word of the question (1 for
    the same word, the cosine for one of much the same meaning), which counts the more the fewer sentences have its
    like. The name of the file and the heading belong to each sentence.
    """
    every = list({_place(one): one for passage in passages for one in passage.sources()}.values())
    first = {_place(one) for passage in passages[:1] for one in passage.sources()}
    first = first if len(first) <= most else set()
    others = [one for one in every if _place(one) not in first]
    near = dict(zip(map(_place, others), nearness(others, question), strict=True))
    ranked = sorted(near, key=lambda place: -near[place])
    kept = {*first, *ranked[: most - len(first)]}
    return [one for one in every if _place(one) in kept]


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
