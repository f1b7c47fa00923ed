"""Journals as commands read them: a last line that a crash cut short is mentioned."""

from __future__ import annotations

from aeon.cli.output import remark
from aeon.runtime.journal import Journal

__all__ = ["read", "say_torn"]


def read(path: str) -> Journal:
    """A journal to be looked at; where its last line was cut short, that is said.

    Raises:
        InputFileError: the file cannot be read or is no journal of this version.
        JournalError: a line is damaged; names it.
    """
    journal = Journal.read(path)
    say_torn(path, journal)
    return journal


def say_torn(path: str, journal: Journal) -> None:
    """One line on standard error, if the journal's last line does not count."""
    if journal.torn:
        remark(f"{path}: the last line was cut short by a crash and does not count")
