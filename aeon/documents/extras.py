"""Libraries that only an extra brings."""

from __future__ import annotations

import importlib
from types import ModuleType

from aeon.errors import MissingExtraError
from aeon.text import one_line

__all__ = ["library"]


def library(module: str, extra: str, purpose: str = "reading this file") -> ModuleType:
    """Return the module of a library that the ``purpose`` needs.

    Raises ``MissingExtraError`` if the extra that brings it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == module.split(".")[0]
        cause = "" if is_missing else f" ({module} is there but cannot be imported: {one_line(str(error), 120)})"
        raise MissingExtraError(
            f"{purpose} needs the extra {extra}: pip install 'aeon-orchestrator[{extra}]'{cause}"
        ) from None
