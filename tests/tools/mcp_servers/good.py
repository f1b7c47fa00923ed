"""A small MCP server made with the SDK: over standard streams, or with a port over streamable HTTP."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("good")
READS = ToolAnnotations(read_only_hint=True)


class Weather(BaseModel):
    city: str
    degrees: float


@server.tool(annotations=READS)
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@server.tool(annotations=READS)
def weather(city: str) -> Weather:
    """The weather of a city."""
    return Weather(city=city, degrees=21.5)


@server.tool()
def write(text: str, goal: str = "") -> str:
    """Write a text somewhere."""
    return f"wrote {text}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
