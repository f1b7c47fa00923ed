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
from aeon.cli.run import TOOLS
from aeon.cli.serve import equipment_of, make_ready, module, private
from aeon.documents.extras import library
from aeon.engines.research.config import ResearchConfig
from aeon.errors import UsageError
from aeon.home import data_dir
from aeon.observability.lines import visible
from aeon.schema import Config
from aeon.settings import load_config, with_variables
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
    print(visible(f"{server.label}  {_counted(server)}, protocol {server.protocol}"))
    for tool in server.tools:
        parts = changed.get(tool.name, ())
        state = f"changed: {', '.join(parts)}" if parts else "new" if tool.name in new else "approved"
        print(visible(f"  {tool.name}  {_kind(tool)}  [{state}]"))
        print(visible(f"    {tool.text}"))


def _counted(server: Opened) -> str:
    return f"{len(server.tools)} tool{'s' * (len(server.tools) != 1)}"


def _kind(tool: Listed) -> str:
    repeated = ", may be repeated" if tool.repeatable and not tool.harmless else ""
    return "reads" if tool.harmless else f"changes something{repeated}"


def _approve(server: Opened, approvals: Approvals) -> None:
    approvals.approve(server.spec.identity, server.tools)
    print(visible(f"approved {_counted(server)} of {server.label}: {', '.join(tool.name for tool in server.tools)}"))


_ACTIONS: dict[str, Callable[[Opened, Approvals], None]] = {"show": _show, "approve": _approve}


def _serve(options: argparse.Namespace) -> int:
    library("mcp", "mcp", _SERVE)
    served: ModuleType = library("aeon.server.mcp.serving", "mcp", _SERVE)
    tokens = _tokens(options)
    load_config(Config, options.config, None, os.environ)
    with_variables(ResearchConfig(), os.environ)
    if options.http is None:
        with private():
            work, harmless = _work(options)
            remark(f"{work.equipment.model.name} works on runs, which are kept in {work.folder}")
            asyncio.run(served.over_stdio(work, harmless))
        return 0
    with module("serving").listening(options.host, options.http, "--http") as where, private():
        work, harmless = _work(options)  # after the port, since it may fetch a model
        hosts = [options.host, *options.allow_host]
        address = served.address_of(where, options.host)
        asyncio.run(served.over_http(work, where, lambda: print(address, flush=True), tokens, hosts, harmless))
    return 0


def _tokens(options: argparse.Namespace) -> Any:  # noqa: ANN401 - of an optional module
    """The tokens that open the server, if there are any.

    Raises:
        UsageError: other machines are let in without, or options do not go together.
        InputFileError: the file of tokens cannot be used.
    """
    if options.http is None and (options.token_file or options.host != "127.0.0.1" or options.allow_host):
        raise UsageError("mcp serve: --host, --token-file and --allow-host are for HTTP; add --http PORT")
    if options.token_file is None:
        if not module("serving").is_loopback(options.host):
            what = f"--host {options.host} lets other machines in; name who may with --token-file FILE"
            raise UsageError(f"mcp serve: {what}")
        return None
    tokens = module("tokens").Tokens.read(options.token_file)
    if tokens.has_budgets:
        raise UsageError(
            "mcp serve: calls= and runs= of a token are not kept here; leave them out, and use --most-calls"
        )
    return tokens


def _work(options: argparse.Namespace) -> tuple[Any, bool]:
    """What works on the runs, and whether none of their tools changes the world."""
    make: Any = library("aeon.server.mcp.work", "mcp", _SERVE).Work
    options.tools = [*(options.tools or TOOLS), *server_specs(options.mcp)]
    with contextlib.redirect_stdout(sys.stderr):  # on standard output, nothing but the protocol
        equipment = equipment_of(options)
        make_ready(equipment)
        harmless = not any(tool.side_effects for tool in resolve(equipment.tools))
    return make(equipment, Path(options.runs) if options.runs else data_dir() / _FOLDER, options.parallel), harmless
