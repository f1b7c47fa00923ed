"""Runs made ready to be driven: new ones, those that their journals hold, and forks."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, NamedTuple

from aeon.asking.answers import meant, no_option, options_of
from aeon.assembly.build import assemble, resumption
from aeon.assembly.costs import Costs
from aeon.assembly.noting import Noting
from aeon.assembly.registry import plugin_of
from aeon.assembly.roles import cast_of
from aeon.assembly.setup import Trust, setup_of
from aeon.errors import UsageError
from aeon.kernel.ports import Job
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.attempts import Attempts, given_up
from aeon.runtime.commits import CommitLog
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer, OnRecord
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.runtime.replay import resume_point
from aeon.schema import Conclusion, Question
from aeon.server.bodies import ForkBody, TaskBody
from aeon.server.calls import share, writing
from aeon.server.equipment import Equipment, Order, refuse_own
from aeon.server.feed import Feed, Watcher
from aeon.server.problems import Problem
from aeon.server.told import Told, recorded
from aeon.settings import with_overrides

__all__ = ["Kept", "Prepared", "Wanted", "concluded", "forked", "future", "meant_by", "prepared"]

_OWN = Trust(whole=True)
"""A server's journals are its own, and so is all that they name."""


class Kept(NamedTuple):
    """The journal of a run: where it is, what keeps its lines, whether it has its first one; and its turns."""

    path: Path
    commits: CommitLog
    begun: bool
    attempts: Attempts


class Wanted(NamedTuple):
    """A run that is to be worked on: its id, the body that asked for it, its journal, what was said to its question."""

    name: str
    request: TaskBody
    kept: Kept
    answer: str | None = None
    order: Order | None = None


class Prepared(NamedTuple):
    """A run that is ready to be driven, its journal, and the events that this holds already."""

    driver: AsyncDriver
    job: Job[Any, Any, Any]
    journal: Journal
    told: tuple[Told, ...] = ()


def prepared(wanted: Wanted, equipment: Equipment, feed: Feed, observers: tuple[Observer, ...]) -> Prepared:
    """Make a run ready: the one that its journal holds, or a new one. What happens then is told to its feed.

    Raises:
        AeonError: the journal is damaged, or the run cannot be continued here.
        Problem: the server has not what the run needs.
    """
    if wanted.kept.begun:
        return _resumed(wanted, equipment, feed, observers)
    wanted.kept.path.unlink(missing_ok=True)  # the server ended while the first line was being written
    return _new(wanted, equipment, feed, observers)


def _new(wanted: Wanted, equipment: Equipment, feed: Feed, observers: tuple[Observer, ...]) -> Prepared:
    order = wanted.order or equipment.order(wanted.request)
    engine = order.plugin.engine
    model = _noting(wanted, equipment)
    cast = cast_of(order.config, model)
    handlers = assemble(model, order.tools, order.config, plugin=order.plugin, cast=cast)
    journal = Journal(store=wanted.kept.commits.create(wanted.kept.path))
    costs = Costs(model, engine.name, order.config)
    driver = AsyncDriver(
        (*observers, OnRecord(Watcher(feed, journal, engine.name))),
        lambda _: journal,
        new_id=lambda: wanted.name,
        setup=setup_of(equipment.model, equipment.spec, order.tools, cast) | costs.setup(),
        took=costs.note,
        attempts=wanted.kept.attempts,
    )
    return Prepared(driver, Job(engine, order.task, order.config, handlers), journal)


def _noting(wanted: Wanted, equipment: Equipment) -> LLMAdapter:
    """The server's model; its calls for this run are noted beside the journal."""
    return Noting(equipment.around(equipment.model), writing(wanted.kept.path.with_suffix(".calls")))


def _resumed(wanted: Wanted, equipment: Equipment, feed: Feed, observers: tuple[Observer, ...]) -> Prepared:
    journal = Journal.reopen(wanted.kept.path, wanted.kept.commits.store)
    try:
        engine = plugin_of(journal).engine
        asked = resume_point(journal, engine).question is not None
        watcher = Watcher(feed, journal, engine.name)
        resumed = resumption(
            journal,
            _noting(wanted, equipment),
            equipment.given(wanted.request.sources),
            answer=wanted.answer if asked else None,
            spec=equipment.spec,
            trust=_OWN,
        )
        if journal.unsettled:
            journal.resume(())
        past = recorded(wanted.kept.path)
        watcher.resume(past.life)
        driver = AsyncDriver((*observers, OnRecord(watcher)), lambda _: journal, attempts=wanted.kept.attempts)
        return Prepared(driver, resumed.job, journal, past.told)
    except BaseException:
        journal.close()
        raise


def concluded(path: Path) -> tuple[tuple[Told, ...], Conclusion]:
    """The events of a run that is not taken up any more, and how it ends with what its journal holds.

    Raises:
        AeonError: the journal is damaged, or of another program.
    """
    journal = Journal.read(path)
    result: Conclusion = given_up(journal, plugin_of(journal).engine)
    return recorded(path).told, result


def forked(path: Path, folder: Path, body: ForkBody) -> Journal:
    """A new run in the folder with the past of the one at ``path``, and the future that the body asks for.

    Raises:
        AeonError: as for `future`, or the new journal cannot be written.
    """
    made = future(Journal.read(path), body)
    name = made.opened.execution_id
    entries = [entry for _, entry in sorted(made.entries.items())]
    share(path.with_suffix(".calls"), folder / f"{name}.calls", body.at)
    with contextlib.closing(Journal.written(made.opened, entries, folder / f"{name}.jsonl")) as written:
        return written


def future(journal: Journal, body: ForkBody) -> Journal:
    """A new run in memory with the past of another, and the future that the body asks for.

    Raises:
        Problem: a setting is not a client's.
        UsageError: ``at`` is no boundary, the value is no outcome, or a setting is wrong.
        AeonError: the journal cannot be read.
    """
    engine = plugin_of(journal).engine
    refuse_own(engine.config, body.config)
    config = journal.config(engine.config, body.at)
    changed = with_overrides(config, body.config) if body.config else None
    try:
        return fork(journal, body.at, engine, changed, body.value)
    except UsageError as error:
        raise UsageError(str(error).removeprefix("--")) from None


def meant_by(question: Question, said: str) -> str:
    """The answer that is meant by what was said to a question.

    Raises:
        Problem: it is none of the options, or empty where nothing is assumed.
    """
    if other := no_option(question, said):
        words = "" if question.closed else "; or answer in words"
        raise Problem(422, "no_option", f"{other} is none of the options, which are: {options_of(question)}{words}")
    if not (answer := meant(question, said)):
        raise Problem(422, "no_option", f"the answer is empty, and there is no default; asked is: {question.text}")
    return answer
