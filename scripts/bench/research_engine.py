"""The research engine as it ships, over the same collection and model as the other systems."""

from __future__ import annotations

import re

from research_asking import Answer, Asker, Counted
from research_data import Shelf

from aeon.assembly.build import build
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.record import Research
from aeon.engines.research.timing import timed
from aeon.llm.adapter import LLMAdapter
from aeon.schema import Found
from aeon.search.collection import CollectionSearch
from aeon.tools.finding import finding

__all__ = ["engine"]

_MARK = re.compile(r" ?\[(\d+)\]")


class _Read:
    """A provider that keeps what it gave."""

    local = True

    def __init__(self, provider: CollectionSearch) -> None:
        self.name = provider.name
        self.found: list[Found] = []
        self._provider = provider

    async def text(self, source: str) -> str:
        """The whole text of a document."""
        return await self._provider.text(source)

    async def titles(self, most: int) -> list[str]:
        """The titles of some documents."""
        return await self._provider.titles(most)

    async def search(self, query: str, most: int) -> Found:
        """What the provider finds."""
        self.found.append(await self._provider.search(query, most))
        return self.found[-1]


async def engine(question: str, shelf: Shelf, asker: Asker) -> Answer:
    """A run of the standard tier, with the time that the model at hand takes; a refusal is an empty answer."""
    searched = _Read(CollectionSearch(shelf.collection))
    llm = asker.supervisor.llm
    orchestrator = build(llm, [finding(searched)], _config(llm), engine="research")
    result: Research = await orchestrator.aexecute(question)
    read = tuple(passage for one in searched.found for passage in one.passages)
    cited = tuple(citation.source for sentence in result.sentences for citation in sentence.citations)
    return Answer(_said(result), cited, read, _notes(result), _scores(result), _marks(result), _listed(result))


def _said(result: Research) -> str:
    """The answer without the numbers of its sources; a refusal is empty."""
    return _MARK.sub("", " ".join(result.answer[one.start : one.end] for one in result.sentences))


def _notes(result: Research) -> tuple[str, ...]:
    """How it ended, and what was searched for."""
    queries = [f"round {one.number}: {'; '.join(query.text for query in one.queries)}" for one in result.rounds]
    return (result.stop_reason, result.answer, *queries, *(one.message for one in result.degraded))


def _scores(result: Research) -> dict[str, float]:
    """Whether it was good enough, and what the judge said."""
    scores = {"sufficient": float(result.sufficient)}
    if result.sentences and result.sentences[0].score is not None:
        scores["support"] = result.sentences[0].score
    return scores


def _config(llm: LLMAdapter) -> ResearchConfig:
    """The settings of the standard tier, with the time that the counted model takes."""
    return timed(ResearchConfig(), llm.counted if isinstance(llm, Counted) else llm)


def _listed(result: Research) -> tuple[int, ...]:
    """The numbers of the source list."""
    return tuple(source.number for source in result.sources)


def _marks(result: Research) -> tuple[int, ...]:
    """The numbers by which the sentences of the answer cite: those in their text, and those of their citations."""
    text = "\n".join(result.answer[one.start : one.end] for one in result.sentences)
    of_citations = (citation.number for one in result.sentences for citation in one.citations)
    return (*map(int, _MARK.findall(text)), *of_citations)
