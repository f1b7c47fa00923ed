"""How many bytes sources take in a prompt, and which digests fit there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest

from aeon.engines.research.effects import Numbered
from aeon.engines.research.values import Digest
from aeon.schema.plan import Source

__all__ = ["LONGEST_SENTENCE", "LONGEST_SUMMARY", "LONGEST_TITLE", "fitting_digests", "size_of"]

LONGEST_TITLE = 100
LONGEST_SUMMARY = 500
LONGEST_SENTENCE = 1_000
_OF_SENTENCE = 12
"""Bytes that a sentence takes beside its text."""
_OF_SOURCE = 40
"""Bytes that a source takes beside its sentences and its title; where and when it was published is left out of it."""


def size_of(texts: Iterable[Numbered], digests: Iterable[Digest] = ()) -> int:
    """About how many bytes these take in a prompt."""
    passages = list(texts)
    titles = {one.number: one.title or one.passage.source for one in passages}
    bytes_of = sum(len(one.passage.text.encode()) + _OF_SENTENCE * len(one.passage.sentences) for one in passages)
    of_titles = sum(_OF_SOURCE + _shown(title, LONGEST_TITLE) for title in titles.values())
    kept = sum(_of_digest(one) + sum(map(_of_sentence, one.sentences)) for one in digests)
    return bytes_of + of_titles + kept


def fitting_digests(digests: Sequence[Digest], room: int) -> Iterator[Digest]:
    """The digests that fit, each with those of its sentences that do: the first of each, then the second, and so on.

    One that holds nothing, since its source has nothing to do with the task, is not shown.
    """
    full = [one for one in digests if _of_digest(one)]
    those = [one for one, size in zip(full, accumulate(map(_of_digest, full)), strict=True) if size <= room]
    kept = _fitting_sentences(those, room - sum(map(_of_digest, those)))
    yield from (one.changed(sentences=tuple(kept.get(one.number, ()))) for one in those)


def _fitting_sentences(digests: Sequence[Digest], room: int) -> dict[int, list[Source]]:
    """The sentences of digests that fit together, by the numbers of their sources."""
    kept: dict[int, list[Source]] = {}
    for row in zip_longest(*([(one.number, each) for each in one.sentences] for one in digests)):
        for number, sentence in filter(None, row):
            room -= _of_sentence(sentence)
            if room >= 0:
                kept.setdefault(number, []).append(sentence)
    return kept


def _of_digest(digest: Digest) -> int:
    """The bytes of a digest without its sentences; one that holds nothing is not shown."""
    if not digest.summary and not digest.sentences:
        return 0
    return _OF_SOURCE + _shown(digest.title, LONGEST_TITLE) + _shown(digest.summary, LONGEST_SUMMARY)


def _of_sentence(source: Source) -> int:
    return _OF_SENTENCE + _shown(source.text, LONGEST_SENTENCE)


def _shown(text: str, longest: int) -> int:
    """How many bytes a text takes on a line of at most so many characters."""
    return len(" ".join(text.split())[:longest].encode())
