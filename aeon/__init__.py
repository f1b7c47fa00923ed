"""Aeon turns any language model into a bounded, auditable, replayable reasoner.

    from aeon import build

    print(build().execute("What is 15% of 2,480?").answer)

Importing the package is quick: what a name stands for is loaded when the name is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeon.assembly import build, resume
    from aeon.errors import AeonError
    from aeon.kernel.orchestrator import Orchestrator
    from aeon.runtime.diff import diff
    from aeon.runtime.fork import fork
    from aeon.runtime.journal import Journal
    from aeon.runtime.replay import replay
    from aeon.schema import Budget, Config, ExecutionHistory, Price, Question, Result, Task
    from aeon.tools.tool import Tool, tool

__all__ = [
    "AeonError",
    "Budget",
    "Config",
    "ExecutionHistory",
    "Journal",
    "Orchestrator",
    "Price",
    "Question",
    "Result",
    "Task",
    "Tool",
    "build",
    "diff",
    "fork",
    "replay",
    "resume",
    "tool",
]

_HOMES = {
    "aeon.assembly": ("build", "resume"),
    "aeon.errors": ("AeonError",),
    "aeon.kernel.orchestrator": ("Orchestrator",),
    "aeon.runtime.diff": ("diff",),
    "aeon.runtime.fork": ("fork",),
    "aeon.runtime.journal": ("Journal",),
    "aeon.runtime.replay": ("replay",),
    "aeon.schema": ("Budget", "Config", "ExecutionHistory", "Price", "Question", "Result", "Task"),
    "aeon.tools.tool": ("Tool", "tool"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """The public object of that name, loaded on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'aeon' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
