"""The sentences of texts that something is to be written from: whole documents, or what is about a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, zip_longest

from aeon.documents.collection import Collection
from aeon.documents.sentences import sentences
from aeon.errors import ToolError, ToolFailed
from aeon.isolation.aside import aside
from aeon.schema import JsonObject, JsonValue, Passage, Source
from aeon.text import one_line
from aeon.tools.material import Material
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import Tool, tool

__all__ = ["READ_TEXTS", "every_text", "read_sentences", "read_texts"]

READ_TEXTS = "read_texts"
_PASSAGES = 10
_MOST = 60
"""Sentences that are shown of documents; a small model reads them in half a minute."""
_ENOUGH = 40
"""Sentences that are shown of what is found: the document that has the best passage, and other passages whole.

What completes a sentence often stands behind it, in other words than the question's."""
_LONGEST = 6_000
_MOST_QUESTIONED, _LONGEST_QUESTIONED = 120, 9_000
"""Sentences, and characters of them, that short questions are put to: read once, they serve every question."""
_MOST_NAMES = 3
_FEW = 12
"""Documents from which on a collection is searched, without a look at how long they are."""


def read_texts(collection: Collection) -> Tool:
    """Return the tool ``read_texts``, which no prompt names: the sentences that a text is to be written from."""

    @tool(name=READ_TEXTS, side_effects=False, parallel_safe=True, offered=False)
    def read(question: str, documents: list[str]) -> JsonObject:
        """The sentences that a text is to be written from.

        Args:
            question: what the text is about; nothing for all that the documents say
            documents: paths of the texts to read; none for all of a few, else for what is found
        """
        every = [one for name in documents or _few(collection) for one in _whole(collection, name)]
        if question and (len(every) > _ENOUGH if documents else not _fits(every)):
            every = _searched(collection, question, documents) or (every if documents else [])
        kept = _fitting(every)
        if not kept:
            raise ToolFailed(f"no text is about this: {one_line(question, 100)}")
        return {
            "value": f"{len(kept)} of {len(every)} sentences of {_names(kept)}",
            "sentences": [one.fields() for one in kept],
        }

    return replace(read, material=lambda question: _questioned(collection, question))


async def every_text(tools: ToolRegistry, question: str) -> Material | None:
    """All sentences of the texts where they are few, else those that are found; ``None`` where there are none."""
    given = tools.get(READ_TEXTS).material if READ_TEXTS in tools.names else None
    try:
        found = await aside(partial(given, question)) if given is not None else None
    except ToolError:
        return None
    return found if found is not None and found.sentences else None


def _questioned(collection: Collection, question: str) -> Material:
    """What a short question is put to: the whole of a few short texts, else what is found."""
    every = [one for name in _few(collection) for one in _whole(collection, name)]
    if _fits(every, _MOST_QUESTIONED, _LONGEST_QUESTIONED):
        return Material(tuple(every), whole=True)
    return Material(tuple(_fitting(_searched(collection, question))), whole=False)


def _searched(collection: Collection, question: str, documents: Sequence[str] = ()) -> list[Source]:
    """The sentences of these documents, or of any, that are about a question."""
    passages = collection.search(question, _PASSAGES) or collection.nearest(question, _PASSAGES)
    own = [one for one in passages if not documents or one.source in documents]
    first = list(_whole(collection, own[0].source)) if own else []
    return _found(first if len(first) <= _ENOUGH else [], own)


def read_sentences(output: JsonValue) -> tuple[JsonValue, tuple[Source, ...]]:
    """What the tool gave, taken apart: what it says of the sentences, and these."""
    match output:
        case {"value": value, "sentences": list(found)}:
            return value, tuple(map(Source.model_validate, found))
        case _:
            return output, ()


def _few(collection: Collection) -> tuple[str, ...]:
    """The documents of a small collection."""
    return collection.documents if len(collection.documents) <= _FEW else ()


def _fits(every: Sequence[Source], most: int = _MOST, longest: int = _LONGEST) -> bool:
    """Whether all that there is can be shown, so that nothing has to be found."""
    return 0 < len(every) <= most and sum(len(one.text) for one in every) <= longest


def _whole(collection: Collection, name: str) -> Iterator[Source]:
    """The sentences of a document, headings among them."""
    text = collection.text(name)
    for start, end, heading in sentences(text):
        yield Source(source=name, start=start, end=end, text=text[start:end], heading=heading)


def _found(first: Sequence[Source], passages: Sequence[Passage]) -> list[Source]:
    """The ``first`` sentences and those of the best passages, in the order of their texts, each once."""
    chosen = {(one.source, one.start): one for one in first}
    for passage in passages:
        own = {(one.source, one.start): one for one in passage.sources()}
        if chosen and len({**chosen, **own}) > _ENOUGH:
            break
        chosen |= own
    files = list(dict.fromkeys(source for source, _ in chosen))
    return sorted(chosen.values(), key=lambda one: (files.index(one.source), one.start))


def _fitting(every: Sequence[Source]) -> list[Source]:
    """As many sentences as fit: where some do not, the first of each part, in turn."""
    parts = [list(group) for _, group in groupby(every, key=lambda one: (one.source, one.heading))]
    turns = [one for one in chain.from_iterable(zip_longest(*parts)) if one is not None]
    kept: set[tuple[str, int]] = set()
    size = 0
    for one in turns[:_MOST]:
        size += len(one.text)
        if size > _LONGEST:
            break
        kept.add((one.source, one.start))
    return [one for one in every if (one.source, one.start) in kept]


def _names(sources: Sequence[Source]) -> str:
    names = [one_line(name, 80) for name in dict.fromkeys(one.source for one in sources)]
    more = len(names) - _MOST_NAMES
    return f"{', '.join(names[:_MOST_NAMES])}{f' and {more} more' if more > 0 else ''}"
