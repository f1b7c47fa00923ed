"""Which view shows the runs of an engine."""

from __future__ import annotations

from aeon.multipass.program import MULTIPASS
from aeon.observability.passes.view import VIEW
from aeon.observability.view import GENERIC, View

__all__ = ["view_of"]

_VIEWS = {MULTIPASS.name: VIEW}


def view_of(engine: str) -> View:
    """The view of the engine of this name and version; the generic one where it has none of its own."""
    return _VIEWS.get(engine, GENERIC)
