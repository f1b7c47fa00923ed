"""Every setting of a chain."""

from __future__ import annotations

from pydantic import Field, field_validator

from aeon.engines.ensemble.members import CombiningSettings, single

__all__ = ["ChainConfig"]


class ChainConfig(CombiningSettings):
    """The configuration of a chain: its ``members`` run one after the other, in this order."""

    members: tuple[str, ...] = Field(
        default=("research", "multi-pass"), min_length=2, max_length=6, description="engines, by name, in their order"
    )

    @field_validator("members")
    @classmethod
    def _answer_themselves(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        single(members)
        return members

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines of the members, each once."""
        return tuple(dict.fromkeys(self.members))
