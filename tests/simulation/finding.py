"""What finds a planted fault: seeds of the simulation, or a test; and the fault itself, planted while that runs."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from aeon.simulation.check import Report, check
from aeon.simulation.crowd import parts
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts

__all__ = ["ByTest", "Fault", "found_by_seeds", "found_by_test", "seeds", "test"]

MOST_SEEDS = 60


@dataclass(frozen=True)
class BySeeds:
    """Seeds with these faults violate one of these invariants; each is checked by ``check``."""

    faults: str
    invariants: tuple[str, ...]
    parts: Parts
    check: Callable[[int, str, Life], Report]


@dataclass(frozen=True)
class ByTest:
    """A test of this module fails; ``arguments`` are what it takes, the names of fixtures among them."""

    module: str
    name: str
    arguments: tuple[Any, ...] = ()

    def run(self, fixtures: Mapping[str, object]) -> None:
        """Run the test with these fixtures. Raises what it raises."""
        function = getattr(importlib.import_module(self.module), self.name)
        function(*(fixtures.get(one, one) if isinstance(one, str) else one for one in self.arguments))


@dataclass(frozen=True)
class Fault:
    """What is put in the place of what, and what finds it."""

    place: Any
    name: str
    faulty: object
    finder: BySeeds | ByTest

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The faulty code, for the time of the block."""
        with patch.object(self.place, self.name, self.faulty):
            yield


def _checked(seed: int, faults: str, life: Life) -> Report:
    return check(scenario(seed, faults), life)


def seeds(
    place: Any, name: str, faulty: object, faults: str, invariants: str | tuple[str, ...], *, engine: str | None = None,
    brought: Parts | None = None, checked: Callable[[int, str, Life], Report] = _checked,
) -> Fault:  # fmt: skip
    """A fault that seeds with these ``faults`` find, of an ``engine`` or with parts that are ``brought``."""
    names = (invariants,) if isinstance(invariants, str) else invariants
    return Fault(place, name, faulty, BySeeds(faults, names, brought or parts(engine), checked))


def test(place: Any, name: str, faulty: object, module: str, test_name: str, *arguments: object) -> Fault:
    """A fault that a test finds."""
    return Fault(place, name, faulty, ByTest(module, test_name, arguments))


def found_by_seeds(fault: Fault, finder: BySeeds) -> Report | None:
    """The first seed that shows the fault."""
    with fault.planted(), Life(finder.parts) as life:
        reports = (finder.check(seed, finder.faults, life) for seed in range(MOST_SEEDS))
        return next((r for r in reports if any(p.invariant in finder.invariants for p in r.problems)), None)


def found_by_test(fault: Fault, finder: ByTest, fixtures: Mapping[str, object]) -> BaseException | None:
    """What the test raises where the fault is planted; ``None`` where it passes."""
    with fault.planted():
        try:
            finder.run(fixtures)
        except BaseException as error:  # noqa: BLE001 - a test fails by whatever it raises
            return error
    return None
