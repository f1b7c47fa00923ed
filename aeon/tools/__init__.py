"""Tools: what they are, where a run finds them, and the ones that ship with Aeon."""

from aeon.tools.output import ToolOutput
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import Tool, tool

__all__ = ["Tool", "ToolOutput", "ToolRegistry", "tool"]
