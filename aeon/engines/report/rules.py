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
    the analyst leaves the draft as the critic has it.
    """

    status: ReviewStatus | None = None
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


TABLE: tuple[Rule[ReportSignals], ...] = (
    Rule(
        "no_valid_sources",
        lambda s: bool(s.barred),
        lambda s: s.barred,
        when="all that was found is of tiers that the mode does not take",
    ),
    Rule(
        "no_sources",
        lambda s: s.nowhere,
        lambda s: "there is nothing to search: give items, a collection or a search",
        when="there are no items, no collection and no search",
    ),
    Rule(
        "search_failed",
        lambda s: bool(s.failed),
        lambda s: f"nothing was found, and a search failed: {s.failed}",
        when="a search failed at every provider, and nothing was found elsewhere",
    ),
    Rule(
        "nothing_found",
        lambda s: s.unfound,
        lambda s: "the search found nothing for the query",
        when="the query finds nothing, and there is no web to search for the questions, or `reasoning.enabled` is off",
    ),
    Rule(
        "plain_search",
        lambda s: s.plain,
        lambda s: "reasoning is switched off: these are the results of the search",
        sufficient=True,
        when="`reasoning.enabled` is off",
    ),
    Rule(
        "accepted",
        lambda s: s.status == "PASS",
        lambda s: f"the critic passed the draft in round {s.rounds}",
        sufficient=True,
        when="the critic says PASS",
    ),
    Rule(
        "accepted_with_warnings",
        lambda s: s.status == "WARN",
        lambda s: f"the critic passed the draft with warnings in round {s.rounds}",
        sufficient=True,
        when="the critic says WARN",
    ),
    Rule(
        "not_stated",
        lambda s: s.rejected and s.empty,
        lambda s: "the sources say nothing on any of the questions",
        when="nothing was found on any question, and no round is left or the analyst has no other words",
    ),
    Rule(
        "rejected",
        lambda s: s.rejected,
        lambda s: f"the critic rejected the draft, and {'it does not change' if s.unchanged else 'no round is left'}",
        when="the critic says REJECT in the last round, or the analyst leaves the draft as it is",
    ),
    BUDGET,
    CLARIFICATION,
)


def most_calls(config: ReportConfig) -> int:
    """The most model calls of a report: each round, and in it each question put to each group of sources."""
    if not config.reasoning.enabled:
        return 0
    caps = config.caps
    again = 0 if config.mode == "monitor" else 1  # where a source of a better tier says something else
    question = (len(config.groups) + again) * most_research(config.inner()) + caps.compare
    rounds = config.reasoning.max_iterations * (caps.analyst + config.most_questions * question + caps.critic)
    return rounds + caps.compose + (caps.clarify if config.clarify != "never" else 0)
