"""Whether a saved run is the one that a proof was made from, and gives this proof. Standard library alone.

The lines and their hash, and that each call of a tool stands in them, are checked here. That the run, replayed, gives
this very proof takes Aeon and the engine of the run: a `Host` says so.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from aeon.errors import AeonError
from aeon.proof.canonical import load, sha256
from aeon.proof.places import Host, Line

__all__ = ["held_against"]


def held_against(document: Mapping[str, Any], journal: Path, host: Host | None) -> Iterator[Line]:
    """What came of holding a proof against a saved run, as far as that had come when the proof was made."""
    root = document["journal"]
    if root is None:
        yield Line("problem", "the run was not saved, so no journal belongs to it")
        return
    try:
        if not journal.is_file():  # a device has no end
            raise FileNotFoundError(errno.ENOENT, "it is no file")
        with journal.open("rb") as file:
            lines = [file.readline() for _ in range(max(0, min(root["lines"], 10**7)))]
    except OSError as error:
        yield Line("problem", f"the journal cannot be read: {error.strerror}")
        return
    data = b"".join(lines)
    if data.count(b"\n") != root["lines"] or sha256(data) != root["sha256"]:
        yield Line("problem", "the journal is not the one that this proof was made from")
        return
    yield Line("verified", f"{root['lines']} line{'s' * (root['lines'] != 1)}: the journal's, and their hash")
    yield from _calls_in(document, lines)
    yield _made_again(document, data, host)


def _calls_in(document: Mapping[str, Any], lines: list[bytes]) -> Iterator[Line]:
    """Whether each call of a tool in the proof stands in the journal: its arguments with what came of them."""
    calls = list(_calls_of_proof(document))
    made = {call for line in lines for call in _calls_of(line)} if calls else set()
    unknown = [name for name, call in calls if call not in made]
    yield from (Line("problem", f"step {name}: the journal has no such call that gave this") for name in unknown)
    if calls and not unknown:
        yield Line("verified", f"{len(calls)} call{'s' * (len(calls) != 1)} of tools: as the journal has them")


def _calls_of_proof(document: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The calls of the proof, each with its name; an output that is no JSON is a problem of its own."""
    for step in (step for one in document["derivations"] for step in one["steps"]):
        if "." in step["id"] and step["tool"]:
            with suppress(ValueError, RecursionError):
                arguments, output = json.loads(step["arguments"]), json.loads(step["output"])
                yield step["id"], (step["tool"].removesuffix(": failed"), _plain(arguments), _plain(output))


def _calls_of(line: bytes) -> Iterator[tuple[str, str, str]]:
    """The calls that stand anywhere in a line, each with its output or, where it failed, why."""
    try:
        stack = [json.loads(line)]
    except (ValueError, RecursionError):  # no line of a journal has a call that cannot be read
        return
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += value.values()
            if isinstance(value.get("tool"), str) and "arguments" in value:
                given = value.get("problem") or value.get("output")
                yield value["tool"], _plain(value["arguments"]), _plain(given)
        elif isinstance(value, list):
            stack += value


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _made_again(document: Mapping[str, Any], data: bytes, host: Host | None) -> Line:
    """Whether the run, replayed, gives this proof."""
    if host is None:
        return Line("recorded", "that this run gives this proof: that needs Aeon")
    try:
        other = load(host.remade(data, document))
    except AeonError as error:
        return Line("recorded", f"that this run gives this proof: it cannot be replayed here: {error}")
    differing = [name for name in sorted(document) if name != "digest" and document[name] != other[name]]
    if differing:
        return Line("problem", f"this run gives another proof: other {', '.join(differing)}")
    return Line("verified", "this run, replayed, gives this very proof")
