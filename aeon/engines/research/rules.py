"""When a research run stops: its rows of the decision table, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.research.config import ResearchConfig
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["OWN_ENDINGS", "TABLE", "ResearchSignals", "most_calls"]


@dataclass(slots=True)
class ResearchSignals(Signals):
    """What the rows rest on. ``sufficient``: the latest reflection says that the evidence answers the task.

    ``rounds`` of at most ``most_rounds`` are done; ``queries`` of ``most_queries`` were asked. ``stale`` counts
    rounds in a row without a new passage, and ends the run from ``most_stale`` on. ``nowhere``: no provider can be
    asked. ``unexamined``: what kept the run from finding out where to search. ``misconfigured``: which settings
    keep all of them from answering anything. ``idle``: nothing is left that could be asked. Of the answer:
    ``unstated``: the sources do not say what was asked. ``partial``: what it cites supports it in part only.
    ``incomplete``: it says a part of what was asked. ``unjudged``: nobody held it against what it cites. ``unfit``:
    the task has a schema, and no value that fits it and is borne out could be had.
    """

    sufficient: bool = False
    rounds: int = 0
    most_rounds: int = 1
    queries: int = 0
    most_queries: int = 1
    stale: int = 0
    most_stale: int = 2
    nowhere: bool = False
    unexamined: str = ""
    misconfigured: str = ""
    idle: bool = False
    unstated: bool = False
    partial: bool = False
    incomplete: bool = False
    unjudged: bool = False
    unfit: bool = False

    @property
    def unsearchable(self) -> str:
        """Why no provider can be asked."""
        return self.unexamined or "no provider could be searched any more"

    @property
    def dead_end(self) -> str:
        """Why no other search is worth while, "" where one is."""
        if self.stale < self.most_stale and not self.idle:
            return ""
        return "further searches found nothing new" if self.stale else "there is nothing else to search for"


TABLE: tuple[Rule, ...] = (
    Rule(
        "not_stated",
        "unstated",
        "what was asked for is not in what was searched",
        when="the answer was read out of what was found, and it is not there",
    ),
    Rule(
        "partly_supported",
        "partial",
        "what the answer cites supports it only in part",
        when="a judge says so of what the answer cites, and nothing worse of any of it",
    ),
    Rule(
        "incomplete",
        "incomplete",
        "what was found says only a part of what was asked",
        when="a judge says so of the answer",
    ),
    Rule(
        "unverified",
        "unjudged",
        "nobody could judge whether the answer is right",
        when="no judge could say whether what the answer cites supports it, and one was to say so",
    ),
    Rule(
        "schema_unmet",
        "unfit",
        "the answer has no value that fits the task's schema",
        when="the task has a schema, and no value could be had that fits it and that the answer bears out",
    ),
    Rule(
        "sufficient",
        "sufficient",
        "the sources answer the task after round {s.rounds}",
        sufficient=True,
        when="the reflection after a round says that what was found answers the task, and with the check on each "
        "sentence of the answer is supported; or these are, whatever it says",
    ),
    Rule(
        "misconfigured",
        "misconfigured",
        "{s.misconfigured}",
        when="every provider answers that a setting is wrong; the detail says what to change",
    ),
    Rule(
        "search_failed",
        "nowhere",
        "{s.unsearchable}",
        when="every provider failed three times in a row, or for half of the queries (configurable), or the model "
        "could not be examined",
    ),
    Rule(
        "rounds_exhausted",
        "rounds",
        "all {s.most_rounds} rounds are done",
        ">=",
        "$most_rounds",
        when="as many rounds are done as the tier allows",
    ),
    Rule(
        "queries_exhausted",
        "queries",
        "all {s.most_queries} queries are asked",
        ">=",
        "$most_queries",
        when="as many queries were asked as the tier allows",
    ),
    BUDGET,
    CLARIFICATION,
    Rule(
        "nothing_new",
        "dead_end",
        "{s.dead_end}",
        when="two rounds in a row found nothing new (configurable), or no query is left that was not asked",
    ),
)


OWN_ENDINGS = ("sufficient", "rounds_exhausted", "queries_exhausted", "nothing_new")
"""The endings of a search that had its say: what the answer then says counts for more."""


def most_calls(config: ResearchConfig) -> int:
    """The most model calls of a run: what finds out how to ask, the plan, those of each round, and the answer."""
    caps = config.caps
    rounds = caps.reflect + config.most_summaries * caps.summarise
    begin = caps.find_providers + caps.plan_queries
    return begin + config.limits().iterations * rounds + caps.cite
