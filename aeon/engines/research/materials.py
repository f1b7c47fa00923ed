"""What a prompt shows of the sources: numbered sentences that can be cited, or a running text; and what fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

from aeon.engines.research.effects import Numbered
from aeon.engines.research.sources import Sources
from aeon.engines.research.values import Citation, Digest
from aeon.schema import Passage, Source
from aeon.text import one_line

__all__ = ["Materials", "numbered", "running", "size_of"]

_LONGEST_TITLE, _LONGEST_SUMMARY, _LONGEST_SENTENCE = 100, 500, 1_000
_LEFT_OUT = "…"
_BETWEEN = 4
"""Characters between two sentences that follow each other: an empty line, or the mark of a list."""
_OF_SENTENCE = 12
"""Bytes that a sentence takes beside its text."""
_OF_SOURCE = 40
"""Bytes that a source takes beside its sentences and its title; where and when it was published is left out of it."""


class Materials(NamedTuple):
    """A text for a prompt, and its sentences by the ids that it has for them: ``2.5`` is the fifth of source 2.

    ``titles`` are those of the sources by their numbers.
    """

    text: str
    sentences: Mapping[str, Citation]
    titles: Mapping[int, str] = {}

    def cited(self, ids: Iterable[str]) -> tuple[Citation, ...]:
        """The sentences of these ids, each once, without ids that nothing has."""
        return tuple(self.sentences[one] for one in dict.fromkeys(ids) if one in self.sentences)

    def around(self, cited: Sequence[Citation]) -> str:
        """The cited sentences, each between the one before it and the one behind it, a line for each source.

        The title stands before them: alone, "he" and "it" say too little.
        """
        every = list(self.sentences.values())
        places = {near for place, one in enumerate(every) if one in cited for near in (place - 1, place, place + 1)}
        lines: dict[int, list[str]] = {one.number: [] for one in cited}
        for place in sorted(places & set(range(len(every)))):
            one = every[place]
            if one.number in lines:
                lines[one.number].append(one_line(one.source.text, _LONGEST_SENTENCE))
        return "\n".join(f"{self.titles.get(number, '')}: {' '.join(said)}" for number, said in lines.items())


def size_of(texts: Iterable[Numbered], digests: Iterable[Digest] = ()) -> int:
    """About how many bytes these take in a prompt."""
    passages = list(texts)
    titles = {one.number: one.title or one.passage.source for one in passages}
    bytes_of = sum(len(one.passage.text.encode()) + _OF_SENTENCE * len(one.passage.sentences) for one in passages)
    of_titles = sum(_OF_SOURCE + _shown(title, _LONGEST_TITLE) for title in titles.values())
    kept = sum(_of_digest(one) + sum(map(_of_sentence, one.sentences)) for one in digests)
    return bytes_of + of_titles + kept


def _of_digest(digest: Digest) -> int:
    """The bytes of a digest without its sentences; one that holds nothing is not shown."""
    if not digest.summary and not digest.sentences:
        return 0
    return _OF_SOURCE + _shown(digest.title, _LONGEST_TITLE) + _shown(digest.summary, _LONGEST_SUMMARY)


def _of_sentence(source: Source) -> int:
    return _OF_SENTENCE + _shown(source.text, _LONGEST_SENTENCE)


def _shown(text: str, longest: int) -> int:
    """How many bytes a text takes on a line of at most so many characters."""
    return len(one_line(text, longest).encode())


def numbered(
    texts: Sequence[Numbered], room: int, digests: Sequence[Digest] = (), sources: Sources | None = None
) -> Materials:
    """The sentences of the sources with ids, a line each, below the titles; of too many those that come first.

    Of digests those sentences that fit, the first of each before the second of any. ``sources`` have what is known of
    the sources beside their titles.
    """
    known = {entry.number: entry.document for entry in sources.entries} if sources is not None else {}
    kept = list(_kept(digests, room - size_of(texts[:1])))
    shown: dict[int, dict[int, Source]] = {one.number: {each.start: each for each in one.sentences} for one in kept}
    summaries = {one.number: one.summary for one in kept}
    titles = {one.number: one.title for one in kept}
    titles |= {number: document.title or document.source for number, document in known.items()}
    for one in _fitting(texts, room - size_of((), kept)):
        shown.setdefault(one.number, {}).update({each.start: each for each in one.passage.sources()})
        titles.setdefault(one.number, one.title or one.passage.source)
    lines: list[str] = []
    sentences: dict[str, Citation] = {}
    for number in sorted(shown):
        document = known.get(number)
        about = [document.site, document.published] if document is not None else []
        more = f" ({one_line(', '.join(filter(None, about)), 100)})" if any(about) else ""
        first = min(shown[number].values(), key=lambda source: source.start, default=None)
        title = titles.get(number, "")
        if first is not None and title in first.text:  # it stands below
            title = first.source
        lines.append(f"[{number}] {one_line(title, _LONGEST_TITLE)}{more}")
        lines += [f"In short: {one_line(summaries[number], _LONGEST_SUMMARY)}"] if summaries.get(number) else []
        for place, source in enumerate((shown[number][start] for start in sorted(shown[number])), 1):
            sentences[f"{number}.{place}"] = Citation(number=number, source=source)
            lines.append(f"{number}.{place} {one_line(source.text, _LONGEST_SENTENCE)}")
    return Materials("\n".join(lines), sentences)


def running(texts: Sequence[Numbered], room: int) -> Materials:
    """The sources one after the other, in the order of their best passages: the title, then the sentences as a text.

    A small model that is shown numbered lines stops at the first name that fits: of nine questions of several hops over
    just the passages that answer them, it is right on a quarter instead of on six in ten.
    """
    found: dict[int, dict[int, Numbered]] = {}
    for one in _fitting(texts, room):
        found.setdefault(one.number, {}).setdefault(one.passage.start, one)
    parts: list[str] = []
    sentences: dict[str, Citation] = {}
    titles: dict[int, str] = {}
    for number, passages in found.items():
        own = list(_once(passages[start].passage for start in sorted(passages)))
        first = passages[min(passages)]
        titles[number] = one_line(first.title or first.passage.source, _LONGEST_TITLE)
        parts.append(f"{titles[number]}\n{_joined(own)}")
        sentences |= {f"{number}.{n}": Citation(number=number, source=one) for n, one in enumerate(own, 1)}
    return Materials("\n\n".join(parts), sentences, titles)


def _fitting(texts: Sequence[Numbered], room: int) -> Iterator[Numbered]:
    """The first passages that fit together, at least one; each place once."""
    left, seen = room, set[tuple[int, int]]()
    for one in texts:
        place = one.number, one.passage.start
        size = size_of([one])
        if place in seen or (seen and size > left):
            continue
        seen.add(place)
        left -= size
        yield one


def _kept(digests: Sequence[Digest], room: int) -> Iterator[Digest]:
    """The digests that fit, each with those of its sentences that do: the first of each, then the second, and so on.

    One that holds nothing, since its source has nothing to do with the task, is not shown.
    """
    full = [one for one in digests if one.summary or one.sentences]
    those = [one for one, size in zip(full, accumulate(map(_of_digest, full)), strict=True) if size <= room]
    left = room - sum(map(_of_digest, those))
    kept: dict[int, list[Source]] = {one.number: [] for one in those}
    for row in zip_longest(*([(one.number, each) for each in one.sentences] for one in those)):
        for number, sentence in filter(None, row):
            left -= _of_sentence(sentence)
            kept[number] += [sentence] if left >= 0 else []
    yield from (one.changed(sentences=tuple(kept[one.number])) for one in those)


def _once(passages: Iterable[Passage]) -> Iterator[Source]:
    """The sentences of passages in their order, each once."""
    end = 0
    for passage in passages:
        for one in passage.sources():
            if one.start >= end:
                end = one.end
                yield one


def _joined(sentences: Sequence[Source]) -> str:
    """The sentences with a blank between them, or dots for what is not shown between two."""
    text, end = "", None
    for one in sentences:
        apart = "" if end is None else " " if one.start - end <= _BETWEEN else f" {_LEFT_OUT} "
        text, end = f"{text}{apart}{one_line(one.text, _LONGEST_SENTENCE)}", one.end
    return text
