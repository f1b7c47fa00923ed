"""Every setting of a research run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from aeon.engines.research.values import TierName
from aeon.schema.config import Caps, Settings
from aeon.schema.frozen import Written

__all__ = ["LIMITS", "Limits", "ResearchCaps", "ResearchConfig", "Retries"]


class ResearchCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    find_providers: int = Field(default=6, ge=0, description="to find out what the endpoint can do")
    plan_queries: int = Field(default=3, ge=0)
    search: int = Field(default=0, ge=0)
    pause: int = Field(default=0, ge=0)
    summarise: int = Field(default=2, ge=0)
    reflect: int = Field(default=12, ge=0)
    cite: int = Field(default=8, ge=0)


class Limits(Written):
    """How much research a run does at most: rounds, queries and sources in all, and seconds on a fast model."""

    iterations: int = Field(ge=1, le=100)
    queries: int = Field(ge=1, le=500)
    sources: int = Field(ge=1, le=500)
    seconds: float = Field(gt=0)


LIMITS: dict[TierName, Limits] = {
    "simple": Limits(iterations=2, queries=3, sources=5, seconds=60),
    "standard": Limits(iterations=5, queries=10, sources=15, seconds=90),
    "deep": Limits(iterations=10, queries=20, sources=25, seconds=120),
}


class Retries(Written):
    """What becomes of searches that fail: ``attempts`` in all, ``base`` seconds doubled each time, at most ``longest``.

    After ``consecutive`` failed queries in a row, or this ``share`` of at least ``least`` queries, a provider is not
    asked any more.
    """

    attempts: int = Field(default=3, ge=1, le=10)
    base: float = Field(default=1.0, ge=0, description="seconds")
    longest: float = Field(default=10.0, ge=0, description="seconds; a provider that asks for more is not asked again")
    consecutive: int = Field(default=3, ge=1)
    share: float = Field(default=0.5, gt=0, le=1)
    least: int = Field(default=4, ge=1)


class ResearchConfig(Settings):
    """The configuration of a research run.

    ``tier`` sets the limits; ``auto`` has the model choose, within those of ``deep``. ``max_iters``, ``max_queries``
    and ``max_sources`` stand before the tier's. ``most_results`` are taken of each search, and one with fewer than
    ``few_results`` is worded otherwise. After ``stale_rounds`` rounds without anything new the search ends.
    ``variables`` of the environment, with the names of the reference, stand before defaults and files.
    """

    variables: ClassVar[Mapping[str, str]] = {
        "RESEARCH_MAX_ITERS": "max_iters",
        "RESEARCH_MAX_QUERIES": "max_queries",
        "RESEARCH_MAX_SOURCES": "max_sources",
        "RESEARCH_MAX_EXECUTION_TIME_S": "budget.seconds",
        "RESEARCH_TOKEN_BUDGET": "budget.tokens",
    }

    tier: Literal["auto", "simple", "standard", "deep"] = "standard"
    max_iters: int | None = Field(default=None, ge=1, le=100)
    max_queries: int | None = Field(default=None, ge=1, le=500)
    max_sources: int | None = Field(default=None, ge=1, le=500)
    most_results: int = Field(default=5, ge=1, le=50)
    few_results: int = Field(default=3, ge=1)
    most_summaries: int = Field(default=4, ge=0, description="requests a round that summarise sources")
    stale_rounds: int = Field(default=2, ge=1)
    sufficient: float = Field(default=0.3, ge=0, le=1, description="confidence from which on a reflection ends the run")
    search_seconds: float = Field(default=30.0, gt=0, description="for one search")
    check: bool = Field(default=True, description="have a judge hold the answer against what it cites")
    retries: Retries = Retries()
    caps: ResearchCaps = ResearchCaps()

    def limits(self, chosen: TierName | None = None) -> Limits:
        """The limits of this configuration; of ``auto`` those of the ``chosen`` tier, without one the widest."""
        tier = LIMITS[(chosen or "deep") if self.tier == "auto" else self.tier]
        return tier.changed(
            iterations=self.max_iters or tier.iterations,
            queries=self.max_queries or tier.queries,
            sources=self.max_sources or tier.sources,
        )
