"""Every setting of a report, in the shape of the reference's file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from aeon.engines.report.items import Item
from aeon.engines.report.tiers import Mode, ModeConfigs, SourceTier, check_places
from aeon.engines.research.config import LIMITS, ResearchConfig
from aeon.engines.research.values import TierName
from aeon.schema.config import Caps, Settings
from aeon.schema.frozen import Written
from aeon.schema.usage import Budget

__all__ = ["ReasoningSettings", "ReportCaps", "ReportConfig"]


class ReportCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    find_providers: int = Field(default=6, ge=0, description="to find out what the endpoint can do")
    search: int = Field(default=0, ge=0)
    pause: int = Field(default=0, ge=0)
    clarify: int = Field(default=5, ge=0)
    analyst: int = Field(default=5, ge=0)
    compare: int = Field(default=3, ge=0)
    critic: int = Field(default=24, ge=0)
    compose: int = Field(default=0, ge=0)


class ReasoningSettings(Written):
    """How a report is made. Without ``enabled`` it is a plain search, which asks no model.

    The seconds of each agent are those on a hosted model; ``speed_factor`` stretches them, and without one it follows
    from the measured speed of the model.
    """

    enabled: bool = True
    max_iterations: int = Field(default=3, ge=1, le=10)
    analyst_timeout: float = Field(default=60, gt=0, description="seconds")
    critic_timeout: float = Field(default=30, gt=0, description="seconds")
    writer_timeout: float = Field(default=45, gt=0, description="seconds")
    speed_factor: float | None = Field(default=None, gt=0, le=10_000)

    @property
    def factor(self) -> float:
        """By how much the seconds are stretched."""
        return self.speed_factor or 1.0


class ReportConfig(Settings):
    """The configuration of a report.

    ``source_tiers`` are by the name of a source, its host, or a path that it is below. ``items`` are documents to
    report on, beside what is searched. The analyst asks at most ``most_questions``; each is researched within the
    limits of the research ``tier``, and what it found is compared with ``compare_sources`` other sources. Whether the
    query is ambiguous is asked where ``clarify`` is ``always``, or ``measured`` and a judge that was measured says so.
    """

    mode: Mode = "discovery"
    reasoning: ReasoningSettings = ReasoningSettings()
    source_tiers: dict[str, SourceTier] = Field(default={}, description="by name, host or path")
    mode_configs: ModeConfigs = ModeConfigs()
    items: tuple[Item, ...] = ()
    most_questions: int = Field(default=4, ge=1, le=5)
    most_context: int = Field(default=20, ge=1, le=50, description="passages of the first search")
    compare_sources: int = Field(default=2, ge=0, le=3)
    tier: TierName = "simple"
    most_results: int = Field(default=5, ge=1, le=50)
    search_seconds: float = Field(default=30.0, gt=0, description="for one search")
    clarify: Literal["never", "measured", "always"] = "never"
    output_tokens: int = Field(default=2_048, ge=64, description="of one reply: drafts and critiques are long")
    caps: ReportCaps = ReportCaps()

    @field_validator("source_tiers")
    @classmethod
    def _places(cls, tiers: dict[str, SourceTier]) -> dict[str, SourceTier]:
        check_places(tiers)
        return tiers

    def inner(self, checked: bool = False) -> ResearchConfig:
        """The configuration of the research into one question.

        What is the draft as it stands is ``checked``; what the analyst still words is for the critic to check.
        """
        seconds = LIMITS[self.tier].seconds * self.reasoning.factor
        return ResearchConfig(
            tier=self.tier, most_results=self.most_results, search_seconds=self.search_seconds, check=checked,
            budget=Budget(seconds=seconds), prices=self.prices, prompt_bytes=self.prompt_bytes,
            output_tokens=self.output_tokens, tool_output_bytes=self.tool_output_bytes,
        )  # fmt: skip

    def looking(self) -> ResearchConfig:
        """The configuration of the search for the query itself."""
        return self.inner().changed(most_results=self.most_context)

    @property
    def groups(self) -> tuple[int | None, ...]:
        """The tiers that each question is put to, one after the other; ``None`` for all that the mode takes."""
        return self.mode_configs.monitor.compare_tiers if self.mode == "monitor" else (None,)
