"""The model calls of a run in a file beside its journal: to look at, not to resume from."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import ValidationError

from aeon.assembly.noting import ModelCall

__all__ = ["calls_of", "every_call", "share", "writing"]


def writing(path: Path) -> Callable[[ModelCall], None]:
    """What notes calls in a file. Where it cannot be written, they are not noted, and the run goes on."""

    def note(call: ModelCall) -> None:
        with contextlib.suppress(OSError), path.open("a", encoding="utf-8") as file:
            file.write(f"{call.model_dump_json()}\n")

    return note


def every_call(path: Path) -> Iterator[ModelCall]:
    """The calls that a file holds, if it is there; a line that broke off does not count."""
    with contextlib.suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            with contextlib.suppress(ValidationError):
                yield ModelCall.model_validate_json(line)


def calls_of(path: Path, number: int) -> tuple[ModelCall, ...]:
    """The calls for effect ``number``."""
    return tuple(call for call in every_call(path) if call.number == number)


def share(path: Path, other: Path, before: int) -> None:
    """Give a fork the calls for the effects that it shares."""
    with contextlib.suppress(OSError), path.open(encoding="utf-8") as file, other.open("x", encoding="utf-8") as out:
        out.writelines(line for line in file if line.endswith("\n") and json.loads(line)["number"] < before)
