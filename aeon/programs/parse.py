"""Calls read out of a short program: every calculation is one, and what is printed is the answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from aeon.errors import AeonError
from aeon.programs.calls import Calls, Text
from aeon.programs.datetimes import with_tools
from aeon.programs.evidence import Evidence, cited_lines
from aeon.programs.quotes import Quotes, UnfitError, UnstatedError
from aeon.programs.reader import CALCULATOR, ProgramReader
from aeon.schema import JsonObject, JsonValue
from aeon.schema.turns import Call
from aeon.tools.calculator import evaluate
from aeon.tools.references import REFERENCE, references
from aeon.tools.registry import ToolRegistry

__all__ = ["is_program", "misfits", "read", "unfenced"]

_FENCED = re.compile(r"```(?:[^\n`]*\n)?(.*?)(?:```|$)", re.DOTALL)
LONGEST = 6_000
"""Characters of a program; a longer one is none."""


def read(
    text: str,
    tools: ToolRegistry,
    evidence: Evidence | None = None,
    known: str = "",
    faults: Callable[[str], None] = lambda fault: None,
) -> Calls:
    """The calls of the program in ``text``, whether or not they can be made; none where it is no such program.

    What it copies from the ``evidence`` and is not ``known`` from the task is quoted. ``faults`` receives what is wrong
    with a program that has a value of its own, or a name without a value.
    """
    code = unfenced(text)
    reader = ProgramReader(tools, Quotes(evidence or Evidence(), cited_lines(code), known))
    try:
        for statement in with_tools(ast.parse(code)).body:
            reader.read(statement)
        return _renumbered(reader.made, reader.printed or reader.last)
    except UnstatedError as error:
        faults(str(error))
        return Calls()
    except (UnfitError, SyntaxError, ValueError, RecursionError, MemoryError):
        return Calls()


def unfenced(text: str) -> str:
    """What stands between the fences of a reply, or all of it."""
    found = _FENCED.search(text)
    return found[1] if found else text


def is_program(text: str) -> bool:
    """Whether a text can be read as Python; prose cannot."""
    try:
        return len(code := unfenced(text)) <= LONGEST and bool(ast.parse(code).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def misfits(calls: Calls, tools: ToolRegistry) -> Iterator[str]:
    """What is wrong with each call that a tool cannot take, as far as it does not hang on earlier results."""
    made = {one.id for one in calls.made}
    for one in calls.made:
        if isinstance(one, Call) and (fault := _fault(one, tools, bool(made & {*references(one.arguments)}))):
            yield fault


def _fault(call: Call, tools: ToolRegistry, refers: bool) -> str:
    if call.tool not in tools.names:
        return f"there is no function {call.tool}"
    if faults := tools.check(call.tool, call.arguments, references=refers):
        return "; ".join(faults)
    if call.tool != CALCULATOR or refers:
        return ""
    try:
        evaluate(str(call.arguments["expression"]))
    except AeonError as error:
        return str(error)
    return ""


def _renumbered(made: Sequence[Call | Text], printed: Sequence[str]) -> Calls:
    """The calls that what is printed rests on, numbered anew without gaps."""
    needs: set[str] = set(printed)
    for one in reversed(made):
        if one.id in needs:
            needs.update(references(one.arguments if isinstance(one, Call) else one.task))
    kept = [one for one in made if one.id in needs]  # a dollar sign may stand in a text
    ids = {one.id: f"s{number}" for number, one in enumerate(kept, 1)}
    answer = tuple(dict.fromkeys(ids[name] for name in printed if name in ids))
    return Calls(tuple(_renamed(one, ids) for one in kept), answer)


def _renamed(one: Call | Text, ids: Mapping[str, str]) -> Call | Text:
    """A call under its new id; references to others get theirs."""
    if isinstance(one, Text):
        return Text(ids[one.id], str(_with(one.task, ids)))
    own: JsonObject = {name: _with(value, ids) for name, value in one.arguments.items()}
    return one.changed(id=ids[one.id], arguments=own)


def _with(value: JsonValue, ids: Mapping[str, str]) -> JsonValue:
    if isinstance(value, list):
        return [_with(item, ids) for item in value]
    return REFERENCE.sub(lambda match: f"${ids.get(match[1], match[1])}", value) if isinstance(value, str) else value
