"""A search for one fact in texts: those of a folder, and the context of a task that is too long for a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from aeon.documents.collection import Collection
from aeon.schema import JsonObject, Task
from aeon.text import one_line
from aeon.tools.quote import QUOTE, quote
from aeon.tools.tool import Tool, tool

__all__ = ["CONTEXT", "LOOKUP", "is_searched", "lookup", "with_context"]

CONTEXT = "context"
"""The name of a task's context as a text that is searched; no file of a folder has it."""
LOOKUP = "lookup"
_PASSAGES = 5
_MOST_NAMES = 400  # characters of the names of texts that a prompt is told
_TEXTS = "Texts: "


def lookup(collection: Collection) -> Tool:
    """Return the tool ``lookup``: the passages of these texts that fit a question best."""

    @tool(name=LOOKUP, side_effects=False, parallel_safe=True, hint=f"{_TEXTS}{_names(collection.documents)}")
    def find(question: str) -> list[JsonObject]:
        """Find one fact in the texts.

        Args:
            question: what is to be known, as a question
        """
        passages = collection.search(question, _PASSAGES) or collection.nearest(question, _PASSAGES)
        return [passage.model_dump(mode="json", exclude={"score"}) for passage in passages]

    return replace(find, reading=True, texts=tuple(collection.documents))


def is_searched(task: Task) -> bool:
    """Whether the task's context is too long for prompts to show it whole."""
    return any(part.part == CONTEXT for part in task.unread)


def with_context(tools: Iterable[Tool], context: str) -> tuple[Tool, ...]:
    """Return the tools with the context as one more text, which `lookup` finds sentences of and `quote` cites.

    Then no question is put to the other texts as a whole.

    Raises:
        ToolFailed: it cannot be indexed.
    """
    collection = Collection.of_text(CONTEXT, context)
    there = {one.name: one for one in tools}
    own = lookup(collection), quote(collection)
    if LOOKUP in there:
        own = _either(own[0], there[LOOKUP]), _cited(own[1], there[QUOTE])
    others = (one for name, one in there.items() if name not in (LOOKUP, QUOTE))
    return *(replace(one, material=None) if one.material else one for one in others), *own


def _either(own: Tool, other: Tool) -> Tool:
    """A search of both: of their passages, the best ones in turn."""

    def find(question: str) -> list[object]:
        found = zip_longest(own.call(question=question), other.call(question=question))  # type: ignore[call-overload]
        return [one for one in chain.from_iterable(found) if one is not None][:_PASSAGES]

    hint = f"{own.hint}, {other.hint.removeprefix(_TEXTS)}"
    return replace(own, call=find, texts=(*own.texts, *other.texts), hint=hint)


def _cited(own: Tool, other: Tool) -> Tool:
    """Values of both: by the name of the text."""

    def give(value: str | int | float, source: str, start: int, end: int) -> object:
        cited = own if source == CONTEXT else other
        return cited.call(value=value, source=source, start=start, end=end)

    return replace(own, call=give)


def _names(names: Sequence[str]) -> str:
    listed: list[str] = []
    for name in names:
        if sum(map(len, listed)) + len(name) > _MOST_NAMES:
            break
        listed.append(one_line(name, 80))
    more = len(names) - len(listed)
    return f"{', '.join(listed) or 'none'}{f' and {more:,} more' if more else ''}"
