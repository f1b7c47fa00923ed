"""Every setting of a chain."""

from __future__ import annotations

from pydantic import Field, field_validator

from aeon.engines.ensemble.members import COMBINING, CombiningSettings

__all__ = ["ChainConfig"]


class ChainConfig(CombiningSettings):
    """The configuration of a chain: its ``members`` run one after the other, in this order."""

    members: tuple[str, ...] = Field(
        default=("research", "multi-pass"), min_length=2, max_length=6, description="engines, by name, in their order"
    )

    @field_validator("members")
    @classmethod
    def _answer_themselves(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        if combining := [name for name in members if name in COMBINING]:
            raise ValueError(f"'{combining[0]}' runs engines itself; name engines that answer by themselves")
        return members
