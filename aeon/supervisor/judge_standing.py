"""What a judgment is worth on the endpoint that is asked: measured, assumed or bad."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from aeon.llm.adapter import LLMAdapter
from aeon.llm.around import Around
from aeon.llm.profiles import load
from aeon.schema import Standing
from aeon.schema.calibration import Calibration
from aeon.supervisor.judge_specs import Calibrations, calibrations
from aeon.supervisor.supervisor import Supervisor

__all__ = ["least", "of_verdict", "own_calibrations", "standing"]

_ORDER: tuple[Standing, ...] = ("none", "bad", "assumed", "measured")
_NONE = Calibrations()


@runtime_checkable
class _Placed(Protocol):
    """An adapter that says which endpoint it asks."""

    @property
    def name(self) -> str: ...

    @property
    def place(self) -> str: ...


async def own_calibrations(supervisor: Supervisor) -> Calibrations:
    """What ``aeon doctor --judge`` measured on the supervisor's own endpoint; empty without a profile that holds.

    Raises:
        AllowanceExhausted: the time is over.
        ModelError: the endpoint gives no answer.
    """
    if not (await supervisor.capabilities()).measured:
        return _NONE
    adapter = _innermost(supervisor.llm)
    if not isinstance(adapter, _Placed):
        return _NONE
    profile = load(adapter.place, adapter.name)
    return Calibrations(entries=profile.judgments if profile is not None else ())


async def of_verdict(
    supervisor: Supervisor, measured: Calibrations | None, name: str, wording: str
) -> Calibration | None:
    """What was measured of a structured verdict: in ``measured``, by default on the endpoint itself, then what ships.

    Raises:
        AllowanceExhausted, ModelError: as `own_calibrations`.
    """
    known = measured if measured is not None else (await own_calibrations(supervisor)).before(calibrations())
    return known.named(supervisor.llm.name, name, "verdict", wording)


def standing(calibration: Calibration | None) -> Standing:
    """What a judgment with this calibration is worth; it is assumed to be good where nobody measured it."""
    return calibration.standing if calibration is not None else "assumed"


def least(standings: Iterable[Standing]) -> Standing:
    """What several judgments together are worth: as much as the worst of them; ``none`` of none."""
    return min(standings, key=_ORDER.index, default="none")


def _innermost(adapter: LLMAdapter) -> LLMAdapter:
    while isinstance(adapter, Around):
        adapter = adapter.model
    return adapter
