"""Many seeds, in as many processes as there are cores, and what they showed together."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TypeAlias

from aeon.assembly.plugin import AnyPlugin, Plugin
from aeon.assembly.registry import plugin, shipped
from aeon.errors import UsageError
from aeon.simulation.check import Report, check
from aeon.simulation.faults import KINDS, scenario
from aeon.simulation.life import Life, Parts
from aeon.simulation.shrink import shrunk
from aeon.simulation.texts import FORMS

__all__ = ["ALL", "Failure", "Tally", "parts", "simulate", "tally"]

_Piece: TypeAlias = tuple[range, str | None, AnyPlugin | str | None]

ALL = "all"
"""Stands for every engine that ships with Aeon: the seeds are divided over them."""
_SEEDS_A_PIECE = 25
_MOST_SHRUNK = 5
_SURE, _SURE_OF_FORMS = 50, 200
_ALLOCATED = 100_000


@dataclass(frozen=True)
class Failure:
    """A seed that violated an invariant; ``command`` runs the smallest scenario that does so too."""

    seed: int
    invariant: str
    detail: str
    command: str


@dataclass
class Tally:
    """What simulated runs showed. ``fired`` counts the faults, ``reasons`` how the runs ended, ``engines`` their seeds.

    ``digest`` is the same for the same seeds and faults, however many processes there were.
    """

    seeds: int = 0
    runs: int = 0
    effects: int = 0
    digest: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    engines: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Tally | Report) -> None:
        """Count another tally, or one seed, in."""
        self.runs += other.runs
        self.effects += other.effects
        self.digest ^= other.digest
        self.fired += other.fired
        self.reasons += other.reasons
        if isinstance(other, Tally):
            self.seeds += other.seeds
            self.engines += other.engines
            self.failures += other.failures
        else:
            self.seeds += 1

    def silent(self, faults: str | None = None) -> tuple[str, ...]:
        """The faults that never fired although there were seeds enough that they must; of ``faults``, if given."""
        kinds = [kind for kind in KINDS if faults is None or kind in scenario(0, faults).faults]
        expected = kinds if self.seeds >= _SURE * len(kinds) else []
        if "malformed" in kinds and self.seeds >= _SURE_OF_FORMS * len(kinds):
            expected = [*expected, *(f"malformed:{form}" for form in FORMS)]
        return tuple(kind for kind in expected if not self.fired[kind])


def simulate(seeds: range, faults: str | None = None, jobs: int = 1, engine: AnyPlugin | str | None = None) -> Tally:
    """Simulate each seed, with its own faults or with ``faults``, in ``jobs`` processes.

    ``engine`` is the name of an installed engine, a plugin, or `ALL`; without it, the multi-pass engine. A plugin is
    simulated in this process alone, since another one could not be given it.

    Raises:
        UsageError: ``faults`` names no kind of fault, the engine is not installed, there is no seed for each engine,
            or a process was killed.
    """
    scenario(0, faults)
    division = _division(seeds, engine)
    jobs = 1 if isinstance(engine, Plugin) else jobs
    pieces = [
        (some[at : at + _SEEDS_A_PIECE], faults, one)
        for some, one in division
        for at in range(0, len(some), _SEEDS_A_PIECE)
    ]
    whole = Tally()
    for tally in _tallies(pieces, min(jobs, len(pieces))):
        whole.add(tally)
    whole.failures.sort(key=lambda failure: failure.seed)
    return whole


def _division(seeds: range, engine: AnyPlugin | str | None) -> list[tuple[range, AnyPlugin | str | None]]:
    """The seeds of each engine. With `ALL`, a seed is always that of the same engine, wherever the seeds begin."""
    if engine != ALL:
        parts(engine)
        return [(seeds, engine)]
    names = [one.name.partition("/")[0] for one in shipped()]
    many = len(names)
    if len(seeds) < many:
        raise UsageError(f"--engine {ALL}: there are {many} engines; simulate {many} seeds or more, not {len(seeds)}")
    return [(seeds[(place - seeds.start) % many :: many], name) for place, name in enumerate(names)]


def parts(engine: AnyPlugin | str | None) -> Parts:
    """The parts that a simulation of this engine uses.

    Raises:
        UsageError: it is not installed.
    """
    return Parts() if engine is None else Parts(engine if isinstance(engine, Plugin) else plugin(engine))


def _tallies(pieces: list[_Piece], jobs: int) -> Iterator[Tally]:
    if jobs <= 1:
        yield from map(_piece, pieces)
        return
    context = multiprocessing.get_context("spawn")
    held, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, _begin, (held,))
    try:
        yield from map(Future.result, as_completed([pool.submit(_piece, piece) for piece in pieces]))
    except BrokenProcessPool:
        raise UsageError("a process of the simulation was killed, for want of memory, say: take fewer --jobs") from None
    finally:
        ours.close()
        pool.shutdown(cancel_futures=True)
        held.close()


def _begin(held: Connection) -> None:
    """Have a process end with the simulation, at Ctrl-C too: the other end of ``held`` is closed then.

    What was imported lives as long as the process, and runs leave few cycles: looking for more of them takes a tenth of
    the time.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(_ALLOCATED)

    def watch() -> None:
        wait([held])
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _piece(piece: _Piece) -> Tally:
    seeds, faults, engine = piece
    with Life(parts(engine)) as life:
        return tally((check(scenario(seed, faults), life) for seed in seeds), life)


def tally(reports: Iterable[Report], life: Life) -> Tally:
    """The tally of some seeds, with the first failures shrunk."""
    whole = Tally()
    for report in reports:
        whole.add(report)
        whole.engines[life.parts.plugin.name] += 1
        if report.problems:
            small = shrunk(report, life) if len(whole.failures) < _MOST_SHRUNK else report
            problem = small.problems[0]
            command = small.scenario.command + life.parts.option
            whole.failures.append(Failure(report.scenario.seed, problem.invariant, problem.detail, command))
    return whole
