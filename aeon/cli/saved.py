"""Journals as commands read them: a last line that a crash cut short is mentioned."""

from __future__ import annotations

import shlex

from aeon.cli.database import jobs_in
from aeon.cli.output import remark
from aeon.observability.lines import visible
from aeon.runtime.journal import Journal

__all__ = ["how_continued", "read", "say_torn"]


def read(path: str, durable: str | None = None) -> Journal:
    """A journal to be looked at; where its last line was cut short, that is said.

    With ``durable``, the address of a database, ``path`` is the id of a run there.

    Raises:
        InputFileError: the file cannot be read or is no journal of this version, or the database cannot be used.
        JournalError: a line is damaged; names it.
        UnknownNameError: the database has no such run.
    """
    if durable is not None:
        with jobs_in(durable) as jobs:
            return jobs.journal(path)
    journal = Journal.read(path)
    say_torn(path, journal)
    return journal


def how_continued(path: str, durable: str | None = None) -> str:
    """How a run that has not ended goes on: by who saved it, or by a worker of its database."""
    name = shlex.quote(visible(path))
    return f"continue with: aeon resume {name}" if durable is None else f"a worker continues it; see: aeon jobs {name}"


def say_torn(path: str, journal: Journal) -> None:
    """One line on standard error, if the journal's last line does not count."""
    if journal.torn:
        remark(f"{path}: the last line was cut short by a crash and does not count")
