"""Which tools of which MCP servers were approved: by their first use, and anew by who says so.

A server can describe a harmless tool on the first day and another one on the second. So what it said when a tool was
first used is kept as hashes, and a tool that is described otherwise is refused until somebody approves it again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from aeon.errors import InputFileError
from aeon.home import data_dir
from aeon.replacing import put
from aeon.schema.frozen import Frozen
from aeon.tools.mcp.listing import PARTS, Listed

__all__ = ["Approvals"]

_FILE = "mcp-approved.json"
_SECONDS = 10.0


class _Approved(Frozen):
    """The file: for each server the tools, and for each tool the SHA-256 of each part."""

    version: Literal[1] = 1
    servers: dict[str, dict[str, dict[str, str]]] = Field(default_factory=dict)


class Approvals:
    """The approved tools in a file (default: in Aeon's folder for the user's data)."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_dir() / _FILE

    def changes(self, server: str, tools: Iterable[Listed]) -> dict[str, tuple[str, ...]]:
        """The parts of each tool that are not as they were approved; a tool that is new is not among them.

        Raises:
            InputFileError: the file cannot be read, or is of another version.
        """
        return _differences(self._read().servers.get(server, {}), tools)

    def new(self, server: str, tools: Iterable[Listed]) -> tuple[str, ...]:
        """The names of the tools that were never used before. Raises as `changes`."""
        approved = self._read().servers.get(server, {})
        return tuple(tool.name for tool in tools if tool.name not in approved)

    def first_use(self, server: str, tools: Iterable[Listed]) -> dict[str, tuple[str, ...]]:
        """Approve the tools that are new; what of the others changed, as `changes`: then nothing is approved.

        Raises:
            InputFileError: the file cannot be read or written, or is of another version.
        """
        listed = tuple(tools)
        changed: dict[str, tuple[str, ...]] = {}

        def add(approved: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
            changed.update(_differences(approved, listed))
            return approved if changed else {tool.name: tool.fingerprints for tool in listed} | approved

        self._change(server, add)
        return changed

    def approve(self, server: str, tools: Iterable[Listed]) -> None:
        """Approve these tools as they are now, and forget others of the server. Raises as `first_use`."""
        fresh = {tool.name: tool.fingerprints for tool in tools}
        self._change(server, lambda approved: fresh)

    def _change(self, server: str, made: Callable[[dict[str, dict[str, str]]], dict[str, dict[str, str]]]) -> None:
        with self._locked():
            before = self._read()
            approved = before.servers.get(server, {})
            after = made(dict(approved))
            if after != approved:
                put(self.path, _Approved(servers={**before.servers, server: after}).model_dump_json(indent=1))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=_SECONDS):
                yield
        except Timeout:
            raise InputFileError(f"{self.path}: another process holds it; try again") from None
        except OSError as error:
            raise InputFileError(f"{self.path}: cannot be written: {error.strerror or error}") from None

    def _read(self) -> _Approved:
        try:
            return _Approved.model_validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return _Approved()
        except OSError as error:
            raise InputFileError(f"{self.path}: cannot be read: {error.strerror}") from None
        except ValidationError:
            what = "holds no approved tools, or is of another version; move it away to approve all tools anew"
            raise InputFileError(f"{self.path}: {what}") from None


def _differences(approved: dict[str, dict[str, str]], tools: Iterable[Listed]) -> dict[str, tuple[str, ...]]:
    changed: dict[str, tuple[str, ...]] = {}
    for tool in tools:
        before, now = approved.get(tool.name), tool.fingerprints
        parts = tuple(part for part in PARTS if before is not None and before.get(part) != now[part])
        if parts:
            changed[tool.name] = parts
    return changed
