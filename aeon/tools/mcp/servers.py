"""The MCP servers of a run: opened together, their tools made tools of the run, and closed whatever happens."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import weakref
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from aeon.documents.extras import library
from aeon.errors import ConfigError, UsageError
from aeon.schema.frozen import JsonValue
from aeon.settings.seconds import seconds_in
from aeon.text import one_line
from aeon.tools.mcp.approvals import Approvals
from aeon.tools.mcp.hub import Hub
from aeon.tools.mcp.listing import Listed
from aeon.tools.mcp.naming import tool_names
from aeon.tools.mcp.specs import ServerSpec, labels
from aeon.tools.tool import Tool

if TYPE_CHECKING:
    from aeon.tools.mcp.connection import Connection

__all__ = ["Opened", "Servers", "seconds_of", "start_seconds_of"]

_SECONDS = {"AEON_MCP_SECONDS": 60.0, "AEON_MCP_START_SECONDS": 30.0}
"""How long a call of a tool may take, and the start of all servers of a run, which are started at once."""
_MARGIN = 15.0
"""What a step of a plan says itself: a tool with such a parameter has its arguments written when the step runs."""
_SHOWN = 5


@dataclass(frozen=True)
class Opened:
    """A server, its label, the protocol revision that it speaks with the client, and its tools as it lists them."""

    spec: ServerSpec
    label: str
    protocol: str
    tools: tuple[Listed, ...]
    connection: Connection

    def refuse(self, changed: Mapping[str, Sequence[str]]) -> None:
        """Refuse tools that changed since they were approved.

        Raises:
            UsageError: names the first, what changed, and how it is approved anew.
        """
        for name, parts in changed.items():
            server = self.spec.identity.replace('"', '\\"')
            raise UsageError(
                f"MCP server {self.label}: the tool {one_line(name, 60)} is not what was approved: its "
                f'{" and its ".join(parts)} changed; look at it with: aeon mcp show "{server}", '
                f'and approve it anew with: aeon mcp approve "{server}"'
            )


class Servers:
    """Opened MCP servers. A context manager; they are closed at its end, when nobody holds them any more, or at exit.

    ``tools`` are their tools; ``new`` the names of those that were never used before, which approves them; ``skipped``
    those that no run can take, each with the reason.
    """

    def __init__(self, opened: Sequence[Opened], hub: Hub) -> None:
        self.opened = tuple(opened)
        self.tools: tuple[Tool, ...] = ()
        self.new: tuple[str, ...] = ()
        self.skipped: tuple[tuple[str, str], ...] = ()
        self._hub = hub
        weakref.finalize(self, hub.stop).atexit = False

    @classmethod
    def look(cls, specs: Iterable[str], seconds: float | None = None, start: float | None = None) -> Servers:
        """Open the servers, and take no tools of them.

        A call may take this many ``seconds``, and the ``start`` so many; without them the variables
        ``AEON_MCP_SECONDS`` and ``AEON_MCP_START_SECONDS`` say it.

        Raises:
            UsageError: a text means no server, its command cannot be started, or a variable is no number.
            MissingExtraError: the extra ``mcp`` is not installed.
            ToolFailed: a server cannot be reached, does not answer, or is no MCP server.
        """
        read = [ServerSpec.read(text) for text in specs]
        for needed in ("mcp", "httpx2"):
            library(needed, "mcp", "an MCP server")
        make: Callable[..., Connection] = library("aeon.tools.mcp.connection", "mcp", "an MCP server").Connection
        made = partial(make, seconds=seconds or seconds_of(os.environ), start=start or start_seconds_of(os.environ))
        hub = Hub()
        try:
            return cls(hub.run(_opened(read, made, hub)), hub)
        except BaseException:
            hub.close()
            raise

    @classmethod
    def open(
        cls,
        specs: Iterable[str],
        seconds: float | None = None,
        approvals: Approvals | None = None,
        start: float | None = None,
    ) -> Servers:
        """Open the servers and take their tools; a tool is approved by its first use. For the rest as `look`.

        Raises:
            UsageError: a tool is not what was approved; or as `look`.
            InputFileError: the approved tools cannot be read or written.
        """
        limit = seconds if seconds is not None else seconds_of(os.environ)
        servers = cls.look(specs, limit, start)
        try:
            servers._take(approvals or Approvals(), limit)
        except BaseException:
            servers.close()
            raise
        return servers

    @property
    def specs(self) -> tuple[str, ...]:
        """The servers as they were named."""
        return tuple(one.spec.text for one in self.opened)

    @property
    def found(self) -> str:
        """What the servers have, what is used for the first time, and what is left out, in a line."""
        counts = [f"{len(one.tools)} tool{'s' * (len(one.tools) != 1)} of {one.label}" for one in self.opened]
        more = len(self.skipped) - _SHOWN
        skipped = ", ".join(f"{one_line(name, 60)} ({why})" for name, why in self.skipped[:_SHOWN])
        notes = [f"new, and with that approved: {', '.join(self.new)}"] if self.new else []
        notes += [f"left out: {skipped}{f' and {more} more' if more > 0 else ''}"] if skipped else []
        return "; ".join([", ".join(counts), *notes])

    @property
    def digest(self) -> str:
        """A hash of what the servers offer: each tool with its description, as it was approved."""
        offered = [[one.spec.identity, tool.name, tool.fingerprints] for one in self.opened for tool in one.tools]
        return hashlib.sha256(json.dumps(offered, sort_keys=True).encode()).hexdigest()[:12]

    def close(self) -> None:
        """End the servers' processes and conversations, and wait for that."""
        self._hub.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()

    def _take(self, approvals: Approvals, seconds: float) -> None:
        names = tool_names((one.label, tool.name) for one in self.opened for tool in one.tools)
        taken: list[Tool] = []
        skipped: list[tuple[str, str]] = []
        new: list[str] = []
        for one in self.opened:
            usable: list[Listed] = []
            for listed in one.tools:
                name = names[one.label, listed.name]
                try:
                    taken.append(self._tool(name, one, listed, seconds))
                    usable.append(listed)
                except ConfigError as error:
                    skipped.append((name, one_line(str(error).removeprefix(f"tool {name}: "), 160)))
            fresh = approvals.new(one.spec.identity, usable)
            one.refuse(approvals.first_use(one.spec.identity, usable))
            new += (names[one.label, name] for name in fresh)
        self.tools, self.skipped, self.new = tuple(taken), tuple(skipped), tuple(new)

    def _tool(self, name: str, server: Opened, listed: Listed, seconds: float) -> Tool:
        """The tool of a run. Raises ``ConfigError`` for one that no run can take."""
        if listed.problem:
            raise ConfigError(listed.problem)
        parameters = listed.parameters

        async def call(**arguments: JsonValue) -> JsonValue:
            return await self._hub.submit(server.connection.call(listed, arguments))

        return Tool(
            name=name,
            description=f"of the MCP server {server.label}",
            parameters=parameters,
            call=call,
            side_effects=not listed.harmless,
            parallel_safe=listed.harmless,
            timeout=seconds + _MARGIN,  # the call itself has the sharper limit, and says what it means
            hint=listed.text,
        )


def seconds_of(environ: Mapping[str, str], variable: str = "AEON_MCP_SECONDS") -> float:
    """How long a call may take.

    Raises:
        UsageError: the variable is no number above 0.
    """
    return seconds_in(environ, variable, _SECONDS[variable])


def start_seconds_of(environ: Mapping[str, str], run: float | None = None) -> float:
    """How long the start of servers may take, for a ``run`` of so many seconds at most. Raises as `seconds_of`."""
    own = seconds_of(environ, "AEON_MCP_START_SECONDS")
    return own if run is None else min(own, run)


async def _opened(specs: Sequence[ServerSpec], make: Callable[[ServerSpec, str], Connection], hub: Hub) -> list[Opened]:
    """The servers, opened at the same time. Raises what the first that cannot be opened raises."""

    async def one(spec: ServerSpec, label: str) -> Opened:
        connection = make(spec, label)
        hub.members.append(connection)
        tools = await connection.open()
        return Opened(spec, label, connection.protocol, tools, connection)

    work: list[Coroutine[Any, Any, Opened]] = [one(*pair) for pair in zip(specs, labels(specs), strict=True)]
    return list(await asyncio.gather(*work))
