"""A scripted model that gives the same whichever way it is asked for a program."""

from __future__ import annotations

import re
from collections.abc import Iterable

from approving import Approving

from aeon.errors import EndpointFailed
from aeon.llm.scripted import ALL_JSON, Reply
from aeon.schema import Capabilities, LLMRequest
from aeon.supervisor.prompt import load

__all__ = ["agreeing", "way_of"]

_SYSTEMS = {
    "reading": load("aeon.programs", "shelf.md"),
    "query": load("aeon.programs", "tables.md"),
    "program": load("aeon.programs", "functions.md").partition("{{")[0],
    "worked": load("aeon.programs", "worked.md"),
    "thought": load("aeon.programs", "thought.md"),
}
_SQL = re.compile(r"sql\((\"+|')(.*)\1\)", re.DOTALL)
_PROGRAM = re.compile(r".*(?:print\(|\bSELECT\b)", re.DOTALL)


def way_of(request: LLMRequest) -> str:
    """How a request asks for a program; "" where it asks for something else."""
    system = request.messages[0].content
    return next((way for way, begins in _SYSTEMS.items() if system.startswith(begins.strip())), "")


def agreeing(replies: Iterable[Reply], capabilities: Capabilities = ALL_JSON, name: str = "scripted") -> Approving:
    """A model of these replies; where a program is asked for in another way, the latest one in that way.

    A reading of texts is its next reply, unless that is a program: then the texts do not state it. Behind a short
    answer a program is what calculates it, else one that prints it. A program that asks tables is also the query that
    it asks; of another there is no query that can be run. It approves of all.
    """
    left, latest = list(replies), list[str]()

    def choose(request: LLMRequest) -> Reply:
        way, is_next = way_of(request), bool(left) and _is_program(left[0])
        if way and latest and (_is_program(latest[-1]) or not is_next):
            return _in(way, latest[-1])
        if way == "reading" and is_next:
            return "not stated"
        reply = left.pop(0) if left else EndpointFailed("there is no reply left")
        if way and isinstance(reply, str):
            latest.append(reply)
            return _in(way, reply)
        latest.clear()
        return reply

    return Approving(choose, capabilities, name)


def _is_program(reply: Reply) -> bool:
    return _PROGRAM.match(str(reply)) is not None


def _in(way: str, said: str) -> str:
    """What a reply is where it is asked for in this way."""
    query = _SQL.search(said)
    if way in ("query", "rule"):
        none = "SELECT NULL" if "not stated" in said else "SELECT answer FROM nowhere"
        return query[2] if query else said if said.startswith("SELECT") else none
    if way == "program":
        return said if _is_program(said) else f"print({said!r})"
    if way in ("worked", "thought"):
        return f"Answer: {said}"
    return "not stated" if _is_program(said) else said
