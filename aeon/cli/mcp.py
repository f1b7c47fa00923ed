"""``aeon mcp``: Aeon as an MCP server, and what other MCP servers offer."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from aeon.cli.output import remark
from aeon.cli.serve import equipment_of, make_ready, module, private
from aeon.documents.extras import library
from aeon.errors import UsageError
from aeon.home import data_dir
from aeon.observability.lines import visible
from aeon.schema import Config
from aeon.settings import load_config
from aeon.tools.mcp.approvals import Approvals
from aeon.tools.mcp.listing import Listed
from aeon.tools.mcp.servers import Opened, Servers
from aeon.tools.select import resolve, server_specs

__all__ = ["command"]

_FOLDER = "mcp-runs"
_SERVE = "aeon mcp serve"


def command(options: argparse.Namespace) -> int:
    """Serve until the client goes or Ctrl-C; or show or approve what a server offers.

    Raises:
        UsageError: an option is wrong or does not belong here, or a server cannot be started.
        InputFileError: a folder, a file of tokens or the approved tools cannot be used.
        MissingExtraError: the extra ``mcp`` is not installed.
        ToolFailed: a server cannot be reached, or does not answer.
        WeightsError: the embedded model had to be fetched and could not be.
    """
    if options.action == "serve":
        if options.server is not None:
            raise UsageError(f"mcp serve: takes no server; --mcp {options.server!r} gives its tools to the runs")
        return _serve(options)
    if options.server is None:
        raise UsageError(f"mcp {options.action}: name a server, such as 'npx some-server' or http://HOST:PORT/mcp")
    with Servers.look([options.server]) as servers:
        for server in servers.opened:
            _ACTIONS[options.action](server, Approvals())
    return 0


def _show(server: Opened, approvals: Approvals) -> None:
    changed = approvals.changes(server.spec.identity, server.tools)
    new = approvals.new(server.spec.identity, server.tools)
    print(visible(f"{server.label}  {len(server.tools)} tools, protocol {server.protocol}"))
    for tool in server.tools:
        parts = changed.get(tool.name, ())
        state = f"changed: {', '.join(parts)}" if parts else "new" if tool.name in new else "approved"
        print(visible(f"  {tool.name}  {_kind(tool)}  [{state}]"))
        print(visible(f"    {tool.text}"))


def _kind(tool: Listed) -> str:
    repeated = ", may be repeated" if tool.repeatable and not tool.harmless else ""
    return "reads" if tool.harmless else f"changes something{repeated}"


def _approve(server: Opened, approvals: Approvals) -> None:
    approvals.approve(server.spec.identity, server.tools)
    print(visible(f"approved {len(server.tools)} tools of {server.label}: {', '.join(t.name for t in server.tools)}"))


_ACTIONS: dict[str, Callable[[Opened, Approvals], None]] = {"show": _show, "approve": _approve}


def _serve(options: argparse.Namespace) -> int:
    library("mcp", "mcp", _SERVE)
    guards = module("serving")
    if options.http is None and (options.token_file or options.host != "127.0.0.1" or options.allow_host):
        raise UsageError("mcp serve: --host, --token-file and --allow-host are for HTTP; add --http PORT")
    if not options.token_file and not guards.is_loopback(options.host):
        what = f"--host {options.host} lets other machines in; name who may with --token-file FILE"
        raise UsageError(f"mcp serve: {what}")
    tokens = module("tokens").Tokens.read(options.token_file) if options.token_file else None
    if tokens is not None and tokens.has_budgets:
        raise UsageError("mcp serve: calls= of a token is not kept here; leave it out, and use --most-calls")
    load_config(Config, options.config, None, os.environ)
    served: ModuleType = library("aeon.server.mcp.serving", "mcp", _SERVE)
    make: Any = library("aeon.server.mcp.work", "mcp", _SERVE).Work
    options.tools = [*(options.tools or ["calculator"]), *server_specs(options.mcp)]
    with contextlib.redirect_stdout(sys.stderr), private():  # on standard output, nothing but the protocol
        equipment = equipment_of(options)
        make_ready(equipment)
        harmless = not any(tool.side_effects for tool in resolve(equipment.tools))
        work = make(equipment, Path(options.runs) if options.runs else data_dir() / _FOLDER, options.parallel)
    with private():
        if options.http is None:
            remark(f"{equipment.model.name} works on runs, which are kept in {work.folder}")
            asyncio.run(served.over_stdio(work, harmless))
            return 0
        with guards.listening(options.host, options.http) as where:
            hosts = [options.host, *options.allow_host]
            say = served.address_of(where, options.host)
            asyncio.run(served.over_http(work, where, lambda: print(say, flush=True), tokens, hosts, harmless))
    return 0
