"""DuckDB, which the extra ``tables`` brings."""

from __future__ import annotations

import importlib
from types import ModuleType

from aeon.errors import MissingExtraError

__all__ = ["engine"]


def engine() -> ModuleType:
    """The module of DuckDB. Raises ``MissingExtraError`` without it."""
    try:
        return importlib.import_module("duckdb")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("duckdb", "_duckdb"):
            raise
        raise MissingExtraError("tables need the extra tables: pip install 'aeon-orchestrator[tables]'") from None
