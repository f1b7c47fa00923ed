"""What a caller passes in the place of something else, in one sentence that says what to pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping

from aeon.errors import UnknownNameError, UsageError
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.schema import Settings
from aeon.text import one_line

__all__ = ["check_callables", "check_instructions", "check_journal", "check_options"]

_BY_THE_HOST = {"question", "query", "tools", "engine"}
"""Names that a call in one go gives itself, or takes as its first argument."""


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


def check_options(call: str, options: Mapping[str, object], *takers: Callable[..., object]) -> None:
    """Refuse options by name that none of the functions takes to which the call passes them on.

    Raises:
        UnknownNameError: names them, and those that there are.
    """
    parameters = (one for taker in takers for one in inspect.signature(taker).parameters.values())
    there = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD} - _BY_THE_HOST
    if unknown := [name for name in options if name not in there]:
        raise UnknownNameError(f"{call}: no option is named {', '.join(unknown)}; there are {', '.join(sorted(there))}")


def check_journal(journal: object, what: str) -> None:
    """Refuse what is no journal.

    Raises:
        UsageError: says how to read one.
    """
    if not isinstance(journal, Journal):
        raise UsageError(f"{what}: pass a journal, as Journal.read('run.jsonl') gives it, not {_shown(journal)}")


def _shown(value: object) -> str:
    return one_line(repr(value), 60)


def check_instructions(settings: Settings) -> None:
    """Refuse instructions that would leave a prompt no room.

    Raises:
        UsageError: says how long they are, and how long they may be.
    """
    size, most = len(settings.instructions.encode()), settings.prompt_bytes // 3
    if size > most:
        raise UsageError(
            f"instructions: they have {size:,} bytes, and stand in every prompt; at most {most:,} fit, a third of "
            "prompt_bytes: shorten them, or put what they say into a file of the run's folder"
        )
