"""The options of ``aeon mcp``."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import count, name, providers, servers, whole

__all__ = ["ACTIONS", "EPILOG", "mcp_options"]

ACTIONS = ("serve", "show", "approve")
EPILOG = """\
  serve            runs, research and verification as tools of an MCP server, over standard input and output
  show SERVER      what a server offers, and whether that is what was approved
  approve SERVER   approve the tools of a server as they are now; else the first use of a tool approves it

SERVER is a command such as 'npx some-server', or http://HOST:PORT/mcp
"""


def mcp_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("action", choices=ACTIONS, metavar="serve|show|approve", help="what to do; see below")
    add("server", nargs="?", metavar="SERVER", type=name, help="which server, for show and approve")
    add("--http", metavar="PORT", type=count, help="serve over streamable HTTP at this port (0: any that is free)")
    add("--host", metavar="HOST", type=name, default="127.0.0.1", help="the address (default: this machine alone)")
    add("--files", metavar="DIR", type=name, action="append", default=[], help="a folder that runs may answer from")
    named = "the same, or a file that aeon collect made, under a name of its own; can be given again"
    add("--collection", metavar="NAME=PATH", type=name, action="append", default=[], help=named)
    providers(parser, "where research and reports search besides, such as searxng=http://127.0.0.1:8888")
    add("--tools", metavar="LIST", action="append", help="the tools of the runs (default: calculator)")
    servers(parser, "an MCP server whose tools the runs get")
    models = "a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL"
    add("--model", metavar="NAME|URL", type=name, help=models)
    add("--config", metavar="FILE", type=name, help="settings in TOML or YAML, for all runs")
    add("--runs", metavar="DIR", type=name, help="where the runs are saved (default: Aeon's folder for your data)")
    add("--token-file", metavar="FILE", type=name, help="who may use it: a token a line; needed for any other --host")
    hosts = "a name by which the server is called, beside its address; can be given again"
    add("--allow-host", metavar="NAME", type=name, action="append", default=[], help=hosts)
    add("--most-calls", metavar="N", type=whole, help="the most model calls that a run may be asked to make")
    add("--parallel", metavar="N", type=whole, default=2, help="runs that are worked on at once (default: 2)")
