"""Tools of MCP servers as tools of a run. Needs the extra ``mcp``, which is loaded when the first server is opened."""
