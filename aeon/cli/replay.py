"""``aeon replay``: a saved run, derived again without a model, is the same, or the first divergence is named."""

from __future__ import annotations

import argparse
import shlex

from aeon.cli.output import print_json
from aeon.cli.saved import read
from aeon.observability.lines import conclusion_lines, plain, visible
from aeon.runtime.journal import Journal, digest
from aeon.runtime.replay import Standing, replay, standing
from aeon.schema import Frozen, StopReason

__all__ = ["Replayed", "command"]


class Replayed(Frozen):
    """What a replay found. ``compared``: the journal says how the run ended, and the history is that one, bit by bit.

    ``digest`` and ``stop_reason`` are of the history; there is none where the run broke off.
    """

    effects: int
    compared: bool = False
    digest: str | None = None
    stop_reason: StopReason | None = None


def command(options: argparse.Namespace) -> int:
    """Replay the journal in ``options.file`` and say what came of it; a divergence is an error."""
    journal = read(options.file)
    found = standing(journal) if journal.ended is None else Standing()
    broken_off = found.void is not None and found.question is None
    if broken_off and not journal.stopped:
        return _so_far(journal, options)
    result = replay(journal)
    told = Replayed(
        effects=len(journal.entries), compared=journal.ended is not None, digest=digest(result.history),
        stop_reason=result.stop_reason,
    )  # fmt: skip
    if options.json:
        print_json(told)
        return 0
    same = "bit-identical" if told.compared else "each as recorded"
    print(f"replayed {_effects(told.effects)}, {same}: {told.digest}")
    print(plain(conclusion_lines(result)))
    return 0


def _so_far(journal: Journal, options: argparse.Namespace) -> int:
    """What there is to say of a run that had not ended."""
    told = Replayed(effects=len(journal.entries))
    if options.json:
        print_json(told)
    else:
        path = shlex.quote(visible(options.file))
        print(f"replayed {_effects(told.effects)}, each as recorded; the run had not ended then")
        print(f"go on with: aeon resume {path}")
    return 0


def _effects(number: int) -> str:
    return f"{number} effect{'' if number == 1 else 's'}"
