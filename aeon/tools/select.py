"""Tools by name, as the command line takes them: ``calculator,algebra,dates,files=DIR,python,search=PROVIDER``.

A comma in a folder's path, in a search, or in the command of an MCP server (``mcp=npx some-server``) is written twice.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from aeon.documents.folders import Paths, each, roots
from aeon.errors import InputFileError, MissingExtraError, UnknownNameError, UsageError
from aeon.schema import WorkForm
from aeon.search import installed
from aeon.text import one_line
from aeon.tools.algebra import algebra
from aeon.tools.calculator import calculator
from aeon.tools.dates import dates
from aeon.tools.files import Files
from aeon.tools.finding import finding
from aeon.tools.loop import OUTPUT_BYTES
from aeon.tools.mcp.servers import Servers
from aeon.tools.mcp.specs import ServerSpec
from aeon.tools.tool import Tool

__all__ = [
    "ALLOW", "AVAILABLE", "FOLDER", "MCP", "SEARCH", "Given", "connected", "folder_specs", "listed", "opened",
    "portable", "resolve", "search_specs", "seconds_read", "server_specs", "values",
]  # fmt: skip

Given: TypeAlias = Tool | str | Files | Servers
"""A tool, a specification of some, an opened folder, or opened MCP servers."""


@cache
def _calculator() -> tuple[Tool, ...]:
    return (calculator(),)


def _python() -> tuple[Tool, ...]:
    try:
        module = importlib.import_module("aeon.tools.python")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "pydantic_monty":
            raise
        raise MissingExtraError(
            "the tool python needs the extra python: pip install 'aeon-orchestrator[python]'"
        ) from None
    tool: Tool = module.python()
    return (tool,)


FOLDER = "files"
SEARCH = "search"
ALLOW = "allow"
MCP = "mcp"
"""Entries of a specification that have a value."""
_ENTRY = re.compile(r"[^,=]*=(?:[^,]|,,)*|[^,=]+")
_MAKERS: dict[str, Callable[[], tuple[Tool, ...]]] = {  # made once, since a schema takes its time to check
    "calculator": _calculator,
    "algebra": cache(algebra),
    "dates": cache(dates),
    "python": _python,
}
_NAMES = ("calculator", FOLDER, "algebra", "dates", "python", SEARCH, ALLOW, MCP)
_VALUES = {FOLDER: "DIR", SEARCH: "PROVIDER", ALLOW: "HOST:PORT", MCP: "SERVER"}

AVAILABLE = tuple(f"{name}={_VALUES[name]}" if name in _VALUES else name for name in _NAMES)
"""What may stand in a specification."""


def listed(given: Iterable[Given]) -> tuple[Given, ...]:
    """Return the tools one by one. Raises ``UsageError`` for what is no list, or holds something else."""
    if isinstance(given, str | Tool | Files | Servers) or not isinstance(given, Iterable):
        raise UsageError(f"tools: pass a list, as in tools=['calculator', 'dates'], not {_kind(given)}")
    chosen = tuple(given)
    for one in chosen:
        if callable(one):
            raise UsageError(f"tools: {_kind(one)} is no tool yet: decorate it with @tool, or call what makes one")
        if not isinstance(one, Given):
            raise UsageError(f"tools: {_kind(one)} is no tool; pass what @tool makes, or names such as 'calculator'")
    return chosen


def _kind(value: object) -> str:
    return one_line(getattr(value, "__name__", None) or repr(value), 60)


def folder_specs(paths: Paths) -> list[str]:
    """The specification of each folder, one that holds in another working directory too. Raises as `portable`."""
    return [_written(FOLDER, "=", path) for path in each(paths)]


def search_specs(searches: Iterable[str], allow: Iterable[str] = ()) -> list[str]:
    """The specification of each search, as ``search=searxng=http://127.0.0.1:8888``. Raises as `resolve`.

    ``allow`` are addresses of the own network that pages may be fetched from.
    """
    named = ((SEARCH, one) for one in searches)
    return [_written(name, "=", one) for name, one in (*named, *((ALLOW, one) for one in allow))]


def server_specs(servers: str | Iterable[str]) -> list[str]:
    """The specification of each MCP server, as ``mcp=npx some-server``. Raises ``UsageError`` for what means none."""
    several = [servers] if isinstance(servers, str) else list(servers) if isinstance(servers, Iterable) else [servers]
    if not all(isinstance(one, str) for one in several):
        example = "'npx some-server' or 'http://127.0.0.1:9000/mcp'"
        raise UsageError(f"mcp: pass a server such as {example}, or a list of them, not {_kind(servers)}")
    return [_written(MCP, "=", ServerSpec.read(one).text) for one in several]


def portable(given: str | Files | Servers) -> str:
    """The specification with its folders' paths made absolute, so that it holds in another working directory too.

    Raises ``InputFileError`` for a path that is no text.
    """
    if isinstance(given, Files):
        return ",".join(folder_specs(roots(given.folder)))
    if isinstance(given, Servers):
        return ",".join(server_specs(given.specs))
    return ",".join(_written(*entry) for entry in _split(given))


def opened(given: Iterable[Given], reads: Callable[[list[str]], Files] = Files.open) -> list[Given]:
    """Return the same with the folders of all specifications opened, by ``reads``, as one, in the place of the first.

    Raises ``UnknownNameError`` for a name that is not available, ``UsageError`` for a wrong or repeated entry, and what
    ``reads`` does, such as ``InputFileError`` for a folder that cannot be read.
    """
    chosen: list[Given] = []
    paths: list[str] = []
    place = 0
    for one in given:
        if not isinstance(one, str):
            chosen.append(one)
            continue
        for name, operand in _checked(one):
            if name != FOLDER:
                chosen.append(_written(name, "=" * bool(operand), operand))
                continue
            place = place if paths else len(chosen)
            paths.append(_absolute(operand))
    if paths:
        chosen.insert(place, reads(paths))
    return chosen


def seconds_read(given: Iterable[Given]) -> float:
    """How long the files among them took to be read, as far as that was done for one run."""
    return sum(one.seconds for one in given if isinstance(one, Files))


def connected(given: Iterable[Given], connects: Callable[[list[str]], Servers] = Servers.open) -> list[Given]:
    """Return the same with all MCP servers among the specifications opened, by ``connects``, as one, at the end.

    The specifications are such as `opened` leaves them. Raises what ``connects`` does.
    """
    left: list[Given] = []
    servers: list[str] = []
    for one in given:
        entry = next(_split(one), None) if isinstance(one, str) else None
        if entry is not None and entry[0] == MCP:
            servers.append(entry[2])
        else:
            left.append(one)
    return [*left, connects(servers)] if servers else left


def resolve(given: str | Iterable[Given], form: WorkForm = "program", output_bytes: int = OUTPUT_BYTES) -> list[Tool]:
    """Return the tools of comma-separated specifications, in their order; an empty one gives none.

    Several folders are one set of tools, and so are several MCP servers. With the ``form`` "tools" a folder has the
    tools of a loop, whose output has at most ``output_bytes`` of JSON; where another tool has the name of one, such as
    ``read``, the folder's is ``read_files``.

    Raises as `opened` and `Servers.open`, and ``MissingExtraError`` for a tool whose optional dependency is not there.
    """
    tools: list[Tool] = []
    own: list[Tool] = []
    services: dict[str, list[str]] = {SEARCH: [], ALLOW: []}
    for one in connected(opened([given] if isinstance(given, str) else given)):
        match one:
            case str() if "=" in one:
                for name, _, operand in _split(one):
                    services[name].append(operand)
            case str():
                tools += _MAKERS[one]()
            case Files() if form == "tools":
                own += one.loop_tools_within(output_bytes)
            case Files() | Servers():
                tools += one.tools
            case _:
                tools.append(one)
    own = _renamed(own, {one.name for one in tools})
    return [*own, *tools, *map(finding, installed.opened(services[SEARCH], services[ALLOW]))]


def _renamed(folder: Iterable[Tool], taken: Set[str]) -> list[Tool]:
    """The tools of a folder, those whose name another tool has under another one."""
    return [replace(one, name=f"{one.name}_files") if one.name in taken else one for one in folder]


def _split(spec: str) -> Iterator[tuple[str, str, str]]:
    """Give name, equals sign and operand of each entry."""
    for entry in filter(None, map(str.strip, _ENTRY.findall(spec))):
        name, equals, operand = entry.partition("=")
        yield name, equals, operand.replace(",,", ",")


def values(specs: Iterable[str], name: str) -> Iterator[str]:
    """The values that entries of this name have in some specifications."""
    every = (entry for spec in specs for entry in _split(spec))
    return (operand for own, _, operand in every if own == name)


def _written(name: str, equals: str, operand: str) -> str:
    if not equals:
        return name
    path = _absolute(operand) if name == FOLDER else installed.portable(operand) if name == SEARCH else operand
    try:
        path.encode()
    except UnicodeEncodeError:
        raise InputFileError(f"the path {one_line(path)!r} is no text, so that no journal can keep it") from None
    return f"{name}={path.replace(',', ',,')}"


def _absolute(path: str) -> str:
    """The path from the root; an empty one, and one that is none, stays as it is."""
    try:
        return str(Path(path).expanduser().resolve()) if path else ""
    except (OSError, RuntimeError, ValueError):
        return path


def _checked(spec: str) -> Iterator[tuple[str, str]]:
    """Give name and operand of each entry. Raises ``UnknownNameError`` and ``UsageError`` as `opened`."""
    seen: set[str] = set()
    for name, equals, operand in _split(spec):
        if name not in _NAMES:
            close = difflib.get_close_matches(name, _NAMES, n=1)
            guess = f"; did you mean {close[0]}?" if close else ""
            raise UnknownNameError(f"no tool is named {one_line(name, 64)!r}; there are: {', '.join(AVAILABLE)}{guess}")
        if name in _VALUES and not operand:
            raise UsageError(f"the tool {name} needs a value: {name}={_VALUES[name]}")
        if equals and name not in _VALUES:
            raise UsageError(f"the tool {name} takes no value; write {name}")
        if name in seen:
            raise UsageError(f"the tool {name} is given twice")
        seen.update({name} - _VALUES.keys())
        yield name, operand
