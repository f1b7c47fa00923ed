"""What is handed over of a file of tables, as data: the tables themselves lie in a DuckDB file."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.tables.reading import Reading

__all__ = ["Extracted", "Part", "Source"]


@dataclass(frozen=True)
class Part:
    """A table of a file: what the file calls it, "" where it holds no other; the table that has it, and its reading.

    ``problem`` says why it is no table.
    """

    name: str
    table: str = ""
    reading: Reading | None = None
    problem: str = ""


@dataclass(frozen=True)
class Source:
    """A file to be read: where it is, what its kind is, and its name.

    The names of its tables begin with ``prefix``; ``stated`` is the path of the file that states how it is read, "" for
    none.
    """

    path: str
    suffix: str
    name: str
    stated: str
    prefix: str


@dataclass(frozen=True)
class Extracted:
    """The tables of a file; ``problem`` is DuckDB's own error, if it had one, ``refusal`` any other reason for none."""

    parts: tuple[Part, ...] = ()
    problem: str = ""
    refusal: str = ""
