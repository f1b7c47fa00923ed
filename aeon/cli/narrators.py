"""Who tells the story of a run: the narrator of its engine, or the one that serves every engine."""

from __future__ import annotations

from aeon.cli.narration import Narrator
from aeon.cli.passes import PassNarrator
from aeon.cli.reporting import ReportNarrator
from aeon.cli.researching import ResearchNarrator
from aeon.engines.report.program import REPORT
from aeon.engines.research.program import RESEARCH
from aeon.kernel.passes import MULTIPASS

__all__ = ["narrator_of"]

_NARRATORS: dict[str, type[Narrator]] = {
    MULTIPASS.name: PassNarrator,
    RESEARCH.name: ResearchNarrator,
    REPORT.name: ReportNarrator,
}


def narrator_of(engine: str) -> type[Narrator]:
    """The narrator of the engine of this name and version."""
    return _NARRATORS.get(engine, Narrator)
