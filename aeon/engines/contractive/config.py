"""Every setting of a contractive run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, ValidationInfo, field_validator

from aeon.engines.contractive.presets import PRESETS, Limits, PresetName
from aeon.schema.config import Caps, Reserve, Settings

__all__ = ["BranchConfig", "ContractiveCaps", "ContractiveConfig"]


class ContractiveCaps(Caps):
    """Model calls that one effect of each phase may make, repairs and retries included."""

    sample: int = Field(default=11, ge=0)
    classify: int = Field(default=24, ge=0)
    decompose: int = Field(default=5, ge=0)
    review: int = Field(default=5, ge=0)
    collapse: int = Field(default=4, ge=0)


class BranchConfig(Settings):
    """The configuration of one node and all below it.

    ``place`` names the node: ``1.2`` is the second child of the root. ``depth`` levels and ``loops`` splits are left
    for it. ``reviewed``: a peer reviews its answer.
    """

    limits: Limits = PRESETS["complex"]
    place: str = "1"
    depth: int = Field(default=4, ge=0)
    loops: int = Field(default=10, ge=0)
    reviewed: bool = False
    caps: ContractiveCaps = ContractiveCaps()
    reserve: Reserve = Reserve(tokens=0.1)


class ContractiveConfig(Settings):
    """The configuration of a contractive run.

    ``preset`` sets the numbers of `Limits`; any of them that is set beside it stands before the preset's. Answers are
    reviewed where the role ``peer`` has a model.
    """

    second_names: ClassVar[Mapping[str, str]] = {"peer": "roles.peer"}

    preset: PresetName = "complex"
    depth: int | None = Field(default=None, ge=0, le=8)
    children: int | None = Field(default=None, ge=1, le=20)
    loops: int | None = Field(default=None, ge=0, le=100)
    samples: int | None = Field(default=None, ge=2, le=8)
    temperature: float | None = Field(default=None, gt=0, le=2)
    decompose: float | None = Field(default=None, ge=0, le=1)
    collapse: float | None = Field(default=None, ge=0, le=1, validate_default=True)
    gain: float | None = Field(default=None, ge=0, le=1)
    relevance: float | None = Field(default=None, ge=0, le=1)
    rebranches: int | None = Field(default=None, ge=0, le=2)
    parallel: int | None = Field(default=None, ge=1, le=4)
    branch_tokens: int | None = Field(default=None, ge=500)
    sample_tokens: int | None = Field(default=None, ge=8, le=1_024)
    steps: bool | None = None
    caps: ContractiveCaps = ContractiveCaps()
    reserve: Reserve = Reserve(tokens=0.1)

    @field_validator("collapse")
    @classmethod
    def _in_order(cls, collapse: float | None, info: ValidationInfo) -> float | None:
        preset = PRESETS[info.data.get("preset", "complex")]
        own = info.data.get("decompose")
        low, high = preset.collapse if collapse is None else collapse, preset.decompose if own is None else own
        if low > high:
            raise ValueError(f"collapse ({low:g}) must not be above decompose ({high:g})")
        return collapse

    @property
    def limits(self) -> Limits:
        """The numbers of the preset, with those that are set beside it."""
        return PRESETS[self.preset].changed(**self.model_dump(include=set(Limits.model_fields), exclude_none=True))

    def branch(self) -> BranchConfig:
        """The configuration of the root."""
        limits = self.limits
        caps = self.caps if self.roles.peer else self.caps.changed(review=0)
        return BranchConfig(
            limits=limits, depth=limits.depth, loops=limits.loops, reviewed=bool(self.roles.peer), caps=caps,
            prices=self.prices, prompt_bytes=self.prompt_bytes, output_tokens=self.output_tokens, reserve=self.reserve,
            budget=self.budget.changed(tokens=min(limits.tokens, self.budget.tokens or limits.tokens)),
        )  # fmt: skip
