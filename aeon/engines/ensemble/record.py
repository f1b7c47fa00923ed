"""The record of an ensemble: every ballot, the classes of answers, and which one was taken."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from aeon.engines.ensemble.members import Said
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue

__all__ = ["Ballot", "Ensemble"]

_Place = Annotated[int, Field(ge=0)]


class Ballot(Said):
    """What a member said, and what that counts.

    ``member`` counts from 1; ``seed`` 0 is the engine as it is. ``place`` is the class of the answer; without one
    there is no vote, and ``missing`` says why.
    """

    member: Annotated[int, Field(ge=1)]
    engine: str
    seed: Annotated[int, Field(ge=0)] = 0
    place: _Place | None = None
    missing: str = ""


class Ensemble(Conclusion):
    """The result of an ensemble of so many ``seats``.

    ``ballots`` are those of the members that were asked, in their order; ``classes`` has an answer of each class.
    ``taken`` is the member whose answer it is, ``None`` without a majority. ``merged``: the answer was made of those of
    several classes.
    """

    seats: int = 0
    ballots: tuple[Ballot, ...] = ()
    classes: tuple[str, ...] = ()
    taken: int | None = None
    merged: bool = False

    @property
    def votes(self) -> tuple[int, ...]:
        """The votes of each class."""
        counts = Counter(ballot.place for ballot in self.ballots)
        return tuple(counts[place] for place in range(len(self.classes)))

    @property
    def rests_on(self) -> str:
        """The scope of the member whose answer was taken."""
        return "" if self.taken is None else f"/{self.taken}"

    def parts(self) -> dict[str, JsonValue]:
        """The ballots, each under its member."""
        return {f"member {ballot.member}": ballot.model_dump(mode="json") for ballot in self.ballots}
