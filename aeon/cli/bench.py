"""``aeon bench engines``: scenarios and engines beside chain of thought and self-consistency at equal tokens."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import RootModel

from aeon.bench.measuring import measure
from aeon.bench.problems import FAMILIES, Problem, problems
from aeon.bench.remembering import Remembering, Replies
from aeon.bench.rows import Opening, Record, Row
from aeon.bench.scenarios import SCENARIOS, digest, needs_another
from aeon.bench.summary import Figures, summary
from aeon.bench.systems import Models, System, check, systems
from aeon.bench.tables import answered, lines
from aeon.cli.output import print_json, remark
from aeon.cli.progress import fetch_weights
from aeon.errors import UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.local import Local
from aeon.llm.select import select
from aeon.observability.lines import visible

__all__ = ["command"]

_INTERRUPTED = 130


class _Figures(RootModel[tuple[Figures, ...]]):
    pass


def command(options: argparse.Namespace) -> int:
    """Ask the questions that are not on record, and print what is.

    Raises:
        UsageError: an option is wrong, or a scenario that was named lacks its peer.
        InputFileError: the file of answers is of another run, or cannot be used.
        ModelError, WeightsError: the model cannot be used.
    """
    families = _named(options.families, FAMILIES, "family") if options.families else [*FAMILIES]
    asked = problems(families, options.sample, options.seed)
    model, peer = _adapters(options)
    scenarios, engines = _scenarios(options, peer is not None), _list(options.engines)
    check(scenarios, engines, peer is not None)
    record, replies = _files(options, model, peer)
    for one in filter(None, (model, peer)):
        _make_ready(one)
    models = Models(Remembering(model, replies), Remembering(peer, replies) if peer is not None else None)
    chosen = systems(scenarios, engines, models)
    _announce(options, model.name, scenarios, len(asked))
    code = _measured(options, asked, chosen, models, replies, record)
    rows = record.of(asked, chosen)
    _print(summary(rows, families, [*chosen]), options.json)
    return code or int(any(row.error for row in rows))


def _files(options: argparse.Namespace, model: LLMAdapter, peer: LLMAdapter | None) -> tuple[Record, Replies]:
    """What there is already, and where what comes is written to."""
    if options.resume and not options.out:
        raise UsageError("bench: --resume continues a file of answers; name it with --out FILE")
    path = Path(options.out) if options.out else None
    opening = Opening(model=model.name, peer=peer.name if peer else "", seed=options.seed, scenarios=digest())
    record = Record(opening, path, options.resume)
    return record, Replies(path.with_name(f"{path.name}.replies") if path is not None else None)


def _list(text: str | None) -> list[str]:
    """What commas separate, each once."""
    return [*dict.fromkeys(filter(None, map(str.strip, (text or "").split(","))))]


def _named(text: str, known: Collection[str], what: str) -> list[str]:
    names = _list(text)
    unknown = [one for one in names if one not in known]
    if unknown or not names:
        raise UsageError(f"bench: there is no {what} {', '.join(unknown) or repr(text)}; there are {', '.join(known)}")
    return names


def _adapters(options: argparse.Namespace) -> tuple[LLMAdapter, LLMAdapter | None]:
    """The model that answers, and the other one."""
    model = select(options.model)
    peer = select(options.peer) if options.peer else None
    if peer is not None and peer.name == model.name:
        raise UsageError(f"bench: --peer: {peer.name} is the model itself; name another one")
    return model, peer


def _make_ready(model: LLMAdapter) -> None:
    """Fetch and load a model of this machine, so that no answer is timed with that."""
    if isinstance(model, Local):
        fetch_weights(model)
        model.load()


def _scenarios(options: argparse.Namespace, has_peer: bool) -> list[str]:
    """Those that were named; else all, without the ones that need a peer which is not there; with engines, none."""
    if options.scenarios:
        return _named(options.scenarios, SCENARIOS, "scenario")
    return [] if options.engines else [name for name in SCENARIOS if has_peer or not needs_another(name)]


def _announce(options: argparse.Namespace, model: str, scenarios: Sequence[str], questions: int) -> None:
    """Say what is about to be measured, and what is left out."""
    if not options.scenarios and not options.engines:
        for name in SCENARIOS:
            if name not in scenarios:
                remark(f"{name} left out: it needs a second model as its peer; name one with --peer")
    remark(f"{model}, seed {options.seed}: {questions} questions")


def _measured(
    options: argparse.Namespace,
    asked: Sequence[Problem],
    chosen: Mapping[str, System],
    models: Models,
    replies: Replies,
    record: Record,
) -> int:
    """Ask; the exit code that this means. What was asked stays on record, however it ends."""

    async def ask() -> None:
        try:
            await measure(asked, chosen, models, replies, record, _observe)
        finally:
            await models.aclose()

    try:
        asyncio.run(ask())
    except KeyboardInterrupt:
        again = f"; the same with --resume --out {shlex.quote(options.out)} goes on" if options.out else ""
        remark(f"interrupted{again}")
        return _INTERRUPTED
    return 0


def _observe(row: Row) -> None:
    print(visible(answered(row)), file=sys.stderr, flush=True)


def _print(figures: Sequence[Figures], as_json: bool) -> None:
    if as_json:
        print_json(_Figures(tuple(figures)))
        return
    for line in lines(figures):
        print(line)
