"""Tells whoever watches a run the prose that a model writes, while it writes: what of a reply is surely its answer."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from aeon.llm.visible import Visible
from aeon.runtime.telling import Telling
from aeon.supervisor.prompt import clean

__all__ = ["Manner", "Prose", "told"]

T = TypeVar("T")
_UNDECIDED = re.compile(r"\s*(?:`{1,2}|```[^\n]*(?:\n\s*)?)?\Z")
_JSON = re.compile(r"\s*(?:```[^\n]*\n\s*)?[\[{]")
_IDS = re.compile(r"\s*\[[\[\]\d.,;\s]*\Z")
"""The end of a text that may be the ids that an answer rests on: they are no part of it."""
_LONGEST_IDS = 2_000


@dataclass
class Manner:
    """How a model was found to write; ``unopened``: as `Visible` says it."""

    unopened: bool = False


class Prose:
    """Listens to the replies to one request, and tells what it may of them.

    ``turn``: the reply is one of a conversation with tools, where JSON is a call, and an answer may end in ids: neither
    is told as text. What is found of the model's ``manner`` is noted there.
    """

    def __init__(self, telling: Telling, manner: Manner, turn: bool = False) -> None:
        self._telling = telling
        self._manner = manner
        self._turn = turn
        self.begin()

    def begin(self) -> None:
        """A reply begins: the first, or the next after one that was of no use."""
        self._visible = Visible(self._manner.unopened)
        self._begin_text()

    def hear(self, piece: str) -> None:
        """Tell what can be told now that this piece is there."""
        text, anew = self._visible.take(piece)
        if anew:
            self._manner.unopened |= self._visible.unopened
            self._begin_text()
        if text and self._turn:
            text = self._fitting(text)
        if text:
            self._telling.add(clean(text))

    def settle(self, text: str) -> None:
        """Tell what is missing of the text that the reply was taken as."""
        self._telling.settle(text)

    def retract(self) -> None:
        """Take back what was told: the request came to nothing."""
        self._telling.retract()

    def _begin_text(self) -> None:
        self._telling.begin()
        self._held = ""
        self._is_open = self._turn  # whether it may still be JSON
        self._is_json = False

    def _fitting(self, text: str) -> str:
        """What of a turn can be told: nothing as long as it may be JSON; no ids that it may end in."""
        if self._is_json:
            return ""
        text = self._held + text
        if self._is_open:
            self._is_json = _JSON.match(text) is not None
            self._is_open = self._is_json or _UNDECIDED.match(text) is not None
        if self._is_open:
            self._held = text
            return ""
        ids = _IDS.search(text) if "[" in text else None
        self._held = ids[0] if ids is not None and len(ids[0]) < _LONGEST_IDS else ""
        return text.removesuffix(self._held)


async def told(prose: Prose | None, request: Callable[[Prose | None], Awaitable[T]], taken: Callable[[T], str]) -> T:
    """What a request gives. ``prose`` listens to it, and has told the text that it was ``taken`` as in the end."""
    if prose is None:
        return await request(None)
    try:
        reply = await request(prose)
    except Exception:
        prose.retract()
        raise
    prose.settle(taken(reply))
    return reply
