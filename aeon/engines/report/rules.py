"""When a report is done: its rows of the decision table, and the most calls that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.report.config import ReportConfig
from aeon.engines.report.values import ReviewStatus
from aeon.engines.research.rules import most_calls as most_research
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["TABLE", "ReportSignals", "most_calls"]


@dataclass(slots=True)
class ReportSignals(Signals):
    """What the rows rest on. ``status`` is the critic's latest word; ``rounds`` of ``most_rounds`` are done.

    ``nowhere``: there is nothing to search. ``barred``: all that was found is of tiers that the mode does not take.
    ``failed``: nothing was found, and searches failed. ``unfound``: the query finds nothing, and no other search may.
    ``plain``: no report is wanted, but the search alone. ``empty``: nothing was found on any question. ``unchanged``:
    the analyst leaves the draft as the critic has it. ``critique`` is in the critic's words.
    """

    status: ReviewStatus | None = None
    critique: str = ""
    rounds: int = 0
    most_rounds: int = 1
    nowhere: bool = False
    barred: str = ""
    failed: str = ""
    unfound: bool = False
    plain: bool = False
    empty: bool = False
    unchanged: bool = False

    @property
    def rejected(self) -> bool:
        """Whether the critic rejects the draft, and it does not change any more."""
        return self.status == "REJECT" and (self.unchanged or self.rounds >= self.most_rounds)

    @property
    def silent(self) -> bool:
        """Whether the critic rejects the draft because the sources say nothing on any question."""
        return self.rejected and self.empty

    @property
    def standstill(self) -> str:
        """Why no other draft comes, in words."""
        return "it does not change" if self.unchanged else "no round is left"


# fmt: off
TABLE: tuple[Rule, ...] = (
    Rule("no_valid_sources", "barred", "{s.barred}", when="all that was found is of tiers that the mode does not take"),
    Rule("no_sources", "nowhere", "there is nothing to search: give items, a collection or a search",
         when="there are no items, no collection and no search"),
    Rule("search_failed", "failed", "nothing was found, and a search failed: {s.failed}",
         when="a search failed at every provider, and nothing was found elsewhere"),
    Rule("nothing_found", "unfound", "the search found nothing for the query",
         when="the query finds nothing, and there is no web to search, or `reasoning.enabled` is off"),
    Rule("plain_search", "plain", "reasoning is switched off: these are the results of the search", sufficient=True,
         when="`reasoning.enabled` is off"),
    Rule("accepted", "status", "the critic passed the draft in round {s.rounds}", "is", "PASS", sufficient=True,
         when="the critic says PASS"),
    Rule("accepted_with_warnings", "status", "the critic passed the draft with warnings in round {s.rounds}",
         "is", "WARN", sufficient=True, when="the critic says WARN"),
    Rule("unreviewed", "status", "no model could criticise the draft: {s.critique}", "is", "UNREVIEWED",
         when="the judgment of the critic's model is bad, or it has no usable critique"),
    Rule("not_stated", "silent", "the sources say nothing on any of the questions",
         when="nothing was found on any question, and no round is left or the analyst has no other words"),
    Rule("rejected", "rejected", "the critic rejected the draft, and {s.standstill}",
         when="the critic says REJECT in the last round, or the analyst leaves the draft as it is"),
    BUDGET,
    CLARIFICATION,
)
# fmt: on


def most_calls(config: ReportConfig) -> int:
    """The most model calls of a report: each round, and in it each question put to each group of sources."""
    if not config.reasoning.enabled:
        return 0
    caps = config.caps
    question = len(config.groups) * most_research(config.inner(checked=True)) + caps.compare
    rounds = config.reasoning.max_iterations * (2 * caps.analyst + config.most_questions * question + caps.critic)
    return caps.find_providers + rounds + caps.compose + (caps.clarify if config.clarify != "never" else 0)
