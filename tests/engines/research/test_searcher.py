"""What a search gives a run: the passages as its provider ranks them."""

from __future__ import annotations

import asyncio

import pytest

from aeon.engines.research.effects import Search
from aeon.engines.research.searcher import Searcher
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Found, Task
from aeon.tools import ToolRegistry
from aeon.tools.finding import finding
from engines.research.world import document, passage

pytestmark = pytest.mark.requirement("R1")

QUESTION = "What did Garravick's breakwater cost?"
TEXTS = {
    "breakwater.txt": "It cost 48,700 pounds in all.",
    "fair.txt": "Garravick has a fair.",
    "inn.txt": "Garravick has an inn.",
}


class Shelf:
    """A provider of texts at hand, which ranks them as they stand."""

    name, local = "shelf", True

    async def search(self, query: str, most: int) -> Found:
        """So many of them."""
        names = list(TEXTS)[:most]
        return Found(
            provider=self.name,
            passages=tuple(passage(name, TEXTS[name]) for name in names),
            documents=tuple(document(name, TEXTS[name]) for name in names),
        )


def test_no_passage_is_put_before_a_better_one_for_the_names_in_it() -> None:
    """In an archive of one town every text but the right one may name it."""
    searcher = Searcher(ToolRegistry([finding(Shelf())]), timeout=5.0)

    async def searched() -> Found:
        with Ledger(Allowance(calls=1)):
            return await searcher.search(Search(task=Task(text=QUESTION), query=QUESTION, provider="shelf", most=2))

    result = asyncio.run(searched())
    assert [one.source for one in result.passages] == ["breakwater.txt", "fair.txt"]
    assert [one.source for one in result.documents] == ["breakwater.txt", "fair.txt"]
