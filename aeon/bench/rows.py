"""The answers of a bench, one a row, in a file that a later call continues."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field, ValidationError

from aeon.bench.lines import append, whole_lines
from aeon.bench.problems import Problem
from aeon.errors import InputFileError
from aeon.schema import Frozen

__all__ = ["Consistency", "Opening", "Record", "Row"]


class Opening(Frozen):
    """What all rows of a file share; ``scenarios`` tells the table of scenarios from others."""

    bench: str = "engines/1"
    model: str
    peer: str = ""
    seed: int
    scenarios: str


class Consistency(Frozen):
    """Self-consistency at the tokens of a row; ``short``: the most samples there are did not take as many."""

    answer: str
    right: bool | None
    samples: int = Field(ge=1)
    prompt: int = Field(ge=0)
    generated: int = Field(ge=0)
    short: bool = False


class Row(Frozen):
    """One answer of one system. ``right`` and ``coverage`` are ``None`` where nobody can say.

    ``prompt`` and ``generated`` are tokens; ``seconds`` are those of the answer alone, as if nothing was remembered.
    With an ``error``, nothing else of it counts.
    """

    family: str
    number: int
    system: str
    question: str
    answer: str = ""
    right: bool | None = None
    coverage: float | None = None
    asked: bool = False
    stop: str = ""
    calls: int = 0
    prompt: int = 0
    generated: int = 0
    seconds: float = 0.0
    nodes: int = 0
    split: int = 0
    reviewed: int = 0
    approved: int = 0
    consistency: Consistency | None = None
    error: str = ""

    @property
    def key(self) -> tuple[str, int, str]:
        """What no two rows share that count."""
        return self.family, self.number, self.system

    @property
    def tokens(self) -> int:
        """Read and generated."""
        return self.prompt + self.generated


class Record:
    """The rows, in memory and, if a path is named, in a file. Of two with the same key, the later one counts.

    Raises:
        InputFileError: the file is there and is not to be continued, is of another run, or cannot be used.
    """

    def __init__(self, opening: Opening, path: Path | None = None, resume: bool = False) -> None:
        self._path, self._rows = path, dict[tuple[str, int, str], Row]()
        if path is None:
            return
        if os.path.lexists(path) and not resume:
            raise InputFileError(f"{path}: exists already; continue with it (--resume), or name another file (--out)")
        lines = whole_lines(path)
        if not lines:
            append(path, opening.model_dump_json())
            return
        self._check(opening, lines[0])
        self._read(lines[1:])

    def _check(self, opening: Opening, line: str) -> None:
        try:
            there = Opening.model_validate_json(line)
        except ValidationError:
            raise InputFileError(f"{self._path}: is no file of this bench; name another file (--out)") from None
        pairs = zip(vars(there).items(), vars(opening).values(), strict=True)
        other = [f"{name} {was or 'none'}, not {now or 'none'}" for (name, was), now in pairs if was != now]
        if other:
            raise InputFileError(f"{self._path}: is of another run ({'; '.join(other)}); name another file (--out)")

    def _read(self, lines: Iterable[str]) -> None:
        for number, line in enumerate(lines, 2):
            try:
                row = Row.model_validate_json(line)
            except ValidationError:
                raise InputFileError(f"{self._path}: line {number} is no row of this bench") from None
            self._rows[row.key] = row

    def row(self, family: str, number: int, system: str) -> Row | None:
        """The row of a question and a system, if there is one."""
        return self._rows.get((family, number, system))

    def of(self, problems: Iterable[Problem], systems: Iterable[str]) -> list[Row]:
        """The rows of these questions and systems, as far as there are any."""
        names = [*systems]
        rows = (self.row(one.family, one.number, name) for one in problems for name in names)
        return [row for row in rows if row is not None]

    def add(self, row: Row) -> None:
        """Keep a row. Raises ``InputFileError`` if it cannot be written."""
        self._rows[row.key] = row
        if self._path is not None:
            append(self._path, row.model_dump_json())
