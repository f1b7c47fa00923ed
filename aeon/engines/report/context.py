"""What the query itself finds: the first look at the sources, and all there is where no report is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aeon.engines.report.config import ReportConfig
from aeon.engines.report.items import described, named
from aeon.engines.report.record import item, own_item
from aeon.engines.report.rules import ReportSignals
from aeon.engines.report.sifting import Sieve
from aeon.engines.report.tiers import ITEMS, Ranked
from aeon.engines.research.errands import Errands
from aeon.engines.research.record import ErrorRecord
from aeon.engines.research.values import Query
from aeon.kernel.engine import Run
from aeon.schema.effects import Program
from aeon.schema.frozen import JsonObject
from aeon.schema.plan import Passage
from aeon.schema.search import Document, SearchProblem

__all__ = ["Context", "failures", "first_look", "settle", "why_barred"]

_LONGEST_QUERY = 600
_LISTED = 5


@dataclass(slots=True)
class Context(Errands[ReportConfig, ReportSignals]):
    """The passages that a query found, best first, with their documents; and the searches that failed."""

    sieve: Sieve = field(kw_only=True)

    @property
    def passages(self) -> list[Passage]:
        """The passages of all searches."""
        return [passage for _, found in self.found for passage in found.passages]

    @property
    def documents(self) -> dict[str, Document]:
        """The documents of the passages, by their names."""
        return {document.source: document for _, found in self.found for document in found.documents}

    def items(self) -> tuple[JsonObject, ...]:
        """What was found as Items: their score is that of the search, 100 for the best passage.

        An item that was given is given back once, with its own values; of other documents each passage is one.
        """
        return tuple(found for found, _ in self._items())

    def described(self) -> tuple[JsonObject, ...]:
        """The same with the tiers of their sources."""
        pairs = ((found, self.sieve.kept[source]) for found, source in self._items())
        return tuple(described(found, ranking.tier, ranking.type, ranking.origin) for found, ranking in pairs)

    def _items(self) -> Iterator[tuple[JsonObject, str]]:
        """The Items, each with the name of its source."""
        own, documents = named(self.run.config.items), self.documents
        best = max((one.score for one in self.passages), default=0.0)
        given: set[str] = set()
        for name, found in self._found_by():
            points = round(100 * max(0.0, found.score) / best) if best > 0 else 0
            if name != ITEMS:
                document = documents.get(found.source, Document(source=found.source))
                title, site = document.title or found.source, document.site or found.source
                yield item(found.source, title, site, found.text, points), found.source
            elif found.source not in given:
                given.add(found.source)
                yield own_item(found.source, own[found.source], points), found.source

    def _found_by(self) -> Iterator[tuple[str, Passage]]:
        """The passages, each with the name of the provider that found it."""
        return ((found.provider, passage) for _, found in self.found for passage in found.passages)


def first_look(run: Run[ReportConfig, ReportSignals], context: Context) -> Program[None]:
    """Search for the query as it stands, and stop where that is all, or where nothing can be made of what it found."""
    run.signals.failed = yield from context.find()
    run.signals.nowhere = not context.there and not run.signals.failed
    run.boundary()
    query = Query(text=run.task.text[:_LONGEST_QUERY], intent="the query itself")
    yield from context.sieve.run(context.search([query]))
    plain = run.signals.plain = not run.config.reasoning.enabled
    settle(run, context.sieve.kept, context.sieve.dropped, failures(context.errors) if context.limited else ())
    run.signals.unfound = not context.passages and (plain or not context.providers.web)
    run.boundary()


def settle(
    run: Run[ReportConfig, ReportSignals],
    kept: Mapping[str, Ranked],
    dropped: Mapping[str, Ranked],
    failed: Sequence[SearchProblem],
) -> None:
    """Show the decision table why nothing can be reported on, if that is so: by the sources and the failures so far."""
    run.signals.barred = _barred(run.config, kept, dropped)
    run.signals.failed = "; ".join(one.message for one in failed) if not kept else ""


def failures(errors: Iterable[ErrorRecord]) -> tuple[SearchProblem, ...]:
    """Which searches went wrong, each problem once; what an attempt mended that came after it is left out."""
    problems = (one.problem for one in errors if one.is_of_search and one.then != "retried")
    return tuple({one.message: one for one in problems if isinstance(one, SearchProblem)}.values())


def _barred(config: ReportConfig, kept: Mapping[str, Ranked], dropped: Mapping[str, Ranked]) -> str:
    """Why nothing of what was found may be used, "" where something may, or nothing was found at all."""
    if config.mode == "monitor":
        usable = any(one.tier in config.groups for one in kept.values())
        refused = tuple(kept.values())
    else:
        usable, refused = bool(kept), tuple(dropped.values())
    if usable or not refused:
        return ""
    return why_barred(config, [f"{one.origin or one.source} ({one.words})" for one in refused])


def why_barred(config: ReportConfig, refused: Sequence[str]) -> str:
    """One line on sources that a mode does not take, and what to do about it."""
    modes = config.mode_configs
    low, high = modes.monitor.compare_tiers
    takes = f"tier {low} or {high}" if config.mode == "monitor" else f"tier 1 to {modes.strict.max_tier}"
    listed = ", ".join(refused[:_LISTED]) + (f" and {len(refused) - _LISTED} more" if len(refused) > _LISTED else "")
    return (
        f"{config.mode} takes sources of {takes} only, and none was found; dropped: {listed}; "
        "give these sources a tier in source_tiers, or use the mode discovery"
    )
