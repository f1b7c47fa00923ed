"""What the tests of MCP servers share: servers to start, and whether their processes are there."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path

from aeon.schema.frozen import JsonValue
from aeon.tools.mcp.approvals import Approvals
from aeon.tools.mcp.servers import Servers
from aeon.tools.output import ToolOutput
from aeon.tools.registry import ToolRegistry

__all__ = ["call", "gone", "good", "hostile", "opened"]

HERE = Path(__file__).parent


def good() -> str:
    """The command of a server made with the SDK."""
    return shlex.join([sys.executable, str(HERE / "good.py")])


def hostile(mode: str, file: Path | None = None) -> str:
    """The command of a server that misbehaves in this way."""
    return shlex.join([sys.executable, "-S", str(HERE / "hostile.py"), mode, *([str(file)] if file else [])])


def opened(folder: Path, *specs: str, seconds: float = 20.0) -> Servers:
    """The servers, with the approved tools in a folder."""
    return Servers.open(specs, seconds, Approvals(folder / "approved.json"), seconds)


def call(servers: Servers, name: str, output_bytes: int = 16_384, **arguments: JsonValue) -> ToolOutput:
    """Call a tool of the servers as a run does."""
    return asyncio.run(ToolRegistry(servers.tools, output_bytes).call(name, arguments))


def gone(pid: int) -> bool:
    """Whether there is no such process any more."""
    state = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
        return state.is_file() and state.read_text().rpartition(") ")[2][0] == "Z"
    except (ProcessLookupError, FileNotFoundError):  # it may end while it is looked at
        return True
