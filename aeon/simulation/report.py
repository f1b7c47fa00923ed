"""What must hold of the report engine alone: its citations, quotes, rounds and what it publishes."""

from __future__ import annotations

from aeon.engines.report.config import ReportConfig
from aeon.engines.report.record import Report
from aeon.engines.report.tiers import usable
from aeon.engines.research.values import Citation
from aeon.runtime.journal import Journal
from aeon.schema import Document, Found
from aeon.simulation.world import World

__all__ = ["hold_report"]


def hold_report(world: World, result: Report, journal: Journal) -> None:
    """Hold the record of a report that has ended against the engine's own invariants; the world is told what broke."""
    found = [Found.model_validate(e.value) for e in journal.entries.values() if e.phase == "search" and e.value]
    texts = {document.source: document for one in found for document in one.documents if document.text}
    for finding in result.findings:
        if not finding.citations:
            world.wrong("every finding cites", finding.text)
        for citation in finding.citations:
            _hold_citation(world, result, citation, texts)
    _hold_course(world, result, journal.config(ReportConfig))


def _hold_course(world: World, result: Report, config: ReportConfig) -> None:
    """The rounds, the sources and the verdict are those that the configuration allows."""
    if len(result.rounds) > config.reasoning.max_iterations:
        world.wrong("rounds within the limit", f"{len(result.rounds)} of {config.reasoning.max_iterations}")
    if barred := [one.source for one in result.sources if not usable(one.tier, config.mode, config.mode_configs)]:
        world.wrong("no source outside of the mode", ", ".join(barred))
    status = next((one.review.status for one in reversed(result.rounds) if one.review), None)
    if result.sufficient and status == "REJECT":
        world.wrong("a good report was not rejected", result.answer[:200])


def _hold_citation(world: World, result: Report, citation: Citation, texts: dict[str, Document]) -> None:
    """A cited number is that of a source, and the span is inside its text and equal to its quote."""
    if citation.number not in range(1, len(result.sources) + 1):
        world.wrong("every cited number exists", f"[{citation.number}] of {len(result.sources)}")
        return
    span = citation.source
    text = texts[span.source].text if span.source in texts else ""
    if not span.text or text[span.start : span.end] != span.text:
        where = f"[{citation.number}] {span.start}-{span.end}"
        world.wrong("every quote stands in its source", f"{where}: {span.text[:80]!r}")
