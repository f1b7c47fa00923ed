"""When a research run stops: its rows of the decision table, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.engines.research.config import ResearchConfig
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["OWN_ENDINGS", "TABLE", "ResearchSignals", "most_calls"]


@dataclass(slots=True)
class ResearchSignals(Signals):
    """What the rows rest on. ``sufficient``: the latest reflection says that the evidence answers the task.

    ``rounds`` of at most ``most_rounds`` are done; ``queries`` of ``most_queries`` were asked. ``stale`` counts rounds
    in a row without a new passage or finding, and ends the run from ``most_stale`` on. ``nowhere``: no provider can be
    asked. ``misconfigured``: which settings keep all of them from answering anything. ``idle``: nothing is left that
    could be asked. ``unstated``: the sources do not say what was asked. ``partial``: what the answer cites supports it
    in part only; ``unnamed`` are names of the task that it does not speak of.
    """

    sufficient: bool = False
    rounds: int = 0
    most_rounds: int = 1
    queries: int = 0
    most_queries: int = 1
    stale: int = 0
    most_stale: int = 2
    nowhere: bool = False
    misconfigured: str = ""
    idle: bool = False
    unstated: bool = False
    partial: bool = False
    unnamed: tuple[str, ...] = ()


_PARTLY = "what the answer cites supports it only in part"
TABLE: tuple[Rule[ResearchSignals], ...] = (
    Rule(
        "not_stated",
        lambda s: s.unstated,
        lambda s: "what was asked for is not in what was searched",
        when="the answer was read out of what was found, and it is not there",
    ),
    Rule(
        "partly_supported",
        lambda s: s.partial,
        lambda s: _PARTLY + f": nothing of it names {', '.join(s.unnamed)}" * bool(s.unnamed),
        when="a judge says so of what the answer cites, or that lacks a name of the task",
    ),
    Rule(
        "sufficient",
        lambda s: s.sufficient,
        lambda s: f"the sources answer the task after round {s.rounds}",
        sufficient=True,
        when="the reflection after a round says that what was found answers the task",
    ),
    Rule(
        "misconfigured",
        lambda s: bool(s.misconfigured),
        lambda s: s.misconfigured,
        when="every provider answers that a setting is wrong; the detail says what to change",
    ),
    Rule(
        "search_failed",
        lambda s: s.nowhere,
        lambda s: "no provider could be searched any more",
        when="every provider failed three times in a row, or for half of the queries (configurable)",
    ),
    Rule(
        "rounds_exhausted",
        lambda s: s.rounds >= s.most_rounds,
        lambda s: f"all {s.most_rounds} rounds are done",
        when="as many rounds are done as the tier allows",
    ),
    Rule(
        "queries_exhausted",
        lambda s: s.queries >= s.most_queries,
        lambda s: f"all {s.most_queries} queries are asked",
        when="as many queries were asked as the tier allows",
    ),
    BUDGET,
    CLARIFICATION,
    Rule(
        "nothing_new",
        lambda s: s.stale >= s.most_stale or s.idle,
        lambda s: "further searches found nothing new" if s.stale else "there is nothing else to search for",
        when="two rounds in a row found nothing new (configurable), or no query is left that was not asked",
    ),
)


OWN_ENDINGS = ("sufficient", "rounds_exhausted", "queries_exhausted", "nothing_new")
"""The endings of a search that had its say: what the answer then says counts for more."""


def most_calls(config: ResearchConfig) -> int:
    """The most model calls of a run: the plan, a reflection a round, and the answer."""
    caps = config.caps
    return caps.plan_queries + config.limits().iterations * caps.reflect + caps.cite
