"""Runs, research and verification as tools of an MCP server. Needs the extra ``mcp``."""
