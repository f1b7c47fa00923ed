"""Aeon turns any language model into a bounded, auditable, replayable reasoner.

    from aeon import build

    print(build().execute("What is 15% of 2,480?").answer)

Importing the package is quick: what a name stands for is loaded when the name is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeon.assembly.build import build, resume
    from aeon.assembly.inquiries import research, run_research
    from aeon.assembly.plugin import Plugin, Services
    from aeon.assembly.reports import report
    from aeon.assembly.runs import diff, fork, replay
    from aeon.assembly.views import notebook
    from aeon.documents.collecting import collect
    from aeon.documents.collection import Collection
    from aeon.engines.graph.builder import Edge, Graph, GraphBuilder, Visit, Walk
    from aeon.engines.report.writer import compose
    from aeon.errors import AeonError
    from aeon.kernel.compose import side_by_side
    from aeon.kernel.decide import Rule, Signals
    from aeon.kernel.engine import Engine, Halt, Run
    from aeon.kernel.orchestrator import Orchestrator
    from aeon.kernel.ports import Handlers
    from aeon.runtime.driver import AsyncDriver
    from aeon.runtime.events import (
        EffectEnded,
        EffectStarted,
        Event,
        Noted,
        Observer,
        OnRecord,
        RunEnded,
        RunStarted,
        TextDelta,
    )
    from aeon.runtime.journal import Journal
    from aeon.schema import (
        Answer,
        Budget,
        Caps,
        Conclusion,
        Config,
        ExecutionHistory,
        Price,
        Question,
        Result,
        Settings,
        StepResult,
        Task,
        Value,
    )
    from aeon.schema.effects import Batch, Effect, EffectOf, Note, Program
    from aeon.schema.typed import Typed
    from aeon.tools.tool import Tool, tool

__all__ = [
    "AeonError",
    "Answer",
    "AsyncDriver",
    "Batch",
    "Budget",
    "Caps",
    "Collection",
    "Conclusion",
    "Config",
    "Edge",
    "Effect",
    "EffectEnded",
    "EffectOf",
    "EffectStarted",
    "Engine",
    "Event",
    "ExecutionHistory",
    "Graph",
    "GraphBuilder",
    "Halt",
    "Handlers",
    "Journal",
    "Note",
    "Noted",
    "Observer",
    "OnRecord",
    "Orchestrator",
    "Plugin",
    "Price",
    "Program",
    "Question",
    "Result",
    "Rule",
    "Run",
    "RunEnded",
    "RunStarted",
    "Services",
    "Settings",
    "Signals",
    "StepResult",
    "Task",
    "TextDelta",
    "Tool",
    "Typed",
    "Value",
    "Visit",
    "Walk",
    "build",
    "collect",
    "compose",
    "diff",
    "fork",
    "notebook",
    "replay",
    "report",
    "research",
    "resume",
    "run_research",
    "side_by_side",
    "tool",
]

_HOMES = {
    "aeon.assembly.build": ("build", "resume"),
    "aeon.assembly.inquiries": ("research", "run_research"),
    "aeon.assembly.plugin": ("Plugin", "Services"),
    "aeon.assembly.reports": ("report",),
    "aeon.assembly.runs": ("diff", "fork", "replay"),
    "aeon.assembly.views": ("notebook",),
    "aeon.documents.collecting": ("collect",),
    "aeon.documents.collection": ("Collection",),
    "aeon.engines.graph.builder": ("Edge", "Graph", "GraphBuilder", "Visit", "Walk"),
    "aeon.engines.report.writer": ("compose",),
    "aeon.errors": ("AeonError",),
    "aeon.kernel.compose": ("side_by_side",),
    "aeon.kernel.decide": ("Rule", "Signals"),
    "aeon.schema.effects": ("Batch", "Effect", "EffectOf", "Note", "Program"),
    "aeon.kernel.orchestrator": ("Orchestrator",),
    "aeon.kernel.ports": ("Handlers",),
    "aeon.kernel.engine": ("Engine", "Halt", "Run"),
    "aeon.runtime.driver": ("AsyncDriver",),
    "aeon.runtime.events": (
        "EffectEnded", "EffectStarted", "Event", "Noted", "Observer", "OnRecord", "RunEnded", "RunStarted",
        "TextDelta",
    ),
    "aeon.runtime.journal": ("Journal",),
    "aeon.schema": (
        "Answer", "Budget", "Caps", "Conclusion", "Config", "ExecutionHistory", "Price", "Question", "Result",
        "Settings", "StepResult", "Task", "Value",
    ),
    "aeon.schema.typed": ("Typed",),
    "aeon.tools.tool": ("Tool", "tool"),
}  # fmt: skip
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
