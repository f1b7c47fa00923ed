"""What a search gives a run: the passages as its provider ranks them, and short texts whole."""

from __future__ import annotations

import asyncio

import pytest

from aeon.engines.research.effects import Search
from aeon.engines.research.searcher import Searcher
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Document, Found, Passage, Task
from aeon.search.provider import Provider
from aeon.tools import ToolRegistry
from aeon.tools.finding import finding
from engines.research.world import document, passage

pytestmark = pytest.mark.requirement("R1", "R1a")

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


class Parts:
    """A provider that finds some parts of texts, and keeps the texts or gives them with their documents."""

    name, local = "shelf", True

    def __init__(self, *parts: Passage, **texts: str) -> None:
        self.parts, self.texts, self.asked = parts, texts, list[str]()

    async def search(self, query: str, most: int) -> Found:
        """All parts."""
        names = dict.fromkeys(one.source for one in self.parts)
        return Found(
            provider=self.name, passages=self.parts,
            documents=tuple(Document(source=name, text_sha256=name) for name in names),
        )  # fmt: skip

    async def text(self, source: str) -> str:
        """The text of this name."""
        self.asked.append(source)
        return self.texts[source]

    async def titles(self, most: int) -> list[str]:
        """Their names."""
        return sorted(self.texts)[:most]


def searched(provider: Provider, most: int = 9, whole: int = 0) -> Found:
    """What the shipped searcher finds there."""
    searcher = Searcher(ToolRegistry([finding(provider)]), timeout=5.0)
    effect = Search(task=Task(text=QUESTION), query=QUESTION, provider="shelf", most=most, whole=whole)

    async def within() -> Found:
        with Ledger(Allowance(calls=1)):
            return await searcher.search(effect)

    return asyncio.run(within())


TEXT = "Prices. It cost 48,700 pounds in all. Nobody paid. Dr. Lee wrote so."


def part(start: int, end: int, source: str = "a", **fields: object) -> Passage:
    """A part of the text."""
    return passage(source, TEXT[start:end], start).changed(**fields)


@pytest.mark.parametrize("whole", [len(TEXT), len(TEXT) + 1, 10_000])
def test_a_text_of_up_to_so_many_characters_comes_whole(whole: int) -> None:
    """As one passage, whichever parts of it were found; its sentences are quotes of the text at their places."""
    shelf = Parts(part(8, 37), part(38, 50), a=TEXT)
    (one,) = searched(shelf, whole=whole).passages
    assert (one.start, one.end, one.text) == (0, len(TEXT), TEXT) and shelf.asked == ["a"]
    assert len(one.sentences) >= 3 and all(TEXT[each.start : each.end] == each.text for each in one.sources())
    assert [each.text for each in one.sources() if "48,700" in each.text] == ["It cost 48,700 pounds in all."]


@pytest.mark.parametrize("whole", [0, 1, len(TEXT) - 1])
def test_a_longer_text_comes_in_the_parts_that_were_found(whole: int) -> None:
    """As the provider gives them; where no text is wanted whole, none is read."""
    parts = part(8, 37), part(38, 50)
    shelf = Parts(*parts, a=TEXT)
    assert searched(shelf, whole=whole).passages == parts
    assert shelf.asked == ([] if not whole else ["a"])


def test_a_page_of_a_pdf_comes_as_it_was_found() -> None:
    """Its places are those of the page."""
    parts = part(8, 37, page=2), part(38, 50, page=3)
    assert searched(Parts(*parts, a=TEXT), whole=10_000).passages == parts


def test_each_text_is_whole_or_not_for_itself() -> None:
    """The rank of a text is that of its first passage."""
    long = "It is long. " * 90
    parts = passage("b", "It is long.", 12), part(8, 37), passage("b", "It is long.", 24)
    found = searched(Parts(*parts, a=TEXT, b=long), whole=200).passages
    assert [(one.source, one.start, one.end) for one in found] == [("b", 12, 23), ("a", 0, len(TEXT)), ("b", 24, 35)]


def test_the_text_of_a_page_is_that_which_came_with_it() -> None:
    """It is not asked for again: in the meantime it may have changed."""

    class Web(Parts):
        async def search(self, query: str, most: int) -> Found:
            found = await super().search(query, most)
            return found.changed(documents=tuple(one.changed(text=TEXT) for one in found.documents))

    web = Web(part(8, 37), a="Something else.")
    (one,) = searched(web, whole=1_000).passages
    assert one.text == TEXT and web.asked == []


def test_a_text_that_nobody_keeps_comes_in_parts() -> None:
    """There is nothing else to be shown."""
    assert [one.text for one in searched(Shelf(), most=2, whole=10_000).passages] == list(TEXTS.values())[:2]


def test_no_passage_is_put_before_a_better_one_for_the_names_in_it() -> None:
    """In an archive of one town every text but the right one may name it."""
    result = searched(Shelf(), most=2)
    assert [one.source for one in result.passages] == ["breakwater.txt", "fair.txt"]
    assert [one.source for one in result.documents] == ["breakwater.txt", "fair.txt"]
