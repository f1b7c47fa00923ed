"""What the query itself finds: the first look at the sources, and all there is where no report is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.engines.report.config import ReportConfig
from aeon.engines.report.items import described
from aeon.engines.report.record import item
from aeon.engines.report.rules import ReportSignals
from aeon.engines.report.sifting import Sieve
from aeon.engines.research.effects import FindProviders, Search
from aeon.engines.research.values import Providers
from aeon.kernel.effects import Program
from aeon.kernel.engine import Run
from aeon.schema.frozen import JsonObject
from aeon.schema.outcome import Outcome
from aeon.schema.plan import Passage
from aeon.schema.search import Document, Found, SearchProblem
from aeon.schema.usage import Allowance

__all__ = ["Context", "first_look", "why_barred"]

_LONGEST_QUERY = 600
_LISTED = 5


@dataclass(slots=True)
class Context:
    """The passages that a query found, best first, with their documents; and the searches that failed."""

    sieve: Sieve
    passages: list[Passage] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    problems: list[SearchProblem] = field(default_factory=list)

    def take(self, outcome: Outcome) -> None:
        """Keep what a search found, or why it failed."""
        if not isinstance(outcome.value, Found):
            self.problems.append(SearchProblem(kind="server", message=outcome.message, retryable=False))
            return
        if outcome.value.problem is not None:
            self.problems.append(outcome.value.problem)
        self.passages += outcome.value.passages
        self.documents.update({document.source: document for document in outcome.value.documents})

    def items(self) -> tuple[JsonObject, ...]:
        """The passages as Items: their score is that of the search, 100 for the best passage."""
        best = max((one.score for one in self.passages), default=0.0)
        return tuple(self._item(one, best) for one in self.passages)

    def described(self) -> tuple[JsonObject, ...]:
        """The same with the tiers of their sources."""
        ranked = [self.sieve.kept[one.source] for one in self.passages]
        pairs = zip(self.items(), ranked, strict=True)
        return tuple(described(found, ranking.tier, ranking.type, ranking.origin) for found, ranking in pairs)

    def _item(self, passage: Passage, best: float) -> JsonObject:
        document = self.documents.get(passage.source, Document(source=passage.source))
        points = round(100 * max(0.0, passage.score) / best) if best > 0 else 0
        title = document.title or passage.source
        return item(passage.source, title, document.site or passage.source, passage.text, points)


def first_look(run: Run[ReportConfig, ReportSignals], context: Context) -> Program[None]:
    """Search for the query as it stands, and stop where that is all, or where the mode takes nothing of it."""
    config, signals, sieve = run.config, run.signals, context.sieve
    providers = yield from run.perform(FindProviders(task=run.task), Providers())
    names = (*providers.local, *providers.web[:1])
    signals.nowhere = not names
    run.boundary()
    query = run.task.text[:_LONGEST_QUERY]
    allowance = Allowance(calls=0, tokens=0, cost=0.0, seconds=run.left().seconds)  # it takes time alone
    searches = [
        Search(task=run.task, query=query, provider=name, most=config.most_context, allowance=allowance)
        for name in names
    ]
    outcomes = yield from run.issue([sieve.filtered(one) for one in searches])
    for search, outcome in zip(searches, outcomes, strict=True):
        context.take(sieve.sifted(search, outcome))
    signals.barred = _barred(config, sieve)
    signals.plain, signals.empty = not config.reasoning.enabled, not context.passages
    run.boundary()


def _barred(config: ReportConfig, sieve: Sieve) -> str:
    """Why nothing of what was found may be used, "" where something may, or nothing was found at all."""
    if config.mode == "monitor":
        wanted = any(one.tier in config.groups for one in sieve.kept.values())
        refused = tuple(sieve.kept.values())
    else:
        wanted, refused = bool(sieve.kept), tuple(sieve.dropped.values())
    if wanted or not refused:
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
