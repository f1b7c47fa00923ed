"""What must hold of the research engine alone: its sources, spans, rounds and queries."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.assembly.views import trail
from aeon.engines.research.config import Limits, ResearchConfig
from aeon.engines.research.effects import Search
from aeon.engines.research.record import Research
from aeon.engines.research.values import Citation
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import Document, Found
from aeon.simulation.world import World

__all__ = ["hold_research"]


def hold_research(world: World, result: Research, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of a run that has ended against the engine's own invariants; the world is told what broke."""
    documents = {document.source: document for document in _found(journal) if document.text}
    _numbered(world, result)
    for citation in _cited(result):
        _hold_citation(world, result, citation, documents)
    if result.sufficient and not any(sentence.citations for sentence in result.sentences):
        world.wrong("a good answer cites", result.answer[:200])
    for query in set(result.searched) - set(_put(journal, engine)):
        world.wrong("what is named was searched", f"{query!r} was put to nobody")
    _hold_limits(world, result, journal.config(ResearchConfig).limits())


def _put(journal: Journal, engine: AnyEngine) -> Iterator[str]:
    """The queries that were put to a provider."""
    effects = (done.effect for batch in trail(journal, engine).batches for done in batch)
    return (effect.query for effect in effects if isinstance(effect, Search))


def _found(journal: Journal) -> Iterator[Document]:
    """What the searches on record found."""
    for entry in journal.entries.values():
        if entry.phase == "search" and entry.value:
            yield from Found.model_validate(entry.value).documents


def _numbered(world: World, result: Research) -> None:
    """Sources are numbered from 1 on, each name once, and those of each round are still there at the end."""
    numbers = [source.number for source in result.sources]
    names = {source.source for source in result.sources}
    if numbers != list(range(1, len(numbers) + 1)) or len(names) != len(numbers):
        world.wrong("sources only grow", f"{numbers}, {len(names)} names")
    if sum(one.sources for one in result.rounds) > len(numbers):
        world.wrong("sources only grow", f"{len(numbers)} are left of what the rounds found")
    texts = [source.text_sha256 for source in result.sources if source.text_sha256]
    if len(set(texts)) != len(texts):
        world.wrong("sources only grow", "a text is there under two numbers")


def _cited(result: Research) -> Iterator[Citation]:
    for sentence in result.sentences:
        yield from sentence.citations


def _hold_citation(world: World, result: Research, citation: Citation, documents: dict[str, Document]) -> None:
    """A cited number is that of a source, and the span is inside its text and equal to its quote."""
    if citation.number not in range(1, len(result.sources) + 1):
        world.wrong("every cited id exists", f"[{citation.number}] of {len(result.sources)}")
        return
    span, source = citation.source, result.sources[citation.number - 1]
    text = documents[source.source].text if source.source in documents else ""
    if span.source != source.source or text[span.start : span.end] != span.text or not span.text:
        world.wrong("every span is its quote", f"[{citation.number}] {span.start}-{span.end}: {span.text[:80]!r}")


def _hold_limits(world: World, result: Research, limits: Limits) -> None:
    counts = {"iterations": len(result.rounds), "queries": len(result.searched), "sources": len(result.sources)}
    for name, count in counts.items():
        if count > getattr(limits, name):
            world.wrong("rounds and queries within the tier", f"{count} {name}, not {getattr(limits, name)}")
