"""Every setting of an ensemble."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from aeon.engines.ensemble.members import CombiningSettings, single
from aeon.schema.config import Caps

__all__ = ["MOST", "EnsembleCaps", "EnsembleConfig", "Seat"]

MOST = 15
"""Members of an ensemble."""
_SAMPLES = 3


class Seat(NamedTuple):
    """A member: its engine, and the seed that it is drawn with; 0: as the engine alone would answer."""

    engine: str
    seed: int = 0


class EnsembleCaps(Caps):
    """Model calls that one comparison of answers, and their merge, may make, repairs and retries included."""

    compare_answers: int = Field(default=12, ge=0)
    merge_answers: int = Field(default=3, ge=0)


class EnsembleConfig(CombiningSettings):
    """The configuration of an ensemble.

    Each of the engines that ``members`` names has so many ``samples`` in it: without a number, 3 of a single engine,
    and one of each where there are several. The first sample of an engine is what it would answer alone; the others
    are drawn at the ``temperature``, each with a seed of its own.
    """

    members: tuple[str, ...] = Field(default=("multi-pass",), min_length=1, description="engines, by name")
    samples: int | None = Field(default=None, ge=1, le=MOST, validate_default=True, description="of each member named")
    temperature: float = Field(default=0.7, gt=0, le=2, description="of the samples after the first")
    merge: bool = Field(
        default=True, description="make one answer of texts that have no majority, if they can all stand"
    )
    caps: EnsembleCaps = EnsembleCaps()

    @field_validator("members")
    @classmethod
    def _answer_themselves(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        single(members)
        return members

    @field_validator("samples")
    @classmethod
    def _can_vote(cls, samples: int | None, info: ValidationInfo) -> int | None:
        members = info.data.get("members", ())
        if members and not 2 <= (many := len(_seats(members, samples))) <= MOST:
            raise ValueError(f"makes {many} of 2 to {MOST} members; name several, as in members=multi-pass,loop")
        return samples

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines of the members, each once."""
        return tuple(dict.fromkeys(self.members))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The members, in the order in which they are asked: the first sample of each engine, then the others."""
        return _seats(self.members, self.samples)

    @property
    def rounds(self) -> int:
        """How often members are asked at most: as many as make a majority at once, then one by one."""
        return len(self.seats) - len(self.seats) // 2


def _seats(members: tuple[str, ...], samples: int | None) -> tuple[Seat, ...]:
    many = samples or (1 if len(members) > 1 else _SAMPLES)
    rounds = [name for _ in range(many) for name in members]
    return tuple(Seat(name, rounds[:at].count(name)) for at, name in enumerate(rounds))
