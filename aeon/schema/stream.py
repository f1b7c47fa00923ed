"""The shape of a run's events as they happen, whoever drives the run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Literal, Protocol, Self, TypeAlias, TypeVar

__all__ = ["Occurrence", "OnLeave", "Stream"]

R_co = TypeVar("R_co", covariant=True)
OnLeave: TypeAlias = Literal["continue", "interrupt"]
"""What becomes of a run whose events nobody reads any more."""


class Occurrence(Protocol):
    """One event of a run."""

    @property
    def type(self) -> str:
        """What happened, as ``effect_ended``."""

    @property
    def line(self) -> int:
        """The number of its line in the journal, or of the last line before it."""


class Stream(Protocol[R_co]):
    """The events of a run as they happen; the last one carries the conclusion. Leaving them interrupts the run."""

    @property
    def result(self) -> R_co:
        """The whole result.

        Raises:
            RuntimeError: the run has not ended.
        """

    def __aiter__(self) -> AsyncIterator[Occurrence]: ...

    async def __anext__(self) -> Occurrence: ...

    async def aclose(self) -> None:
        """Leave the run: it is interrupted and awaited, or continues if that was asked for."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
