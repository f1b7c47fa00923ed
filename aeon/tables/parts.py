"""What is handed over of a file of tables, as data: the tables themselves lie in files."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Copied", "Part"]


@dataclass(frozen=True)
class Part:
    """A table of a file; ``name`` is empty where the file holds no other.

    ``file`` is the CSV file without header that has its rows, ``columns`` are their names and types. ``note`` says what
    was read otherwise than it was meant, ``read_as`` which names were read as others; ``problem`` why it is no table.
    """

    name: str
    file: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    rows: int = 0
    dropped: int = 0
    note: str = ""
    read_as: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Copied:
    """What a database holds of a file: its tables are called ``part0`` and so on.

    ``names`` are what the file itself calls each, "" for the whole. ``problem`` is DuckDB's own error, if it had one.
    """

    names: tuple[str, ...] = ()
    problem: str = ""
