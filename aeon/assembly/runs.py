"""Saved runs of any engine: replayed, forked and compared by the engine that their journal names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aeon.assembly.arguments import check_journal
from aeon.assembly.registry import plugin_of
from aeon.runtime import diff as diffing
from aeon.runtime import fork as forking
from aeon.runtime import replay as replaying
from aeon.runtime.diff import Difference
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import JsonValue, Settings

__all__ = ["diff", "engine_of", "fork", "replay"]


def engine_of(journal: Journal, engine: AnyEngine | None = None) -> AnyEngine:
    """The engine that was given, or the installed one that the journal names.

    Raises:
        UnknownNameError: it is not installed.
        UsageError: another version of it is.
    """
    return engine if engine is not None else plugin_of(journal).engine


def replay(journal: Journal, engine: AnyEngine | None = None) -> Any:  # noqa: ANN401 - the result of the run's engine
    """The result that the journal determines, byte for byte the one of the run; no model is asked.

    Raises:
        Divergence: the program asks for something else than the journal holds, or ends otherwise.
        JournalError: the run had not ended when the journal was written, and is not waiting for an answer.
        UsageError: the engine is not installed in this version, or it is no journal.
    """
    check_journal(journal, "replay")
    return replaying.replay(journal, engine_of(journal, engine))


def fork(
    journal: Journal,
    at: int,
    config: Settings | None = None,
    value: JsonValue = None,
    path: Path | str | None = None,
    engine: AnyEngine | None = None,
) -> Journal:
    """A journal of a new run that shares the first ``at`` effects; resume it to run its future.

    From there on ``config`` holds, if it is given; ``value`` is the outcome of effect ``at`` as JSON. With a ``path``
    the new journal is on disk. Raises as `aeon.runtime.fork.fork`, and UsageError where the engine is not installed
    or it is no journal.
    """
    check_journal(journal, "fork")
    return forking.fork(journal, at, engine_of(journal, engine), config, value, path)


def diff(a: Journal, b: Journal, engine: AnyEngine | None = None) -> Difference:
    """Where two runs part, and what differs between them from there on. Asks no model.

    Raises:
        Divergence: a journal is of another program or version.
        JournalError: a journal holds no run.
        UsageError: an engine is not installed in this version, or one is no journal.
    """
    for one in (a, b):
        check_journal(one, "diff")
    return diffing.diff(a, b, engine_of(a, engine), engine_of(b, engine))
