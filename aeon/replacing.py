"""Files that are replaced as a whole: whoever reads one gets what it held, or what it holds now, and no mixture."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["put"]


def put(path: Path, text: str) -> None:
    """Put a text into a file, which need not be there yet, so that it stays as it was if that fails.

    The folder must be there. The file can be read by its owner alone.

    Raises:
        OSError: it cannot be written.
    """
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
