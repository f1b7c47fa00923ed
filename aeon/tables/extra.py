"""The libraries that the extra ``tables`` brings."""

from __future__ import annotations

import importlib
from types import ModuleType

from aeon.errors import MissingExtraError

__all__ = ["extra"]


def extra(name: str) -> ModuleType:
    """A module of the extra. Raises ``MissingExtraError`` without it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing.lstrip("_") != name.split(".")[0]:
            raise
        raise MissingExtraError("tables need the extra tables: pip install 'aeon-orchestrator[tables]'") from None
