"""A saved run as one document: its effects, its decisions, its boundaries, its engine's record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import JsonValue

from aeon.assembly.proofs import proof_of
from aeon.assembly.registry import view_of
from aeon.assembly.runs import diff, engine_of, replay
from aeon.assembly.views import trail
from aeon.errors import JournalError
from aeon.proof.document import proof_bytes
from aeon.runtime.diff import Difference
from aeon.runtime.journal import Journal
from aeon.runtime.replay import boundaries
from aeon.schema import Conclusion, Decision, Frozen, JsonObject, Outcome, Task
from aeon.server.problems import Problem
from aeon.settings import settings_of
from aeon.settings.tree import members
from aeon.tools.select import Given

__all__ = ["History", "PastDecision", "PastEffect", "difference", "history_of", "proof"]


class PastEffect(Frozen):
    """Effect ``number`` of a run, what it is about in words, and its outcome; ``None`` where there is none yet."""

    number: int
    phase: str
    subject: str
    title: str
    words: str
    altered: bool
    outcome: JsonValue


class PastDecision(Frozen):
    """A decision, and how many effects came before it."""

    before: int
    decision: Decision


class History(Frozen):
    """A run as its journal tells it. ``boundaries`` are the numbers of effects from which it can be forked.

    ``conclusion`` is how it ended, and ``record`` what its engine records; ``None`` as long as it has not ended.
    """

    execution_id: str
    engine: str
    task: Task
    ended: bool
    effects: tuple[PastEffect, ...]
    decisions: tuple[PastDecision, ...]
    boundaries: tuple[int, ...]
    conclusion: Conclusion | None
    record: JsonValue


def history_of(path: Path | str) -> History:
    """The history of the journal at ``path``. Asks no model.

    Raises:
        InputFileError: the file is no journal of this version.
        JournalError: it is damaged, or of another program.
        UsageError: the run's engine is not installed in this version.
    """
    journal = Journal.read(path)
    engine = engine_of(journal)
    view = view_of(engine.name)
    run = trail(journal, engine)
    effects = [
        PastEffect(
            number=done.number,
            phase=done.effect.phase,
            subject=done.effect.subject,
            title=view.title(done.effect),
            words=view.words(done.outcome) if done.outcome else "",
            altered=done.altered,
            outcome=_outcome(done.outcome),
        )
        for batch in run.batches
        for done in batch
    ]
    end = run.result
    record = _public(view.document(end).model_dump(mode="json"), journal) if end is not None else None
    return History(
        execution_id=run.execution_id,
        engine=run.engine,
        task=journal.opened.task,
        ended=journal.ended is not None,
        effects=tuple(effects),
        decisions=tuple(PastDecision(before=before, decision=decision) for before, decision in run.decisions),
        boundaries=boundaries(journal, engine),
        conclusion=_common(end) if end is not None else None,
        record=record,
    )


def _outcome(outcome: Outcome | None) -> JsonValue:
    return outcome.model_dump(mode="json", exclude=frozenset({"config"})) if outcome is not None else None


def _common(end: Conclusion) -> Conclusion:
    return Conclusion.model_construct(**{name: getattr(end, name) for name in Conclusion.model_fields})


def _public(record: JsonObject, journal: Journal) -> JsonObject:
    """The record without the settings that name files and endpoints of the server."""
    config = record.get("configuration")
    if isinstance(config, dict):
        for path, setting in settings_of(engine_of(journal).config).items():
            if str in members(setting.type):
                _blank(config, path.split("."))
    return record


def _blank(table: dict[str, Any], path: list[str]) -> None:
    for name in path[:-1]:
        table = table.get(name, {})
    if path[-1] in table:
        table[path[-1]] = ""


def proof(path: Path | str, tools: list[Given]) -> bytes:
    """The proof of a run that has ended, as the file that ``aeon verify`` takes.

    Raises:
        Problem: it has not ended.
        UsageError: a text that the answer rests on is not there as it was read.
        JournalError: the journal is damaged, or of another program.
    """
    journal = Journal.read(path)
    try:
        result = replay(journal)
    except JournalError:
        if journal.ended is not None:
            raise
        raise Problem(409, "not_ended", "the run has not ended, so that there is no proof yet", True) from None
    return proof_bytes(proof_of(result, tools, path))


def difference(a: Path | str, b: Path | str) -> Difference:
    """Where two saved runs part, and what differs then. Raises as `history_of`."""
    return diff(Journal.read(a), Journal.read(b))
