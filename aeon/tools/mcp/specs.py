"""Which MCP server is meant: a command that is started, or an address of the streamable HTTP transport."""

from __future__ import annotations

import ipaddress
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from aeon.errors import UsageError
from aeon.text import one_line

__all__ = ["ServerSpec", "labels"]

_NAMED = re.compile(r"([a-z][a-z0-9_]{0,15})=(?=\S)")
_RUNNER = re.compile(r"npx|npm|exec|bunx|deno|node|uvx|uv|run|pipx|docker|env|(?:python|pypy)[0-9.]*")
_WORD = re.compile(r"[^-][^=]*$")
_ENDING = re.compile(r"(?<=.)@.*|\.(?:py|js|mjs|cjs|ts|sh|exe)$")
_SAYS_NOTHING = {"server", "mcp", "modelcontextprotocol", "main", "index", "www", "api"}
_LONGEST = 16


@dataclass(frozen=True)
class ServerSpec:
    """A server: its ``command``, or its ``url``. ``name`` is what the user calls it, if they do.

    ``identity`` is what its approved tools are kept under: it does not depend on the name.
    """

    text: str
    name: str = ""
    url: str = ""
    command: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> ServerSpec:
        """The server that a text means, such as ``npx some-server``, ``http://HOST/mcp`` or ``NAME=npx some-server``.

        Raises:
            UsageError: it is empty, its quotes do not match, or its address names no host.
        """
        match = _NAMED.match(text.strip())
        name, rest = (match[1], text.strip()[match.end() :]) if match else ("", text.strip())
        if "://" in rest.split(" ")[0]:
            return cls(text.strip(), name, url=_url(rest))
        try:
            command = tuple(shlex.split(rest))
        except ValueError as error:
            raise UsageError(f"--mcp {one_line(text, 80)}: cannot be read as a command: {error}") from None
        if not command or "\0" in rest:
            raise UsageError("--mcp: name a server: a command such as 'npx some-server', or http://HOST:PORT/mcp")
        return cls(text.strip(), name, command=command)

    @property
    def identity(self) -> str:
        """The address, or the command as a shell would take it."""
        return self.url or shlex.join(self.command)

    @property
    def label(self) -> str:
        """What its tools are called by: the user's name for it, or one word made of the command or the address."""
        if self.name:
            return self.name
        words = _of_url(self.url) if self.url else _of_command(self.command)
        parts = [part for part in re.split(r"[^a-z0-9]+", words.lower()) if part and part not in _SAYS_NOTHING]
        label = "_".join(parts)[:_LONGEST].strip("_")
        return label if label[:1].isalpha() else f"mcp_{label}".rstrip("_")


def labels(specs: Iterable[ServerSpec]) -> list[str]:
    """The label of each server; a second one of a label gets a number.

    Raises:
        UsageError: the user calls two servers by one name.
    """
    taken: list[str] = []
    for spec in specs:
        label, number = spec.label, 2
        if spec.name and spec.name in taken:
            raise UsageError(f"--mcp: two servers are called {spec.name!r}; give one another name")
        while label in taken:
            label, number = f"{spec.label}{number}", number + 1
        taken.append(label)
    return taken


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"--mcp {one_line(text, 80)}: is no address: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or re.search(r"\s", text):
        raise UsageError(f"--mcp {one_line(text, 80)}: an address looks like http://HOST:PORT/mcp")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "--mcp: no password in an address, a journal would keep it; a token is read from AEON_MCP_TOKEN_…"
        )
    return text


def _of_url(url: str) -> str:
    """The words that name a server: of its domain, or of its path where the host is an address."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if "." in host:
            return host.split(".")[-2]
    return parts.path


def _of_command(command: tuple[str, ...]) -> str:
    """The word of a command that names the program: no runner, option or variable; rather one that says it serves."""
    words = [_ENDING.sub("", PurePosixPath(word).name) for word in command if _WORD.match(word)]
    programs = [word for word in words if word and not _RUNNER.fullmatch(word)]
    serving = (program for program in programs if "mcp" in program or "server" in program)
    return next(serving, (*programs, "")[0])
