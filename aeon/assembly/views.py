"""Saved runs as data for views, and runs as pages in a notebook."""

from __future__ import annotations

from pathlib import Path

from aeon.assembly.registry import view_of
from aeon.assembly.runs import engine_of
from aeon.errors import JournalError
from aeon.observability.lines import plain
from aeon.observability.page import to_html
from aeon.observability.trail import Done, Trail
from aeon.runtime.failures import waiting
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine, Outcomes, replay, walk
from aeon.schema import Conclusion, Decision, Outcome
from aeon.schema.effects import AskUser, Effect, Note

__all__ = ["Notebook", "notebook", "trail"]


def trail(journal: Journal, engine: AnyEngine | None = None) -> Trail:
    """The run of a journal as far as it goes, with its result if it has ended or waits for an answer.

    Raises:
        Divergence: the journal is of another program or version.
        JournalError: it holds no run.
        UsageError: the engine is not installed in this version.
    """
    brought = engine_of(journal, engine)
    batches: list[tuple[Done, ...]] = []
    decisions: list[tuple[int, Decision]] = []
    altered = frozenset(journal.altered)

    def answer(first: int, effects: tuple[Effect, ...], recorded: Outcomes) -> Outcomes:
        outcomes = tuple(_known(effect, outcome) for effect, outcome in zip(effects, recorded, strict=True))
        pairs = enumerate(zip(effects, outcomes, strict=True), first)
        batches.append(tuple(Done(n, effect, outcome, n in altered) for n, (effect, outcome) in pairs))
        return outcomes

    def note(noted: Note) -> None:
        if noted.decision is not None:
            decisions.append((sum(map(len, batches)), noted.decision))

    result = walk(journal, answer, brought, note)
    result = result.marked(journal.altered, left_out=journal.opened.left_out) if result is not None else None
    opening = journal.opened
    return Trail(brought.name, opening.execution_id, opening.task, tuple(batches), tuple(decisions), result)


def _known(effect: Effect, outcome: Outcome | None) -> Outcome | None:
    return waiting(effect) if outcome is None and isinstance(effect, AskUser) else outcome


class Notebook:
    """A run that shows itself in Jupyter; anywhere else ``html`` is the same page as text."""

    def __init__(self, html: str, text: str) -> None:
        self.html = html
        self._text = text

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self._text


def notebook(run: Conclusion | Journal | Path | str, engine: AnyEngine | None = None) -> Notebook:
    """A rich display of a run: answer, stop reason, cost against the bound, decisions, and what its engine records.

    ``run`` is a result, or a journal or its path, which has the effects, too. ``engine`` is the engine of a journal;
    without it, the installed one that the journal names.

    Raises:
        InputFileError: the path is no journal of this version.
        JournalError: the journal is damaged, or its run has not ended.
        UsageError: the engine is not installed in this version.
    """
    if isinstance(run, Conclusion):
        whole = Trail(run.engine, run.execution_id, view_of(run.engine).task(run), result=run)
    else:
        journal = run if isinstance(run, Journal) else Journal.read(run)
        replay(journal, engine_of(journal, engine))  # what is shown is what happened
        whole = trail(journal, engine)
    if whole.result is None:
        raise JournalError("the run has not ended: there is nothing to show yet")
    view = view_of(whole.engine)
    html = to_html(whole, view.sections(whole), view.title, view.words)
    return Notebook(html, f"{view.answer(whole.result)}\n\n{plain(view.ending(whole.result))}".strip())
