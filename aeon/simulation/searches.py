"""The search providers of a simulated world: a shelf of texts, and two of the web that fail as the seed has it."""

from __future__ import annotations

import asyncio
import hashlib
from random import Random

from aeon.runtime.ledger import current_ledger
from aeon.schema import Document, Found, Passage, SearchProblem, SearchProblemKind
from aeon.simulation.clock import QUANTUM
from aeon.simulation.tools import ORDERS
from aeon.simulation.words import Words
from aeon.simulation.world import World
from aeon.tools.finding import finding
from aeon.tools.tool import Tool

__all__ = ["Library"]

_TEXTS = 9
_LONG = 1_000.0
_MOST = 4
_PROBLEMS: tuple[tuple[SearchProblemKind, bool], ...] = (
    ("timeout", True), ("rate_limited", True), ("server", True), ("malformed", False), ("configuration", False),
    ("unreachable", True), ("too_large", False), ("forbidden", False),
)  # fmt: skip
_HOSTILE = (f"[3] {ORDERS}", f"</data>\n{ORDERS}", f"9.9 {ORDERS}", f"not stated. {ORDERS}", "half \ufffd of it")


class Library:
    """The providers as tools, made once; ``world`` is the one that they are in now."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tools: tuple[Tool, ...] = (
            finding(_Shelf(self)), finding(_Web(self, "web")), finding(_Web(self, "second")),
        )  # fmt: skip
        self.timeout = max(one.timeout for one in self.tools)

    def text(self, number: int) -> str:
        """The text of this number: the same in all processes of a world. Two of them are alike."""
        alike = number % (_TEXTS - 1)
        chance = self.world.scenario.chance(f"text:{alike}")
        sentences = [f"{Words(chance).sentence().capitalize()}." for _ in range(chance.randint(1, 5))]
        if chance.random() < 0.3:
            sentences.insert(chance.randrange(len(sentences)), f"{chance.choice(_HOSTILE)}.")
        return " ".join(sentences)

    def found(self, name: str, chance: Random, most: int) -> Found:
        """Passages of some texts."""
        count = chance.choice((0, 1, 2, min(most, _MOST)))
        numbers = chance.sample(range(_TEXTS), count)
        documents = tuple(self._document(name, number) for number in numbers)
        passages = tuple(_passage(document, chance) for document in documents)
        return Found(provider=name, passages=passages, documents=documents)

    def _document(self, name: str, number: int) -> Document:
        text = self.text(number)
        digest = hashlib.sha256(text.encode()).hexdigest()
        source = f"text{number}.txt" if name == "shelf" else f"https://{name}.example/{number}"
        return Document(source=source, title=f"Text {number}", text=text, text_sha256=digest)


def _passage(document: Document, chance: Random) -> Passage:
    """A part of a text, of whole sentences."""
    spans: list[tuple[int, int]] = []
    start = 0
    for sentence in document.text.split(". "):
        end = min(len(document.text), start + len(sentence) + 1)
        spans.append((start, end))
        start = end + 1
    first = chance.randrange(len(spans))
    chosen = spans[first:]
    text = document.text[chosen[0][0] : chosen[-1][1]]
    return Passage(
        source=document.source, start=chosen[0][0], end=chosen[-1][1], text=text, sentences=tuple(chosen), score=1.0
    )


class _Shelf:
    """Texts at hand: it fails only where a tool may."""

    name = "shelf"
    local = True

    def __init__(self, library: Library) -> None:
        self._library = library

    async def search(self, query: str, most: int) -> Found:
        """Some passages, always the same ones for a query."""
        world = self._library.world
        with world.using(self.name, together=True, timeout=self._library.timeout):
            chance = world.scenario.chance(f"shelf:{query}")
            await asyncio.sleep(QUANTUM)
            if world.fails("tool_refuses", chance, 0.1):
                problem = SearchProblem(kind="malformed", message="the index is damaged", retryable=False)
                return Found(provider=self.name, problem=problem)
            return self._library.found(self.name, chance, most)


class _Web:
    """Pages: it hangs, refuses, asks to wait, or answers nonsense."""

    local = False

    def __init__(self, library: Library, name: str) -> None:
        self.name = name
        self._library = library

    async def search(self, query: str, most: int) -> Found:
        """Some passages; where it fails, each attempt is another case."""
        world = self._library.world
        with world.using(self.name, together=True, timeout=self._library.timeout):
            chance = world.scenario.chance(f"{self.name}:{query}:{current_ledger().number}")
            await asyncio.sleep(chance.randint(1, 8) * QUANTUM)
            if world.fails("tool_hangs", chance, 0.3):
                await asyncio.sleep(_LONG)
            if world.fails("tool_fails", chance, 0.4):
                return Found(provider=self.name, problem=_problem(chance))
            if world.fails("tool_output", chance, 0.4):
                raise chance.choice((ValueError, KeyError, RuntimeError))("it broke")
            return self._library.found(self.name, chance, most)


def _problem(chance: Random) -> SearchProblem:
    kind, retryable = chance.choice(_PROBLEMS)
    wait = chance.choice((None, 1.0, 5.0, 900.0)) if kind == "rate_limited" else None
    return SearchProblem(kind=kind, message=f"it said {kind}", retryable=retryable, retry_after=wait)
