"""A program that a model wrote as the calls of tools that it is, as it stands, and what keeps it from running."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from aeon.programs.calls import Calls, Text
from aeon.programs.evidence import Evidence
from aeon.programs.parse import LONGEST, is_program, misfits, read, unfenced
from aeon.schema import JsonValue
from aeon.schema.turns import Call
from aeon.tools.registry import ToolRegistry

__all__ = ["Read", "read_program"]

_MOST_CALLS = 24


@dataclass(frozen=True)
class Read:
    """The calls of a program, and which of them give what it prints.

    ``fault`` is what keeps it from running, in a few words for the model; ``writing`` a text that it wants written,
    once the calls are made whose results it speaks of; ``said`` are values that it prints as they stand, and that rest
    on nothing.
    """

    calls: Calls
    fault: str = ""
    writing: str = ""
    said: tuple[JsonValue, ...] = ()


def read_program(text: str, tools: ToolRegistry, evidence: Evidence, known: str, goal: str) -> Read:
    """The calls that a program is: nothing of it is changed, it runs as it was written or not at all.

    What it copies from the ``evidence`` and is not ``known`` is quoted. A reply that is no program, where there is
    nothing to look in, is a wish to write about the ``goal``.
    """
    if len(unfenced(text)) > LONGEST:
        return Read(Calls(), fault="it is too long")
    if not is_program(text):
        return Read(Calls(), fault="this is no program") if evidence.sources else Read(Calls(), writing=goal)
    faults: list[str] = []
    calls = read(text, tools, evidence, known, faults.append)
    if (writing := _writing(calls)) is not None:
        return _to_write(writing, calls, tools)
    if not calls.made and not faults and (said := _said(text)):
        return Read(calls, said=said)
    return Read(calls, next(iter([*faults, *_faults(calls, tools)]), ""))


def _to_write(writing: Text, calls: Calls, tools: ToolRegistry) -> Read:
    """The text that is wanted, behind the calls whose results it speaks of."""
    before = Calls(tuple(one for one in calls.made if one != writing))
    return Read(before, next(_faults(before, tools), "") if before.made else "", writing.task)


def _said(text: str) -> tuple[JsonValue, ...]:
    """The values that a program prints, or that its last line is, where all of it is nothing but values."""
    named: dict[str, ast.expr] = {}
    printed: list[ast.expr] = []
    for statement in ast.parse(unfenced(text)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                named[name] = value
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=arguments, keywords=[])):
                printed += arguments
            case ast.Expr(value=ast.Constant() as value):
                printed.append(value)
            case _:
                return ()
    return _constants([named.get(one.id, one) if isinstance(one, ast.Name) else one for one in printed])


def _constants(values: Sequence[ast.expr]) -> tuple[JsonValue, ...]:
    """These values, if all of them are constants that say something."""
    said = tuple(one.value for one in values if isinstance(one, ast.Constant) and _is_value(one.value))
    return said if len(said) == len(values) else ()


def _is_value(said: object) -> TypeGuard[str | int | float]:
    """Whether a constant is a number, or a text that says something."""
    return isinstance(said, str | int | float) and said != ""


def _writing(calls: Calls) -> Text | None:
    """The text that a program wants written, where that is all that it prints."""
    printed = [one for one in calls.made if one.id in calls.printed]
    return printed[0] if len(printed) == 1 and isinstance(printed[0], Text) else None


def _faults(calls: Calls, tools: ToolRegistry) -> Iterator[str]:
    """What keeps the calls of a program from being made."""
    if not calls.made:
        yield "it prints nothing that functions give"
    if len(calls.made) > _MOST_CALLS:
        yield f"it takes more than {_MOST_CALLS} calls"
    for one in calls.made:
        if isinstance(one, Call) and _changes(tools, one.tool):
            yield f"{one.tool} changes something: a program may not"
    yield from misfits(calls, tools)


def _changes(tools: ToolRegistry, name: str) -> bool:
    """Whether a tool changes anything."""
    return name in tools.names and tools.get(name).side_effects
