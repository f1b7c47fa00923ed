"""The tables and the texts that a run may ask: all of them are offered, whatever the question."""

from __future__ import annotations

from functools import partial

from aeon.isolation.aside import aside
from aeon.programs.evidence import Evidence
from aeon.schema import LONGEST_TASK
from aeon.supervisor.prompt import cut
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import every_text

__all__ = ["LOOKUP", "SQL", "Sources"]

SQL = "sql"
LOOKUP = "lookup"
_FEW = 30
"""Sentences that are all shown; a small model reads them in a quarter of a minute, once."""


class Sources:
    """The sources of a run; ``names`` are the tools that ask them, ``tables`` what is known of the tables.

    A folder without texts has none to ask; ``there``: whether there is a folder, or a context that is searched.
    """

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools
        self.tables = tools.get(SQL).tables if SQL in tools.names else ()
        texts = tools.get(LOOKUP).texts if LOOKUP in tools.names else ()
        self.names = tuple(name for name, has in ((SQL, self.tables), (LOOKUP, texts)) if has)
        self.there = bool(self.names) or (LOOKUP in tools.names and tools.get(LOOKUP).reading)

    async def evidence(self, question: str) -> Evidence:
        """The sentences of the texts that a search finds for a question; none where there are no texts.

        All of them where they are few: a search knows words, and a question in another language than the texts has none
        of theirs.
        """
        if LOOKUP not in self.names:
            return Evidence()
        asked = cut(question, LONGEST_TASK)
        passages = (await self._tools.call(LOOKUP, {"question": asked})).value
        found = await aside(partial(Evidence, passages, asked))
        texts = await every_text(self._tools, question)
        if texts is not None and texts.whole and len(texts.sentences) <= _FEW:
            return Evidence.of(texts.sentences)
        return found
