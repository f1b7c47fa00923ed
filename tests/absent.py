"""Libraries that are not there, or broken, for the processes that read files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aeon.isolation import pool

__all__ = ["without"]


@contextmanager
def without(module: str, place: Path, code: str = "") -> Iterator[None]:
    """Within the block, importing the module does what the code says, or fails as if it were not installed.

    ``place`` is an empty folder.
    """
    (place / f"{module}.py").write_text(code or f"raise ModuleNotFoundError(name={module!r})")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(place))
        pool.close()
        try:
            yield
        finally:
            pool.close()
