"""The record of a report: its rounds, and the result that it ends in."""

from __future__ import annotations

from typing import ClassVar, Literal

from aeon.engines.report.items import Item
from aeon.engines.report.tiers import Mode, Ranked
from aeon.engines.report.values import Analysis, Comparison, Confidence, Draft, Finding, Missing, Review, SourceCited
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.plan import Passage
from aeon.schema.search import SearchProblem
from aeon.schema.value import Value

__all__ = ["REFUSED", "Report", "ReportRound", "item", "own_item", "report_item"]

REFUSED = ("no_valid_sources", "no_sources", "search_failed", "nothing_found")
"""How runs end in which there is nothing to report on."""

_HOME = "aeon:report"


class ReportRound(Value):
    """A round: what the analyst said, beside its draft, as that was reviewed; a search has no draft and no review."""

    number: int
    kind: Literal["search", "draft"]
    analysis: Analysis
    draft: Draft | None = None
    review: Review | None = None


class Report(Conclusion):
    """The result of a report run; ``answer`` is the report as Markdown.

    ``draft`` holds the whole report as data; its sources are those that it cites, by number, with their tiers.
    ``context`` are the sources that the query found, as Items with their tiers; ``dropped`` are those that the mode
    does not take, and ``unmatched`` are keys of ``source_tiers`` that give no source its tier. ``items`` is the report
    as Items with the keys of the reference; of a plain search, its results, whose passages are ``results``, ``None`` of
    a report. ``review`` is that of the draft, if there is one; ``found`` counts the sources that the query found.
    ``score`` is 0-100, as `grading.score` says.
    """

    gives_claims: ClassVar[bool] = True

    query: str
    mode: Mode
    draft: Draft
    confidence: Confidence = "Low"
    score: int = 0
    rounds: tuple[ReportRound, ...] = ()
    context: tuple[JsonObject, ...] = ()
    items: tuple[JsonObject, ...] = ()
    results: tuple[Passage, ...] | None = None
    review: Review | None = None
    found: int = 0
    dropped: tuple[Ranked, ...] = ()
    limited: bool = False
    search_problems: tuple[SearchProblem, ...] = ()
    unmatched: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the critic does not just pass the report."""
        return self.review.reasons if self.review is not None else ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The sentences of the report with their citations."""
        return self.draft.findings

    @property
    def disagreements(self) -> tuple[Comparison, ...]:
        """Where sources give different values to one question."""
        return self.draft.disagreements

    @property
    def not_found(self) -> tuple[Missing, ...]:
        """The questions without a finding."""
        return self.draft.missing

    @property
    def sources(self) -> tuple[SourceCited, ...]:
        """The bibliography."""
        return self.draft.sources

    def parts(self) -> dict[str, JsonValue]:
        """Rounds, findings and sources, each under its name and without times."""
        rounds = {f"round {one.number}": _timeless(one) for one in self.rounds}
        findings = {f"finding {one.id}": one.model_dump(mode="json") for one in self.findings}
        sources = {f"source {one.number}": one.changed(retrieved="").model_dump(mode="json") for one in self.sources}
        return {**rounds, **findings, **sources}


def item(url: str, name: str, site: str, description: str, points: int) -> JsonObject:
    """An Item with the keys of the reference."""
    return {
        "@type": "Item", "url": url, "name": name, "site": site, "siteUrl": _home(url), "score": points,
        "description": description, "schema_object": {},
    }  # fmt: skip


def own_item(source: str, given: Item, points: int) -> JsonObject:
    """An Item that was given, with its own values; what it lacks is filled in."""
    url = given.url.strip() or source
    made = item(url, given.name.strip() or url, given.site.strip() or url, given.description, points)
    site = given.site_url.strip() or made["siteUrl"]
    return {**made, "siteUrl": site, "schema_object": given.schema_object}


def _home(url: str) -> str:
    """The address of the site of an address; of anything else, itself."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.partition('/')[0]}" if separator else url


def report_item(end: Conclusion, draft: Draft, graded: tuple[Confidence, int], rounds: int, found: int) -> JsonObject:
    """The whole report as one Item, with its confidence and score; ``found`` counts the sources of the query."""
    confidence, points = graded
    used: list[JsonValue] = [source.source for source in draft.sources]
    schema: JsonObject = {
        "@type": "ResearchReport", "mode": draft.mode, "iterations": rounds, "sources_used": used,
        "confidence": confidence, "total_sources_analyzed": found,
    }  # fmt: skip
    whole = item(f"{_HOME}/{draft.mode}/{end.execution_id}", f"Report: {draft.query}", "Aeon", end.answer, points)
    return {**whole, "siteUrl": _HOME, "schema_object": schema}


def _timeless(one: ReportRound) -> JsonObject:
    """A round without the times at which its sources were read."""
    draft = one.draft and one.draft.changed(sources=tuple(each.changed(retrieved="") for each in one.draft.sources))
    return one.changed(draft=draft).model_dump(mode="json")
