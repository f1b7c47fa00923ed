"""Tables out of spreadsheets, databases and delimited text, each into a file: what runs in a process of its own."""

from __future__ import annotations

import errno
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aeon.errors import ToolFailed
from aeon.tables.loading import Sheet, write
from aeon.tables.parts import Part
from aeon.tables.readers import READERS
from aeon.text import one_line

__all__ = ["sheets"]


def sheets(data: bytes, path: str, suffix: str, folder: str, most: int) -> list[dict[str, Any]]:
    """The fields of a `Part` for each table of the file at ``path``, with its rows in a file of the folder.

    Raises ``ToolFailed`` with the reason for a file without any, and for tables of more than ``most`` bytes together.
    """
    found = READERS[suffix](Path(path))
    parts: list[Part] = []
    for number, sheet in enumerate(found):
        target = Path(folder, f"{number}.csv")
        try:
            parts.append(_part(sheet, target))
            most -= target.stat().st_size
        except ToolFailed as error:
            if len(found) == 1:
                raise
            target.unlink(missing_ok=True)
            parts.append(Part(sheet.name, note=sheet.note, problem=one_line(str(error), 120)))
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise ToolFailed(f"it cannot be read: {error.strerror or error}") from None
            most = -1
        if most < 0:
            raise ToolFailed("its tables are far larger than the file")
    return [asdict(part) for part in parts]


def _part(sheet: Sheet, target: Path) -> Part:
    written = write(sheet, target)
    return Part(
        name=sheet.name,
        file=str(target),
        columns=written.columns,
        rows=written.rows,
        dropped=written.dropped,
        note=sheet.note,
        read_as=written.note,
    )
