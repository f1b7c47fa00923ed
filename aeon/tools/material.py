"""Sentences of texts that a model is shown, and how a prompt shows them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from aeon.schema import Source
from aeon.text import one_line

__all__ = ["Material", "material"]

_LONGEST_SENTENCE = 400


class Material(NamedTuple):
    """Sentences in the order of their texts; ``whole``: all that there are, the same for every question."""

    sentences: tuple[Source, ...]
    whole: bool


def material(sources: Sequence[Source]) -> str:
    """The sentences as a prompt shows them, each on a line, below the names of their files."""
    lines: list[str] = []
    for name, group in groupby(sources, key=lambda one: one.source):
        lines += [f"({one_line(name)})", *(one_line(one.text, _LONGEST_SENTENCE) for one in group)]
    return "\n".join(lines)
