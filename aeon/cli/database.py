"""The runs in a database, for commands: loaded when a command needs them, since they need an extra."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from aeon.cli.output import remark
from aeon.documents.extras import library
from aeon.tools.mcp.servers import Servers
from aeon.tools.select import Given, connected, opened

if TYPE_CHECKING:
    from aeon.durable.jobs import Jobs

__all__ = ["durable_module", "jobs_in", "servers_among"]


def durable_module(name: str) -> ModuleType:
    """A module of the package for durable runs.

    Raises:
        MissingExtraError: the extra ``durable`` is not installed.
    """
    library("dbos", "durable", "--durable")
    return library(f"aeon.durable.{name}", "durable", "--durable")


@contextmanager
def servers_among(tools: Iterable[Given]) -> Iterator[list[Given]]:
    """The tools with their folders and MCP servers opened, until it is left; says what the servers have.

    Raises:
        UsageError: a server cannot be started, or a tool of it is not what was approved.
        ToolFailed: a server cannot be reached, or does not answer.
    """
    with ExitStack() as stack:

        def connects(specs: list[str]) -> Servers:
            servers = stack.enter_context(Servers.open(specs))
            remark(f"MCP: {servers.found}")
            return servers

        yield connected(opened(tools), connects)


@contextmanager
def jobs_in(url: str, create: bool = False) -> Iterator[Jobs]:
    """The runs in the database at ``url``; ``create`` makes its tables.

    Raises:
        MissingExtraError: the extra ``durable`` is not installed.
        UsageError: the URL is none.
        InputFileError: the database cannot be used.
    """
    with durable_module("jobs").Jobs(url, create) as jobs:
        yield jobs
