"""What a caller passes in the place of something else, in one sentence that says what to pass."""

from __future__ import annotations

from collections.abc import Iterable

from aeon.errors import UsageError
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.text import one_line

__all__ = ["check_callables", "check_journal"]


def check_callables(observers: Iterable[Observer], journal: object, ask: object) -> tuple[Observer, ...]:
    """The observers of a run that these are meant for.

    Raises:
        UsageError: one of them cannot be called.
    """
    if not isinstance(observers, Iterable):
        raise UsageError(f"observers: pass a list of functions that take an event, not {_shown(observers)}")
    every = tuple(observers)
    for one in every:
        if not callable(one):
            raise UsageError(f"observers: pass a list of functions that take an event, not with {_shown(one)} in it")
    if not callable(journal):
        raise UsageError(
            "journal: pass a function that makes the journal of a run from its id, as in "
            f"journal=lambda _: Journal('run.jsonl'), not {_shown(journal)}"
        )
    if ask is not None and not callable(ask):
        raise UsageError(f"ask: pass a function that takes a question and gives its answer, not {_shown(ask)}")
    return every


def check_journal(journal: object, what: str) -> None:
    """Refuse what is no journal.

    Raises:
        UsageError: says how to read one.
    """
    if not isinstance(journal, Journal):
        raise UsageError(f"{what}: pass a journal, as Journal.read('run.jsonl') gives it, not {_shown(journal)}")


def _shown(value: object) -> str:
    return one_line(repr(value), 60)
