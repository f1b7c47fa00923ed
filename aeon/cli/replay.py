"""``aeon replay``: a saved run, derived again without a model, is the same, or the first divergence is named."""

from __future__ import annotations

import argparse

from aeon.assembly.registry import plugin_of, view_of
from aeon.cli.database import jobs_in
from aeon.cli.output import print_json, remark
from aeon.cli.saved import how_continued, read
from aeon.errors import JournalError, UsageError
from aeon.observability.lines import counted, plain
from aeon.runtime.journal import Journal
from aeon.runtime.lines import digest
from aeon.runtime.replay import ResumePoint, replay, resume_point
from aeon.schema import Frozen

__all__ = ["Every", "Replayed", "command"]


class Replayed(Frozen):
    """What came of a replay. ``compared``: the journal says how the run ended, and the result is that one, bit by bit.

    ``altered`` are the effects whose outcomes whoever forked the run put in: they are replayed like any others.
    ``digest`` and ``stop_reason`` are of the result; there is none where the run broke off.
    """

    effects: int
    compared: bool = False
    altered: tuple[int, ...] = ()
    digest: str | None = None
    stop_reason: str | None = None


_MOST = 1_000_000


class Every(Frozen):
    """What came of the replay of every run in a database: which this version would continue otherwise, and why."""

    runs: int
    same: int
    other: dict[str, str]


def command(options: argparse.Namespace) -> int:
    """Replay the journal in ``options.file`` and say what came of it; a divergence is an error.

    With ``options.all``, every run of the database ``options.durable`` is replayed: 1 if one diverges, else 0.

    Raises:
        UsageError: the run's engine is not installed in this version, or neither a run nor a database is named.
    """
    if options.all or options.file is None:
        return _every(options)
    journal = read(options.file, options.durable)
    engine = plugin_of(journal).engine
    point = resume_point(journal, engine) if journal.ended is None else ResumePoint()
    broken_off = point.void is not None and point.question is None
    if broken_off and not journal.stopped:
        return _so_far(journal, options)
    result = replay(journal, engine)
    replayed = Replayed(
        effects=len(journal.entries),
        compared=journal.ended is not None,
        altered=journal.altered,
        digest=digest(result),
        stop_reason=result.stop_reason,
    )
    if options.json:
        print_json(replayed)
        return 0
    same = "bit-identical" if replayed.compared else "each as recorded"
    same += f", {len(replayed.altered)} of them altered" if replayed.altered else ""
    print(f"replayed {counted(replayed.effects, 'effect')}, {same}: {replayed.digest}")
    print(plain(view_of(engine.name).conclusion(result)))
    return 0


def _so_far(journal: Journal, options: argparse.Namespace) -> int:
    """What there is to say of a run that had not ended."""
    replayed = Replayed(effects=len(journal.entries), altered=journal.altered)
    if options.json:
        print_json(replayed)
    else:
        print(f"replayed {counted(replayed.effects, 'effect')}, each as recorded; the run had not ended then")
        remark(how_continued(options.file, options.durable))
    return 0


def _every(options: argparse.Namespace) -> int:
    """Replay each run of a database as far as it goes."""
    if not options.all or options.file is not None or options.durable is None:
        raise UsageError("replay: name a saved run, or a database, all of whose runs are replayed: --all --durable URL")
    other: dict[str, str] = {}
    with jobs_in(options.durable) as jobs:
        names = [job.id for job in jobs.latest(most=_MOST)]
        for name in names:
            try:
                _checked(jobs.journal(name))
            except (JournalError, UsageError) as error:
                other[name] = str(error)
    every = Every(runs=len(names), same=len(names) - len(other), other=other)
    if options.json:
        print_json(every)
    else:
        print(f"replayed {counted(every.runs, 'run')}: {every.same} as recorded")
        print("".join(f"{name}  {why}\n" for name, why in other.items()), end="")
    return 1 if other else 0


def _checked(journal: Journal) -> None:
    """Step a run as far as its journal goes.

    Raises:
        Divergence: this version would continue it otherwise.
    """
    engine = plugin_of(journal).engine
    if journal.ended is None:
        resume_point(journal, engine)
    else:
        replay(journal, engine)
