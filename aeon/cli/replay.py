"""``aeon replay``: a saved run, derived again without a model, is the same, or the first divergence is named."""

from __future__ import annotations

import argparse
import shlex

from aeon.assembly.registry import plugin_of, view_of
from aeon.cli.output import print_json
from aeon.cli.saved import read
from aeon.observability.lines import counted, plain, visible
from aeon.runtime.journal import Journal
from aeon.runtime.lines import digest
from aeon.runtime.replay import ResumePoint, replay, resume_point
from aeon.schema import Frozen

__all__ = ["Replayed", "command"]


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


def command(options: argparse.Namespace) -> int:
    """Replay the journal in ``options.file`` and say what came of it; a divergence is an error.

    Raises:
        UsageError: the run's engine is not installed in this version.
    """
    journal = read(options.file)
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
        path = shlex.quote(visible(options.file))
        print(f"replayed {counted(replayed.effects, 'effect')}, each as recorded; the run had not ended then")
        print(f"continue with: aeon resume {path}")
    return 0
