"""The loop engine with its handlers."""

from __future__ import annotations

from aeon.assembly.graph import LOOP_PLUGIN as PLUGIN

__all__ = ["PLUGIN"]
