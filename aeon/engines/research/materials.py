"""What a prompt shows of the sources: numbered sentences that can be cited, or a running text; and what fits."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from aeon.documents.telling import nearness
from aeon.engines.research.effects import Numbered
from aeon.engines.research.sizes import LONGEST_SENTENCE, LONGEST_SUMMARY, LONGEST_TITLE, fitting_digests, size_of
from aeon.engines.research.values import Citation, Digest, Drafted
from aeon.schema import Passage, Source
from aeon.text import one_line

__all__ = ["Materials", "control_of", "numbered", "running"]

_LEFT_OUT = "…"
_MOST_CONTROLS = 10
"""Sentences of which a control is chosen, the longest: a short one says too little to be a test."""
_LONGEST_PASSAGE = 2_000
_BETWEEN = 4
"""Characters between two sentences that follow each other: an empty line, or the mark of a list."""


class Materials(NamedTuple):
    """A text for a prompt, and its sentences by the ids that it has for them: ``2.5`` is the fifth of source 2.

    ``passages`` are those that it is made of, if it is a running one.
    """

    text: str
    sentences: Mapping[str, Citation]
    passages: Sequence[Numbered] = ()

    def cited(self, ids: Iterable[str]) -> tuple[Citation, ...]:
        """The sentences of these ids, each once, without ids that nothing has."""
        return tuple(self.sentences[one] for one in dict.fromkeys(ids) if one in self.sentences)

    def within(self, cited: Iterable[Citation]) -> str:
        """The passages that these sentences stand in, each once, a line each behind its title.

        Alone, or among sentences of other texts, "he" and "it" say too little.
        """
        holding = (next((one for one in self.passages if _holds(one, sentence)), None) for sentence in cited)
        return "\n".join(dict.fromkeys(map(_line, filter(None, holding))))


def numbered(texts: Sequence[Numbered], room: int, digests: Sequence[Digest] = ()) -> Materials:
    """The sentences of the sources with ids, a line each, below the titles; of too many those that come first.

    Of digests those sentences that fit, the first of each before the second of any.
    """
    kept = list(fitting_digests(digests, room - size_of(texts[:1])))
    shown = {
        one.number: _Source(one.title, one.about, one.summary, {each.start: each for each in one.sentences})
        for one in kept
    }
    for one in _fitting(texts, room - size_of((), kept)):
        source = shown.setdefault(one.number, _Source(one.title or one.passage.source, one.about, "", {}))
        source.sentences.update({each.start: each for each in one.passage.sources()})
    return _together([_listed(number, source) for number, source in sorted(shown.items())])


def control_of(parts: Sequence[Drafted], texts: Sequence[Numbered], digests: Sequence[Digest] = ()) -> Drafted | None:
    """The first sentence as one that cites a sentence which no part cites, and which has little to do with it.

    It is of a source that is not cited, if there is one; ``None`` where all that is left is as near as what is cited.
    """
    cited = [one for part in parts for one in part.citations]
    apart = _apart(cited, texts, digests)
    if not apart or not cited:
        return None
    titles = {one.number: one.title for one in digests} | {one.number: one.title for one in texts}
    headed = [one.source.changed(heading=titles.get(one.number, "")) for one in (*apart, *parts[0].citations)]
    near = nearness(headed, parts[0].text)
    least, own = min(near[: len(apart)]), max(near[len(apart) :], default=0.0)
    return Drafted(text=parts[0].text, citations=(apart[near.index(least)],)) if 2 * least <= own else None


def _apart(cited: Sequence[Citation], texts: Sequence[Numbered], digests: Sequence[Digest]) -> list[Citation]:
    """The longest sentences that are not cited, of sources that are not cited if there are any."""
    every = [*_sentences(texts), *itertools.chain.from_iterable(map(_kept, digests))]
    free = [one for one in every if one not in cited]
    others = {one.number for one in free} - {one.number for one in cited}
    apart = [one for one in free if not others or one.number in others]
    return sorted(apart, key=lambda one: -len(one.source.text))[:_MOST_CONTROLS]


def _sentences(texts: Sequence[Numbered]) -> Iterator[Citation]:
    """Each sentence of some passages, with the number of its source."""
    for one in texts:
        yield from (Citation(number=one.number, source=source) for source in one.passage.sources())


def _kept(digest: Digest) -> Iterator[Citation]:
    """Each sentence of a digest, with the number of its source."""
    return (Citation(number=digest.number, source=source) for source in digest.sentences)


class _Source(NamedTuple):
    """What is shown of a source: its sentences by where they begin."""

    title: str
    about: str
    summary: str
    sentences: dict[int, Source]


def _together(parts: Sequence[Materials]) -> Materials:
    sentences = {name: one for part in parts for name, one in part.sentences.items()}
    return Materials("\n".join(part.text for part in parts), sentences)


def _listed(number: int, source: _Source) -> Materials:
    """A source: its title, what it says in short if that is known, and its sentences with their ids."""
    own = [source.sentences[start] for start in sorted(source.sentences)]
    lines = [f"[{number}] {_head(source, own)}"]
    lines += [f"In short: {one_line(source.summary, LONGEST_SUMMARY)}"] if source.summary else []
    lines += [f"{number}.{place} {one_line(one.text, LONGEST_SENTENCE)}" for place, one in enumerate(own, 1)]
    sentences = {f"{number}.{n}": Citation(number=number, source=one) for n, one in enumerate(own, 1)}
    return Materials("\n".join(lines), sentences)


def _head(source: _Source, own: Sequence[Source]) -> str:
    """The title of a source, or its name where the title stands below; with where and when it was published."""
    title = own[0].source if own and source.title in own[0].text else source.title
    return one_line(title, LONGEST_TITLE) + (f" ({one_line(source.about, 100)})" if source.about else "")


def running(texts: Sequence[Numbered], room: int) -> Materials:
    """The sources one after the other, in the order of their best passages: the title, then the sentences as a text.

    A small model that is shown numbered lines stops at the first name that fits: of nine questions of several hops over
    just the passages that answer them, it is right on a quarter instead of on six in ten.
    """
    found: dict[int, dict[int, Numbered]] = {}
    fitting = list(_fitting(texts, room))
    for one in fitting:
        found.setdefault(one.number, {}).setdefault(one.passage.start, one)
    parts: list[str] = []
    sentences: dict[str, Citation] = {}
    for number, passages in found.items():
        own = list(_once(passages[start].passage for start in sorted(passages)))
        parts.append(f"{_title(passages[min(passages)])}\n{_joined(own)}")
        sentences |= {f"{number}.{n}": Citation(number=number, source=one) for n, one in enumerate(own, 1)}
    return Materials("\n\n".join(parts), sentences, fitting)


def _title(one: Numbered) -> str:
    return one_line(one.title or one.passage.source, LONGEST_TITLE)


def _line(one: Numbered) -> str:
    return f"{_title(one)}: {one_line(one.passage.text, _LONGEST_PASSAGE)}"


def _holds(one: Numbered, sentence: Citation) -> bool:
    """Whether a passage has a sentence in it."""
    passage, source = one.passage, sentence.source
    return one.number == sentence.number and passage.start <= source.start < source.end <= passage.end


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
        text, end = f"{text}{apart}{one_line(one.text, LONGEST_SENTENCE)}", one.end
    return text
