"""The trace of a graph or loop run: that of any run, each effect with the node that issued it."""

from __future__ import annotations

from aeon.engines.graph.record import Worked
from aeon.observability.trace import trace_lines
from aeon.observability.trail import Trail

__all__ = ["to_trace"]


def to_trace(trail: Trail) -> str:
    """The run as lines of JSON; of a run that has not ended, without its nodes."""
    end = trail.result
    nodes = [one.node for one in end.path for _ in range(one.effects)] if isinstance(end, Worked) else []
    return trace_lines(trail, lambda number: nodes[number] if number < len(nodes) else ("respond" if nodes else ""))
